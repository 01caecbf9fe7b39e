//! `series.csv` of a run of hard grains: one row per output instant.
//!
//! Rates, forces and what collisions do to stresses are means over the time since the row before; what grains carry along is that of
//! the instant. Energies in J, stresses in Pa (N/m in two dimensions).

use super::{Durability, wall_face_names, write_atomic};
use crate::error::{Error, Result};
use crate::hard::{HardEngine, Tally};
use crate::scene::Scene;
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Columns that every series of hard grains has; the forces on the wall faces follow.
pub const HARD_COLUMNS: [&str; 35] = [
    "time",
    "particles",
    "collisions",
    "wall_collisions",
    "collisions_per_particle",
    "collision_rate",
    "kinetic",
    "free",
    "pseudo_elastic",
    "rotational",
    "potential",
    "lost",
    "wall_work",
    "removed_energy",
    "balance_error",
    "elastic_particles",
    "elastic_collisions",
    "elastic_energy",
    "temperature",
    "pressure",
    "stress_xx",
    "stress_xy",
    "stress_xz",
    "stress_yx",
    "stress_yy",
    "stress_yz",
    "stress_zx",
    "stress_zy",
    "stress_zz",
    "momentum_x",
    "momentum_y",
    "momentum_z",
    "removed",
    "crossings",
    "outdated",
];

/// What the means of a row reach back to.
#[derive(Debug, Clone, PartialEq)]
pub struct RowBefore {
    /// When the row before was written, s.
    pub time: f64,
    /// What had been counted then.
    pub tally: Tally,
    /// Energy at the start of the run, J.
    pub initial: f64,
}

impl RowBefore {
    /// Before the first row.
    pub fn start(engine: &HardEngine) -> Self {
        let now = engine.measure();
        Self {
            time: engine.time(),
            tally: engine.tally().clone(),
            initial: now.kinetic + now.rotational + now.potential,
        }
    }
}

/// Writes the rows.
#[derive(Debug)]
pub struct HardSeries {
    path: PathBuf,
    file: File,
    before: RowBefore,
}

impl HardSeries {
    /// Begins a series, replacing a file of that name.
    ///
    /// # Errors
    /// [`Error::Io`] when the file cannot be written.
    pub fn create(path: &Path, scene: &Scene, before: RowBefore) -> Result<Self> {
        let mut header = HARD_COLUMNS.join(",");
        for name in wall_face_names(scene) {
            for axis in ["x", "y", "z"] {
                // Writing to a String cannot fail.
                let _ = write!(header, ",force_{name}_{axis}");
            }
        }
        header.push('\n');
        write_atomic(path, "write series", Durability::Process, |out| {
            out.write_all(header.as_bytes())
        })?;
        Self::open(path, before)
    }

    /// Goes on with a series: rows later than `time` are dropped, and so is one that was not finished.
    ///
    /// # Errors
    /// [`Error::Io`] when the file cannot be read or written.
    pub fn resume(path: &Path, time: f64, before: RowBefore) -> Result<Self> {
        let fail = |source| Error::io(path, "resume series", source);
        let text = std::fs::read_to_string(path).map_err(fail)?;
        let mut kept = 0;
        for (number, line) in text.split_inclusive('\n').enumerate() {
            let at = line.split(',').next().and_then(|x| x.parse::<f64>().ok());
            let whole = line.ends_with('\n');
            if !whole || (number > 0 && at.is_none_or(|at| at > time)) {
                break;
            }
            kept += line.len();
        }
        let file = OpenOptions::new().write(true).open(path).map_err(fail)?;
        file.set_len(kept as u64).map_err(fail)?;
        Self::open(path, before)
    }

    fn open(path: &Path, before: RowBefore) -> Result<Self> {
        let file = OpenOptions::new()
            .append(true)
            .open(path)
            .map_err(|source| Error::io(path, "write series", source))?;
        Ok(Self {
            path: path.to_path_buf(),
            file,
            before,
        })
    }

    /// What the next row reaches back to.
    pub fn before(&self) -> &RowBefore {
        &self.before
    }

    /// Appends the row of the present instant.
    ///
    /// # Errors
    /// [`Error::Io`] when the disk refuses.
    pub fn write_row(&mut self, engine: &HardEngine) -> Result<()> {
        let row = self.row(engine);
        self.file
            .write_all(row.as_bytes())
            .map_err(|source| Error::io(&self.path, "write series", source))?;
        self.before.time = engine.time();
        self.before.tally = engine.tally().clone();
        Ok(())
    }

    /// Forces all rows to the disk.
    ///
    /// # Errors
    /// [`Error::Io`] when the disk refuses.
    pub fn sync(&self) -> Result<()> {
        self.file
            .sync_data()
            .map_err(|source| Error::io(&self.path, "write series", source))
    }

    #[allow(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
    fn row(&self, engine: &HardEngine) -> String {
        let now = engine.measure();
        let (tally, before) = (engine.tally(), &self.before);
        let dimensions = engine.model().dimensions.count();
        let elapsed = now.time - before.time;
        let ratio = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        let hits = |tally: &Tally| 2.0 * tally.collisions as f64 + tally.wall_collisions as f64;
        let grains = now.moving as f64;
        // Those that left had collisions too.
        let ever = grains + tally.removed as f64;
        let meanwhile = grains + 0.5 * (tally.removed - before.tally.removed) as f64;
        let events = |tally: &Tally| (tally.collisions + tally.wall_collisions) as f64;
        let elastic = tally.elastic_collisions - before.tally.elastic_collisions;
        let stress = engine.mean_stress(&now, before.time, &before.tally);
        let trace = stress.x_axis.x + stress.y_axis.y + stress.z_axis.z;
        let energy = now.kinetic + now.rotational + now.potential;
        let mut row = String::new();
        let mut put = |x: f64| {
            let comma = if row.is_empty() { "" } else { "," };
            let _ = write!(row, "{comma}{x:?}");
        };
        put(now.time);
        put(engine.particles() as f64);
        put(tally.collisions as f64);
        put(tally.wall_collisions as f64);
        put(ratio(hits(tally), ever));
        put(ratio(
            hits(tally) - hits(&before.tally),
            meanwhile * elapsed,
        ));
        put(now.kinetic);
        put(now.kinetic - now.pseudo_elastic);
        put(now.pseudo_elastic);
        put(now.rotational);
        put(now.potential);
        put(tally.lost);
        put(tally.work);
        put(tally.removed_energy);
        put(energy + tally.lost + tally.removed_energy - tally.work - before.initial);
        put(ratio(now.elastic_particles as f64, grains));
        put(ratio(elastic as f64, events(tally) - events(&before.tally)));
        put(ratio(now.pseudo_elastic, now.kinetic));
        put(now.temperature(dimensions));
        put(-trace / dimensions);
        for row in 0..3 {
            for x in stress.row(row).to_array() {
                put(x);
            }
        }
        for x in now.momentum.to_array() {
            put(x);
        }
        put(tally.removed as f64);
        put(tally.crossings as f64);
        put(tally.outdated as f64);
        for (after, earlier) in tally.face_impulses.iter().zip(&before.tally.face_impulses) {
            for x in (*after - *earlier).to_array() {
                put(ratio(x, elapsed));
            }
        }
        row.push('\n');
        row
    }
}
