//! Particles from a table of comma-separated values, plain or compressed by gzip.

use super::{
    ID as ALLOWED_ID, Listed, OriginKind, World, id_of, material_index, material_names,
    unknown_material,
};
use crate::error::{Error, Result, SceneError};
use crate::scene::names::{list_text, nearest, quoted};
use crate::scene::reader::Section;
use crate::scene::validate::{LARGEST, SMALLEST};
use crate::scene::{Material, Particle};
use flate2::read::MultiGzDecoder;
use glam::DVec3;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// Longest line that is accepted, bytes.
const LONGEST_LINE: u64 = 65_536;

/// The columns there are; the first four must be there.
const COLUMNS: [&str; 13] = [
    "x", "y", "z", "radius", "vx", "vy", "vz", "wx", "wy", "wz", "material", "fixed", "id",
];
const NEEDED: usize = 4;
const MATERIAL: usize = 10;
const FIXED: usize = 11;
const ID: usize = 12;

pub(super) fn read(section: &Section, world: &World, listed: &mut Listed) -> Result<OriginKind> {
    section.allow(&["kind", "path", "material", "offset", "repeat", "period"])?;
    let path = section.need_text("path", "the path of a .csv or .csv.gz file")?;
    let material = section
        .text("material")?
        .map(|name| material_index(section, "material", name, world.materials))
        .transpose()?;
    let offset = section.vector("offset", "m")?.unwrap_or(DVec3::ZERO);
    let (repeat, period) = read_repeat(section)?;
    let copies = repeat.iter().map(|&n| n as f64).product::<f64>();
    let start = listed.particles.len();
    world.check_room(section, "repeat", start, copies)?;

    let file = resolved(section, path);
    let mut table = CsvFile::open(section, &file)?;
    table.read_header(material.is_some(), section)?;
    if table.columns.contains(&ID) && repeat != [1; 3] {
        let found = format!("{}, of a file with a column id", list_text(&repeat));
        let allowed = "[1, 1, 1]: copies would have the ids of the rows";
        return Err(section.error("repeat", found, allowed));
    }
    while let Some((mut particle, id)) = table.next_row(material, world.materials)? {
        particle.position += offset;
        if let Some(id) = id {
            listed.add_id(id);
        }
        listed.particles.push(particle);
        let rows = (listed.particles.len() - start) as f64;
        world.check_room(section, "path", start, rows * copies)?;
    }
    let rows = listed.particles.len() - start;
    if rows == 0 {
        return Err(table.error(None, "no row after the header", "at least one particle"));
    }
    let materials = table.columns.contains(&MATERIAL);
    replicate(&mut listed.particles, start, repeat, period);
    Ok(OriginKind::Rows {
        file,
        rows,
        materials,
    })
}

/// The line of a row, counted from 0 after the header.
pub(super) fn line_of_row(row: usize) -> usize {
    row + 2
}

/// The columns that a field of a particle is read from.
pub(super) fn columns_of(field: &str) -> String {
    match field {
        "position" => "columns x, y, z".to_owned(),
        "velocity" => "columns vx, vy, vz".to_owned(),
        "spin" => "columns wx, wy, wz".to_owned(),
        other => format!("column {other}"),
    }
}

fn read_repeat(section: &Section) -> Result<([u64; 3], DVec3)> {
    const REPEAT: &str = "three whole numbers [nx, ny, nz], each 1 or more";
    let numbers = section.wholes("repeat", REPEAT)?;
    let repeat = match numbers.as_deref() {
        None => [1; 3],
        Some(&[x, y, z]) if x.min(y).min(z) > 0 => [x, y, z],
        Some(other) => return Err(section.error("repeat", list_text(other), REPEAT)),
    };
    let period = if repeat == [1; 3] {
        section.vector("period", "m")?.unwrap_or(DVec3::ZERO)
    } else {
        section.need_vector("period", "m: repeat needs it")?
    };
    Ok((repeat, period))
}

/// Appends shifted copies of all particles from `start` on.
fn replicate(particles: &mut Vec<Particle>, start: usize, repeat: [u64; 3], period: DVec3) {
    let rows = particles.len() - start;
    for k in 0..repeat[2] {
        for j in 0..repeat[1] {
            for i in 0..repeat[0] {
                if [i, j, k] == [0; 3] {
                    continue;
                }
                let shift = period * DVec3::new(i as f64, j as f64, k as f64);
                particles.extend_from_within(start..start + rows);
                let copy = particles.len() - rows;
                for particle in &mut particles[copy..] {
                    particle.position += shift;
                }
            }
        }
    }
}

fn resolved(section: &Section, path: &str) -> PathBuf {
    match section.source().directory() {
        Some(directory) => directory.join(path),
        None => PathBuf::from(path),
    }
}

/// A file being read row by row.
struct CsvFile<'a> {
    path: &'a Path,
    /// The key that named the file.
    key: String,
    reader: Box<dyn BufRead>,
    /// The line just read, and its number from 1.
    line: Vec<u8>,
    number: usize,
    /// What each column of the file is, as an index into `COLUMNS`.
    columns: Vec<usize>,
}

impl<'a> CsvFile<'a> {
    fn open(section: &Section, path: &'a Path) -> Result<Self> {
        const ALLOWED: &str =
            "the path of a .csv or .csv.gz file, absolute or from the directory of the scene";
        let name = path.to_string_lossy().to_lowercase();
        let zipped = name.ends_with(".csv.gz");
        if !zipped && !name.ends_with(".csv") {
            return Err(section.error("path", quoted(&path.to_string_lossy()), ALLOWED));
        }
        let unreadable = |error: std::io::Error| {
            let found = format!("{}, which cannot be read: {error}", path.display());
            section.error("path", found, ALLOWED)
        };
        if path.is_dir() {
            return Err(unreadable(std::io::ErrorKind::IsADirectory.into()));
        }
        let file = File::open(path).map_err(unreadable)?;
        let reader: Box<dyn BufRead> = if zipped {
            Box::new(BufReader::new(MultiGzDecoder::new(file)))
        } else {
            Box::new(BufReader::new(file))
        };
        Ok(Self {
            path,
            key: section.key("path"),
            reader,
            line: Vec::new(),
            number: 0,
            columns: Vec::new(),
        })
    }

    fn error(
        &self,
        column: Option<usize>,
        found: impl Into<String>,
        allowed: impl Into<String>,
    ) -> Error {
        SceneError {
            file: Some(self.path.to_path_buf()),
            line: Some(self.number.max(1)),
            key: match column {
                Some(column) => format!("column {}", COLUMNS[column]),
                None => self.key.clone(),
            },
            found: found.into(),
            allowed: allowed.into(),
        }
        .into()
    }

    /// Reads the next line; false at the end of the file.
    fn advance(&mut self) -> Result<bool> {
        self.line.clear();
        self.number += 1;
        let limited = &mut (&mut self.reader).take(LONGEST_LINE);
        if let Err(error) = limited.read_until(b'\n', &mut self.line) {
            return Err(self.error(None, format!("unreadable data: {error}"), "a sound file"));
        }
        if self.line.len() as u64 == LONGEST_LINE && !self.line.ends_with(b"\n") {
            let allowed = format!("lines of at most {LONGEST_LINE} bytes");
            return Err(self.error(None, "a very long line", allowed));
        }
        Ok(!self.line.is_empty())
    }

    fn text(&self) -> Result<&str> {
        match std::str::from_utf8(&self.line) {
            Ok(text) => Ok(text.trim_end_matches(['\n', '\r'])),
            Err(_) => Err(self.error(None, "bytes that are not UTF-8", "text in UTF-8")),
        }
    }

    fn read_header(&mut self, has_material: bool, section: &Section) -> Result<()> {
        let allowed = format!("a header with some of {}", COLUMNS.join(","));
        if !self.advance()? {
            return Err(self.error(None, "an empty file", allowed));
        }
        let mut columns = Vec::new();
        // Spreadsheets may begin a file with a byte order mark.
        for name in self.text()?.trim_start_matches('\u{feff}').split(',') {
            let name = name.trim();
            let Some(column) = COLUMNS.iter().position(|known| *known == name) else {
                let meant = nearest(name, &COLUMNS)
                    .map(|known| format!("did you mean {known}? "))
                    .unwrap_or_default();
                let found = format!("the unknown column {}", quoted(name));
                return Err(self.error(None, found, meant + &allowed));
            };
            if columns.contains(&column) {
                return Err(self.error(
                    Some(column),
                    "the column a second time",
                    "each column once",
                ));
            }
            columns.push(column);
        }
        if let Some(missing) = (0..NEEDED).find(|column| !columns.contains(column)) {
            let found = format!("no column {}", COLUMNS[missing]);
            return Err(self.error(Some(missing), found, "the columns x,y,z,radius and more"));
        }
        if !has_material && !columns.contains(&MATERIAL) {
            return Err(section.error(
                "material",
                "nothing: the key is missing",
                "the name of a material, because the file has no column material",
            ));
        }
        self.columns = columns;
        Ok(())
    }

    /// The next particle, with its id if there are ids; `None` at the end. Lines without anything may follow the last row.
    fn next_row(
        &mut self,
        material: Option<usize>,
        materials: &[Material],
    ) -> Result<Option<(Particle, Option<u32>)>> {
        if !self.advance()? {
            return Ok(None);
        }
        if self.text()?.trim().is_empty() {
            let empty = self.number;
            while self.advance()? {
                if !self.text()?.trim().is_empty() {
                    self.number = empty;
                    return Err(self.error(None, "an empty line between rows", "no empty lines"));
                }
            }
            return Ok(None);
        }
        self.row(material, materials).map(Some)
    }

    fn row(
        &self,
        material: Option<usize>,
        materials: &[Material],
    ) -> Result<(Particle, Option<u32>)> {
        let mut numbers = [0.0; MATERIAL];
        let mut material = material.unwrap_or(0);
        let mut fixed = false;
        let mut id = None;
        let text = self.text()?;
        let count = text.split(',').count();
        if count != self.columns.len() {
            let found = format!("{count} values");
            let allowed = format!("{}, one for each column of the header", self.columns.len());
            return Err(self.error(None, found, allowed));
        }
        for (&column, value) in self.columns.iter().zip(text.split(',')) {
            let value = value.trim();
            match column {
                MATERIAL => {
                    let index = materials.iter().position(|known| known.name == value);
                    material = index.ok_or_else(|| {
                        let allowed = material_names(value, materials);
                        self.error(Some(column), unknown_material(value), allowed)
                    })?;
                }
                FIXED => {
                    fixed = match value {
                        "true" | "1" => true,
                        "false" | "0" => false,
                        _ => {
                            let allowed = "true, false, 1 or 0";
                            return Err(self.error(Some(column), quoted(value), allowed));
                        }
                    };
                }
                ID => {
                    let number = value.parse().ok().and_then(id_of);
                    let unfit = || self.error(Some(column), quoted(value), ALLOWED_ID);
                    id = Some(number.ok_or_else(unfit)?);
                }
                _ => numbers[column] = self.number(column, value)?,
            }
        }
        let [x, y, z, radius, vx, vy, vz, wx, wy, wz] = numbers;
        let particle = Particle {
            position: DVec3::new(x, y, z),
            radius,
            velocity: DVec3::new(vx, vy, vz),
            spin: DVec3::new(wx, wy, wz),
            material,
            fixed,
        };
        Ok((particle, id))
    }

    fn number(&self, column: usize, value: &str) -> Result<f64> {
        let number = value.parse::<f64>().ok().filter(|x| x.abs() <= LARGEST);
        let Some(number) = number else {
            return Err(self.error(Some(column), quoted(value), "a finite number"));
        };
        if COLUMNS[column] == "radius" && number < SMALLEST {
            let allowed = "a number greater than 0 in m";
            return Err(self.error(Some(column), quoted(value), allowed));
        }
        Ok(number)
    }
}
