//! From memory to lanes: grains gathered and turned.

use super::ForceContext;
use super::lanes::{Lanes, WIDTH, ZERO, part_mut, set_vector, vector};
use super::processor::Processor;
use super::turn::{self, Turn};
use crate::cpu::bodies::Body;
use crate::cpu::slots::{self, Block, Extra};
use crate::laws::material::sphere_inertia;
use crate::laws::rolling::rolling_inertia;
use crate::scene::CohesionLaw;
use crate::state::WALL;
use glam::DVec3;
use std::hint::black_box;

/// Factors of the two halves of a body.
///
/// Known at run time only: were they constants, the compiler would take the numbers apart.
#[derive(Debug, Clone, Copy)]
pub(super) struct Factors {
    /// Places: the second grain minus the first, but the sum of their fourth numbers.
    apart: [f64; 8],
    /// Motions: the first grain minus the second in velocity, both together in the motion of surfaces; materials a
    /// and b stand in row a · materials + b.
    first: [f64; 8],
    second: [f64; 8],
}

impl Factors {
    #[allow(clippy::cast_precision_loss, reason = "a small count")]
    pub(super) fn new(context: &ForceContext<'_>) -> Self {
        let materials = context.model.materials as f64;
        black_box(Self {
            apart: [-1.0, -1.0, -1.0, 1.0, -1.0, -1.0, -1.0, 1.0],
            first: [1.0, 1.0, 1.0, materials, 1.0, 1.0, 1.0, 1.0],
            second: [-1.0, -1.0, -1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
        })
    }
}

/// A block of contacts as it comes from memory, contact by contact.
#[derive(Default)]
#[repr(C, align(64))]
pub(super) struct Rows {
    /// From the first grain to the second in units, and `R_i` + `R_j` in units; what rounding to units left of
    /// that, and `1/m_i` + `1/m_j`. For a wall the unit normal and the overlap in metres instead.
    place: turn::Rows,
    /// `v_i` − `v_j`, and where the coefficients of the pair of materials are; `R_i` `ω_i` + `R_j` `ω_j`, and
    /// `1/R_i` + `1/R_j`.
    motion: turn::Rows,
}

impl Rows {
    /// Loads the grain–grain pairs of a block.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of evaluate_any")]
    pub(super) fn load_pairs(&mut self, factors: &Factors, body: &[Body], block: &Block) {
        for l in 0..slots::WIDTH {
            let [place_a, motion_a] = body[block.first(l) as usize].halves();
            let [place_b, motion_b] = body[block.second[l] as usize].halves();
            for k in 0..8 {
                self.place[l][k] = place_b[k] + factors.apart[k] * place_a[k];
                self.motion[l][k] =
                    factors.first[k] * motion_a[k] + factors.second[k] * motion_b[k];
            }
        }
    }

    /// Loads the grain–wall pairs of a block; places that no slot takes keep what they have.
    #[allow(clippy::cast_precision_loss, reason = "a small count")]
    pub(super) fn load_walls(
        &mut self,
        context: &ForceContext<'_>,
        body: &[Body],
        block: &Block,
        taken: usize,
    ) {
        for l in 0..taken {
            let a = &body[block.first(l) as usize];
            let face = &context.faces[(block.second[l] - WALL) as usize];
            let seen = face.approach(context.grid, a);
            let overlap = a.radius_units() * context.grid.unit - seen.distance;
            let [x, y, z] = seen.normal.to_array();
            self.place[l] = [x, y, z, overlap, 0.0, 0.0, 0.0, a.inverse_mass()];
            self.motion[l] = a.halves()[1];
            self.motion[l][3] = context.model.row(a.material(), face.material) as f64;
        }
    }

    /// Lane by lane what the rows hold contact by contact, as the given block of the lanes.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of evaluate_any")]
    pub(super) fn turn<T: Turn>(&self, lanes: &mut Lanes, b: usize) {
        let [x, y, z] = &mut lanes.normal;
        let to = [x, y, z, &mut lanes.touching].map(|lane| part_mut(lane, b));
        T::to_lanes(&self.place, 0, to);
        let [x, y, z] = &mut lanes.rest;
        let to = [x, y, z, &mut lanes.inverse_mass].map(|lane| part_mut(lane, b));
        T::to_lanes(&self.place, 1, to);
        let [x, y, z] = &mut lanes.velocity;
        let to = [x, y, z, &mut lanes.row].map(|lane| part_mut(lane, b));
        T::to_lanes(&self.motion, 0, to);
        let [x, y, z] = &mut lanes.surface;
        let to = [x, y, z, &mut lanes.curvature].map(|lane| part_mut(lane, b));
        T::to_lanes(&self.motion, 1, to);
    }
}

/// What the contacts of a block remember.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of evaluate_any")]
pub(super) fn recall(lanes: &mut Lanes, b: usize, block: &Block) {
    *part_mut(&mut lanes.was_touching, b) = block.touching();
    for (lane, spring) in lanes.old_spring.iter_mut().zip(&block.spring) {
        *part_mut(lane, b) = *spring;
    }
    *part_mut(&mut lanes.old_force, b) = block.normal_force;
    *part_mut(&mut lanes.old_root, b) = block.root_overlap;
}

/// What only rolling resistance and the adaptive law read.
pub(super) fn load_extra(
    lanes: &mut Lanes,
    l: usize,
    extra: &Extra,
    pair: [u32; 2],
    body: &[Body],
) {
    let [first, second] = pair.map(|index| body.get(index as usize));
    for axis in 0..3 {
        lanes.rolling[axis][l] = extra.rolling[axis];
    }
    let [spin_i, spin_j] = [first, second].map(|body| body.map_or(DVec3::ZERO, Body::spin));
    set_vector(&mut lanes.spin, l, spin_i - spin_j);
    for k in 0..2 {
        lanes.adaptive[k][l] = extra.adaptive[k];
    }
    // A wall, like a fixed grain, never yields.
    let inertia = |grain: Option<&Body>| {
        grain.map_or([f64::INFINITY; 3], |body| {
            let (mass, radius) = (1.0 / body.inverse_mass(), 1.0 / body.curvature());
            [sphere_inertia(mass, radius), mass, radius]
        })
    };
    let ([a, b, c], [d, e, f]) = (inertia(first), inertia(second));
    lanes.rolling_inertia[l] = rolling_inertia(a, b, c, d, e, f);
}

/// Both radii, which only one law of cohesion asks for.
pub(super) fn load_radii(lanes: &mut Lanes, l: usize, pair: [u32; 2], body: &[Body]) {
    for (lane, index) in lanes.radii.iter_mut().zip(pair) {
        lane[l] = body
            .get(index as usize)
            .map_or(f64::INFINITY, |body| 1.0 / body.curvature());
    }
}

/// Whether a law of cohesion asks for both radii.
pub(super) fn needs_radii(law: CohesionLaw) -> bool {
    law == CohesionLaw::Sjkr
}

/// The overlap with a wall came with its distance.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of evaluate_any")]
pub(super) fn wall_geometry(lanes: &mut Lanes) {
    lanes.overlap = lanes.touching;
}

/// Unit normal and overlap from the difference of the positions (see [`crate::position::overlap`]).
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of evaluate_any")]
pub(super) fn geometry<P: Processor>(lanes: &mut Lanes, context: &ForceContext<'_>) {
    let (images, unit) = (context.images, context.grid.unit);
    let mut squared = ZERO;
    for l in 0..WIDTH {
        let mut sum = 0.0;
        for axis in 0..3 {
            let apart = images.nearest(axis, lanes.normal[axis][l]) + lanes.rest[axis][l];
            lanes.normal[axis][l] = apart;
            sum += apart * apart;
        }
        squared[l] = sum;
    }
    let distance = P::roots(&squared);
    for l in 0..WIDTH {
        // Coincident centres have no direction and get no force.
        let distance = distance[l].max(1e-300);
        let touching = lanes.touching[l];
        // One division serves the overlap and the normal.
        let both = 1.0 / ((touching + distance) * distance);
        lanes.overlap[l] = (touching * touching - squared[l]) * (both * distance) * unit;
        let inverse = both * (touching + distance);
        for axis in 0..3 {
            lanes.normal[axis][l] *= inverse;
        }
    }
}

/// Rate of approach and slip of the contact points.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of evaluate_any")]
pub(super) fn kinematics(lanes: &mut Lanes) {
    for l in 0..WIDTH {
        let n = vector(&lanes.normal, l);
        let velocity = vector(&lanes.velocity, l);
        let rate = velocity.dot(n);
        let slip = velocity + vector(&lanes.surface, l).cross(n) - rate * n;
        lanes.rate[l] = rate;
        set_vector(&mut lanes.slip, l, slip);
    }
}
