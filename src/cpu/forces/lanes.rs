//! The contacts of a block as arrays, for what is rare and done one by one.

use super::ForceContext;
use super::pairing::Pairing;
use crate::contact::{NormalCoefficients, PairCoefficients};
use crate::cpu::bodies::Body;
use crate::cpu::eight::{Eight, WIDTH};
use crate::cpu::shared::Shared;
use crate::cpu::slots::Block;
use crate::laws::number::Vector;
use crate::scene::CohesionLaw;
use glam::DVec3;

pub(super) type Lane = [f64; WIDTH];

/// Vectors as arrays.
pub(super) struct Lane3([Lane; 3]);

impl Lane3 {
    #[inline(always)]
    #[allow(
        clippy::inline_always,
        reason = "so that it is compiled for its caller's processor, as a closure would not be"
    )]
    pub(super) fn new<N: Eight>(vectors: Vector<N>) -> Self {
        let Vector { x, y, z } = vectors;
        Self([x.to_array(), y.to_array(), z.to_array()])
    }

    pub(super) fn at(&self, l: usize) -> DVec3 {
        DVec3::from_array(self.0.map(|axis| axis[l]))
    }

    pub(super) fn put(&mut self, l: usize, vector: DVec3) {
        for (axis, x) in self.0.iter_mut().zip(vector.to_array()) {
            axis[l] = x;
        }
    }

    /// As they are in registers.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "as `new`")]
    pub(super) fn vectors<N: Eight>(&self) -> Vector<N> {
        let [x, y, z] = &self.0;
        Vector::new([N::new(x), N::new(y), N::new(z)])
    }
}

/// What is known of the pairs of a block, whatever they do.
pub(super) struct Pairs<'a> {
    pub(super) context: &'a ForceContext<'a>,
    row: Lane,
    reduced_mass: Lane,
    reduced_radius: Lane,
    stiffness: Lane,
    damping: Lane,
    /// Infinite for a wall; only where a law asks for them.
    radii: [Lane; 2],
}

/// One of them.
pub(super) struct Pair<'a> {
    pub(super) coefficients: &'a PairCoefficients,
    pub(super) reduced_mass: f64,
    pub(super) reduced_radius: f64,
    pub(super) normal: NormalCoefficients,
    pub(super) radii: [f64; 2],
}

impl<'a> Pairs<'a> {
    #[inline(always)]
    #[allow(
        clippy::inline_always,
        reason = "so that it is compiled for its caller's processor"
    )]
    pub(super) fn new<N: Eight>(
        context: &'a ForceContext<'a>,
        pairing: &Pairing<N>,
        block: &Block,
        body: Shared<'_, Body>,
    ) -> Self {
        let mut radii = [[f64::INFINITY; WIDTH]; 2];
        if context.model.laws.cohesion == CohesionLaw::Sjkr {
            for l in 0..WIDTH {
                for (lane, index) in radii.iter_mut().zip([block.first(l), block.second[l]]) {
                    let grain = body.get(index as usize);
                    lane[l] = grain.map_or(f64::INFINITY, |body| 1.0 / body.curvature());
                }
            }
        }
        Self {
            context,
            row: pairing.kinds.row.to_array(),
            reduced_mass: pairing.reduced_mass.to_array(),
            reduced_radius: pairing.reduced_radius.to_array(),
            stiffness: pairing.normal.stiffness.to_array(),
            damping: pairing.normal.damping.to_array(),
            radii,
        }
    }

    pub(super) fn at(&self, l: usize) -> Pair<'a> {
        Pair {
            coefficients: self.context.model.at(self.row[l]),
            reduced_mass: self.reduced_mass[l],
            reduced_radius: self.reduced_radius[l],
            normal: NormalCoefficients {
                stiffness: self.stiffness[l],
                damping: self.damping[l],
            },
            radii: self.radii.map(|lane| lane[l]),
        }
    }
}

/// Which of eight bits are set.
pub(super) fn set_bits(bits: u8) -> impl Iterator<Item = usize> {
    (0..WIDTH).filter(move |l| bits >> l & 1 == 1)
}
