//! Structs that host and shaders share, byte for byte.
//!
//! A struct here has the name and the fields of one in WGSL. `Pod` alone does not make their layouts
//! equal, since WGSL aligns a `vec3` to 16 bytes: tests compare every [`Shared`] struct with what naga
//! makes of the shader.

use crate::contact;
use crate::position::Grid;
use crate::scene;
use bytemuck::{Pod, Zeroable};
use std::mem::offset_of;

/// A struct that WGSL declares too.
pub trait Shared: Pod {
    /// Its name there.
    const NAME: &'static str;
    /// Fields and their offsets in bytes. `padding` stands for bytes that WGSL leaves unnamed.
    const FIELDS: &'static [(&'static str, usize)];
}

macro_rules! shared {
    ($(#[$doc:meta])* $name:ident {
        $($(#[$field_doc:meta])* $field:ident: $type:ty,)*
    }) => {
        $(#[$doc])*
        #[repr(C)]
        #[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
        pub struct $name {
            $($(#[$field_doc])* pub $field: $type,)*
        }

        impl Shared for $name {
            const NAME: &'static str = stringify!($name);
            const FIELDS: &'static [(&'static str, usize)] =
                &[$((stringify!($field), offset_of!($name, $field)),)*];
        }
    };
}

shared! {
    /// What two materials do when they meet, as [`contact::PairCoefficients`], in any one system of units.
    PairCoefficients {
        /// Normal stiffness as given.
        stiffness: f32,
        /// 4/3 E*.
        hertz_modulus: f32,
        /// Normal damping as given.
        damping: f32,
        /// Damping ratio that gives the wanted restitution.
        damping_ratio: f32,
        /// Normal stiffness per reduced mass.
        stiffness_per_mass: f32,
        /// Normal damping per reduced mass.
        damping_per_mass: f32,
        /// Dissipative time of Kuwabara & Kono.
        viscoelastic_time: f32,
        /// Restitution that the adaptive law aims at, and that of a collision under the impulse law.
        restitution: f32,
        /// Coefficient of sliding friction.
        friction: f32,
        /// Tangential stiffness as given.
        tangential_stiffness: f32,
        /// 8 G*.
        mindlin_modulus: f32,
        /// Tangential damping as given.
        tangential_damping: f32,
        /// Tangential damping ratio of Mindlin's spring; under the impulse law the rule, β₀ or −α.
        tangential_damping_ratio: f32,
        /// Tangential stiffness per tangential reduced mass.
        tangential_stiffness_per_mass: f32,
        /// Tangential damping per tangential reduced mass.
        tangential_damping_per_mass: f32,
        /// Coefficient of rolling friction.
        rolling_friction: f32,
        /// Damping ratio of the rolling spring.
        rolling_damping: f32,
        /// Work of adhesion.
        work_of_adhesion: f32,
        /// Cohesion energy density.
        cohesion_energy_density: f32,
        /// Effective Young's modulus E*.
        effective_young: f32,
    }
}

shared! {
    /// Numbers of the laws of a scene that belong to no pair of materials, as [`scene::ContactLaws`].
    ContactLaws {
        /// Contact time that the adaptive law imposes; 0 if none is.
        contact_time: f32,
        /// Smallest impact speed that the adaptive law reckons with.
        adaptive_minimum_speed: f32,
        /// 1 if the table of pairs holds what the adaptive law needs of a restitution, else 0.
        tabulated: u32,
    }
}

shared! {
    /// How positions make up the domain, as [`Grid`].
    GridParams {
        /// Number of cells along each axis.
        cells: [u32; 3],
        /// Bit 0, 1, 2: the domain repeats along x, y, z.
        periodic: u32,
        /// Units per cell along each axis.
        cell_units: [u32; 3],
        /// Cells of the upper side of the domain, packed as in [`Position`](crate::position::Position).
        upper_cell: u32,
        /// Fractions of the upper side.
        upper_fraction: [u32; 3],
        /// Fills the last 16 bytes.
        padding: u32,
    }
}

/// Most classes of sizes: `MOST_CLASSES` in `shaders/lib/grains.wgsl`.
pub const MOST_CLASSES: usize = 32;

shared! {
    /// What a contact reads of a grain.
    Body {
        /// Cell and fraction, as [`Position`](crate::position::Position).
        position: [u32; 4],
        /// Predicted for the instant of the position.
        velocity: [f32; 3],
        /// In units of positions.
        radius: u32,
        /// Predicted for the instant of the position.
        spin: [f32; 3],
        /// Fixed or not, material, and the remainder of the position, rounded.
        traits: u32,
    }
}

shared! {
    /// How a grain moves; only the grain itself reads it.
    Motion {
        /// Half a step after the instant of the position within a run, at that instant between runs.
        velocity: [f32; 3],
        /// Number of the grain in the scene.
        id: u32,
        /// As the velocity.
        spin: [f32; 3],
        /// Bits of an upper bound of the way since the neighbours were listed; while they are, where the
        /// grain's saved contacts start.
        path: u32,
        /// What rounding left of the last move and of the spin, by axis.
        rests: [u32; 3],
        /// What rounding left of the velocity, and whether the grain has left the domain.
        carry: u32,
    }
}

shared! {
    /// What a grain undergoes; the fourth numbers pad.
    Acceleration {
        /// Of the centre.
        linear: [f32; 3],
        /// What rounding left of it.
        linear_carry: u32,
        /// Of the spin.
        angular: [f32; 4],
        /// How far contacts that began off the middle of their kick shift the grain.
        shift: [f32; 4],
    }
}

shared! {
    /// A fluid, in units of the device.
    FluidParams {
        /// Of the fluid.
        density: f32,
        /// Of the fluid.
        viscosity: f32,
        /// Number of the drag law.
        drag_law: u32,
        /// Gap over the mean radius from which on there is no film between grains; zero: none at all.
        grain_resolved: f32,
        /// Gap below which the film between grains is as strong as it gets.
        grain_roughness: f32,
        /// The same for walls.
        wall_resolved: f32,
        /// The same for walls.
        wall_roughness: f32,
    }
}

shared! {
    /// Numbers that all kernels of a run share.
    StepParams {
        /// How positions make up the domain.
        grid: GridParams,
        /// Acceleration of gravity.
        gravity: [f32; 3],
        /// Length of a unit of positions.
        unit_length: f32,
        /// Its inverse.
        units_per_length: f32,
        /// Furthest that grains act on each other without touching: a stretched JKR neck, a film.
        neck: f32,
        /// Between this …
        thinnest_skin: f32,
        /// … and this the skin is chosen.
        thickest_skin: f32,
        /// Quanta of the ledger in a unit of energy, and of forces on walls in a unit of force.
        quanta: f32,
        /// Number of materials.
        material_count: u32,
        /// Where in `tables` the materials start, in vectors.
        materials_start: u32,
        /// Where in `tables` the faces start.
        faces_start: u32,
        /// Slots that there is memory for.
        slot_capacity: u32,
        /// Entries of the cell table, a power of two, less one.
        cell_mask: u32,
        /// Bits of a cell's coordinate that its key takes.
        axis_bits: u32,
        /// Steps between two decisions about the neighbour list.
        decision_steps: u32,
        /// Bits per axis that traits have for the remainder of a position.
        remainder_bits: u32,
        /// See [`ContactLaws`].
        contact_time: f32,
        /// See [`ContactLaws`].
        adaptive_minimum_speed: f32,
        /// Contacts that can be put aside while neighbours are listed.
        contact_capacity: u32,
        /// Inverse mass of a grain of unit radius, if there is only one material.
        only_inverse_mass: f32,
        /// Where in `tables` the numbers start that `shaders/measure.wgsl` weighs grains with.
        weights_start: u32,
        /// Mantissa and exponent of the mass of its grain whose radius is one unit of positions.
        only_weight: [u32; 2],
        /// What its grains do when they meet.
        only_pair: PairCoefficients,
        /// Number of each class and largest radius in it, in units.
        classes: [[u32; 4]; MOST_CLASSES],
    }
}

/// To the precision of a device.
#[allow(
    clippy::cast_possible_truncation,
    reason = "the one place where f64 becomes f32"
)]
pub(crate) fn single(x: f64) -> f32 {
    x as f32
}

impl From<&contact::PairCoefficients> for PairCoefficients {
    fn from(pair: &contact::PairCoefficients) -> Self {
        Self {
            stiffness: single(pair.stiffness),
            hertz_modulus: single(pair.hertz_modulus),
            damping: single(pair.damping),
            damping_ratio: single(pair.damping_ratio),
            stiffness_per_mass: single(pair.stiffness_per_mass),
            damping_per_mass: single(pair.damping_per_mass),
            viscoelastic_time: single(pair.viscoelastic_time),
            restitution: single(pair.restitution),
            friction: single(pair.friction),
            tangential_stiffness: single(pair.tangential_stiffness),
            mindlin_modulus: single(pair.mindlin_modulus),
            tangential_damping: single(pair.tangential_damping),
            tangential_damping_ratio: single(pair.tangential_damping_ratio),
            tangential_stiffness_per_mass: single(pair.tangential_stiffness_per_mass),
            tangential_damping_per_mass: single(pair.tangential_damping_per_mass),
            rolling_friction: single(pair.rolling_friction),
            rolling_damping: single(pair.rolling_damping),
            work_of_adhesion: single(pair.work_of_adhesion),
            cohesion_energy_density: single(pair.cohesion_energy_density),
            effective_young: single(pair.effective_young),
        }
    }
}

impl From<&scene::ContactLaws> for ContactLaws {
    fn from(laws: &scene::ContactLaws) -> Self {
        Self {
            contact_time: single(laws.contact_time.unwrap_or(0.0)),
            adaptive_minimum_speed: single(laws.adaptive_minimum_speed),
            tabulated: laws.tabulates_inverse().into(),
        }
    }
}

impl From<&Grid> for GridParams {
    fn from(grid: &Grid) -> Self {
        let extent = grid.extent();
        // The upper side of a domain of all cells there can be lies beyond them: one unit further in.
        let upper = std::array::from_fn(|axis| grid.size[axis].min(extent[axis] - 1));
        let upper = grid
            .pack(upper)
            .unwrap_or_else(|| unreachable!("{upper:?} lies in the cells of {grid:?}"));
        Self {
            cells: grid.cells,
            periodic: (0..3).fold(0, |bits, axis| {
                bits | u32::from(grid.periodic[axis]) << axis
            }),
            cell_units: grid.cell_units,
            upper_cell: upper.cell,
            upper_fraction: upper.fraction,
            padding: 0,
        }
    }
}
