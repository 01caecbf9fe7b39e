//! Small random beds for every law and every kind of wall.

#[path = "random.rs"]
mod random;

use glam::DVec3;
use lahar::laws::ContactEnd;
use lahar::scene::*;
use lahar::state::State;
pub(crate) use random::Random;

/// Mean radius of a grain in these beds, m.
pub(crate) const RADIUS: f64 = 0.01;

/// A combination of laws.
pub(crate) fn laws(
    normal: NormalLaw,
    tangential: TangentialLaw,
    rolling: RollingLaw,
    cohesion: CohesionLaw,
    end: ContactEnd,
) -> ContactLaws {
    ContactLaws {
        normal,
        tangential,
        rolling,
        cohesion,
        end,
        contact_time: Some(1.5e-3),
        inverse: AdaptiveInverse::Direct,
        adaptive_minimum_speed: 0.05,
    }
}

/// Every law at least twice, in sensible company.
pub(crate) fn law_combinations() -> Vec<ContactLaws> {
    use ContactEnd::{Force, Overlap};
    use NormalLaw::*;
    let (none, coulomb) = (TangentialLaw::None, TangentialLaw::Coulomb);
    let (spring, mindlin) = (TangentialLaw::Linear, TangentialLaw::Mindlin);
    let impulse = TangentialLaw::Impulse;
    let (free, constant, rolls) = (RollingLaw::None, RollingLaw::Constant, RollingLaw::Spring);
    let dry = CohesionLaw::None;
    let (sjkr, jkr, dmt) = (CohesionLaw::Sjkr, CohesionLaw::Jkr, CohesionLaw::Dmt);
    vec![
        laws(Linear, none, free, dry, Overlap),
        laws(Linear, spring, rolls, dry, Force),
        laws(Linear, coulomb, constant, sjkr, Overlap),
        laws(Linear, spring, free, dmt, Overlap),
        laws(LinearStretched, spring, free, dry, Overlap),
        laws(LinearStretched, spring, rolls, sjkr, Force),
        laws(HertzViscous, none, free, dry, Force),
        laws(HertzViscous, mindlin, rolls, jkr, Overlap),
        laws(HertzTsuji, mindlin, free, dry, Overlap),
        laws(HertzTsuji, mindlin, rolls, dry, Force),
        laws(HertzTsuji, mindlin, rolls, jkr, Overlap),
        laws(HertzTsuji, coulomb, constant, dmt, Force),
        laws(HertzKuwabaraKono, mindlin, constant, sjkr, Overlap),
        laws(HertzKuwabaraKono, spring, free, jkr, Overlap),
        laws(HertzAdaptive, mindlin, rolls, dry, Overlap),
        laws(HertzAdaptive, spring, free, dmt, Overlap),
        laws(HertzAdaptive, mindlin, rolls, dry, Force),
        laws(LinearStretched, impulse, free, dry, Overlap),
        laws(HertzTsuji, impulse, rolls, jkr, Overlap),
    ]
}

/// What materials `a` and `b` do under these laws; different for each pair.
pub(crate) fn pair(laws: &ContactLaws, a: usize, b: usize) -> Pair {
    let mixed = 1.0 + 0.2 * (a + b) as f64;
    let mut pair = Pair {
        friction: 0.3 * mixed,
        rolling_friction: 0.06 * mixed,
        rolling_damping: 0.2,
        work_of_adhesion: 2.0 * mixed,
        cohesion_energy_density: 2e4 * mixed,
        ..Pair::new(a, b)
    };
    match laws.normal {
        NormalLaw::Linear => {
            pair.stiffness = Some(2e4 * mixed);
            pair.restitution = Some(0.85 / mixed);
        }
        NormalLaw::HertzViscous => pair.damping = Some(1.0 * mixed),
        NormalLaw::HertzKuwabaraKono => pair.viscoelastic_time = Some(1e-4 * mixed),
        _ => pair.restitution = Some(0.9 / mixed),
    }
    match (laws.tangential, laws.normal) {
        (TangentialLaw::Linear, NormalLaw::LinearStretched | NormalLaw::HertzAdaptive) => {
            pair.tangential_restitution = Some(0.6);
        }
        // Both rules, each with other coefficients.
        (TangentialLaw::Impulse, _) if (a + b).is_multiple_of(2) => {
            pair.exponent = Some(0.4 * mixed)
        }
        (TangentialLaw::Impulse, _) => pair.tangential_restitution = Some(0.4 * mixed),
        (TangentialLaw::Linear, _) => {
            pair.tangential_stiffness = Some(5e3 * mixed);
            pair.tangential_damping = Some(0.3 * mixed);
        }
        _ => {}
    }
    pair
}

/// Where the grains are held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Container {
    /// Periodic in all directions.
    Periodic,
    /// Periodic along x, between a floor, a tilted plane and two sides.
    Channel,
    /// Six faces, with a ball in the middle.
    Box,
    /// An upright drum with floor and lid, and a post on its axis.
    Drum,
    /// A funnel in a box, its hole close to the floor: nothing gets behind it.
    Funnel,
    /// A hollow sphere.
    Globe,
}

pub(crate) const CONTAINERS: [Container; 6] = [
    Container::Periodic,
    Container::Channel,
    Container::Box,
    Container::Drum,
    Container::Funnel,
    Container::Globe,
];

/// Half the width of the space that the grains start in, m.
const HALF: f64 = 0.055;

impl Container {
    fn periodic(self) -> [bool; 3] {
        match self {
            Self::Periodic => [true; 3],
            Self::Channel => [true, false, false],
            _ => [false; 3],
        }
    }

    fn walls(self) -> Vec<WallShape> {
        let plane = |point: DVec3, normal: DVec3| WallShape::Plane { point, normal };
        let faces = |faces| WallShape::Box {
            lower: DVec3::splat(-HALF),
            upper: DVec3::splat(HALF),
            faces,
        };
        let cylinder = |radius, side, length: Option<f64>| WallShape::Cylinder {
            point: DVec3::new(0.0, 0.0, -HALF),
            axis: DVec3::Z,
            length,
            radius,
            side,
        };
        match self {
            Self::Periodic => vec![],
            Self::Channel => vec![
                faces([false, false, true, true, true, false]),
                plane(DVec3::Z * HALF * 1.15, DVec3::new(0.0, 0.3, -1.0)),
            ],
            Self::Box => vec![
                faces([true; 6]),
                WallShape::Sphere {
                    center: DVec3::ZERO,
                    radius: 0.02,
                    side: Side::Outside,
                },
            ],
            Self::Drum => vec![
                cylinder(HALF * 1.2, Side::Inside, None),
                cylinder(0.01, Side::Outside, Some(0.06)),
                faces([false, false, false, false, true, true]),
            ],
            Self::Funnel => vec![
                faces([true; 6]),
                WallShape::Cone {
                    point: DVec3::new(0.0, 0.0, -0.045),
                    axis: DVec3::Z,
                    length: 0.1,
                    radii: [0.012, 0.09],
                    side: Side::Inside,
                },
            ],
            Self::Globe => vec![WallShape::Sphere {
                center: DVec3::ZERO,
                radius: HALF * 1.4,
                side: Side::Inside,
            }],
        }
    }

    /// Whether a grain may start here, clear of the walls.
    fn takes(self, p: DVec3, radius: f64) -> bool {
        let gap = 1e-4;
        let inside = |half: f64| p.abs().max_element() + radius + gap < half;
        let around = DVec3::new(p.x, p.y, 0.0).length();
        match self {
            Self::Periodic => inside(2.0 * HALF),
            Self::Channel => {
                p.y.abs() + radius + gap < HALF
                    && p.z - radius - gap > -HALF
                    && p.z + radius < 0.7 * HALF
            }
            Self::Box => inside(HALF) && p.length() > 0.02 + radius + gap,
            Self::Drum => {
                p.z.abs() + radius + gap < HALF
                    && around + radius + gap < 1.2 * HALF
                    && around > 0.01 + radius + gap
            }
            // Above the cone.
            Self::Funnel => {
                let depth = 0.012 + (p.z + 0.045) * 0.78 - around;
                inside(HALF) && depth > 1.28 * (radius + gap)
            }
            Self::Globe => p.length() + radius + gap < 1.4 * HALF,
        }
    }
}

/// A grain that passes a periodic side half a millisecond from now, and beyond it finds a ball that has no image on this side.
pub(crate) fn beside_a_ball(laws: ContactLaws) -> Scene {
    let mut scene = bed(laws, Container::Globe, 1);
    scene.gravity = DVec3::ZERO;
    scene.domain.periodic = [true, false, false];
    let [lower, upper] = [scene.domain.lower.x, scene.domain.upper.x];
    // It is 1 % of a radius from a grain that has just come in.
    scene.walls[0].shape = WallShape::Sphere {
        center: DVec3::X * (lower + 2.01 * RADIUS),
        radius: RADIUS,
        side: Side::Outside,
    };
    let grain = Particle::new(DVec3::X * (upper - 0.05 * RADIUS), RADIUS, 0);
    scene.particles = vec![Particle {
        velocity: DVec3::X,
        ..grain
    }];
    scene
}

/// A dense bed of fast grains of three sizes and materials, some of them fixed, two of them
/// overlapping from the start.
pub(crate) fn bed(laws: ContactLaws, container: Container, seed: u64) -> Scene {
    let mut random = Random(seed);
    let side = if container == Container::Periodic {
        HALF
    } else {
        1.5 * HALF
    };
    let mut particles: Vec<Particle> = Vec::new();
    // Random places on a jittered lattice: dense enough that each grain soon meets another.
    let spacing = 2.0 * HALF / 4.0;
    for cell in 0..64 {
        let lattice = DVec3::new(
            f64::from(cell % 4) - 1.5,
            f64::from(cell / 4 % 4) - 1.5,
            f64::from(cell / 16) - 1.5,
        );
        let position = spacing * (lattice + 0.08 * random.vector());
        let radius = RADIUS * random.between(0.75, 1.2);
        let fixed = random.unit() < 0.06;
        let particle = Particle {
            velocity: 1.5 * random.vector(),
            spin: 150.0 * random.vector(),
            fixed,
            ..Particle::new(position, radius, cell as usize % 3)
        };
        let apart = |other: &Particle| {
            let mut d = other.position - position;
            for axis in 0..3 {
                if container.periodic()[axis] {
                    d[axis] -= 2.0 * HALF * (d[axis] / (2.0 * HALF)).round();
                }
            }
            d.length() > radius + other.radius
        };
        if container.takes(position, radius) && particles.iter().all(apart) {
            particles.push(particle);
        }
    }
    // One pair that overlaps from the start: the first neighbour with room enough on its way.
    let first = particles[0];
    for second in 1..particles.len() {
        let n = (particles[second].position - first.position).normalize();
        let reach = first.radius + 0.99 * particles[second].radius;
        let position = first.position + reach * n;
        let clear = (1..particles.len()).filter(|&k| k != second).all(|k| {
            let d = particles[k].position - position;
            d.length() > particles[k].radius + particles[second].radius + 1e-4
        });
        if clear && container.takes(position, particles[second].radius) {
            particles[second].position = position;
            particles[second].velocity = first.velocity - 0.3 * n;
            break;
        }
    }
    let mut upper = DVec3::splat(side);
    let mut lower = DVec3::splat(-side);
    for axis in 0..3 {
        if container.periodic()[axis] {
            (lower[axis], upper[axis]) = (-HALF, HALF);
        }
    }
    let mut builder = Scene::builder()
        .domain(lower, upper)
        .periodic(container.periodic())
        .gravity(DVec3::new(0.5, -0.3, -9.81))
        .end_time(1.0)
        .expected_speed(3.0)
        .contact(laws)
        .material("glass", 2500.0, 5e6, 0.25)
        .material("rubber", 1200.0, 2e6, 0.4)
        .material("steel", 7800.0, 1e7, 0.3)
        .particles(particles);
    for a in 0..3 {
        for b in a..3 {
            builder = builder.pair(pair(&laws, a, b));
        }
    }
    for (number, shape) in container.walls().into_iter().enumerate() {
        builder = builder.wall(format!("wall {number}"), number % 3, shape);
    }
    builder.build().expect("the bed is a valid scene")
}

/// A bed in a thin syrup that does all that a fluid can.
pub(crate) fn wet(mut scene: Scene) -> Scene {
    scene.fluid = Some(Fluid {
        lubrication: Lubrication {
            grains: Some(FilmGaps {
                resolved: 0.15,
                roughness: 5e-3,
            }),
            walls: Some(FilmGaps {
                resolved: 0.2,
                roughness: 1e-2,
            }),
        },
        ..Fluid::new(1100.0, 0.05)
    });
    scene.validate().expect("a valid scene");
    scene
}

/// Nothing differs between two states, not even a bit.
#[track_caller]
pub(crate) fn assert_same(got: &State, want: &State, what: &str) {
    for i in 0..want.particles.len().min(got.particles.len()) {
        let of = |s: &State| {
            (
                s.particles.units[i],
                s.particles.velocity[i],
                s.particles.spin[i],
            )
        };
        assert_eq!(of(got), of(want), "{what}: grain {i}");
    }
    for (c, d) in got.contacts.iter().zip(&want.contacts) {
        assert_eq!(c, d, "{what}");
    }
    assert_eq!(got.ledger, want.ledger, "{what}");
    assert_eq!(got, want, "{what}");
}

/// A few beds with all that a contact can remember, each in another container.
pub(crate) fn some_beds() -> impl Iterator<Item = (String, Scene)> {
    [1, 10, 14, 8].into_iter().enumerate().map(|(k, law)| {
        let laws = law_combinations()[law];
        let container = CONTAINERS[k];
        let what = format!("{:?} {:?} in {container:?}", laws.normal, laws.cohesion);
        (what, bed(laws, container, 40 + k as u64))
    })
}
