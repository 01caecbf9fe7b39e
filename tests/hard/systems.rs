//! Systems to run.

pub(crate) use crate::random::Random;
use glam::DVec3;
use lahar::hard::*;
use lahar::laws::hard_sphere::CollisionRule;
use lahar::laws::tc::Dimensions;

/// An empty periodic cube, or square, of one kind of grain without friction.
pub(crate) fn model(dimensions: Dimensions, length: f64, restitution: f64) -> HardModel {
    let depth = match dimensions {
        Dimensions::Two => 1.0,
        Dimensions::Three => length,
    };
    HardModel {
        dimensions,
        lower: DVec3::ZERO,
        upper: DVec3::new(length, length, depth),
        periodic: [true, true, dimensions == Dimensions::Three],
        leaving: Leaving::Stop,
        gravity: DVec3::ZERO,
        contact_duration: 0.0,
        faces: Vec::new(),
        rules: vec![CollisionRule::Smooth { restitution }],
        materials: 1,
    }
}

pub(crate) fn grain(position: DVec3, velocity: DVec3, radius: f64) -> StartingGrain {
    StartingGrain {
        position,
        velocity,
        spin: DVec3::ZERO,
        radius,
        mass: 1.0,
        material: 0,
        fixed: false,
    }
}

/// The six sides of the domain as walls of material 0; in two dimensions, four.
pub(crate) fn close(model: &mut HardModel) {
    let axes = match model.dimensions {
        Dimensions::Two => 2,
        Dimensions::Three => 3,
    };
    for axis in 0..axes {
        model.periodic[axis] = false;
        for (point, sign) in [(model.lower, 1.0), (model.upper, -1.0)] {
            let mut normal = DVec3::ZERO;
            normal[axis] = sign;
            model.faces.push(Face {
                shape: FaceShape::Plane {
                    point,
                    normal,
                    motion: None,
                },
                material: 0,
            });
        }
    }
}

/// Grains on a lattice of `per_axis` cells, jittered, with random velocities up to 1 m/s and no drift.
pub(crate) fn gas(
    model: &HardModel,
    per_axis: usize,
    radius: std::ops::Range<f64>,
    seed: u64,
) -> Vec<StartingGrain> {
    let mut random = Random(seed);
    let flat = model.dimensions == Dimensions::Two;
    let layers = if flat { 1 } else { per_axis };
    let spacing = (model.upper.x - model.lower.x) / per_axis as f64;
    let mut grains = Vec::new();
    for z in 0..layers {
        for y in 0..per_axis {
            for x in 0..per_axis {
                let size = random.between(radius.start, radius.end);
                let free = 0.5 * spacing - size;
                assert!(free > 0.0, "grains fit into the cells of the lattice");
                let mut jitter = || 0.99 * random.between(-free, free);
                let mut place = model.lower
                    + spacing * (DVec3::new(x as f64, y as f64, z as f64) + 0.5)
                    + DVec3::new(jitter(), jitter(), jitter());
                let mut velocity = random.vector();
                if flat {
                    place.z = 0.5;
                    velocity.z = 0.0;
                }
                grains.push(StartingGrain {
                    mass: (size / radius.start).powi(3),
                    ..grain(place, velocity, size)
                });
            }
        }
    }
    let mass: f64 = grains.iter().map(|grain| grain.mass).sum();
    let momentum: DVec3 = grains.iter().map(|grain| grain.mass * grain.velocity).sum();
    for grain in &mut grains {
        grain.velocity -= momentum / mass;
    }
    grains
}
