//! Cases of MFIX and LAMMPS: one or a few grains under gravity, friction, rolling and adhesion.
//!
//! | file | what |
//! |---|---|
//! | `drop.rs` | One sphere that falls, touches and bounces |
//! | `stack.rs` | Two spheres squeezed between two walls |
//! | `rolling.rs` | From slip to rolling, and rolling to rest |
//! | `pull_off.rs` | The force that parts two sticky spheres |
//! | `cradle.rs` | Three spheres in line |

mod cradle;
mod drop;
mod pull_off;
mod rolling;
mod stack;

use crate::scene::{ContactLaws, NormalLaw, Pair, Scene, SceneBuilder, TangentialLaw, WallShape};
use crate::verify::Study;
use cradle::cradle;
use drop::{bouncing, free_fall, three_phases};
use glam::DVec3;
use pull_off::pull_off;
use rolling::{rolling_decay, slip_to_roll};
use stack::{squeezed_stack, stack_energy};

pub(super) fn studies() -> Vec<Study> {
    vec![
        free_fall(),
        three_phases(),
        bouncing(),
        squeezed_stack(),
        stack_energy(),
        slip_to_roll(),
        rolling_decay(),
        pull_off(),
        cradle(),
    ]
}

const GRAVITY: f64 = 9.81;

/// Restitution of MFIX DEM01 and DEM02.
const BALL_RESTITUTION: f64 = 0.9;

/// A scene above a floor at z = 0, with one material and pair.
fn above_floor(laws: ContactLaws, density: f64, pair: Pair) -> SceneBuilder {
    Scene::builder()
        .domain(DVec3::splat(-2.0), DVec3::splat(2.0))
        .gravity(DVec3::NEG_Z * GRAVITY)
        .contact(laws)
        .material("grain", density, None, 0.3)
        .pair(pair)
        .wall(
            "floor",
            0,
            WallShape::Plane {
                point: DVec3::ZERO,
                normal: DVec3::Z,
            },
        )
}

/// Linear springs without friction.
fn linear() -> ContactLaws {
    ContactLaws {
        normal: NormalLaw::Linear,
        tangential: TangentialLaw::None,
        ..ContactLaws::default()
    }
}
