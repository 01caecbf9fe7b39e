//! How grains meet: gathered from memory, turned, and seen from the contact.

use super::ForceContext;
use crate::cpu::bodies::Body;
use crate::cpu::eight::{Eight, Lot, Pair, PairsOfBlocks, WIDTH};
use crate::cpu::shared::Shared;
use crate::cpu::slots::Block;
use crate::laws::number::Vector;
use crate::state::WALL;

/// How the grains of a block meet. SI units.
#[derive(Clone, Copy)]
pub(super) struct Meeting<N> {
    /// Unit vector from the first grain to the second.
    pub(super) normal: Vector<N>,
    pub(super) overlap: N,
    /// Of approach.
    pub(super) rate: N,
    /// Of the contact points.
    pub(super) slip: Vector<N>,
}

/// Who meets: all that the coefficients of a pair follow from.
#[derive(Clone, Copy)]
pub(super) struct Kinds<N> {
    /// `1/R_i` + `1/R_j`.
    pub(super) curvature: N,
    /// `1/m_i` + `1/m_j`.
    pub(super) inverse_mass: N,
    /// Where the coefficients of the pair of materials are.
    pub(super) row: N,
}

impl<N: Lot> Kinds<N> {
    /// Who meets in block b.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of evaluate_pairs")]
    pub(super) fn block(&self, b: usize) -> Kinds<N::Block> {
        Kinds {
            curvature: self.curvature.block(b),
            inverse_mass: self.inverse_mass.block(b),
            row: self.row.block(b),
        }
    }
}

/// The grains of some blocks.
struct Grains<'a> {
    blocks: &'a [Block],
    body: Shared<'a, Body>,
}

impl PairsOfBlocks for Grains<'_> {
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of evaluate_pairs")]
    fn of(&self, b: usize) -> [Pair<'_>; WIDTH] {
        let pairs = self.blocks[b].bodies(self.body);
        pairs.map(|[a, b]| [a.halves(), b.halves()])
    }
}

/// What makes sums and differences of two grains.
#[derive(Clone, Copy)]
pub(super) struct Signs<N> {
    /// The second grain minus the first, but the sum of their fourth numbers.
    place: N,
    /// The first grain minus the second in velocity, both together in the motion of surfaces; materials a and b
    /// stand in row a + b · materials, and in row b + a · materials too.
    motion: N,
}

impl<N: Lot> Meeting<N> {
    /// Of the contacts of register k.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of evaluate_pairs")]
    pub(super) fn register(&self, k: usize) -> Meeting<N::Register> {
        Meeting {
            normal: register_of(self.normal, k),
            overlap: self.overlap.register(k),
            rate: self.rate.register(k),
            slip: register_of(self.slip, k),
        }
    }

    /// Of the contacts of block b.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of evaluate_pairs")]
    pub(super) fn block(&self, b: usize) -> Meeting<N::Block> {
        Meeting {
            normal: block_of(self.normal, b),
            overlap: self.overlap.block(b),
            rate: self.rate.block(b),
            slip: block_of(self.slip, b),
        }
    }
}

impl<N: Eight> Signs<N> {
    #[inline(always)]
    #[allow(
        clippy::inline_always,
        clippy::cast_precision_loss,
        reason = "part of evaluate_pairs; a small count"
    )]
    pub(super) fn new(materials: usize) -> Self {
        Self {
            place: N::new(&[-1.0, -1.0, -1.0, 1.0, -1.0, -1.0, -1.0, 1.0]),
            motion: N::new(&[-1.0, -1.0, -1.0, materials as f64, 1.0, 1.0, 1.0, 1.0]),
        }
    }
}

impl<N: Lot> Meeting<N> {
    /// Where they touch.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of evaluate_pairs")]
    pub(super) fn touches(&self) -> N::Truth {
        self.overlap.exceeds(N::all(0.0))
    }

    /// Of two grains each.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of evaluate_pairs")]
    pub(super) fn of_pairs(
        context: &ForceContext<'_>,
        signs: &Signs<N::Block>,
        body: Shared<'_, Body>,
        blocks: &[Block],
    ) -> (Self, Kinds<N>) {
        let pairs = Grains { blocks, body };
        let [place, motion] = N::turn_pairs_of([signs.place, signs.motion], &pairs);
        let [x, y, z, touching, rest_x, rest_y, rest_z, inverse_mass] = place;
        let images = &context.images;
        let apart = Vector::new([
            images.nearest(0, x) + rest_x,
            images.nearest(1, y) + rest_y,
            images.nearest(2, z) + rest_z,
        ]);
        let squared = apart.length_squared();
        // Of the square, so that it need not wait for the root.
        let inverse_squared = N::all(1.0) / squared.or_more(N::all(1e-300));
        let distance = squared.root();
        // Grains that just touch along an axis have no overlap: the root of a square is exact.
        let overlap = (touching - distance) * N::all(context.grid.unit);
        // Coincident centres have no direction and get no force.
        let normal = apart * (distance * inverse_squared);
        Self::new(normal, overlap, inverse_mass, motion)
    }

    /// `motion` is `v_i` − `v_j`, and where the coefficients of the pair of materials are; `R_i` `ω_i` + `R_j` `ω_j`,
    /// and `1/R_i` + `1/R_j`.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of evaluate_pairs")]
    fn new(normal: Vector<N>, overlap: N, inverse_mass: N, motion: [N; WIDTH]) -> (Self, Kinds<N>) {
        let [x, y, z, row, surface_x, surface_y, surface_z, curvature] = motion;
        let velocity = Vector::new([x, y, z]);
        let surface = Vector::new([surface_x, surface_y, surface_z]);
        let rate = velocity.dot(normal);
        let meeting = Self {
            normal,
            overlap,
            rate,
            slip: (velocity + surface.cross(normal)).plus_times(normal, -rate),
        };
        let kinds = Kinds {
            curvature,
            inverse_mass,
            row,
        };
        (meeting, kinds)
    }
}

impl<N: Eight> Meeting<N> {
    /// Of a grain and a wall each; places that no slot takes are of nothing.
    #[inline(always)]
    #[allow(
        clippy::inline_always,
        clippy::cast_precision_loss,
        reason = "part of evaluate_pairs; a small count"
    )]
    pub(super) fn of_walls(
        context: &ForceContext<'_>,
        body: Shared<'_, Body>,
        block: &Block,
        taken: usize,
    ) -> (Self, Kinds<N>) {
        let nothing = [N::all(0.0); WIDTH];
        let (mut places, mut motions) = (nothing, nothing);
        for l in 0..taken {
            let a = &body[block.first(l) as usize];
            let face = &context.faces[(block.second[l] - WALL) as usize];
            let seen = face.approach(context.grid, a);
            let overlap = a.radius_units() * context.grid.unit - seen.distance;
            let [x, y, z] = seen.normal.to_array();
            let mut motion = a.halves()[1];
            motion[3] = context.model.row(a.material(), face.material) as f64;
            places[l] = N::new(&[x, y, z, overlap, 0.0, 0.0, 0.0, a.inverse_mass()]);
            motions[l] = N::new(&motion);
        }
        let [x, y, z, overlap, _, _, _, inverse_mass] = N::turn(places);
        let normal = Vector::new([x, y, z]);
        Self::new(normal, overlap, inverse_mass, N::turn(motions))
    }
}

/// Not by a closure, which would not be compiled for this processor.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of evaluate_pairs")]
pub(super) fn register_of<N: Lot>(vector: Vector<N>, k: usize) -> Vector<N::Register> {
    Vector {
        x: vector.x.register(k),
        y: vector.y.register(k),
        z: vector.z.register(k),
    }
}

/// As [`register_of`].
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of evaluate_pairs")]
fn block_of<N: Lot>(vector: Vector<N>, b: usize) -> Vector<N::Block> {
    Vector {
        x: vector.x.block(b),
        y: vector.y.block(b),
        z: vector.z.block(b),
    }
}
