//! Ray, Kempe & Fröhlich (2015): Hertz's spring with a constant damper, and its direct inverse.
//!
//! | file | what |
//! |---|---|
//! | `collision.rs` | Restitution and contact time against λ |
//! | `series.rs` | Expansions in λ, and how good the closed approximations are |
//! | `table_1.rs` | Table 1: the direct inverse as printed |
//! | `inverse.rs` | Beyond the paper: an inverse without its error |
//! | `spring.rs` | The energy in the spring |
//! | `iteration.rs` | The iteration that the direct inverse replaces, and what that saves |
//! | `bed.rs` | Section 6.2: a hundred grains on a rough floor |

mod bed;
mod collision;
mod inverse;
mod iteration;
mod series;
mod spring;
mod table_1;

use crate::collide::Collision;
use crate::laws::ContactEnd;
use crate::laws::collision::hertz_viscous_collision;
use crate::laws::hertz::hertz_time_unit;
use crate::laws::material::sphere_mass;
use crate::scene::{NormalLaw, Pair};
use crate::verify::Study;
use crate::verify::bench::{head_on, materials};
use collision::collisions;
use inverse::{improved_inverse, improved_inverse_through_the_engine};
use series::{approximations, series};
use spring::spring_energy;
use table_1::{table_1, table_1_through_the_engine};

/// Density (kg/m³), radius (m), impact speed (m/s) and contact time (s) of Table 1.
const DENSITY: f64 = 7800.0;
const RADIUS: f64 = 0.01;
const SPEED: f64 = 1.0;
const CONTACT_TIME: f64 = 0.01;

pub(super) fn studies() -> Vec<Study> {
    vec![
        collisions(),
        series(),
        approximations(),
        table_1(),
        table_1_through_the_engine(),
        improved_inverse(),
        improved_inverse_through_the_engine(),
        iteration::coefficients(),
        iteration::table_2(),
        iteration::table_3(),
        spring_energy(),
        bed::study(0.95),
        bed::study(0.7),
    ]
}

fn mass() -> f64 {
    sphere_mass(DENSITY, RADIUS)
}

/// The sphere of Table 1 on a wall.
fn on_wall(normal: NormalLaw, pair: Pair) -> Collision {
    Collision {
        radius: [RADIUS; 2],
        material: materials([DENSITY; 2]),
        wall: true,
        speed: SPEED,
        ..head_on(normal, pair)
    }
}

/// The same with stiffness (N/m^1.5) and damping (N s/m).
fn viscous(stiffness: f64, damping: f64) -> Collision {
    let pair = Pair {
        stiffness: Some(stiffness),
        damping: Some(damping),
        ..Pair::new(0, 1)
    };
    on_wall(NormalLaw::HertzViscous, pair)
}

/// (43) and (44) with the constants as printed.
fn fit(lambda: f64) -> [f64; 2] {
    let (alpha, c, a, b) = (1.111, 0.744, 0.716, 0.830);
    [
        (-alpha * lambda * 3.218 / (1.0 - c * lambda).sqrt()).exp(),
        3.218 / (1.0 - a * lambda - b * lambda * lambda).sqrt(),
    ]
}

/// Contact time of the undamped collision, 2√π Γ(7/5)/Γ(9/10) (25/16)^⅕.
const TAU_0: f64 = 3.218_065_459_719_043;

/// One row of Table 1: what is printed for the direct method, the errors that it really has, and the
/// exact coefficients.
struct Row {
    e: f64,
    printed: [f64; 6],
    errors: [f64; 2],
    exact: [f64; 2],
    newton: &'static str,
    /// Iterations to a residual of 10⁻⁶ and, by Table 2, to the errors of the direct method.
    iterations: [u32; 2],
}

/// k, d, `u_out`, `T_c/10⁻²`, `ε_e`, `ε_T` as printed; `ε_e`, `ε_T` and exact k, d from solutions to 25 digits.
const TABLE_1: [Row; 8] = [
    Row {
        e: 1.0,
        printed: [60694.4, 0.0, 1.0, 1.0, 3.5e-12, 0.0],
        errors: [0.0, 2.034_173_991_394_796e-5],
        exact: [60_697.443_138_905_41, 0.0],
        newton: "",
        iterations: [1, 1],
    },
    Row {
        e: 0.95,
        printed: [61491.7, 0.30165, 0.95, 1.00001, 7.71e-7, 7.6e-5],
        errors: [7.569_190_177_667_449e-7, 7.592_862_624_179_128e-6],
        exact: [61_492.849_070_859_72, 0.301_651_880_425_114_26],
        newton: "61491.7, 0.30165",
        iterations: [5, 4],
    },
    Row {
        e: 0.9,
        printed: [62371.9, 0.61966, 0.9, 0.99998, 1.33e-5, 1.7e-5],
        errors: [1.324_000_495_765_893e-5, 1.745_978_235_443_218e-5],
        exact: [62_368.989_534_398_956, 0.619_569_834_733_800_9],
        newton: "62369.2, 0.61964",
        iterations: [5, 4],
    },
    Row {
        e: 0.8,
        printed: [64437.6, 1.3134, 0.79979, 0.99991, 2.63e-4, 9.5e-5],
        errors: [2.625_096_299_229_404_3e-4, 9.536_927_954_650_788e-5],
        exact: [64_417.491_389_604_475, 1.311_734_008_325_629_5],
        newton: "64418.6, 1.31209",
        iterations: [13, 4],
    },
    Row {
        e: 0.7,
        printed: [67042.7, 2.10348, 0.69906, 0.99982, 1.34e-3, 1.8e-4],
        errors: [1.341_443_573_099_401_4e-3, 1.817_821_801_320_732_3e-4],
        exact: [66_985.061_903_298_1, 2.095_234_190_586_575],
        newton: "66985.7",
        iterations: [8, 4],
    },
    Row {
        e: 0.6,
        printed: [70434.0, 3.0238, 0.59734, 0.99979, 6.05e-3, 2.1e-4],
        errors: [4.440_622_110_983_972e-3, 2.058_945_330_907_981_3e-4],
        exact: [70_296.333_008_659_68, 2.997_186_224_439_312],
        newton: "70299.5, 2.99798",
        iterations: [19, 4],
    },
    Row {
        e: 0.5,
        printed: [75047.0, 4.12956, 0.49396, 1.0, 1.21e-2, 2.5e-6],
        errors: [1.207_871_508_566_848_6e-2, 2.468_658_719_120_768_3e-6],
        exact: [74_730.005_529_323_24, 4.059_004_714_021_691],
        newton: "74735.8, 4.06030",
        iterations: [60, 5],
    },
    Row {
        e: 0.4,
        printed: [81738.6, 5.51951, 0.38797, 1.00085, 1.34e-2, 8.5e-4],
        errors: [3.006_491_644_341_833e-2, 8.535_798_966_463_38e-4],
        exact: [80_982.863_959_879_96, 5.348_777_577_185_165_6],
        newton: "80999.5, 5.35192",
        iterations: [76, 5],
    },
];

/// What the collision with these coefficients does, exactly: e and `T_c`.
fn achieved(k: f64, d: f64) -> [f64; 2] {
    let unit = hertz_time_unit(k, mass(), SPEED);
    let collision = hertz_viscous_collision(d * unit / (2.0 * mass()), ContactEnd::Overlap);
    [collision.restitution, unit * collision.contact_time]
}

fn errors_of(e: f64, [k, d]: [f64; 2]) -> [f64; 2] {
    let [restitution, time] = achieved(k, d);
    [
        (restitution / e - 1.0).abs(),
        (time / CONTACT_TIME - 1.0).abs(),
    ]
}
