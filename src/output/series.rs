//! `series.csv`: energies, momentum and wall forces in time, one row per output instant.
//!
//! Numbers are printed in the shortest form that reads back to the same bits, so the file loses
//! nothing and a resumed run leaves the same bytes as an uninterrupted one.

use super::{Durability, write_atomic};
use crate::error::{Error, Result};
use crate::scene::{Scene, WallShape};
use crate::state::Totals;
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

/// Columns that every series has; [`FLUID_COLUMNS`] and the forces on the wall faces follow.
///
/// Energies in J, momentum in kg m/s, `coordination` is the mean number of contacts of a particle,
/// `removed` counts the particles that left the domain.
pub const COLUMNS: [&str; 22] = [
    "time",
    "step",
    "particles",
    "contacts",
    "coordination",
    "kinetic",
    "rotational",
    "potential",
    "elastic_normal",
    "elastic_tangential",
    "elastic_rolling",
    "lost_normal",
    "lost_tangential",
    "lost_friction",
    "lost_rolling",
    "gained_mindlin",
    "removed_energy",
    "balance_error",
    "momentum_x",
    "momentum_y",
    "momentum_z",
    "removed",
];

/// Columns that follow them where the scene has a fluid: energies in J.
pub const FLUID_COLUMNS: [&str; 2] = ["lost_drag", "lost_film"];

/// Position of `step` in [`COLUMNS`].
const STEP_COLUMN: usize = 1;

/// Names of the wall faces of a scene, in the order of [`Instant::wall_forces`](crate::state::Instant::wall_forces).
///
/// A box named `b` has a face for each side that exists, `b_xmin`, `b_xmax`, … `b_zmax`; every other
/// wall is one face. Characters that would end a field of a CSV file become `_`.
pub fn wall_face_names(scene: &Scene) -> Vec<String> {
    let mut names = Vec::new();
    for wall in &scene.walls {
        let name: String = wall
            .name
            .chars()
            .map(|c| {
                if matches!(c, ',' | '"') || c.is_control() {
                    '_'
                } else {
                    c
                }
            })
            .collect();
        match wall.shape {
            WallShape::Box { faces, .. } => {
                let sides = ["xmin", "xmax", "ymin", "ymax", "zmin", "zmax"];
                for (side, exists) in sides.iter().zip(faces) {
                    if exists {
                        names.push(format!("{name}_{side}"));
                    }
                }
            }
            _ => names.push(name),
        }
    }
    names
}

/// Writes the rows of a series; each row is on its way to the disk when [`write_row`] returns.
///
/// [`write_row`]: SeriesWriter::write_row
#[derive(Debug)]
pub struct SeriesWriter {
    path: PathBuf,
    file: File,
    /// Bytes of header and whole rows.
    length: u64,
    face_count: usize,
    /// Whether the scene has a fluid.
    fluid: bool,
    /// The row being made; kept to reuse its memory.
    row: String,
}

impl SeriesWriter {
    /// Begins a series, replacing a file of that name.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] when the file cannot be written.
    pub fn create(path: impl AsRef<Path>, scene: &Scene) -> Result<Self> {
        let path = path.as_ref();
        let header = header(scene);
        write_atomic(path, "write series", Durability::Process, |out| {
            out.write_all(header.as_bytes())
        })?;
        let file = OpenOptions::new()
            .append(true)
            .open(path)
            .map_err(|source| Error::io(path, "write series", source))?;
        Ok(Self::new(path, file, header.len() as u64, scene))
    }

    /// Goes on with a series from a checkpoint at `step`: rows of later steps are dropped, and so is
    /// a last row that a killed run did not finish.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] when the file cannot be read or written, or is not a series of this scene.
    pub fn resume(path: impl AsRef<Path>, scene: &Scene, step: u64) -> Result<Self> {
        let path = path.as_ref();
        let fail = |source| Error::io(path, "resume series", source);
        let file = OpenOptions::new()
            .read(true)
            .append(true)
            .open(path)
            .map_err(fail)?;
        let length =
            length_up_to(&mut BufReader::new(&file), &header(scene), step).map_err(fail)?;
        file.set_len(length).map_err(fail)?;
        Ok(Self::new(path, file, length, scene))
    }

    fn new(path: &Path, file: File, length: u64, scene: &Scene) -> Self {
        Self {
            path: path.to_path_buf(),
            file,
            length,
            face_count: wall_face_names(scene).len(),
            fluid: scene.fluid.is_some(),
            row: String::new(),
        }
    }

    /// Appends the row of one instant.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] when the disk refuses; the file then ends with the last whole row.
    pub fn write_row(&mut self, totals: &Totals) -> Result<()> {
        self.format_row(totals);
        let written = self.file.write_all(self.row.as_bytes());
        written.map_err(|source| {
            // Take back the part that fitted. If even that fails, resuming drops it.
            let _ = self.file.set_len(self.length);
            Error::io(&self.path, "write series", source)
        })?;
        self.length += self.row.len() as u64;
        Ok(())
    }

    /// Forces all rows to the disk. Do this before a checkpoint that is to survive a power failure.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] when the disk refuses.
    pub fn sync(&self) -> Result<()> {
        self.file
            .sync_data()
            .map_err(|source| Error::io(&self.path, "write series", source))
    }

    fn format_row(&mut self, totals: &Totals) {
        let Totals {
            instant: state,
            momentum,
        } = totals;
        let ledger = &state.ledger;
        let row = &mut self.row;
        row.clear();
        put(row, state.time());
        for count in [state.step, state.particles as u64, state.contacts as u64] {
            // Writing to a String cannot fail.
            let _ = write!(row, ",{count}");
        }
        let numbers = [
            state.coordination_number(),
            ledger.kinetic,
            ledger.rotational,
            ledger.potential,
            ledger.elastic_normal,
            ledger.elastic_tangential,
            ledger.elastic_rolling,
            ledger.lost_normal,
            ledger.lost_tangential,
            ledger.lost_friction,
            ledger.lost_rolling,
            ledger.gained_mindlin,
            ledger.removed,
            ledger.balance_error(),
            momentum.x,
            momentum.y,
            momentum.z,
        ];
        for number in numbers {
            row.push(',');
            put(row, number);
        }
        let _ = write!(row, ",{}", state.removed);
        if self.fluid {
            for number in [ledger.lost_drag, ledger.lost_film] {
                row.push(',');
                put(row, number);
            }
        }
        debug_assert_eq!(state.wall_forces.len(), self.face_count, "wall faces");
        for face in 0..self.face_count {
            let force = state.wall_forces.get(face).copied().unwrap_or_default();
            for component in force.to_array() {
                row.push(',');
                put(row, component);
            }
        }
        row.push('\n');
    }
}

/// The first line of the file, with its line end.
fn header(scene: &Scene) -> String {
    let mut header = COLUMNS.join(",");
    if scene.fluid.is_some() {
        let _ = write!(header, ",{}", FLUID_COLUMNS.join(","));
    }
    for name in wall_face_names(scene) {
        for axis in ["x", "y", "z"] {
            let _ = write!(header, ",force_{name}_{axis}");
        }
    }
    header.push('\n');
    header
}

/// Debug, not Display: both are the shortest exact form, but Display never uses an exponent.
fn put(row: &mut String, number: f64) {
    let _ = write!(row, "{number:?}");
}

/// Bytes of the header and of all whole rows up to `step`.
fn length_up_to(file: &mut impl BufRead, header: &str, step: u64) -> io::Result<u64> {
    let mut line = String::new();
    file.read_line(&mut line)?;
    if line != header {
        return Err(invalid(
            "its columns are not those of this scene; resume with the unchanged scene file, or \
             move the series away"
                .to_owned(),
        ));
    }
    let mut length = line.len() as u64;
    // Bytes, not text: a row torn by a crash may be anything.
    let mut bytes = Vec::new();
    for number in 2.. {
        bytes.clear();
        file.read_until(b'\n', &mut bytes)?;
        if bytes.last() != Some(&b'\n') {
            break;
        }
        let row_step = std::str::from_utf8(&bytes)
            .ok()
            .and_then(|row| row.split(',').nth(STEP_COLUMN)?.parse::<u64>().ok());
        match row_step {
            Some(row_step) if row_step <= step => length += bytes.len() as u64,
            Some(_) => break,
            None => {
                return Err(invalid(format!(
                    "line {number} is not a row of a series; move the file away"
                )));
            }
        }
    }
    Ok(length)
}

fn invalid(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

/// A series read back, for plotting and comparing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Series {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Rows, each as long as `columns`.
    pub rows: Vec<Vec<f64>>,
}

impl Series {
    /// The values of one column, or `None` if there is no such column.
    pub fn column(&self, name: &str) -> Option<Vec<f64>> {
        let index = self.columns.iter().position(|column| column == name)?;
        Some(self.rows.iter().map(|row| row[index]).collect())
    }
}

/// Reads a series, or any CSV file of numbers with one header line.
///
/// A last line without line end, as a run that is still going may show, is left out.
///
/// # Errors
///
/// [`Error::Io`] when the file cannot be read or holds anything but numbers.
pub fn read_series(path: impl AsRef<Path>) -> Result<Series> {
    let path = path.as_ref();
    let fail = |source| Error::io(path, "read series", source);
    let text = std::fs::read_to_string(path).map_err(fail)?;
    parse_series(&text).map_err(|message| fail(invalid(message)))
}

fn parse_series(text: &str) -> std::result::Result<Series, String> {
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let mut lines = whole.lines();
    let columns: Vec<String> = match lines.next() {
        Some(header) => header.split(',').map(str::to_owned).collect(),
        None => return Err("it has no header line".to_owned()),
    };
    let mut rows = Vec::new();
    for (index, line) in lines.enumerate() {
        let row = line
            .split(',')
            .map(|field| {
                field
                    .parse::<f64>()
                    .map_err(|_| format!("line {}: {field:?} is not a number", index + 2))
            })
            .collect::<std::result::Result<Vec<_>, _>>()?;
        if row.len() != columns.len() {
            return Err(format!(
                "line {}: {} fields, the header has {}",
                index + 2,
                row.len(),
                columns.len()
            ));
        }
        rows.push(row);
    }
    Ok(Series { columns, rows })
}
