//! Costa, Boersma, Westerweel & Breugem (2015): linear contacts of a chosen duration, dry.
//!
//! | file | what |
//! |---|---|
//! | `coefficients.rs` | Springs and dashpots from restitutions, and the restitutions that they give |
//! | `scheme.rs` | The scheme of the paper, for comparison |
//! | `regimes.rs` | Stick and slip of an elastic impact |
//! | `oblique.rs` | Oblique impacts of steel and glass |
//! | `slider.rs` | What a tangential spring does: it is shortened by sliding and turns with the contact |
//! | `stretching.rs` | How far a contact may be stretched |

mod coefficients;
mod oblique;
mod regimes;
mod scheme;
mod slider;
mod stretching;

use crate::collide::Collision;
use crate::scene::{NormalLaw, Pair, TangentialLaw};
use crate::verify::Study;
use crate::verify::bench::{head_on, materials};
use coefficients::{coefficients, steps_per_contact};
use oblique::oblique;
use regimes::regimes;
use scheme::scheme;
use slider::{rotation, saturation};
use stretching::{stretching, weight};

pub(super) fn studies() -> Vec<Study> {
    let mut studies = vec![coefficients(), regimes(), steps_per_contact(), scheme()];
    studies.extend(MATERIALS.iter().map(oblique));
    studies.extend([saturation(), rotation(), stretching(), weight()]);
    studies
}

/// Diameter of the spheres of Table IV, m.
const DIAMETER: f64 = 2.5e-3;

/// A sphere of Table IV on a wall, dry.
struct Sphere {
    name: &'static str,
    source: &'static str,
    figure: &'static str,
    density: f64,
    e_n: f64,
    e_t: f64,
    friction: f64,
    /// `Ψ_in` and `Ψ_out`: solutions per phase of stick and slip, switching times to 26 digits; friction
    /// only where the normal force repels.
    exact: [[f64; 2]; 12],
}

const MATERIALS: [Sphere; 2] = [
    Sphere {
        name: "costa-steel",
        source: "Costa et al., Table IV, Fig. 11a, steel",
        figure: "costa-steel",
        density: 7800.0,
        e_n: 0.97,
        e_t: 0.34,
        friction: 0.11,
        exact: [
            [0.05, -0.017_052_146_792_414_315],
            [0.1, -0.034_046_446_043_233_04],
            [0.2, -0.068_036_508_001_824_29],
            [0.3, -0.102_028_135_435_987_16],
            [0.4, -0.135_798_066_628_336_04],
            [0.5, -0.163_478_098_461_604_33],
            [0.55, -0.168_372_057_499_554_58],
            [0.6, -0.155_411_271_102_896_26],
            [0.7, -0.058_520_214_551_953_484],
            [0.8, 0.041_479_785_448_046_515],
            [1.0, 0.241_479_785_448_046_52],
            [1.5, 0.741_479_785_448_046_5],
        ],
    },
    Sphere {
        name: "costa-glass",
        source: "Costa et al., Table IV, Fig. 11a, glass",
        figure: "costa-glass",
        density: 2540.0,
        e_n: 0.97,
        e_t: 0.39,
        friction: 0.10,
        exact: [
            [0.05, -0.019_554_728_591_194_32],
            [0.1, -0.039_048_080_712_522_33],
            [0.2, -0.078_036_802_535_819_81],
            [0.3, -0.117_027_594_963_019_11],
            [0.4, -0.154_803_914_177_370_8],
            [0.45, -0.169_016_193_992_102_55],
            [0.5, -0.171_778_222_527_007_56],
            [0.55, -0.139_563_831_410_866_8],
            [0.6, -0.089_563_831_410_866_81],
            [0.8, 0.110_436_168_589_133_2],
            [1.0, 0.310_436_168_589_133_2],
            [1.5, 0.810_436_168_589_133_1],
        ],
    },
];

/// Collision time `T_n` = `T_t`, s, where it does not matter.
const CONTACT_TIME: f64 = 1e-4;

/// 1 + 1/K² of a solid sphere.
const SLIP_RATIO: f64 = 3.5;

impl Sphere {
    /// An impact with this slip per normal speed, which is 1 m/s.
    fn impact(&self, slip: f64) -> Collision {
        let pair = Pair {
            restitution: Some(self.e_n),
            tangential_restitution: Some(self.e_t),
            friction: self.friction,
            ..Pair::new(0, 1)
        };
        let mut collision = head_on(NormalLaw::LinearStretched, pair);
        collision.laws.tangential = TangentialLaw::Linear;
        collision.laws.contact_time = Some(CONTACT_TIME);
        Collision {
            radius: [0.5 * DIAMETER; 2],
            material: materials([self.density; 2]),
            wall: true,
            angle: slip.atan(),
            speed: slip.hypot(1.0),
            ..collision
        }
    }

    /// Walton's two lines (9a), (9b).
    fn walton(&self, slip: f64) -> f64 {
        (slip - self.friction * SLIP_RATIO * (1.0 + self.e_n)).max(-self.e_t * slip)
    }
}
