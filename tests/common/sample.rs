//! A small scene and states to write, draw and read back.

use glam::DVec3;
use lahar::laws::ContactEnd;
use lahar::position::Grid;
use lahar::scene::*;
use lahar::state::*;

/// Two materials, a plane, a box without lid and one wall of every curved shape, in a cube of 1 m.
pub(crate) fn scene() -> Scene {
    let wall = |name: &str, shape| Wall {
        name: name.into(),
        material: 1,
        shape,
    };
    let material = |name: &str, density| Material {
        name: name.into(),
        density,
        young: Some(1e7),
        poisson: 0.3,
    };
    Scene {
        title: "Sample".into(),
        domain: Domain {
            lower: DVec3::ZERO,
            upper: DVec3::ONE,
            periodic: [false; 3],
            leaving: Leaving::Stop,
        },
        gravity: DVec3::new(0.0, 0.0, -9.81),
        time: Time {
            end: 1.0,
            step: TimeStep::Fixed(1e-3),
            force_step: false,
            expected_speed: None,
        },
        hard: None,
        fluid: None,
        contact: ContactLaws {
            normal: NormalLaw::HertzTsuji,
            tangential: TangentialLaw::Mindlin,
            rolling: RollingLaw::None,
            cohesion: CohesionLaw::None,
            end: ContactEnd::Overlap,
            contact_time: None,
            inverse: AdaptiveInverse::Direct,
            adaptive_minimum_speed: 0.0,
        },
        materials: vec![material("glass", 2500.0), material("steel", 7800.0)],
        pairs: Vec::new(),
        particles: Vec::new(),
        walls: vec![
            wall(
                "floor",
                WallShape::Plane {
                    point: DVec3::ZERO,
                    normal: DVec3::Z,
                },
            ),
            wall(
                "tray",
                WallShape::Box {
                    lower: DVec3::splat(0.1),
                    upper: DVec3::splat(0.9),
                    faces: [true, true, true, true, true, false],
                },
            ),
            wall(
                "drum",
                WallShape::Cylinder {
                    point: DVec3::splat(0.5),
                    axis: DVec3::X,
                    length: None,
                    radius: 0.4,
                    side: Side::Inside,
                },
            ),
            wall(
                "ball",
                WallShape::Sphere {
                    center: DVec3::splat(0.5),
                    radius: 0.1,
                    side: Side::Outside,
                },
            ),
            wall(
                "funnel",
                WallShape::Cone {
                    point: DVec3::new(0.5, 0.5, 0.2),
                    axis: DVec3::Z,
                    length: 0.2,
                    radii: [0.0, 0.2],
                    side: Side::Inside,
                },
            ),
        ],
        neighbours: Neighbours { skin: None },
        output: Output {
            frames: None,
            series: None,
            checkpoints: None,
            picture: false,
        },
    }
}

/// Number of wall faces of [`scene`].
pub(crate) const FACES: usize = 1 + 5 + 3;

/// Spheres given by centre, radius and velocity, at rest otherwise, without contacts.
pub(crate) fn state(spheres: &[(DVec3, f64, DVec3)]) -> State {
    let count = spheres.len();
    let largest = spheres.iter().map(|s| s.1).fold(1e-3, f64::max);
    let grid = Grid::new(DVec3::ZERO, DVec3::ONE, [false; 3], 2.0 * largest);
    let placed: Vec<_> = spheres.iter().map(|s| grid.from_metres(s.0)).collect();
    State {
        step: 0,
        time_step: 1e-3,
        grid,
        particles: ParticleState {
            id: (0..).take(count).collect(),
            units: placed.iter().map(|p| p.0).collect(),
            remainder: placed.iter().map(|p| p.1).collect(),
            velocity: spheres.iter().map(|s| s.2).collect(),
            spin: vec![DVec3::ZERO; count],
            acceleration: vec![DVec3::ZERO; count],
            angular_acceleration: vec![DVec3::ZERO; count],
            radius: spheres.iter().map(|s| s.1).collect(),
            material: vec![0; count],
            fixed: vec![false; count],
        },
        contacts: Vec::new(),
        ledger: Ledger::default(),
        wall_forces: vec![DVec3::ZERO; FACES],
        removed: 0,
    }
}

/// A state after `step` steps in which every number differs from its neighbours.
#[allow(dead_code, reason = "not every test file looks at it")]
pub(crate) fn varied_state(step: u32) -> State {
    let number = |i: u32| (f64::from(i + 31 * step) * 0.7315).sin();
    let vector = |i: u32| DVec3::new(number(i), number(i + 1), 1e-7 * number(i + 2));
    let spheres: Vec<_> = (0..12)
        .map(|i| {
            let at = 0.5 + 0.3 * vector(3 * i);
            (at, 0.01 + 0.001 * f64::from(i), vector(5 * i))
        })
        .collect();
    let mut state = state(&spheres);
    // Gaps in the ids, as after removals.
    state.particles.id = (0..12).map(|i| 3 * i + 1).collect();
    state.particles.material = (0..12).map(|i| i % 2).collect();
    state.particles.fixed = (0..12).map(|i| i == 5).collect();
    state.particles.spin = (0..12).map(|i| vector(7 * i)).collect();
    state.particles.acceleration = (0..12).map(|i| vector(11 * i)).collect();
    state.step = u64::from(step);
    state.removed = 24;
    state.contacts = [(1, 4), (1, 7), (7, WALL + 2)]
        .map(|(first, second)| ContactState {
            first,
            second,
            spring: vector(first),
            rolling: vector(second % 97),
            adaptive: [number(1), number(2)],
            overlap: 1e-9 * number(3),
            normal_force: number(4),
            root_overlap: 1e-5 * number(5),
        })
        .to_vec();
    state.ledger = Ledger {
        kinetic: number(20),
        rotational: number(21),
        potential: number(22),
        elastic_normal: number(23),
        elastic_tangential: number(24),
        elastic_rolling: number(25),
        lost_normal: number(26),
        lost_tangential: number(27),
        lost_friction: number(28),
        lost_rolling: number(29),
        lost_drag: number(60),
        lost_film: number(61),
        gained_mindlin: number(30),
        removed: number(31),
        crossed: number(33),
        pending: [number(34), number(35), number(36), number(37), number(38)],
        pending_fluid: [number(62), number(63)],
        initial: number(32),
        scale: number(39),
    };
    state.wall_forces = (40..).map(vector).take(FACES).collect();
    state
}
