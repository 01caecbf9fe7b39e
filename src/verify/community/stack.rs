//! Two spheres squeezed between two walls.

use super::{BALL_RESTITUTION, GRAVITY, above_floor, linear};
use crate::engine::Engine;
use crate::error::Result;
use crate::laws::ContactEnd;
use crate::laws::linear::{linear_damping, linear_damping_ratio_from_restitution};
use crate::laws::material::sphere_mass;
use crate::scene::{Pair, Particle, WallShape};
use crate::state::State;
use crate::verify::{Bench, Check, Engines, Measured, Study, Tolerance};
use glam::DVec3;

/// Radius (m), stiffness (N/m), density (kg/m³) and height of the gap over the radius.
const STACK_RADIUS: f64 = 5e-4;
const STACK_STIFFNESS: f64 = 1e3;
const STACK_DENSITY: f64 = 1e4;
const STACK_HEIGHT: f64 = 3.6;
const STACK_TIME: f64 = 1e-3;

/// Heights of the centres at the start, over the radius: not in balance.
const STACK_START: [f64; 2] = [0.9, 2.7];

/// Steps in [`STACK_TIME`]: 100 in the contact of two grains.
const STACK_STEPS: u32 = 2000;

/// Heights of two grains squeezed between plates after [`STACK_TIME`], by Runge & Kutta.
fn stack_reference(restitution: f64) -> [f64; 2] {
    let mass = sphere_mass(STACK_DENSITY, STACK_RADIUS);
    let ratio = linear_damping_ratio_from_restitution(restitution, ContactEnd::Overlap);
    let [with_wall, with_grain] =
        [mass, 0.5 * mass].map(|m| linear_damping(ratio, STACK_STIFFNESS, m));
    let push = |damping: f64, overlap: f64, rate: f64| {
        if overlap > 0.0 {
            STACK_STIFFNESS * overlap + damping * rate
        } else {
            0.0
        }
    };
    let slope = |[low, high, v_low, v_high]: [f64; 4]| {
        let [on_floor, on_ceiling, on_grain] = stack_overlaps([low, high]);
        let floor = push(with_wall, on_floor, -v_low);
        let ceiling = push(with_wall, on_ceiling, v_high);
        let between = push(with_grain, on_grain, v_low - v_high);
        [
            v_low,
            v_high,
            (floor - between) / mass - GRAVITY,
            (between - ceiling) / mass - GRAVITY,
        ]
    };
    let mut state = [
        STACK_START[0] * STACK_RADIUS,
        STACK_START[1] * STACK_RADIUS,
        0.0,
        0.0,
    ];
    let steps = 100_000;
    let h = STACK_TIME / f64::from(steps);
    let moved = |state: [f64; 4], slope: [f64; 4], h: f64| {
        [0, 1, 2, 3].map(|k: usize| state[k] + h * slope[k])
    };
    for _ in 0..steps {
        let a = slope(state);
        let b = slope(moved(state, a, 0.5 * h));
        let c = slope(moved(state, b, 0.5 * h));
        let d = slope(moved(state, c, h));
        state = [0, 1, 2, 3]
            .map(|k: usize| state[k] + h / 6.0 * (a[k] + 2.0 * b[k] + 2.0 * c[k] + d[k]));
    }
    [state[0] / STACK_RADIUS, state[1] / STACK_RADIUS]
}

/// Overlaps with floor and ceiling, and of the two grains at these heights, m.
fn stack_overlaps([low, high]: [f64; 2]) -> [f64; 3] {
    [
        STACK_RADIUS - low,
        high + STACK_RADIUS - STACK_HEIGHT * STACK_RADIUS,
        2.0 * STACK_RADIUS - (high - low),
    ]
}

/// Two grains squeezed between two plates.
fn start_stack(bench: &dyn Bench, restitution: f64) -> Result<Box<dyn Engine>> {
    let pair = Pair {
        stiffness: Some(STACK_STIFFNESS),
        restitution: Some(restitution),
        ..Pair::new(0, 0)
    };
    let ceiling = |height: f64| WallShape::Plane {
        point: DVec3::Z * height * STACK_RADIUS,
        normal: DVec3::NEG_Z,
    };
    let at = |height: f64| DVec3::Z * height * STACK_RADIUS;
    let mut scene = above_floor(linear(), STACK_DENSITY, pair)
        .domain(DVec3::splat(-0.01), DVec3::splat(0.01))
        .end_time(STACK_TIME)
        .time_step(STACK_TIME / f64::from(STACK_STEPS))
        .wall("ceiling", 0, ceiling(4.0))
        .particles([1.0, 3.0].map(|height| Particle::new(at(height), STACK_RADIUS, 0)))
        .build()?;
    // A scene of a user may not begin so deep in contact: it is pressed together behind that check.
    scene.walls[1].shape = ceiling(STACK_HEIGHT);
    for (particle, height) in scene.particles.iter_mut().zip(STACK_START) {
        particle.position = at(height);
    }
    bench.simulate(&scene)
}

/// The heights that both stacks end at.
fn stack_heights(expected: [f64; 2], tolerance: Tolerance) -> [Check; 2] {
    [("lower", expected[0]), ("upper", expected[1])].map(|(name, height)| {
        let quantity = format!("height of the {name} grain over the radius");
        Check::new(name, quantity, height, tolerance)
    })
}

pub(super) fn squeezed_stack() -> Study {
    let [low, high] = stack_reference(BALL_RESTITUTION);
    let stepped = Tolerance::relative(4e-6, "second order at 100 steps in a contact time");
    Study {
        name: "mfix-stack",
        source: "MFIX DEM03",
        summary: "Two grains pressed into a gap of 3.6 radii between two plates oscillate; heights after \
                  1 ms against an integration by Runge & Kutta.",
        engines: Engines::All,
        quick: true,
        checks: stack_heights([low, high], stepped).into(),
        measure: Box::new(|bench| {
            let mut engine = start_stack(bench, BALL_RESTITUTION)?;
            engine.run(u64::from(STACK_STEPS))?;
            let state = engine.state()?;
            Ok(Measured::values(
                [0, 1].map(|k| state.position(k).z / STACK_RADIUS),
            ))
        }),
    }
}

pub(super) fn stack_energy() -> Study {
    let [low, high] = stack_reference(1.0);
    let stepped = Tolerance::relative(1e-5, "second order at 100 steps in a contact time");
    Study {
        name: "stack-energy",
        source: "LAMMPS granular tests, stack energy",
        summary: "The two grains between two plates with e = 1: kinetic energy, weight and springs together \
                  stay what they were, and the heights after 1 ms are those of an integration by Runge \
                  & Kutta.",
        engines: Engines::All,
        quick: true,
        checks: [
            Check::new(
                "energy",
                "largest change of the total energy in 1 ms, over it",
                0.0,
                Tolerance::absolute(
                    1e-5,
                    "second order at 100 steps in a contact time: it swings, and does not drift",
                ),
            )
            .on_devices(Tolerance::absolute(1e-6, "f32 velocities")),
            Check::new(
                "drift",
                "mean of the total energy in the second half over that in the first",
                1.0,
                Tolerance::relative(4e-7, "the same swings, not quite whole in number"),
            ),
        ]
        .into_iter()
        .chain(stack_heights([low, high], stepped))
        .collect(),
        measure: Box::new(|bench| {
            let mut engine = start_stack(bench, 1.0)?;
            let mass = sphere_mass(STACK_DENSITY, STACK_RADIUS);
            let energy = |state: &State| {
                let heights = [0, 1].map(|k| state.position(k).z);
                let springs = stack_overlaps(heights).map(|o| o.max(0.0).powi(2));
                let kinetic = [0, 1].map(|k| state.particles.velocity[k].length_squared());
                0.5 * STACK_STIFFNESS * springs.iter().sum::<f64>()
                    + 0.5 * mass * kinetic.iter().sum::<f64>()
                    + mass * GRAVITY * (heights[0] + heights[1])
            };
            let begun = energy(&engine.state()?);
            let mut energies = Vec::new();
            for _ in 0..STACK_STEPS / 10 {
                engine.run(10)?;
                energies.push(energy(&engine.state()?) / begun);
            }
            let state = engine.state()?;
            let changes = energies.iter().map(|energy| (energy - 1.0).abs());
            let (first, second) = energies.split_at(energies.len() / 2);
            Ok(Measured::values([
                changes.fold(0.0, f64::max),
                second.iter().sum::<f64>() / first.iter().sum::<f64>(),
                state.position(0).z / STACK_RADIUS,
                state.position(1).z / STACK_RADIUS,
            ]))
        }),
    }
}
