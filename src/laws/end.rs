//! When a contact ends: the choice that gives "coefficient of restitution" its meaning.

use super::number::Number;

/// When a contact with a damper is over.
///
/// A damper opposes the separation too, so shortly before the overlap returns to zero the total
/// force turns attractive. Either that tail is kept, or the contact is over when the force first
/// vanishes. The same damping gives a larger restitution under [`ContactEnd::Force`]: converting a
/// restitution to a damping needs the matching formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContactEnd {
    /// The contact lasts while the grains overlap; the damper may pull them together at the end.
    ///
    /// The convention of Teufelsbauer, Hübl & Wu (8), of Ray, Kempe & Fröhlich (below their (7))
    /// and of Costa et al. (16).
    Overlap,
    /// The normal force is never attractive; dynamically the contact is over when it first returns
    /// to zero.
    ///
    /// From then on the grains fly apart at constant speed, although they still overlap for a
    /// while. The convention of Schwager & Pöschel, and of most DEM codes.
    Force,
}

/// Normal force of a contact from its elastic and damping parts, under either convention of its
/// end.
///
/// ```text
/// Overlap:  F_n = F_el + F_d
/// Force:    F_n = max(0, F_el + F_d)
/// ```
///
/// * `elastic` — elastic force `F_el` in N, repulsive positive
/// * `damping` — damping force `F_d` in N, positive while the grains approach
///
/// For a contact (`δ > 0`) only. Adhesion is to be added after this function, or the cut would
/// remove it.
///
/// Source: Schwager & Pöschel for the cut.
#[inline(always)]
pub fn ended_normal_force<N: Number>(end: ContactEnd, elastic: N, damping: N) -> N {
    let force = elastic + damping;
    match end {
        ContactEnd::Overlap => force,
        ContactEnd::Force => force.or_more(N::all(0.0)),
    }
}
