//! A scene, or a saved state, on its way to the device.

use super::super::awake::Awake;
use super::super::buffers::{Buffers, Sizes, cell_entries};
use super::super::device::{DeviceKind, Gpu};
use super::super::layout::{
    FluidParams, GridParams, MOST_CLASSES, PairCoefficients, StepParams, single,
};
use super::super::motion::weights;
use super::super::snapshot::{MOST_GRAINS, Nature, Snapshot, radius_units, remainder_bits};
use super::super::status::{STATUS_GRAINS, STATUS_SLOTS, STATUS_SPEED_BEFORE, Status};
use super::super::step::{SceneTraits, Step};
use super::super::units::{Units, to_device};
use super::super::walls::{FACE_VECTORS, face_kinds, face_tables};
use super::advance::{FIRST_BATCH, Handed};
use super::{GpuEngine, GpuOptions, SETTLED_CONTACTS, SETTLED_SLOTS};
use crate::contact::ContactModel;
use crate::cpu::grid_of;
use crate::cpu::walls::{Face, walls_end};
use crate::error::{Error, Result};
use crate::fluid::FluidModel;
use crate::laws::material::sphere_mass;
use crate::position::Grid;
use crate::scene::{Material, NormalLaw, RollingLaw, Scene};
use crate::state::{Ledger, State, Totals};
use bytemuck::Zeroable;
use glam::DVec3;

/// A grain that has come in at a side does not go further than this many radii and skins from there before neighbours are listed.
const FAR: f64 = 4.0;

/// Skin of grains at rest, as a fraction of the largest radius. A bed that still moves by a hundredth of a
/// radius in a hundred steps is listed once in that time, which costs less than the slots of a thicker one.
const THINNEST_SKIN: f64 = 0.03;

/// Thickest skin, unless the scene wants a thinner one.
const THICKEST_SKIN: f64 = 0.8;

/// Finest class of sizes: `FINEST_CLASS` in `shaders/lib/cells.wgsl`.
const FINEST_CLASS: u32 = 16;

/// Bits of a key that sorts cells; its mark must not overflow.
const MOST_KEY_BITS: u32 = 31;

/// Most grains of a software device for which processors are kept awake. 4000 are 1.2 to 1.4 times as fast with it, 20 000
/// as fast as without.
const MOST_KEPT_AWAKE: u32 = 1 << 14;

/// What decides sizes and keys of the cells.
struct Classes {
    table: [[u32; 4]; MOST_CLASSES],
    count: u32,
    axis_bits: u32,
    key_bits: u32,
}

impl Classes {
    fn new(grid: &Grid, radii: impl Iterator<Item = u32>) -> Self {
        let mut largest = [0; MOST_CLASSES];
        for radius in radii {
            let class = ((2 * radius - 1).leading_zeros() - 2).min(FINEST_CLASS) as usize;
            largest[class] = largest[class].max(radius);
        }
        let mut table = [[0; 4]; MOST_CLASSES];
        let mut count = 0;
        let mut finest = 0;
        for (class, &radius) in (0..).zip(&largest).filter(|(_, radius)| **radius > 0) {
            table[count as usize] = [class, radius, 0, 0];
            finest = class;
            count += 1;
        }
        let class_bits = u32::BITS - (count.max(1) - 1u32).leading_zeros();
        let widest = grid.cells.into_iter().max().unwrap_or(1);
        let needed = u32::BITS - (widest - 1).leading_zeros() + finest;
        let axis_bits = needed.min((MOST_KEY_BITS - class_bits) / 3).min(10);
        Self {
            table,
            count,
            axis_bits,
            key_bits: 3 * axis_bits + class_bits,
        }
    }
}

/// The power of two above an energy; zero for none.
fn scale_of(energy: f64) -> f64 {
    if energy > 0.0 && energy.is_finite() {
        energy.log2().ceil().exp2()
    } else {
        0.0
    }
}

impl GpuEngine {
    /// An engine at the start of a validated scene.
    ///
    /// # Errors
    /// If the device cannot hold the scene, or fails.
    pub fn new(gpu: &Gpu, scene: &Scene, time_step: f64, options: &GpuOptions) -> Result<Self> {
        let grid = grid_of(scene);
        let units = Units::new(scene, &grid, time_step);
        let (snapshot, natures) = Snapshot::from_particles(&grid, &units, scene)?;
        let mut engine = Self::assemble(gpu, scene, grid, time_step, natures)?;
        let size = DVec3::from_array(engine.grid.size.map(metres(engine.grid.unit)));
        let fall: f64 = engine
            .natures
            .iter()
            .map(|n| engine.largest_mass(n))
            .sum::<f64>()
            * engine.gravity.abs().dot(size);
        let mut scale = scale_of(engine.energy_of_motion(&snapshot) + fall);
        if scale == 0.0 {
            // Nothing but springs, whose energy is small on the scale of the device's units.
            scale = scale_of(engine.units.energy() / 1024.0);
        }
        engine.set_scale(scale);
        engine.allocate(scene, &snapshot, options)?;
        engine.start()?;
        Ok(engine)
    }

    /// An engine that goes on from a saved state of this scene.
    ///
    /// # Errors
    /// If the device cannot hold the state, or fails.
    pub fn resume(gpu: &Gpu, scene: &Scene, state: &State, options: &GpuOptions) -> Result<Self> {
        let units = Units::new(scene, &state.grid, state.time_step);
        let with_extras = needs_extras(scene);
        let (snapshot, natures) = Snapshot::from_state(&units, scene, state, with_extras)?;
        let mut engine = Self::assemble(gpu, scene, state.grid, state.time_step, natures)?;
        engine.step = state.step;
        engine.removed = state.removed;
        engine.ledger = state.ledger;
        engine.wall_forces.clone_from(&state.wall_forces);
        engine.contacts = state.contacts.len();
        let totals = Totals::of(&state.view(), &scene.materials);
        engine.wall_contacts = totals.instant.wall_contacts;
        engine.momentum = totals.momentum;
        engine.set_scale(state.ledger.scale);
        engine.allocate(scene, &snapshot, options)?;
        engine.resumed = Some(Box::new(state.clone()));
        Ok(engine)
    }

    fn assemble(
        gpu: &Gpu,
        scene: &Scene,
        grid: Grid,
        time_step: f64,
        natures: Vec<Nature>,
    ) -> Result<Self> {
        let units = Units::new(scene, &grid, time_step);
        let model = ContactModel::stepped(scene, time_step);
        let largest = natures.iter().map(|n| n.radius).fold(0.0, f64::max);
        let fluid = FluidModel::new(scene);
        let film = fluid.as_ref().map_or(0.0, |f| f.film_reach(largest));
        let neck = film.max(-model.longest_neck(largest));
        // A list reaches no further than a cell beyond touching.
        let furthest = grid.unit * f64::from(1u32 << 30) * 0.999 - neck;
        let wanted = scene.neighbours.skin.unwrap_or(THICKEST_SKIN * largest);
        let thickest = wanted.min(furthest);
        let thinnest = thickest.min(THINNEST_SKIN * largest);
        let faces = Face::all(scene, &grid);
        let mut radii = natures.iter().map(|n| radius_units(&grid, n.radius));
        let classes = Classes::new(&grid, radii.clone());
        let first_radius = radii.next();
        #[allow(
            clippy::cast_possible_truncation,
            reason = "materials, faces and table entries are counted in u32"
        )]
        let params = StepParams {
            grid: GridParams::from(&grid),
            gravity: to_device(scene.gravity, units.acceleration()),
            unit_length: single(grid.unit / units.length),
            units_per_length: single(units.length / grid.unit),
            neck: single(neck / units.length),
            thinnest_skin: single(thinnest / units.length),
            thickest_skin: single(thickest / units.length),
            quanta: 0.0,
            material_count: model.materials as u32,
            materials_start: (PAIR_VECTORS * model.table.len()) as u32,
            faces_start: (PAIR_VECTORS * model.table.len() + model.materials) as u32,
            weights_start: (PAIR_VECTORS * model.table.len()
                + model.materials
                + FACE_VECTORS * faces.len()) as u32,
            slot_capacity: 0,
            cell_mask: 0,
            axis_bits: classes.axis_bits,
            decision_steps: 1,
            remainder_bits: remainder_bits(scene.materials.len()),
            contact_time: single(scene.contact.contact_time.unwrap_or(0.0) / units.time),
            adaptive_minimum_speed: single(scene.contact.adaptive_minimum_speed / units.velocity()),
            contact_capacity: 0,
            only_inverse_mass: scene
                .materials
                .first()
                .map_or(0.0, |material| single(inverse_mass(&units, material))),
            only_weight: weights(&scene.materials, fluid.as_ref(), &grid, &units)
                .next()
                .map_or([0; 2], |[mantissa, exponent, ..]| [mantissa, exponent]),
            only_pair: model.table.first().map_or_else(Zeroable::zeroed, |pair| {
                PairCoefficients::from(&units.pair(&model.laws, pair))
            }),
            classes: classes.table,
        };
        Ok(Self {
            gpu: gpu.clone(),
            wall_forces: vec![DVec3::ZERO; faces.len()],
            grid,
            units,
            gravity: scene.gravity,
            leaving: scene.domain.leaving,
            materials: scene.materials.clone(),
            traits: SceneTraits {
                laws: scene.contact,
                key_bits: classes.key_bits,
                one_material: scene.materials.len() == 1 && fluid.is_none(),
                sizes_differ: radii.any(|radius| Some(radius) != first_radius),
                any_fixed: natures.iter().any(|nature| nature.fixed),
                face_kinds: face_kinds(scene),
                walls_end: walls_end(&faces, &grid, FAR * (largest + thickest) + neck),
                face_count: faces.len(),
                class_count: classes.count,
            },
            faces,
            natures,
            fluid,
            params,
            memory: None,
            time_step,
            step: 0,
            removed: 0,
            ledger: Ledger::default(),
            quantum: 0.0,
            momentum: DVec3::ZERO,
            contacts: 0,
            wall_contacts: 0,
            contact_updates: 0,
            searches: 0,
            slots: 0,
            counted: 0,
            batch: FIRST_BATCH,
            handed: Handed::default(),
            next: Handed::default(),
            stage_seconds: None,
            awake: None,
            resumed: None,
        })
    }

    /// The fluid in units of the device, if there is one.
    pub(super) fn fluid_params(&self) -> Option<FluidParams> {
        let fluid = self.fluid.as_ref()?;
        Some(FluidParams::new(fluid, &self.units))
    }

    /// Energies are counted in 2⁻⁵⁰ of this one, J.
    fn set_scale(&mut self, scale: f64) {
        self.ledger.scale = scale;
        self.quantum = scale / (1u64 << 50) as f64;
        let quanta = if self.quantum > 0.0 {
            self.units.energy() / self.quantum
        } else {
            0.0
        };
        self.params.quanta = single(quanta);
    }

    /// Fills the memory of the device.
    #[allow(
        clippy::cast_possible_truncation,
        reason = "grains and their slots are counted in u32"
    )]
    fn allocate(&mut self, scene: &Scene, snapshot: &Snapshot, options: &GpuOptions) -> Result<()> {
        let count = snapshot.bodies.len();
        if count == 0 {
            return Ok(());
        }
        let grains = u32::try_from(count)
            .ok()
            .filter(|&grains| grains <= MOST_GRAINS)
            .ok_or_else(|| {
                Error::Unsupported(format!(
                    "{count} grains on a graphics device: at most {MOST_GRAINS} are possible"
                ))
            })?;
        let tables = tables(scene, &self.grid, &self.units);
        let mut wanted = Sizes {
            status_words: Status::words(self.faces.len()),
            table_vectors: tables.len(),
            with_fluid: self.fluid.is_some(),
            ..Sizes::per_grain(
                grains,
                options.slots_per_grain,
                options.contacts_per_grain,
                needs_extras(scene),
            )
        };
        wanted.slots = wanted.slots.max(snapshot.slots.len() as u32);
        let sizes = wanted.with_slots_that_fit(self.gpu.largest_storage());
        // If even the grains do not fit, the error is about as many slots as are wanted.
        sizes
            .check(&self.gpu)
            .or_else(|_| wanted.check(&self.gpu))?;
        let buffers = Buffers::new(&self.gpu, sizes)?;
        let step = Step::new(&self.gpu, &buffers, &self.traits, self.fluid_params())?;
        self.params.slot_capacity = sizes.slots;
        self.params.contact_capacity = sizes.contacts;
        self.params.cell_mask = cell_entries(grains) - 1;
        self.gpu.upload(&buffers.params, &[self.params])?;
        self.gpu.upload(&buffers.tables, &tables)?;
        buffers.write(&self.gpu, snapshot)?;
        let mut status = Status::new(self.faces.len());
        status.set(STATUS_GRAINS, grains);
        status.set(STATUS_SLOTS, snapshot.slots.len() as u32);
        let fastest = snapshot
            .motions
            .iter()
            .map(|motion| DVec3::from_array(motion.velocity.map(f64::from)).length())
            .fold(0.0, f64::max);
        status.set(STATUS_SPEED_BEFORE, single(fastest).to_bits());
        self.gpu.upload(&buffers.status, &status.0)?;
        self.slots = snapshot.slots.len() as u32;
        self.memory = Some((buffers, step));
        let is_software = self.gpu.description().kind == DeviceKind::Software;
        self.awake = (is_software && grains <= MOST_KEPT_AWAKE)
            .then(Awake::new)
            .flatten();
        self.set_decision_steps(&status)
    }
}

/// What a scene is expected to take in the memory of a graphics device: as much as a settled bed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DeviceMemory(Sizes);

impl DeviceMemory {
    /// Of a scene with so many grains as it starts with.
    pub fn expected(scene: &Scene) -> Self {
        let grains = u32::try_from(scene.particles.len()).unwrap_or(u32::MAX);
        let (slots, contacts) = (SETTLED_SLOTS, SETTLED_CONTACTS);
        let grains = grains.clamp(1, MOST_GRAINS);
        Self(Sizes {
            with_fluid: scene.fluid.is_some(),
            ..Sizes::per_grain(grains, slots, contacts, needs_extras(scene))
        })
    }

    /// Each buffer with its bytes.
    pub fn buffers(&self) -> Vec<(&'static str, u64)> {
        self.0.list()
    }

    /// All of it, bytes.
    pub fn bytes(&self) -> u64 {
        self.0.bytes()
    }

    /// Per grain, bytes.
    #[allow(clippy::cast_precision_loss, reason = "far below 2^53")]
    pub fn bytes_per_grain(&self) -> f64 {
        self.bytes() as f64 / f64::from(self.0.grains)
    }

    /// The largest buffer, bytes.
    pub fn largest_buffer(&self) -> u64 {
        self.0.largest().1
    }

    /// Most grains of the kind, if no buffer may have more bytes than that.
    pub fn most_grains(&self, largest_buffer: u64) -> u32 {
        self.0.most_grains(largest_buffer)
    }
}

/// Vectors of a row of the table of pairs: `PAIR_VECTORS` in `shaders/lib/grains.wgsl`.
const PAIR_VECTORS: usize = size_of::<PairCoefficients>() / 16;

/// Pairs of materials, materials, faces and what grains are weighed with, as shaders read them.
fn tables(scene: &Scene, grid: &Grid, units: &Units) -> Vec<[u32; 4]> {
    let model = ContactModel::stepped(scene, units.time);
    let mut tables = Vec::new();
    for pair in &model.table {
        let pair = PairCoefficients::from(&units.pair(&model.laws, pair));
        let words: [[u32; 4]; PAIR_VECTORS] = bytemuck::cast(pair);
        tables.extend(words);
    }
    let fluid = FluidModel::new(scene);
    for (index, material) in scene.materials.iter().enumerate() {
        let [inertia, weight] = fluid.as_ref().map_or([1.0; 2], |fluid| {
            [fluid.inertia[index], fluid.weight[index]]
        });
        let row = [
            inverse_mass(units, material) / inertia,
            weight,
            inertia,
            0.0,
        ];
        tables.push(row.map(|x| single(x).to_bits()));
    }
    let faces = face_tables(scene, grid);
    debug_assert_eq!(faces.len() % FACE_VECTORS, 0);
    tables.extend(faces);
    tables.extend(weights(&scene.materials, fluid.as_ref(), grid, units));
    tables
}

/// Of a grain of unit radius, in units of the device.
fn inverse_mass(units: &Units, material: &Material) -> f64 {
    units.mass / sphere_mass(material.density, units.length)
}

fn needs_extras(scene: &Scene) -> bool {
    scene.contact.rolling != RollingLaw::None || scene.contact.normal == NormalLaw::HertzAdaptive
}

#[allow(
    clippy::cast_precision_loss,
    reason = "positions stay below 2^42 units"
)]
fn metres(unit: f64) -> impl Fn(i64) -> f64 {
    move |units| units as f64 * unit
}
