//! Some contacts, one array per quantity.

use crate::cpu::slots;
use glam::DVec3;

/// Blocks of slots that are evaluated together: roots and divisions take long, but those of several registers go
/// on at the same time.
pub(super) const BLOCKS: usize = 4;

/// Contacts that are evaluated together.
pub(super) const WIDTH: usize = BLOCKS * slots::WIDTH;

pub(super) type Lane = [f64; WIDTH];
pub(super) type Lane3 = [Lane; 3];

/// Some contacts, one array per quantity. SI units unless said otherwise.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Lanes {
    /// From the first grain to the second, units; then the unit normal n.
    pub(super) normal: Lane3,
    /// What rounding to units left of that, units.
    pub(super) rest: Lane3,
    /// `R_i` + `R_j` in units; for a wall, the overlap.
    pub(super) touching: Lane,
    pub(super) overlap: Lane,
    /// `v_i` − `v_j`.
    pub(super) velocity: Lane3,
    /// `R_i` `ω_i` + `R_j` `ω_j`.
    pub(super) surface: Lane3,
    /// `ω_i` − `ω_j`.
    pub(super) spin: Lane3,
    /// `1/R_i` + `1/R_j`.
    pub(super) curvature: Lane,
    /// `1/m_i` + `1/m_j`.
    pub(super) inverse_mass: Lane,
    /// Only where a law asks for it.
    pub(super) rolling_inertia: Lane,
    /// Only where a law asks for them; infinite for a wall.
    pub(super) radii: [Lane; 2],
    /// 1.0 where the contact was touching before.
    pub(super) was_touching: Lane,
    pub(super) old_force: Lane,
    /// Root of the overlap at which the last evaluation took the tangential stiffness.
    pub(super) old_root: Lane,
    /// Tangential spring half a step before this instant, as it was then …
    pub(super) old_spring: Lane3,
    /// … and turned with the contact.
    pub(super) carried: Lane3,
    /// Tangential spring half a step after this instant.
    pub(super) spring: Lane3,
    pub(super) adaptive: [Lane; 2],
    pub(super) rolling: Lane3,
    // Coefficients of the pair, see `pairing`.
    pub(super) reduced_mass: Lane,
    pub(super) reduced_radius: Lane,
    /// k and d of [`NormalCoefficients`](crate::contact::NormalCoefficients).
    pub(super) stiffness: Lane,
    pub(super) damping: Lane,
    /// Mindlin's stiffness at unit overlap, N/m^1.5, and its damper there, N s/m^1.25.
    pub(super) mindlin_stiffness: Lane,
    pub(super) mindlin_damping: Lane,
    // Worked out by the stages.
    pub(super) rate: Lane,
    /// Rate of the drift that led here, without this contact's last force.
    pub(super) free_rate: Lane,
    pub(super) slip: Lane3,
    /// 1.0 where the contact acts now.
    pub(super) touches: Lane,
    /// 1.0 where it began in this step.
    pub(super) begins: Lane,
    /// How long it acts in this kick, s.
    pub(super) window: Lane,
    /// Overlap at which the laws are evaluated.
    pub(super) evaluated: Lane,
    /// Root of the overlap at which the tangential stiffness is taken.
    pub(super) root: Lane,
    /// Root of that; zero where neither Tsuji's damper nor Mindlin's law needs it.
    pub(super) fourth_root: Lane,
    /// Where friction is tried without its limit and found to need it: not zero.
    pub(super) slides: Lane,
    /// Repulsive part that friction works on.
    pub(super) pressing: Lane,
    pub(super) normal_force: Lane,
    pub(super) tangential_force: Lane3,
    pub(super) moment: Lane3,
    /// Part of the kick in which the contact acts.
    pub(super) weight: Lane,
    pub(super) force: Lane3,
    /// What to multiply the force with to know how far it shifts a unit mass, s².
    pub(super) shift: Lane,
    /// Normal force as it acts over the whole kick.
    pub(super) acted: Lane,
    pub(super) torque: Lane3,
    pub(super) lost_normal: Lane,
    pub(super) lost_tangential: Lane,
    pub(super) lost_friction: Lane,
    pub(super) lost_rolling: Lane,
    pub(super) gained_mindlin: Lane,
    pub(super) elastic_normal: Lane,
    pub(super) elastic_tangential: Lane,
    pub(super) elastic_rolling: Lane,
    /// Where the coefficients of the pair of materials are.
    pub(super) row: Lane,
}

pub(super) const ZERO: Lane = [0.0; WIDTH];
const ZERO3: Lane3 = [ZERO; 3];

impl Lanes {
    pub(super) fn new() -> Self {
        Self {
            normal: ZERO3,
            rest: ZERO3,
            touching: ZERO,
            overlap: ZERO,
            velocity: ZERO3,
            surface: ZERO3,
            spin: ZERO3,
            curvature: ZERO,
            inverse_mass: ZERO,
            rolling_inertia: ZERO,
            radii: [ZERO; 2],
            row: ZERO,
            was_touching: ZERO,
            old_force: ZERO,
            old_root: ZERO,
            old_spring: ZERO3,
            carried: ZERO3,
            spring: ZERO3,
            adaptive: [ZERO; 2],
            rolling: ZERO3,
            reduced_mass: ZERO,
            reduced_radius: ZERO,
            stiffness: ZERO,
            damping: ZERO,
            mindlin_stiffness: ZERO,
            mindlin_damping: ZERO,
            rate: ZERO,
            free_rate: ZERO,
            slip: ZERO3,
            touches: ZERO,
            begins: ZERO,
            window: ZERO,
            evaluated: ZERO,
            root: ZERO,
            fourth_root: ZERO,
            slides: ZERO,
            pressing: ZERO,
            normal_force: ZERO,
            tangential_force: ZERO3,
            moment: ZERO3,
            weight: ZERO,
            force: ZERO3,
            shift: ZERO,
            acted: ZERO,
            torque: ZERO3,
            lost_normal: ZERO,
            lost_tangential: ZERO,
            lost_friction: ZERO,
            lost_rolling: ZERO,
            gained_mindlin: ZERO,
            elastic_normal: ZERO,
            elastic_tangential: ZERO,
            elastic_rolling: ZERO,
        }
    }
}

/// The part of a lane that belongs to a block.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of evaluate_any")]
pub(super) fn part(lane: &Lane, block: usize) -> &[f64; slots::WIDTH] {
    &lane.as_chunks().0[block]
}

/// The same, to be written.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of evaluate_any")]
pub(super) fn part_mut(lane: &mut Lane, block: usize) -> &mut [f64; slots::WIDTH] {
    &mut lane.as_chunks_mut().0[block]
}

/// Whether any lane is not zero.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of evaluate_any")]
pub(super) fn any(lane: &Lane) -> bool {
    lane.iter().fold(0, |bits, x| bits | x.to_bits()) != 0
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "called per lane of the force loop")]
pub(super) fn vector(lanes: &Lane3, l: usize) -> DVec3 {
    DVec3::new(lanes[0][l], lanes[1][l], lanes[2][l])
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "called per lane of the force loop")]
pub(super) fn set_vector(lanes: &mut Lane3, l: usize, value: DVec3) {
    lanes[0][l] = value.x;
    lanes[1][l] = value.y;
    lanes[2][l] = value.z;
}
