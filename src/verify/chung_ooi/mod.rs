//! Chung & Ooi (2011): eight impacts that codes of the field are compared on.
//!
//! | file | what |
//! |---|---|
//! | `head_on.rs` | Tests 1 to 3: head-on impacts |
//! | `oblique.rs` | Test 4: oblique impacts of alumina |
//! | `oblique_elastic.rs` | Test 5: oblique elastic impacts |
//! | `spins.rs` | Tests 6 to 8: spheres that spin |

mod head_on;
mod oblique;
mod oblique_elastic;
mod spins;

use crate::collide::Collision;
use crate::render::{Colour, Curve, Style};
use crate::scene::{Material, NormalLaw, Pair};
use crate::verify::Study;
use crate::verify::bench::{head_on, materials};
use head_on::{elastic_pair, elastic_wall, restitution};
use oblique::oblique;
use oblique_elastic::oblique_elastic;
use spins::{opposite_spins, spinning};

pub(super) fn studies() -> Vec<Study> {
    vec![
        elastic_pair(),
        elastic_wall(),
        restitution(),
        oblique(),
        oblique_elastic(),
        spinning(),
        opposite_spins(),
    ]
}

/// Two equal elastic spheres.
fn elastic(radius: f64, young: f64, poisson: f64, density: f64, speed: f64) -> Collision {
    let pair = Pair {
        restitution: Some(1.0),
        ..Pair::new(0, 1)
    };
    Collision {
        radius: [radius; 2],
        material: materials([density; 2]).map(|material| Material {
            young: Some(young),
            poisson,
            ..material
        }),
        speed,
        ..head_on(NormalLaw::HertzTsuji, pair)
    }
}

/// The first of them on a rigid wall.
fn on_wall(mut collision: Collision) -> Collision {
    collision.wall = true;
    collision.material[1].young = Some(f64::INFINITY);
    collision
}

/// Why results with phases of stick converge slowly.
const FIRST_ORDER: &str =
    "stick begins and ends within a step: first order at 500 steps in the contact";

fn curve(label: &str, points: Vec<[f64; 2]>, style: Style, colour: usize) -> Curve {
    Curve {
        label: label.into(),
        points,
        style,
        colour: Colour::of_category(colour),
    }
}
