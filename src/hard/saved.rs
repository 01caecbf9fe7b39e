//! The whole state of a run as bytes, from which it goes on to the bit.

use super::cells::Cells;
use super::epoch;
use super::grain::{Grain, PackedPartner};
use super::measure::Tally;
use super::{HardEngine, HardModel, StartingGrain};
use crate::laws::tc::Dimensions;
use glam::{DMat3, DVec3};
use std::io::{self, Read, Write};

impl HardEngine {
    /// Writes everything that decides the future of the run.
    ///
    /// # Errors
    /// Whatever the writer complains about.
    pub fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut put = Put(out);
        put.whole(self.grains.len() as u64)?;
        put.whole(u64::from(!self.spins.is_empty()))?;
        for cells in self.cells.counts {
            put.whole(cells as u64)?;
        }
        put.whole(self.epochs)?;
        put.whole(self.epoch_events)?;
        for x in [self.epoch, self.now, self.queue.horizon(), self.resolution] {
            put.number(x)?;
        }
        self.tally.save(put.0)?;
        for grain in &self.grains {
            put.vector(grain.position)?;
            put.vector(grain.velocity)?;
            for x in [
                grain.time,
                grain.collision,
                grain.event,
                grain.last_collision,
                grain.radius,
                grain.mass,
            ] {
                put.number(x)?;
            }
            for word in [grain.id, grain.partner.0, grain.partner_count, grain.count] {
                put.0.write_all(&word.to_le_bytes())?;
            }
            for half in [grain.material, grain.rapid].into_iter().chain(grain.cell) {
                put.0.write_all(&half.to_le_bytes())?;
            }
            put.0.write_all(&[
                grain.exit,
                u8::from(grain.fixed) | u8::from(grain.removed) << 1,
            ])?;
        }
        for spin in &self.spins {
            put.vector(*spin)?;
        }
        Ok(())
    }

    /// An engine that goes on where [`save`](Self::save) was called; `start` are the grains with which
    /// the run began.
    ///
    /// # Errors
    /// If the bytes end too soon or cannot be those of this model.
    pub fn restore(
        model: HardModel,
        start: &[StartingGrain],
        input: &mut dyn Read,
    ) -> io::Result<Self> {
        let wrong = || io::Error::new(io::ErrorKind::InvalidData, "not a state of this scene");
        let mut take = Take(input);
        let count = usize::try_from(take.whole()?).map_err(|_| wrong())?;
        if count != start.len() {
            return Err(wrong());
        }
        let has_spins = take.whole()? != 0;
        let counts = [take.whole()?, take.whole()?, take.whole()?];
        let epochs = take.whole()?;
        let epoch_events = take.whole()?;
        let [epoch, now, horizon, resolution] = take.numbers()?;
        let tally = Tally::restore(model.faces.len(), take.0)?;
        let dimensions = match model.dimensions {
            Dimensions::Two => 2,
            Dimensions::Three => 3,
        };
        let cells: Cells = epoch::suitable_cells(&model, dimensions, start);
        // Positions count from the centres of cells: those of a program with other cells would be elsewhere.
        if counts != cells.counts.map(|count| count as u64) {
            return Err(wrong());
        }
        let mut grains = Vec::with_capacity(count);
        for _ in 0..count {
            let grain = take.grain()?;
            let outside = (0..3).any(|axis| usize::from(grain.cell[axis]) >= cells.counts[axis]);
            let stranger = usize::from(grain.material) >= model.materials;
            if outside || stranger || grain.id as usize >= count {
                return Err(wrong());
            }
            grains.push(grain);
        }
        let mut spins = Vec::new();
        if has_spins {
            spins.reserve(count);
            for _ in 0..count {
                spins.push(take.vector()?);
            }
        }
        let mut engine = Self::assemble(model, dimensions, cells, grains, spins);
        engine.tally = tally;
        engine.epoch = epoch;
        engine.epochs = epochs;
        engine.epoch_events = epoch_events;
        engine.now = now;
        engine.resolution = resolution;
        engine.fill_cells();
        engine.fill_queue(horizon);
        Ok(engine)
    }
}

impl Tally {
    /// Writes all counts and sums.
    ///
    /// # Errors
    /// Whatever the writer complains about.
    pub fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut put = Put(out);
        for count in [
            self.collisions,
            self.elastic_collisions,
            self.wall_collisions,
            self.crossings,
            self.outdated,
            self.removed,
        ] {
            put.whole(count)?;
        }
        put.number(self.lost)?;
        put.number(self.work)?;
        put.number(self.removed_energy)?;
        for x in self.virial.to_cols_array() {
            put.number(x)?;
        }
        for impulse in &self.face_impulses {
            put.vector(*impulse)?;
        }
        Ok(())
    }

    /// What [`save`](Self::save) wrote, of a model with so many faces.
    ///
    /// # Errors
    /// If the bytes end too soon.
    pub fn restore(faces: usize, input: &mut dyn Read) -> io::Result<Self> {
        let mut take = Take(input);
        let mut tally = Self::new(faces);
        tally.collisions = take.whole()?;
        tally.elastic_collisions = take.whole()?;
        tally.wall_collisions = take.whole()?;
        tally.crossings = take.whole()?;
        tally.outdated = take.whole()?;
        tally.removed = take.whole()?;
        tally.lost = take.number()?;
        tally.work = take.number()?;
        tally.removed_energy = take.number()?;
        tally.virial = DMat3::from_cols_array(&take.numbers()?);
        for impulse in &mut tally.face_impulses {
            *impulse = take.vector()?;
        }
        Ok(tally)
    }
}

struct Put<'a>(&'a mut dyn Write);

impl Put<'_> {
    fn whole(&mut self, x: u64) -> io::Result<()> {
        self.0.write_all(&x.to_le_bytes())
    }

    fn number(&mut self, x: f64) -> io::Result<()> {
        self.whole(x.to_bits())
    }

    fn vector(&mut self, v: DVec3) -> io::Result<()> {
        v.to_array().into_iter().try_for_each(|x| self.number(x))
    }
}

struct Take<'a>(&'a mut dyn Read);

impl Take<'_> {
    fn bytes<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.0.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn whole(&mut self) -> io::Result<u64> {
        self.bytes().map(u64::from_le_bytes)
    }

    fn word(&mut self) -> io::Result<u32> {
        self.bytes().map(u32::from_le_bytes)
    }

    fn half(&mut self) -> io::Result<u16> {
        self.bytes().map(u16::from_le_bytes)
    }

    fn number(&mut self) -> io::Result<f64> {
        self.whole().map(f64::from_bits)
    }

    fn numbers<const N: usize>(&mut self) -> io::Result<[f64; N]> {
        let mut numbers = [0.0; N];
        for x in &mut numbers {
            *x = self.number()?;
        }
        Ok(numbers)
    }

    fn vector(&mut self) -> io::Result<DVec3> {
        self.numbers().map(DVec3::from_array)
    }

    fn grain(&mut self) -> io::Result<Grain> {
        let position = self.vector()?;
        let velocity = self.vector()?;
        let [time, collision, event, last_collision, radius, mass] = self.numbers()?;
        let id = self.word()?;
        let partner = PackedPartner(self.word()?);
        let partner_count = self.word()?;
        let count = self.word()?;
        let material = self.half()?;
        let rapid = self.half()?;
        let cell = [self.half()?, self.half()?, self.half()?];
        let [exit, flags] = self.bytes()?;
        Ok(Grain {
            position,
            velocity,
            time,
            id,
            material,
            fixed: flags & 1 != 0,
            removed: flags & 2 != 0,
            collision,
            // Files of earlier versions have the time when it leaves its cell here, also if it collides before.
            event: event.min(collision),
            leaves: event < collision,
            partner,
            partner_count,
            count,
            rapid,
            exit,
            cell,
            last_collision,
            radius,
            mass,
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test says what it expects")]
mod tests {
    use super::super::gas::FEW;
    use super::*;

    /// There the time when a grain leaves its cell was noted, whether it collides before or not.
    #[test]
    fn files_of_earlier_versions_are_understood() {
        let (model, start) = FEW.on_lattice();
        let mut engine = HardEngine::new(model.clone(), &start);
        engine.run_events(f64::INFINITY, 1000).unwrap();
        let grains = engine.grains.clone();
        for grain in &mut engine.grains {
            grain.event += if grain.leaves { 0.0 } else { 0.5 };
        }
        assert!(engine.grains != grains, "no grain collides first");
        let mut file = Vec::new();
        engine.save(&mut file).unwrap();
        let restored = HardEngine::restore(model, &start, &mut file.as_slice()).unwrap();
        assert!(restored.grains == grains, "some are not as they were");
    }
}
