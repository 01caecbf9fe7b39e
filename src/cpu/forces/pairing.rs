//! Coefficients that follow from which grains meet, not from how they meet.

use super::ForceContext;
use super::lanes::{Lane, Lanes, WIDTH};
use crate::contact::{NormalCoefficients, PairCoefficients};
use crate::laws::tangential::mindlin_damping;
use crate::scene::NormalLaw;

/// What the coefficients of a batch follow from: sizes, masses and materials of its pairs.
#[derive(Debug)]
pub(super) struct Pairing {
    curvature: Lane,
    inverse_mass: Lane,
    row: Lane,
    /// Whether all lanes have the same pair of materials.
    pub(super) uniform: bool,
}

impl Pairing {
    /// Of no pair.
    pub(super) fn none() -> Self {
        let nothing = [f64::NAN; WIDTH];
        Self {
            curvature: nothing,
            inverse_mass: nothing,
            row: nothing,
            uniform: false,
        }
    }

    /// Whether a batch has the pairs of the one before, as in a bed of equal grains: its coefficients
    /// are in the lanes then.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of evaluate_any")]
    pub(super) fn is_of(&self, lanes: &Lanes) -> bool {
        let differences = [
            (&self.curvature, &lanes.curvature),
            (&self.inverse_mass, &lanes.inverse_mass),
            (&self.row, &lanes.row),
        ]
        .map(|(before, now)| {
            (0..WIDTH).fold(0, |bits, l| bits | (before[l].to_bits() ^ now[l].to_bits()))
        });
        differences == [0; 3]
    }

    /// Works out the coefficients of a batch.
    pub(super) fn renew<'a>(
        &mut self,
        lanes: &mut Lanes,
        context: &ForceContext<'_>,
        pair: impl Fn(usize) -> &'a PairCoefficients,
    ) {
        *self = Self {
            curvature: lanes.curvature,
            inverse_mass: lanes.inverse_mass,
            row: lanes.row,
            uniform: lanes.row == [lanes.row[0]; WIDTH],
        };
        let law = context.model.laws.normal;
        for l in 0..WIDTH {
            let c = pair(l);
            // One division serves both.
            let both = 1.0 / (lanes.inverse_mass[l] * lanes.curvature[l]);
            let mass = both * lanes.curvature[l];
            let radius = both * lanes.inverse_mass[l];
            lanes.reduced_mass[l] = mass;
            lanes.reduced_radius[l] = radius;
            if law != NormalLaw::HertzAdaptive {
                let normal = NormalCoefficients::of(law, c, mass, radius, [0.0; 2]);
                lanes.stiffness[l] = normal.stiffness;
                lanes.damping[l] = normal.damping;
            }
            let mindlin = c.tangential_stiffness + c.mindlin_modulus * radius.sqrt();
            lanes.mindlin_stiffness[l] = mindlin;
            lanes.mindlin_damping[l] = mindlin_damping(c.tangential_damping_ratio, mindlin, mass);
        }
    }
}
