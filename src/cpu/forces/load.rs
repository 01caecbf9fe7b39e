//! From memory to lanes: the pairs that touch, gathered and turned.

use super::ForceContext;
use super::lanes::{Lanes, WIDTH, set_vector, vector};
use super::turn::{Turn, to_lanes};
use crate::cpu::bodies::Body;
use crate::cpu::fetch::fetch;
use crate::cpu::slots::{Extra, Phase, Slot};
use crate::laws::material::sphere_inertia;
use crate::laws::rolling::rolling_inertia;
use crate::scene::CohesionLaw;
use crate::state::WALL;
use glam::DVec3;
use std::hint::black_box;
use std::ops::Range;

/// Slots that are loaded together, and then evaluated from the nearest cache; a multiple of `WIDTH`.
pub(super) const SLOTS_PER_BLOCK: usize = 64;

/// How many slots ahead the grains are fetched.
const FETCH_AHEAD: usize = 16;

/// Factors of the four numbers of a vector.
///
/// Known at run time only: were they constants, the compiler would take the four numbers apart.
#[derive(Debug, Clone, Copy)]
struct Factors {
    /// The second grain minus the first, but the sum of their fourth numbers.
    apart: [f64; 4],
    /// Takes away the fourth number.
    first_three: [f64; 4],
    /// Materials a and b stand in row a · materials + b.
    first_material: [f64; 4],
}

/// A block of contacts as it comes from memory, contact by contact.
///
/// Written here and read later as lanes: a processor that is asked for eight numbers right after
/// they were written one by one has to wait.
#[repr(C, align(64))]
pub(super) struct Rows {
    /// From the first grain to the second in units, and `R_i` + `R_j` in units; for a wall the unit
    /// normal and the overlap in metres.
    separation: [[f64; 4]; SLOTS_PER_BLOCK],
    /// `v_i` − `v_j`, and where the coefficients of the pair of materials are.
    velocity: [[f64; 4]; SLOTS_PER_BLOCK],
    /// `R_i` `ω_i` + `R_j` `ω_j`, and `1/R_i` + `1/R_j`.
    surface: [[f64; 4]; SLOTS_PER_BLOCK],
    /// Tangential spring, and the last normal force.
    spring_and_force: [[f64; 4]; SLOTS_PER_BLOCK],
    /// `1/m_i` + `1/m_j`.
    inverse_mass: [f64; SLOTS_PER_BLOCK],
    /// 1.0 where the contact was touching before.
    was_touching: [f64; SLOTS_PER_BLOCK],
    /// Root of the overlap at which the last evaluation took the tangential stiffness.
    old_root: [f64; SLOTS_PER_BLOCK],
    /// Which slot of the block it is.
    pub(super) slot: [u16; SLOTS_PER_BLOCK],
}

impl Rows {
    pub(super) fn new() -> Self {
        Self {
            separation: [[0.0; 4]; SLOTS_PER_BLOCK],
            velocity: [[0.0; 4]; SLOTS_PER_BLOCK],
            surface: [[0.0; 4]; SLOTS_PER_BLOCK],
            spring_and_force: [[0.0; 4]; SLOTS_PER_BLOCK],
            inverse_mass: [0.0; SLOTS_PER_BLOCK],
            was_touching: [0.0; SLOTS_PER_BLOCK],
            old_root: [0.0; SLOTS_PER_BLOCK],
            slot: [0; SLOTS_PER_BLOCK],
        }
    }

    /// Loads the pairs of a block that touch, or whose contact has still to be ended or cleared.
    /// Returns how many.
    #[inline(always)]
    #[allow(
        clippy::inline_always,
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "part of evaluate_any; small counts"
    )]
    pub(super) fn load_pairs(
        &mut self,
        context: &ForceContext<'_>,
        body: &[Body],
        slots: &[Slot],
        block: Range<usize>,
    ) -> usize {
        let Factors {
            apart,
            first_three,
            first_material,
        } = black_box(Factors {
            apart: [-1.0, -1.0, -1.0, 1.0],
            first_three: [1.0, 1.0, 1.0, 0.0],
            first_material: [1.0, 1.0, 1.0, context.model.materials as f64],
        });
        let mut count = 0;
        for (k, slot) in slots[block.clone()].iter().enumerate() {
            if let Some(ahead) = slots.get(block.start + k + FETCH_AHEAD) {
                fetch(&body[ahead.second as usize]);
            }
            let a = &body[slot.first() as usize];
            let b = &body[slot.second as usize];
            let mut separation = [0.0; 4];
            let mut squares = [0.0; 4];
            let mut rest = [0.0; 4];
            for axis in 0..4 {
                let whole = b.units[axis] + apart[axis] * a.units[axis];
                let whole = context.images.nearest(axis, whole);
                rest[axis] = b.remainder[axis] + apart[axis] * a.remainder[axis];
                separation[axis] = whole + first_three[axis] * rest[axis];
                squares[axis] = separation[axis] * separation[axis];
            }
            let close = squares[0] + squares[1] + squares[2] < squares[3];
            // Written in any case, kept only if the contact counts: cheaper than a wrong guess.
            self.separation[count] = separation;
            for axis in 0..4 {
                self.velocity[count][axis] =
                    first_material[axis] * a.velocity[axis] + apart[axis] * b.velocity[axis];
                self.surface[count][axis] = a.surface[axis] + b.surface[axis];
            }
            self.inverse_mass[count] = rest[3];
            self.keep(count, k as u16, slot);
            count += usize::from(close || slot.phase() != Phase::Apart);
        }
        count
    }

    /// Loads the grain–wall pairs of a block. Returns how many.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "small counts"
    )]
    pub(super) fn load_walls(
        &mut self,
        context: &ForceContext<'_>,
        body: &[Body],
        slots: &[Slot],
        block: Range<usize>,
    ) -> usize {
        let count = block.len();
        for (k, slot) in slots[block].iter().enumerate() {
            let a = &body[slot.first() as usize];
            let face = &context.faces[(slot.second - WALL) as usize];
            let seen = face.approach(context.grid, a);
            let overlap = a.radius_units() * context.grid.unit - seen.distance;
            self.separation[k] = seen.normal.extend(overlap).to_array();
            self.velocity[k] = a.velocity;
            self.velocity[k][3] = context.model.row(a.material(), face.material) as f64;
            self.surface[k] = a.surface;
            self.inverse_mass[k] = a.inverse_mass();
            self.keep(k, k as u16, slot);
        }
        count
    }

    /// What the contact remembers.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of load_pairs")]
    fn keep(&mut self, place: usize, number: u16, slot: &Slot) {
        self.spring_and_force[place] = slot.history.spring_and_force;
        self.old_root[place] = slot.history.root_overlap;
        self.was_touching[place] = f64::from(u8::from(slot.touches()));
        self.slot[place] = number;
    }

    /// Copies the last contact until the last batch is full; the copies are not stored.
    pub(super) fn fill_up(&mut self, count: usize) {
        if count == 0 {
            return;
        }
        let last = count - 1;
        for k in count..count.next_multiple_of(WIDTH) {
            self.separation[k] = self.separation[last];
            self.velocity[k] = self.velocity[last];
            self.surface[k] = self.surface[last];
            self.spring_and_force[k] = self.spring_and_force[last];
            self.inverse_mass[k] = self.inverse_mass[last];
            self.was_touching[k] = self.was_touching[last];
            self.old_root[k] = self.old_root[last];
            self.slot[k] = self.slot[last];
        }
    }

    /// Lane by lane what the rows from `start` on hold contact by contact.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of evaluate_any")]
    pub(super) fn transpose<T: Turn>(&self, start: usize, lanes: &mut Lanes) {
        fn batch<R>(rows: &[R], start: usize) -> &[R; WIDTH] {
            // A block holds whole batches.
            &rows.as_chunks().0[start / WIDTH]
        }
        let [x, y, z] = &mut lanes.normal;
        to_lanes::<T>(
            batch(&self.separation, start),
            [x, y, z, &mut lanes.touching],
        );
        let [x, y, z] = &mut lanes.velocity;
        to_lanes::<T>(batch(&self.velocity, start), [x, y, z, &mut lanes.row]);
        let [x, y, z] = &mut lanes.surface;
        to_lanes::<T>(batch(&self.surface, start), [x, y, z, &mut lanes.curvature]);
        let [x, y, z] = &mut lanes.spring;
        to_lanes::<T>(
            batch(&self.spring_and_force, start),
            [x, y, z, &mut lanes.old_force],
        );
        lanes.inverse_mass = *batch(&self.inverse_mass, start);
        lanes.was_touching = *batch(&self.was_touching, start);
        lanes.old_root = *batch(&self.old_root, start);
    }
}

/// What only rolling resistance and the adaptive law read.
pub(super) fn load_extra(lanes: &mut Lanes, l: usize, extra: &Extra, slot: &Slot, body: &[Body]) {
    let [first, second] = [slot.first(), slot.second].map(|index| body.get(index as usize));
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
pub(super) fn load_radii(lanes: &mut Lanes, l: usize, slot: &Slot, body: &[Body]) {
    for (lane, index) in lanes.radii.iter_mut().zip([slot.first(), slot.second]) {
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
pub(super) fn geometry(lanes: &mut Lanes, context: &ForceContext<'_>) {
    for l in 0..WIDTH {
        let [x, y, z] = [lanes.normal[0][l], lanes.normal[1][l], lanes.normal[2][l]];
        let squared = x * x + y * y + z * z;
        // Coincident centres have no direction and get no force.
        let distance = squared.sqrt().max(1e-300);
        let touching = lanes.touching[l];
        // One division serves the overlap and the normal.
        let both = 1.0 / ((touching + distance) * distance);
        lanes.overlap[l] = (touching * touching - squared) * (both * distance) * context.grid.unit;
        let inverse = both * (touching + distance);
        lanes.normal[0][l] = x * inverse;
        lanes.normal[1][l] = y * inverse;
        lanes.normal[2][l] = z * inverse;
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
