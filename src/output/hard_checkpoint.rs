//! Checkpoints of hard grains.
//!
//! ```text
//! "LAHARHRD"   version u32   scene fingerprint u64
//! what the next row of the series reaches back to
//! the engine
//! checksum     CRC-32 u32 of everything before it
//! ```

use super::checkpoint::Checksummed;
use super::hard_series::RowBefore;
use super::{Durability, write_atomic};
use crate::error::{Error, Result};
use crate::hard::{HardEngine, HardModel, StartingGrain, Tally};
use std::io::{self, Write};
use std::path::Path;

const MAGIC: &[u8; 8] = b"LAHARHRD";
const VERSION: u32 = 3;
/// Magic, version and fingerprint.
const HEADER: usize = 8 + 4 + 8;
const CHECKSUM: usize = 4;

/// Writes a checkpoint, replacing the previous one only when the new one is safely on the disk.
///
/// # Errors
/// [`Error::Io`] when the disk refuses; a previous checkpoint is then still whole.
pub fn write_hard_checkpoint(
    path: &Path,
    engine: &HardEngine,
    before: &RowBefore,
    fingerprint: u64,
) -> Result<()> {
    write_atomic(path, "write checkpoint", Durability::Machine, |out| {
        let mut out = Checksummed::new(out);
        out.write_all(MAGIC)?;
        out.write_all(&VERSION.to_le_bytes())?;
        out.write_all(&fingerprint.to_le_bytes())?;
        out.write_all(&before.time.to_bits().to_le_bytes())?;
        out.write_all(&before.initial.to_bits().to_le_bytes())?;
        before.tally.save(&mut out)?;
        engine.save(&mut out)?;
        out.finish()
    })
}

/// Reads a checkpoint of the scene with this fingerprint.
///
/// # Errors
/// [`Error::Io`] when the file cannot be read, [`Error::Checkpoint`] when it is no checkpoint of hard
/// grains, of another version, damaged, or of another scene.
pub fn read_hard_checkpoint(
    path: &Path,
    model: HardModel,
    start: &[StartingGrain],
    fingerprint: u64,
) -> Result<(HardEngine, RowBefore)> {
    let bytes = std::fs::read(path).map_err(|source| Error::io(path, "read checkpoint", source))?;
    let wrong = |message: &str| Error::Checkpoint {
        path: path.to_path_buf(),
        message: message.to_owned(),
    };
    if bytes.len() < HEADER + CHECKSUM || &bytes[..8] != MAGIC {
        return Err(wrong("not a checkpoint of hard grains; start the run anew"));
    }
    let (contents, checksum) = bytes.split_at(bytes.len() - CHECKSUM);
    if crc32fast::hash(contents).to_le_bytes() != checksum {
        return Err(wrong("damaged: its checksum is wrong; start the run anew"));
    }
    if contents[8..12] != VERSION.to_le_bytes() {
        return Err(wrong("of another version of lahar; start the run anew"));
    }
    if contents[12..HEADER] != fingerprint.to_le_bytes() {
        return Err(wrong(
            "of another scene: only engine.tc, time.end and [output] may change; start the run anew",
        ));
    }
    let mut input = &contents[HEADER..];
    let mut read = || -> io::Result<(HardEngine, RowBefore)> {
        let time = take_number(&mut input)?;
        let initial = take_number(&mut input)?;
        let before = RowBefore {
            time,
            initial,
            tally: Tally::restore(model.faces.len(), &mut input)?,
        };
        let engine = HardEngine::restore(model.clone(), start, &mut input)?;
        Ok((engine, before))
    };
    read().map_err(|source| wrong(&format!("{source}; start the run anew")))
}

fn take_number(input: &mut &[u8]) -> io::Result<f64> {
    let mut bytes = [0; 8];
    io::Read::read_exact(input, &mut bytes)?;
    Ok(f64::from_bits(u64::from_le_bytes(bytes)))
}
