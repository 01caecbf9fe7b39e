//! The soft-sphere engine on a graphics device.

use super::buffers::{Buffers, Sizes};
use super::device::Gpu;
use super::layout::{GridParams, MOST_CLASSES, PairCoefficients, StepParams, single};
use super::snapshot::{MOST_GRAINS, Nature, Snapshot, radius_units, remainder_bits};
use super::status::{
    HALTED_CAPACITY, STATUS_CONTACT_UPDATES, STATUS_CONTACTS, STATUS_CROSSED, STATUS_ELASTIC,
    STATUS_GRAINS, STATUS_HALTED, STATUS_LAST_LOSSES, STATUS_LEFT, STATUS_LOSSES, STATUS_NONE,
    STATUS_NOT_FINITE, STATUS_REBUILD_WANTED, STATUS_REBUILDS, STATUS_SKIN, STATUS_SLOTS_NEEDED,
    STATUS_SPEED, STATUS_SPEED_BEFORE, STATUS_STEPS, STATUS_WALL_FORCES, Status,
};
use super::step::Step;
use super::units::{Units, to_device};
use super::walls::{FACE_VECTORS, face_tables};
use crate::contact::ContactModel;
use crate::cpu::grid_of;
use crate::cpu::walls::Face;
use crate::error::{Error, Result};
use crate::laws::ContactEnd;
use crate::laws::material::{sphere_inertia, sphere_mass};
use crate::position::Grid;
use crate::scene::{Leaving, Material, NormalLaw, RollingLaw, Scene};
use crate::state::{Ledger, State};
use glam::DVec3;

/// Steps that are handed to the device at once.
const STEPS_PER_SUBMIT: u64 = 128;

/// Most steps between two decisions about the neighbour list.
const DECISION_STEPS: u32 = 16;

/// Without a skin in the scene: at least this fraction of the largest radius …
const THINNEST_SKIN: f64 = 0.05;

/// … and at most this one.
const THICKEST_SKIN: f64 = 0.8;

/// Slots per grain that there is room for at first, if nobody says otherwise.
const SLOTS_PER_GRAIN: f64 = 9.0;

/// Room beyond what a list needed, when it had too little.
const GROWTH: f64 = 1.15;

/// Finest class of sizes: `FINEST_CLASS` in `shaders/lib/cells.wgsl`.
const FINEST_CLASS: u32 = 16;

/// Bits of a key that sorts cells; its mark must not overflow.
const MOST_KEY_BITS: u32 = 31;

/// How a [`GpuEngine`] works. Nothing here changes a result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GpuOptions {
    /// Slots of the neighbour list, per grain, that there is room for at first.
    pub slots_per_grain: f64,
}

impl Default for GpuOptions {
    fn default() -> Self {
        Self {
            slots_per_grain: SLOTS_PER_GRAIN,
        }
    }
}

/// The soft-sphere engine on a graphics device: positions exact, the rest in `f32`.
///
/// The same scene gives the same bits on the same device however often the host looks, whatever the
/// order of the grains in memory, and whenever neighbours are listed.
#[derive(Debug)]
pub struct GpuEngine {
    gpu: Gpu,
    grid: Grid,
    units: Units,
    gravity: DVec3,
    leaving: Leaving,
    materials: Vec<Material>,
    faces: Vec<Face>,
    /// By id.
    natures: Vec<Nature>,
    params: StepParams,
    /// `None` without grains: there is nothing to do then.
    memory: Option<(Buffers, Step)>,
    time_step: f64,
    step: u64,
    removed: u64,
    ledger: Ledger,
    /// What a device counts energies in, J.
    quantum: f64,
    wall_forces: Vec<DVec3>,
    contacts: usize,
    contact_updates: u64,
    searches: u64,
    /// A state that was resumed, until its first step.
    resumed: Option<Box<State>>,
}

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
        engine.measure_motion(&snapshot);
        let size = DVec3::from_array(engine.grid.size.map(metres(engine.grid.unit)));
        let fall: f64 = engine.natures.iter().map(|n| engine.mass(n)).sum::<f64>()
            * engine.gravity.abs().dot(size);
        let mut scale = scale_of(engine.ledger.kinetic + engine.ledger.rotational + fall);
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
        if scene.contact.normal == NormalLaw::HertzAdaptive
            && scene.contact.end == ContactEnd::Force
        {
            return Err(Error::Unsupported(
                "contact.normal = \"hertz-adaptive\" with contact.end = \"force\" runs on the processor \
                 only: use --backend cpu"
                    .into(),
            ));
        }
        let units = Units::new(scene, &grid, time_step);
        let model = ContactModel::new(scene);
        let largest = natures.iter().map(|n| n.radius).fold(0.0, f64::max);
        let neck = -model.longest_neck(largest);
        // A list reaches no further than a cell beyond touching.
        let furthest = grid.unit * f64::from(1u32 << 30) * 0.999 - neck;
        let [thinnest, thickest] = match scene.neighbours.skin {
            Some(skin) => [skin; 2],
            None => [THINNEST_SKIN, THICKEST_SKIN].map(|fraction| fraction * largest),
        }
        .map(|skin| skin.min(furthest));
        let faces = Face::all(scene, &grid);
        let classes = Classes::new(&grid, natures.iter().map(|n| radius_units(&grid, n.radius)));
        let laws = super::layout::ContactLaws {
            contact_time: single(scene.contact.contact_time.unwrap_or(0.0) / units.time),
            adaptive_minimum_speed: single(scene.contact.adaptive_minimum_speed / units.velocity()),
        };
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
            face_count: faces.len() as u32,
            materials_start: (PAIR_VECTORS * model.table.len()) as u32,
            faces_start: (PAIR_VECTORS * model.table.len() + model.materials) as u32,
            slot_capacity: 0,
            cell_mask: cell_entries(natures.len()) - 1,
            axis_bits: classes.axis_bits,
            class_count: classes.count,
            decision_steps: DECISION_STEPS,
            remainder_bits: remainder_bits(scene.materials.len()),
            contact_time: laws.contact_time,
            adaptive_minimum_speed: laws.adaptive_minimum_speed,
            padding: [0; 3],
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
            faces,
            natures,
            params,
            memory: None,
            time_step,
            step: 0,
            removed: 0,
            ledger: Ledger::default(),
            quantum: 0.0,
            contacts: 0,
            contact_updates: 0,
            searches: 0,
            resumed: None,
        })
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
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "counts are checked to fit"
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
        let wanted = (options.slots_per_grain * count as f64).ceil() as usize;
        let tables = tables(scene, &self.grid, &self.units);
        let sizes = Sizes {
            grains,
            slots: wanted.max(snapshot.slots.len()).max(1) as u32,
            cells: cell_entries(count),
            status_words: Status::words(self.faces.len()),
            table_vectors: tables.len(),
            with_extras: needs_extras(scene),
        };
        let buffers = Buffers::new(&self.gpu, sizes)?;
        self.params.slot_capacity = sizes.slots;
        let radii = self
            .natures
            .iter()
            .map(|n| radius_units(&self.grid, n.radius));
        let classes = Classes::new(&self.grid, radii);
        let step = Step::new(&self.gpu, &buffers, &scene.contact, classes.key_bits)?;
        self.gpu.upload(&buffers.params, &[self.params])?;
        self.gpu.upload(&buffers.tables, &tables)?;
        write_snapshot(&self.gpu, &buffers, snapshot)?;
        let mut status = Status::new(self.faces.len());
        status.set(STATUS_GRAINS, grains);
        let fastest = snapshot
            .motions
            .iter()
            .map(|motion| DVec3::from_array(motion.velocity.map(f64::from)).length())
            .fold(0.0, f64::max);
        status.set(STATUS_SPEED_BEFORE, single(fastest).to_bits());
        self.gpu.upload(&buffers.status, &status.0)?;
        self.memory = Some((buffers, step));
        Ok(())
    }

    /// First evaluation: forces at the starting positions, and the energy that the run starts with.
    fn start(&mut self) -> Result<()> {
        while let Some((buffers, step)) = &self.memory {
            let mut encoder = self.gpu.encoder("start");
            {
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                step.record_refresh(&mut pass, buffers);
                step.record_start(&mut pass, buffers);
            }
            self.gpu.submit(encoder)?;
            let status = self.read_status()?;
            if status.word(STATUS_HALTED) == 0 {
                self.take_measurements(&status);
                self.ledger.pending = self.last_losses(&status);
                self.write_status(&status, Status::clear_sums)?;
                break;
            }
            self.attend(&status)?;
        }
        self.ledger.initial = self.ledger.total();
        Ok(())
    }

    /// Runs `steps` time steps.
    ///
    /// # Errors
    /// A particle that is no longer finite, or that left a domain which stops the run; and whatever the
    /// device complains about.
    pub fn run(&mut self, steps: u64) -> Result<()> {
        if steps == 0 {
            return Ok(());
        }
        self.resumed = None;
        let mut remaining = steps;
        let mut begun = false;
        while remaining > 0 {
            if self.memory.is_none() {
                self.step += remaining;
                return Ok(());
            }
            let status = self.submit(!begun, remaining)?;
            begun = true;
            let done = u64::from(status.word(STATUS_STEPS));
            self.step += done;
            remaining -= done.min(remaining);
            if remaining == 0 {
                self.check_finite(&status)?;
                self.finish(&status)?;
            } else if status.word(STATUS_HALTED) != 0 {
                self.attend(&status)?;
            } else {
                self.write_status(&status, |status| status.set(STATUS_STEPS, 0))?;
            }
        }
        Ok(())
    }

    /// Hands some of the remaining steps to the device; returns what it says afterwards.
    fn submit(&mut self, begins: bool, remaining: u64) -> Result<Status> {
        let Some((buffers, step)) = &self.memory else {
            return Ok(Status::new(self.faces.len()));
        };
        let steps = remaining.min(STEPS_PER_SUBMIT);
        let decision_steps = u64::from(self.params.decision_steps);
        let mut encoder = self.gpu.encoder("steps");
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            if begins {
                step.record_begin(&mut pass, buffers);
            }
            for number in 0..steps {
                if number % decision_steps == 0 {
                    step.record_refresh(&mut pass, buffers);
                }
                step.record_step(&mut pass, buffers, number + 1 == remaining);
            }
        }
        self.gpu.submit(encoder)?;
        let status = self.read_status()?;
        self.set_decision_steps(&status)?;
        Ok(status)
    }

    /// Fast grains outrun their list sooner: the device then decides more often.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to a few steps"
    )]
    fn set_decision_steps(&mut self, status: &Status) -> Result<()> {
        let speed = status
            .float(STATUS_SPEED)
            .max(status.float(STATUS_SPEED_BEFORE));
        let lasts = f64::from(self.params.thickest_skin) / (2.5 * speed);
        let steps = lasts.clamp(1.0, f64::from(DECISION_STEPS)) as u32;
        if let (Some((buffers, _)), true) = (&self.memory, steps != self.params.decision_steps) {
            self.params.decision_steps = steps;
            self.gpu.upload(&buffers.params, &[self.params])?;
        }
        Ok(())
    }

    /// Does what the device cannot do alone, so that it can go on.
    fn attend(&mut self, status: &Status) -> Result<()> {
        self.check_finite(status)?;
        if status.word(STATUS_LEFT) != STATUS_NONE {
            return self.remove_left(status);
        }
        if status.word(STATUS_HALTED) & HALTED_CAPACITY != 0 {
            self.grow(status.word(STATUS_SLOTS_NEEDED))?;
        }
        log::debug!(
            "step {}: the device waited, status {}",
            self.step,
            status.word(STATUS_HALTED)
        );
        self.write_status(status, |status| {
            status.set(STATUS_HALTED, 0);
            status.set(STATUS_STEPS, 0);
            status.set(STATUS_REBUILD_WANTED, 1);
            status.clear_measurements();
        })
    }

    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "saturates; the device refuses what is too large"
    )]
    fn grow(&mut self, needed: u32) -> Result<()> {
        let Some((buffers, step)) = &mut self.memory else {
            return Ok(());
        };
        let slots = (f64::from(needed) * GROWTH).ceil() as u32;
        log::debug!(
            "step {}: {needed} slots needed, room for {}, now for {slots}",
            self.step,
            buffers.sizes.slots
        );
        buffers.grow_slots(&self.gpu, slots)?;
        step.rebind(&self.gpu, buffers)?;
        self.params.slot_capacity = slots;
        self.gpu.upload(&buffers.params, &[self.params])
    }

    fn check_finite(&self, status: &Status) -> Result<()> {
        match status.word(STATUS_NOT_FINITE) {
            STATUS_NONE => Ok(()),
            particle => Err(Error::NonFinite {
                particle,
                step: self.step,
                time: self.time(),
            }),
        }
    }

    /// Takes out grains that left the domain, or stops because of them.
    fn remove_left(&mut self, status: &Status) -> Result<()> {
        let Some(snapshot) = self.read_snapshot()? else {
            return Ok(());
        };
        let gone: Vec<bool> = (0..snapshot.motions.len())
            .map(|index| snapshot.has_left(index))
            .collect();
        if self.leaving == Leaving::Stop {
            let particle = status.word(STATUS_LEFT);
            let index = snapshot.motions.iter().position(|m| m.id == particle);
            let position = index.map_or(DVec3::ZERO, |index| self.beyond(&snapshot, index));
            return Err(Error::LeftDomain {
                particle,
                time: self.time(),
                position: position.to_array(),
            });
        }
        let order = snapshot.by_id();
        for (&index, nature) in order.iter().zip(&self.natures) {
            if gone[index] {
                let place = (self.beyond(&snapshot, index) - self.grid.origin) / self.grid.unit;
                let energy: f64 = self
                    .energy_of(&snapshot, index, nature, place, snapshot.velocity(index))
                    .iter()
                    .sum();
                self.ledger.removed += (energy / self.quantum).round() * self.quantum;
                self.removed += 1;
            }
        }
        let mut gone_by_rank = order.iter().map(|&index| gone[index]);
        self.natures
            .retain(|_| !gone_by_rank.next().unwrap_or(false));
        let kept = snapshot.without(&gone);
        let Some((buffers, step)) = &mut self.memory else {
            return Ok(());
        };
        if kept.bodies.is_empty() {
            self.memory = None;
            return Ok(());
        }
        #[allow(clippy::cast_possible_truncation, reason = "fewer than there were")]
        let grains = kept.bodies.len() as u32;
        buffers.sizes.grains = grains;
        write_snapshot(&self.gpu, buffers, &kept)?;
        step.set_grains(&self.gpu, grains)?;
        self.write_status(status, |status| {
            status.set(STATUS_HALTED, 0);
            status.set(STATUS_STEPS, 0);
            status.set(STATUS_LEFT, STATUS_NONE);
            status.set(STATUS_GRAINS, grains);
            status.set(STATUS_REBUILD_WANTED, 1);
            status.clear_measurements();
        })
    }

    /// Where a grain is that has left: the device left it where it was.
    fn beyond(&self, snapshot: &Snapshot, index: usize) -> DVec3 {
        let position = snapshot.position(&self.grid, index);
        let step = snapshot.velocity(index);
        self.grid.to_metres(position, snapshot.remainder(index)) + step * self.units.length
    }

    /// Takes over what the device has summed up until the end of a run.
    fn finish(&mut self, status: &Status) -> Result<()> {
        let half = self.last_losses(status);
        let ledger = &mut self.ledger;
        let accounts = [
            &mut ledger.lost_normal,
            &mut ledger.lost_tangential,
            &mut ledger.lost_friction,
            &mut ledger.lost_rolling,
            &mut ledger.gained_mindlin,
        ];
        for (account, value) in accounts.into_iter().enumerate() {
            let lost = energy(status.sum(STATUS_LOSSES + 2 * account), self.quantum);
            // The second half of the last kick is still to come.
            *value += ledger.pending[account] + (lost - half[account]);
        }
        ledger.pending = half;
        self.take_measurements(status);
        self.write_status(status, |status| {
            status.set(STATUS_STEPS, 0);
            status.clear_sums();
        })
    }

    /// Half of what the last evaluation took, J.
    fn last_losses(&self, status: &Status) -> [f64; 5] {
        std::array::from_fn(|account| {
            0.5 * energy(status.sum(STATUS_LAST_LOSSES + 2 * account), self.quantum)
        })
    }

    fn take_measurements(&mut self, status: &Status) {
        let quantum = self.quantum;
        let elastic = |number: usize| energy(status.sum(STATUS_ELASTIC + 2 * number), quantum);
        self.ledger.elastic_normal = elastic(0);
        self.ledger.elastic_tangential = elastic(1);
        self.ledger.elastic_rolling = elastic(2);
        self.ledger.crossed += energy(status.sum(STATUS_CROSSED), quantum);
        self.contacts = usize::try_from(status.sum(STATUS_CONTACTS)).unwrap_or(0);
        self.contact_updates += u64::try_from(status.sum(STATUS_CONTACT_UPDATES)).unwrap_or(0);
        self.searches = u64::from(status.word(STATUS_REBUILDS));
        let force = |face: usize, axis: usize| {
            let sum = status.sum(STATUS_WALL_FORCES + 6 * face + 2 * axis);
            energy(sum, quantum) / self.units.length
        };
        self.wall_forces = (0..self.faces.len())
            .map(|face| DVec3::new(force(face, 0), force(face, 1), force(face, 2)))
            .collect();
    }

    fn read_status(&self) -> Result<Status> {
        let Some((buffers, _)) = &self.memory else {
            return Ok(Status::new(self.faces.len()));
        };
        let words = Status::words(self.faces.len());
        Ok(Status(self.gpu.read(&buffers.status, 0..words)?))
    }

    /// Writes back a changed status.
    fn write_status(&self, status: &Status, change: impl FnOnce(&mut Status)) -> Result<()> {
        let Some((buffers, _)) = &self.memory else {
            return Ok(());
        };
        let mut status = status.clone();
        change(&mut status);
        self.gpu.upload(&buffers.status, &status.0)
    }

    /// Everything that the device holds of grains and contacts; `None` without grains.
    fn read_snapshot(&self) -> Result<Option<Snapshot>> {
        let Some((buffers, _)) = &self.memory else {
            return Ok(None);
        };
        let grains = self.natures.len();
        let starts: Vec<u32> = self.gpu.read(&buffers.starts, 0..grains + 1)?;
        let slots = starts.last().copied().unwrap_or(0) as usize;
        let extras = if buffers.sizes.with_extras {
            2 * slots
        } else {
            0
        };
        Ok(Some(Snapshot {
            bodies: self.gpu.read(&buffers.bodies, 0..grains)?,
            motions: self.gpu.read(&buffers.motions, 0..grains)?,
            accelerations: self.gpu.read(&buffers.accelerations, 0..grains)?,
            slots: self.gpu.read(&buffers.slots, 0..slots)?,
            histories: self.gpu.read(&buffers.histories, 0..slots)?,
            extras: self.gpu.read(&buffers.extras, 0..extras)?,
            starts,
        }))
    }

    fn mass(&self, nature: &Nature) -> f64 {
        let density = self.materials[usize::from(nature.material)].density;
        sphere_mass(density, nature.radius)
    }

    /// Kinetic, rotational and potential energy of a grain at `place` (units), J.
    fn energy_of(
        &self,
        snapshot: &Snapshot,
        index: usize,
        nature: &Nature,
        place: DVec3,
        velocity: DVec3,
    ) -> [f64; 3] {
        let mass = self.mass(nature);
        let potential = -mass * self.gravity.dot(place * self.grid.unit);
        if nature.fixed {
            return [0.0, 0.0, potential];
        }
        let inertia = sphere_inertia(mass, nature.radius);
        let velocity = velocity * self.units.velocity();
        let spin = super::units::from_device(snapshot.bodies[index].spin, self.units.spin());
        [
            0.5 * mass * velocity.length_squared(),
            0.5 * inertia * spin.length_squared(),
            potential,
        ]
    }

    /// Kinetic, rotational and potential energy now, summed in the order of the ids.
    #[allow(
        clippy::cast_precision_loss,
        reason = "positions stay below 2^42 units"
    )]
    fn measure_motion(&mut self, snapshot: &Snapshot) {
        let mut sums = [0.0, 0.0, self.ledger.crossed];
        for (index, nature) in snapshot.by_id().into_iter().zip(&self.natures) {
            let whole = snapshot.position(&self.grid, index).map(|x| x as f64);
            let place = DVec3::from_array(whole) + snapshot.remainder(index);
            let velocity = snapshot.velocity(index);
            let energies = self.energy_of(snapshot, index, nature, place, velocity);
            for (sum, energy) in sums.iter_mut().zip(energies) {
                *sum += energy;
            }
        }
        [
            self.ledger.kinetic,
            self.ledger.rotational,
            self.ledger.potential,
        ] = sums;
    }

    /// Energies now.
    ///
    /// # Errors
    /// Whatever the device complains about.
    pub fn ledger(&mut self) -> Result<Ledger> {
        Ok(self.state()?.ledger)
    }

    /// Everything that decides the future of the run, by id.
    ///
    /// # Errors
    /// Whatever the device complains about.
    pub fn state(&mut self) -> Result<State> {
        if let Some(state) = &self.resumed {
            return Ok(State::clone(state));
        }
        let snapshot = self.read_snapshot()?.unwrap_or_default();
        self.measure_motion(&snapshot);
        let order = snapshot.by_id();
        Ok(State {
            step: self.step,
            time_step: self.time_step,
            grid: self.grid,
            particles: snapshot.particles(&self.grid, &self.units, &self.natures, &order),
            contacts: snapshot.contacts(&self.grid, &self.units, &self.faces, &order),
            ledger: self.ledger,
            wall_forces: self.wall_forces.clone(),
            removed: self.removed,
        })
    }

    /// Steps done since the start of the scene.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Simulated time, s.
    #[allow(
        clippy::cast_precision_loss,
        reason = "2^53 steps are out of reach of any run"
    )]
    pub fn time(&self) -> f64 {
        self.step as f64 * self.time_step
    }

    /// Pairs touching now.
    pub fn contacts(&self) -> usize {
        self.contacts
    }

    /// Contacts evaluated since this engine was made, each counted once per step.
    pub fn contact_updates(&self) -> u64 {
        self.contact_updates
    }

    /// Neighbour searches done since this engine was made.
    pub fn searches(&self) -> u64 {
        self.searches
    }

    /// Force of the grains on each wall face, N.
    pub fn wall_forces(&self) -> Vec<DVec3> {
        self.wall_forces.clone()
    }

    /// The neighbour list: for each grain, by id, the partners in its slots (ids, or
    /// [`WALL`](crate::state::WALL) + face), and how far from touching (m) a pair is listed for certain.
    ///
    /// # Errors
    /// Whatever the device complains about.
    pub fn neighbours(&self) -> Result<(Vec<Vec<u32>>, f64)> {
        let snapshot = self.read_snapshot()?.unwrap_or_default();
        let skin = self.read_status()?.float(STATUS_SKIN) * self.units.length;
        let order = snapshot.by_id();
        let lists = order.iter().map(|&index| snapshot.partners(index));
        Ok((lists.collect(), skin))
    }

    /// Buffers on the device and their bytes.
    pub fn device_buffers(&self) -> Vec<(&'static str, u64)> {
        self.memory
            .as_ref()
            .map_or_else(Vec::new, |(buffers, step)| {
                let mut list = buffers.list();
                list.push(("sort", step.scratch_bytes()));
                list
            })
    }

    /// Bytes of all buffers on the device.
    pub fn device_bytes(&self) -> u64 {
        self.device_buffers().iter().map(|(_, bytes)| bytes).sum()
    }
}

/// Vectors of a row of the table of pairs: `PAIR_VECTORS` in `shaders/lib/grains.wgsl`.
const PAIR_VECTORS: usize = size_of::<PairCoefficients>() / 16;

/// Pairs of materials, materials and faces, as shaders read them.
fn tables(scene: &Scene, grid: &Grid, units: &Units) -> Vec<[u32; 4]> {
    let model = ContactModel::new(scene);
    let mut tables = Vec::new();
    for pair in &model.table {
        let pair = PairCoefficients::from(&units.pair(&model.laws, pair));
        let words: [[u32; 4]; PAIR_VECTORS] = bytemuck::cast(pair);
        tables.extend(words);
    }
    for material in &scene.materials {
        let inverse_mass = units.mass / sphere_mass(material.density, units.length);
        tables.push([single(inverse_mass).to_bits(), 0, 0, 0]);
    }
    let faces = face_tables(scene, grid);
    debug_assert_eq!(faces.len() % FACE_VECTORS, 0);
    tables.extend(faces);
    tables
}

fn needs_extras(scene: &Scene) -> bool {
    scene.contact.rolling != RollingLaw::None || scene.contact.normal == NormalLaw::HertzAdaptive
}

/// Entries of the cell table: at most two thirds of them are ever taken.
#[allow(
    clippy::cast_possible_truncation,
    reason = "grains are counted in 29 bits"
)]
fn cell_entries(grains: usize) -> u32 {
    (grains + grains / 2).max(64).next_power_of_two() as u32
}

/// A sum of the device, J.
#[allow(
    clippy::cast_precision_loss,
    reason = "sums stay below 2^53 quanta, as those of the CPU engine do"
)]
fn energy(sum: i64, quantum: f64) -> f64 {
    sum as f64 * quantum
}

#[allow(
    clippy::cast_precision_loss,
    reason = "positions stay below 2^42 units"
)]
fn metres(unit: f64) -> impl Fn(i64) -> f64 {
    move |units| units as f64 * unit
}

fn write_snapshot(gpu: &Gpu, buffers: &Buffers, snapshot: &Snapshot) -> Result<()> {
    gpu.upload(&buffers.bodies, &snapshot.bodies)?;
    gpu.upload(&buffers.motions, &snapshot.motions)?;
    gpu.upload(&buffers.accelerations, &snapshot.accelerations)?;
    gpu.upload(&buffers.starts, &snapshot.starts)?;
    gpu.upload(&buffers.slots, &snapshot.slots)?;
    gpu.upload(&buffers.histories, &snapshot.histories)?;
    gpu.upload(&buffers.extras, &snapshot.extras)
}
