//! One collision, on the device and on the CPU, at the same step.

use crate::device::gpu;
use glam::DVec3;
use lahar::collide::{Collision, Outcome, Step};
use lahar::laws::ContactEnd;
use lahar::laws::material::{reduced, sphere_mass};
use lahar::scene::*;

/// Of restitution and contact time. Velocities are f32: 6e-8 for each of the 100 steps of a contact,
/// which mostly cancel.
const TOLERANCE: f64 = 2e-6;

/// Of real glass, whose overlap is a thousand units of positions.
const GLASS_TOLERANCE: f64 = 2e-5;

const SPEED: f64 = 0.1;
const DENSITY: f64 = 2500.0;
const RADIUS: f64 = 0.005;

/// Partners: an equal sphere, one of a tenth of the size, a wall.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Partner {
    Equal,
    Tenth,
    Wall,
}

/// A collision whose overlap reaches about `depth` radii of the smaller body.
fn collision(normal: NormalLaw, partner: Partner, angle: f64, depth: f64) -> Collision {
    let second = if partner == Partner::Tenth {
        0.1 * RADIUS
    } else {
        RADIUS
    };
    let wall = partner == Partner::Wall;
    let mass_2 = if wall {
        f64::INFINITY
    } else {
        sphere_mass(DENSITY, second)
    };
    let mass = reduced(sphere_mass(DENSITY, RADIUS), mass_2);
    let speed = SPEED * angle.cos();
    let overlap = depth * second;
    let mut pair = Pair {
        restitution: Some(0.8),
        friction: 0.3,
        ..Pair::new(0, 1)
    };
    let hertz = 1.25 * mass * speed * speed / overlap.powf(2.5);
    let linear = mass * speed * speed / (overlap * overlap);
    let mut tangential = TangentialLaw::Mindlin;
    match normal {
        NormalLaw::Linear => {
            pair.stiffness = Some(linear);
            pair.tangential_stiffness = Some(0.8 * linear);
            pair.tangential_damping = Some(0.0);
            tangential = TangentialLaw::Linear;
        }
        NormalLaw::LinearStretched => {
            pair.tangential_restitution = Some(0.6);
            tangential = TangentialLaw::Linear;
        }
        NormalLaw::HertzViscous => {
            pair.restitution = None;
            pair.damping = Some(0.3 * mass * speed / overlap);
        }
        NormalLaw::HertzKuwabaraKono => {
            pair.restitution = None;
            pair.viscoelastic_time = Some(0.1 * overlap / speed);
        }
        NormalLaw::HertzTsuji | NormalLaw::HertzAdaptive => {}
    }
    if matches!(
        normal,
        NormalLaw::HertzViscous | NormalLaw::HertzTsuji | NormalLaw::HertzKuwabaraKono
    ) {
        pair.stiffness = Some(hertz);
    }
    if tangential == TangentialLaw::Mindlin {
        pair.tangential_stiffness = Some(1.2 * hertz);
        if normal == NormalLaw::HertzAdaptive {
            pair.tangential_stiffness = Some(hertz);
        }
    }
    let material = |name: &str| Material {
        name: name.into(),
        density: DENSITY,
        young: None,
        poisson: 0.25,
    };
    Collision {
        laws: ContactLaws {
            normal,
            tangential,
            contact_time: Some(3.0 * overlap / speed),
            adaptive_minimum_speed: 1e-4,
            ..ContactLaws::default()
        },
        radius: [RADIUS, second],
        material: [material("one"), material("other")],
        pair,
        wall,
        speed: SPEED,
        angle,
        spin: if angle > 0.0 { 7.0 } else { 0.0 },
        gravity: 0.0,
        origin: DVec3::ZERO,
        step: Step::PerContact(97.3),
        phase: 0.37,
    }
}

/// Largest relative difference of restitution, contact time and, if there is any, rebound slip.
fn difference(got: &Outcome, want: &Outcome) -> [f64; 3] {
    let relative = |a: f64, b: f64| (a - b).abs() / b.abs();
    let time = relative(
        got.contact_time.expect("an end"),
        want.contact_time.expect("an end"),
    );
    // Against the slip before: what is left of it may be nothing.
    let slip = (got.psi_out - want.psi_out).abs() / want.psi_in.max(1.0);
    [relative(got.restitution, want.restitution), time, slip]
}

#[test]
fn of_every_law_partner_angle_and_depth() {
    let Some(gpu) = gpu() else { return };
    let laws = [
        NormalLaw::Linear,
        NormalLaw::LinearStretched,
        NormalLaw::HertzViscous,
        NormalLaw::HertzTsuji,
        NormalLaw::HertzKuwabaraKono,
        NormalLaw::HertzAdaptive,
    ]
    .map(|law| (law, ContactEnd::Overlap));
    // What its contacts begin with depends on how they end.
    let adaptive = (NormalLaw::HertzAdaptive, ContactEnd::Force);
    let depths = [5e-2, 1e-2, 1e-3, 1e-4];
    let mut worst = [0.0f64; 3];
    let mut turn = 0;
    for (law, end) in laws.into_iter().chain([adaptive]) {
        for partner in [Partner::Equal, Partner::Tenth, Partner::Wall] {
            for _ in 0..2 {
                // Head-on, sticking, sliding; each with each depth in turn.
                let angle = [0.0f64, 15.0, 65.0][turn % 3];
                let depth = depths[turn % depths.len()];
                turn += 1;
                let mut collision = collision(law, partner, angle.to_radians(), depth);
                collision.laws.end = end;
                let what = format!("{law:?}, {end:?}, {partner:?}, {angle}°, {depth:e} radii");
                let want = collision.run().unwrap_or_else(|e| panic!("{what}: {e}"));
                let got = collision.run_on_gpu(gpu).unwrap();
                let off = difference(&got, &want);
                println!("{what}: {off:?} e {}", want.restitution);
                for (worst, off) in worst.iter_mut().zip(off) {
                    *worst = worst.max(off);
                }
            }
        }
    }
    println!("worst {worst:?}");
    assert!(worst.iter().all(|&off| off <= TOLERANCE), "{worst:?}");
}

/// A Young's modulus of 7e10 Pa: an overlap of 3e-5 radii.
#[test]
fn of_real_glass() {
    let Some(gpu) = gpu() else { return };
    for partner in [Partner::Equal, Partner::Wall] {
        let mut collision = collision(NormalLaw::HertzTsuji, partner, 0.3, 1e-5);
        collision.pair.stiffness = None;
        collision.pair.tangential_stiffness = None;
        collision.speed = 0.005;
        for material in &mut collision.material {
            material.young = Some(70e9);
        }
        let want = collision.run().unwrap();
        let got = collision.run_on_gpu(gpu).unwrap();
        let off = difference(&got, &want);
        println!(
            "{partner:?}: {off:?}, overlap {:.1e} radii",
            want.max_overlap / RADIUS
        );
        assert!(off.iter().all(|&off| off <= GLASS_TOLERANCE), "{off:?}");
    }
}

/// The same collision gives the same bits anywhere in a domain of 2e4 radii.
#[test]
fn anywhere_in_the_domain() {
    let Some(gpu) = gpu() else { return };
    let mut collision = collision(NormalLaw::HertzTsuji, Partner::Equal, 0.5, 1e-3);
    let want = collision.run_on_gpu(gpu).unwrap();
    let mut random = crate::beds::Random(10);
    // Opposite corners, the middles of two sides, an edge, and anywhere else.
    let mut places = vec![
        DVec3::splat(-1.0),
        DVec3::splat(1.0),
        DVec3::new(1.0, -1.0, 1.0),
        DVec3::X,
        DVec3::NEG_Z,
        DVec3::new(0.0, 1.0, -1.0),
    ];
    places.extend((0..4).map(|_| random.vector()));
    assert_eq!(places.len(), 10);
    for place in places {
        collision.origin = 0.99e4 * RADIUS * place;
        let got = collision.run_on_gpu(gpu).unwrap();
        assert_eq!(got.restitution, want.restitution, "{}", collision.origin);
        assert_eq!(got.velocity, want.velocity, "{}", collision.origin);
        assert_eq!(got.spin, want.spin, "{}", collision.origin);
    }
}
