//! Costa, Boersma, Westerweel & Breugem (2015), section III: the film between grains in a fluid.
//!
//! The fluid is at rest and its flow is not resolved: a grain feels its own drag, added mass and buoyancy,
//! and the film between surfaces that come close.
//!
//! | file | what |
//! |---|---|
//! | `amplification.rs` | The factors (32), (33) against exact series |
//! | `film.rs` | The force of a film at given gaps (34) |
//! | `approach.rs` | Spheres and walls that approach through a film |
//! | `rebound.rs` | Wet restitution against the Stokes number |
//! | `still_fluid.rs` | Buoyancy, drag and added mass in a fluid at rest |

mod amplification;
mod approach;
mod film;
mod rebound;
mod still_fluid;

use crate::laws::lubrication::{Film, film_between, impact_stokes_number};
use crate::laws::material::sphere_mass;
use crate::scene::{
    ContactLaws, DragLaw, FilmGaps, Fluid, Lubrication, NormalLaw, Pair, Particle, Scene,
    SceneBuilder, TangentialLaw, WallShape,
};
use crate::state::State;
use crate::verify::Study;
use amplification::amplification;
use approach::{approach, impulse};
use film::film_force;
use glam::DVec3;
use rebound::{LIQUID, rebound};
use std::f64::consts::PI;
use still_fluid::settling;

pub(super) fn studies() -> Vec<Study> {
    vec![
        amplification(),
        film_force(),
        impulse(),
        approach(),
        rebound(),
        settling(),
    ]
}

/// A film of Table I, on the steel sphere of this file.
#[derive(Clone, Copy)]
struct WetCase {
    name: &'static str,
    wall: bool,
    gaps: FilmGaps,
    /// ∫Λ dε from touch to `ε_Δx`, of a pair with the factor (32) per velocity of each grain: what C is in
    /// v/v₀ = 1 − C/St.
    impulse: f64,
}

/// The resolutions of Table I, and a smooth pair.
const FILMS: [WetCase; 3] = [
    WetCase {
        name: "wall-16",
        wall: true,
        gaps: FilmGaps {
            resolved: 0.075,
            roughness: 1e-3,
        },
        impulse: 4.332_008_319_606_54,
    },
    WetCase {
        name: "wall-32",
        wall: true,
        gaps: FilmGaps {
            resolved: 0.05,
            roughness: 1e-3,
        },
        impulse: 3.921_674_602_501_274_5,
    },
    WetCase {
        name: "pair-16",
        wall: false,
        gaps: FilmGaps {
            resolved: 0.025,
            roughness: 1e-5,
        },
        impulse: 3.923_215_120_198_926_7,
    },
];

/// Steel sphere: radius in m, density in kg/m³.
const RADIUS: f64 = 2.5e-3;
const DENSITY: f64 = 7800.0;

/// Speed of approach, m/s.
const SPEED: f64 = 0.1;

impl WetCase {
    /// Radius of the partner, m.
    fn other(&self) -> f64 {
        if self.wall { f64::INFINITY } else { RADIUS }
    }

    fn film(&self) -> Film {
        film_between(
            RADIUS,
            self.other(),
            self.gaps.resolved,
            self.gaps.roughness,
        )
    }

    fn reduced_mass(&self) -> f64 {
        sphere_mass(DENSITY, RADIUS) * if self.wall { 1.0 } else { 0.5 }
    }

    /// Viscosity at which the sphere has a Stokes number at [`SPEED`], Pa s.
    fn viscosity(&self, stokes: f64) -> f64 {
        impact_stokes_number(DENSITY, SPEED, 2.0 * RADIUS, stokes)
    }

    /// A sphere that approaches a wall, or another sphere, from a gap (m) at [`SPEED`], in a fluid that
    /// acts through its films alone.
    fn scene(&self, stokes: f64, gap: f64, pair: Pair) -> SceneBuilder {
        let fluid = Fluid {
            buoyancy: false,
            drag: DragLaw::None,
            added_mass: false,
            lubrication: Lubrication {
                grains: Some(self.gaps),
                walls: Some(self.gaps),
            },
            ..Fluid::new(LIQUID, self.viscosity(stokes))
        };
        let room = DVec3::splat(20.0 * RADIUS);
        let mut builder = Scene::builder()
            .domain(-room, room)
            .contact(ContactLaws {
                normal: NormalLaw::Linear,
                tangential: TangentialLaw::None,
                ..ContactLaws::default()
            })
            .material("sphere", DENSITY, None, 0.3)
            .material("wall", DENSITY, None, 0.3)
            .fluid(fluid)
            .end_time(1.0);
        for materials in [[0, 0], [0, 1], [1, 1]] {
            builder = builder.pair(Pair { materials, ..pair });
        }
        let grain = |z: f64, speed: f64| Particle {
            velocity: DVec3::Z * speed,
            ..Particle::new(DVec3::Z * z, RADIUS, 0)
        };
        if self.wall {
            let floor = WallShape::Plane {
                point: DVec3::ZERO,
                normal: DVec3::Z,
            };
            builder
                .wall("floor", 1, floor)
                .particle(grain(RADIUS + gap, -SPEED))
        } else {
            let z = RADIUS + 0.5 * gap;
            builder
                .particle(grain(z, -0.5 * SPEED))
                .particle(grain(-z, 0.5 * SPEED))
        }
    }

    /// Gap in m and rate of approach in m/s.
    fn seen(&self, state: &State) -> [f64; 2] {
        let (z, v) = (state.position(0).z, state.particles.velocity[0].z);
        if self.wall {
            [z - RADIUS, -v]
        } else {
            let apart = z - state.position(1).z;
            [apart - 2.0 * RADIUS, state.particles.velocity[1].z - v]
        }
    }
}

/// A step that is short against any film of this file, s.
const WATCHED: f64 = 1e-7;

/// A spring that lasts so long (s) that what it does within a few steps is nothing.
fn soft(mass: f64, contact_time: f64) -> Pair {
    Pair {
        stiffness: Some(mass * (PI / contact_time).powi(2)),
        damping: Some(0.0),
        ..Pair::new(0, 1)
    }
}
