//! What the host learns: sums of the device, energies, and everything that decides the future of a run.

use super::super::motion::Motion;
use super::super::readback::Readback;
use super::super::snapshot::{Nature, Snapshot};
use super::super::status::{
    STATUS_CONTACT_UPDATES, STATUS_CONTACTS, STATUS_CROSSED, STATUS_ELASTIC, STATUS_FLUID_LOSSES,
    STATUS_LAST_FLUID_LOSSES, STATUS_LAST_LOSSES, STATUS_LOSSES, STATUS_REBUILDS, STATUS_SKIN,
    STATUS_SLOTS, STATUS_WALL_CONTACTS, STATUS_WALL_FORCES, Status,
};
use super::super::texels::Source;
use super::GpuEngine;
use crate::error::{Error, Result};
use crate::laws::material::{sphere_inertia, sphere_mass};
use crate::state::{Instant, Ledger, State, Totals};
use glam::DVec3;

impl GpuEngine {
    /// Takes over what the device has summed up until the end of a run.
    pub(super) fn finish(&mut self, status: &Status) {
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
        let [drag, film] = self.last_fluid_losses(status);
        let lost =
            |number: usize| energy(status.sum(STATUS_FLUID_LOSSES + 2 * number), self.quantum);
        let ledger = &mut self.ledger;
        ledger.lost_drag += ledger.pending_fluid[0] + (lost(0) - drag);
        ledger.lost_film += ledger.pending_fluid[1] + (lost(1) - film);
        ledger.pending_fluid = [drag, film];
        self.take_measurements(status);
    }

    /// Half of what the last evaluation took, J.
    pub(super) fn last_losses(&self, status: &Status) -> [f64; 5] {
        std::array::from_fn(|account| {
            0.5 * energy(status.sum(STATUS_LAST_LOSSES + 2 * account), self.quantum)
        })
    }

    /// Half of what the fluid took in the last evaluation, by drag and films, J.
    pub(super) fn last_fluid_losses(&self, status: &Status) -> [f64; 2] {
        [0, 1].map(|number| {
            let word = STATUS_LAST_FLUID_LOSSES + 2 * number;
            0.5 * energy(status.sum(word), self.quantum)
        })
    }

    pub(super) fn take_measurements(&mut self, status: &Status) {
        let quantum = self.quantum;
        let elastic = |number: usize| energy(status.sum(STATUS_ELASTIC + 2 * number), quantum);
        self.ledger.elastic_normal = elastic(0);
        self.ledger.elastic_tangential = elastic(1);
        self.ledger.elastic_rolling = elastic(2);
        self.ledger.crossed += energy(status.sum(STATUS_CROSSED), quantum);
        self.take_motion(&Motion::from_status(status, &self.units));
        self.wall_contacts = status.word(STATUS_WALL_CONTACTS) as usize;
        self.contacts = usize::try_from(status.sum(STATUS_CONTACTS)).unwrap_or(0);
        self.contact_updates += u64::try_from(status.sum(STATUS_CONTACT_UPDATES)).unwrap_or(0);
        self.searches = u64::from(status.word(STATUS_REBUILDS));
        self.slots = status.word(STATUS_SLOTS);
        let force = |face: usize, axis: usize| {
            let sum = status.sum(STATUS_WALL_FORCES + 6 * face + 2 * axis);
            energy(sum, quantum) / self.units.length
        };
        self.wall_forces = (0..self.faces.len())
            .map(|face| DVec3::new(force(face, 0), force(face, 1), force(face, 2)))
            .collect();
    }

    /// Books energies and momentum of the grains.
    pub(super) fn take_motion(&mut self, motion: &Motion) {
        self.ledger.kinetic = motion.kinetic;
        self.ledger.rotational = motion.rotational;
        self.ledger.potential = self.ledger.crossed - self.gravity.dot(motion.moment);
        self.momentum = motion.momentum;
    }

    pub(super) fn read_status(&self) -> Result<Status> {
        let Some((buffers, _)) = &self.memory else {
            return Ok(Status::new(self.faces.len()));
        };
        let words = Status::words(self.faces.len());
        Ok(Status(self.gpu.read(&buffers.status, 0..words)?))
    }

    /// Writes back a changed status.
    pub(super) fn write_status(
        &self,
        status: &Status,
        change: impl FnOnce(&mut Status),
    ) -> Result<()> {
        let Some((buffers, _)) = &self.memory else {
            return Ok(());
        };
        let mut status = status.clone();
        change(&mut status);
        self.gpu.upload(&buffers.status, &status.0)
    }

    /// Everything that the device holds of grains and contacts, at one instant; `None` without grains.
    pub(super) fn read_snapshot(&self, slots: u32) -> Result<Option<Snapshot>> {
        let Some((buffers, _)) = &self.memory else {
            return Ok(None);
        };
        if self.handed.steps > 0 {
            let ahead = self.handed.steps;
            let message = format!("the device has begun the next {ahead} steps: run them first");
            return Err(Error::Unsupported(message));
        }
        let (grains, slots) = (self.natures.len(), slots as usize);
        let extras = if buffers.sizes.with_extras {
            2 * slots
        } else {
            0
        };
        let sources = [
            (Source::Texels(&buffers.bodies), 48 * grains),
            (Source::Buffer(&buffers.motions, 0), 48 * grains),
            (Source::Texels(&buffers.accelerations), 48 * grains),
            (Source::Buffer(&buffers.starts, 0), 4 * (grains + 1)),
            (Source::Buffer(&buffers.slots, 0), 8 * slots),
            (Source::Buffer(&buffers.histories, 0), 16 * slots),
            (Source::Buffer(&buffers.extras, 0), 16 * extras),
        ]
        .map(|(source, bytes)| (source, bytes as u64));
        let gpu = &self.gpu;
        let readback = Readback::submit(gpu, gpu.encoder("snapshot"), &sources)?;
        readback.wait(gpu)?;
        Ok(Some(Snapshot {
            bodies: readback.take(gpu, 0, grains)?,
            motions: readback.take(gpu, 1, grains)?,
            accelerations: readback.take(gpu, 2, grains)?,
            starts: readback.take(gpu, 3, grains + 1)?,
            slots: readback.take(gpu, 4, slots)?,
            histories: readback.take(gpu, 5, slots)?,
            extras: readback.take(gpu, 6, extras)?,
        }))
    }

    pub(super) fn mass(&self, nature: &Nature) -> f64 {
        let density = self.materials[usize::from(nature.material)].density;
        sphere_mass(density, nature.radius)
    }

    /// The largest mass that counts in the energies of a grain, kg.
    pub(super) fn largest_mass(&self, nature: &Nature) -> f64 {
        let mass = self.mass(nature);
        self.fluid.as_ref().map_or(mass, |model| {
            mass + sphere_mass(model.fluid.density, nature.radius)
        })
    }

    /// Kinetic, rotational and potential energy of a grain at `place` (units) with this velocity and spin
    /// (of the device), J.
    pub(super) fn energy_of(
        &self,
        nature: &Nature,
        place: DVec3,
        [velocity, spin]: [DVec3; 2],
    ) -> [f64; 3] {
        let mass = self.mass(nature);
        let [moving, heavy] = self.fluid.as_ref().map_or([mass; 2], |fluid| {
            let material = usize::from(nature.material);
            let moving = mass * fluid.inertia[material];
            [moving, moving * fluid.weight[material]]
        });
        let potential = -heavy * self.gravity.dot(place * self.grid.unit);
        if nature.fixed {
            return [0.0, 0.0, potential];
        }
        let inertia = sphere_inertia(mass, nature.radius);
        let velocity = velocity * self.units.velocity();
        let spin = spin * self.units.spin();
        [
            0.5 * moving * velocity.length_squared(),
            0.5 * inertia * spin.length_squared(),
            potential,
        ]
    }

    /// Kinetic and rotational energy of grains that the host holds, J.
    pub(super) fn energy_of_motion(&self, snapshot: &Snapshot) -> f64 {
        let order = snapshot.by_id().into_iter();
        let of = |(index, nature)| {
            let motion = [snapshot.velocity(index), snapshot.spin(index)];
            let [kinetic, rotational, _] = self.energy_of(nature, DVec3::ZERO, motion);
            kinetic + rotational
        };
        order.zip(&self.natures).map(of).sum()
    }

    /// Energies now.
    pub fn ledger(&self) -> Ledger {
        self.ledger
    }

    /// What is true of all grains together now, and their momentum (kg m/s): the device has summed it up, and
    /// nothing is read from it.
    pub fn totals(&self) -> Totals {
        let instant = Instant {
            step: self.step,
            time_step: self.time_step,
            grid: self.grid,
            ledger: self.ledger,
            wall_forces: self.wall_forces.clone(),
            removed: self.removed,
            particles: self.natures.len(),
            contacts: self.contacts,
            wall_contacts: self.wall_contacts,
        };
        Totals {
            instant,
            momentum: self.momentum,
        }
    }

    /// Everything that decides the future of the run, by id.
    ///
    /// # Errors
    /// Whatever the device complains about.
    pub fn state(&mut self) -> Result<State> {
        if let Some(state) = &self.resumed {
            return Ok(State::clone(state));
        }
        let snapshot = self.read_snapshot(self.slots)?.unwrap_or_default();
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

    /// The neighbour list: for each grain, by id, the partners in its slots (ids, or
    /// [`WALL`](crate::state::WALL) + face), and how far from touching (m) a pair is listed for certain.
    ///
    /// # Errors
    /// Whatever the device complains about.
    pub fn neighbours(&self) -> Result<(Vec<Vec<u32>>, f64)> {
        let status = self.read_status()?;
        let snapshot = self
            .read_snapshot(status.word(STATUS_SLOTS))?
            .unwrap_or_default();
        let skin = status.float(STATUS_SKIN) * self.units.length;
        let order = snapshot.by_id();
        let lists = order.iter().map(|&index| snapshot.partners(index));
        Ok((lists.collect(), skin))
    }
}

/// A sum of the device, J.
#[allow(
    clippy::cast_precision_loss,
    reason = "sums stay below 2^53 quanta, as those of the CPU engine do"
)]
fn energy(sum: i64, quantum: f64) -> f64 {
    sum as f64 * quantum
}
