//! Checkpoints: a [`State`] on disk, bit for bit.
//!
//! ```text
//! "LAHARCKP"   version u32   scene fingerprint u64
//! section*     tag [u8; 4]   length u64   that many bytes
//! "ENGN"       3 u64         "cpu" or "gpu", if an engine held the state
//! checksum     CRC-32 u32 of everything before it
//! ```
//!
//! All numbers are little-endian and floats are stored by their bits. The sections come in one fixed
//! order, each array in a section of its own, so that a reader can tell from the lengths alone
//! whether they fit together.
//!
//! A checkpoint is forced to the disk under a temporary name before it replaces its predecessor: at
//! every instant, whatever kills the process or the machine, one whole checkpoint is there.

use super::hash::Fnv1a;
use super::{Durability, write_atomic};
use crate::error::{Error, Result};
use crate::position::Grid;
use crate::state::{ContactState, EngineKind, Ledger, ParticleState, State, StateSource};
use glam::DVec3;
use std::io::{self, Write};
use std::path::Path;

const MAGIC: &[u8; 8] = b"LAHARCKP";
const VERSION: u32 = 2;
/// Magic, version and fingerprint.
const HEADER: usize = 8 + 4 + 8;
const CHECKSUM: usize = 4;
/// Bytes of a contact: two ids, two vectors, five numbers.
const CONTACT: usize = 2 * 4 + 2 * 24 + 5 * 8;

/// A 64-bit fingerprint (FNV-1a) that tells one scene text from another.
///
/// It guards against mistakes, not against malice.
pub fn fingerprint(bytes: &[u8]) -> u64 {
    let mut hash = Fnv1a::default();
    hash.update(bytes);
    hash.0
}

/// Writes a checkpoint, replacing the previous one only when the new one is safely on the disk.
///
/// `scene_fingerprint` ties it to its scene: [`read_checkpoint`] refuses any other.
///
/// # Errors
///
/// [`Error::Io`] when the disk refuses; a previous checkpoint at `path` is then still whole.
pub fn write_checkpoint(
    path: impl AsRef<Path>,
    state: &impl StateSource,
    scene_fingerprint: u64,
) -> Result<()> {
    write_atomic(
        path.as_ref(),
        "write checkpoint",
        Durability::Machine,
        |out| {
            let mut out = Checksummed::new(out);
            out.write_all(MAGIC)?;
            out.write_all(&VERSION.to_le_bytes())?;
            out.write_all(&scene_fingerprint.to_le_bytes())?;
            write_sections(&mut out, state)?;
            if let Some(engine) = state.engine() {
                out.write_all(&engine_section(engine))?;
            }
            out.finish()
        },
    )
}

/// Reads a checkpoint of the scene whose fingerprint is `expected_fingerprint`.
///
/// # Errors
///
/// [`Error::Io`] when the file cannot be read, [`Error::Checkpoint`] when it is no checkpoint, of
/// another version, damaged, or of another scene.
pub fn read_checkpoint(path: impl AsRef<Path>, expected_fingerprint: u64) -> Result<State> {
    let path = path.as_ref();
    let bytes = std::fs::read(path).map_err(|source| Error::io(path, "read checkpoint", source))?;
    decode(&bytes, expected_fingerprint).map_err(|message| Error::Checkpoint {
        path: path.to_path_buf(),
        message,
    })
}

/// The engine that left a checkpoint, if the file says so; whether it is whole shows when it is read.
pub fn checkpoint_engine(path: impl AsRef<Path>) -> Option<EngineKind> {
    let bytes = std::fs::read(path).ok()?;
    let body = &bytes[..bytes.len().checked_sub(CHECKSUM)?];
    [EngineKind::Cpu, EngineKind::Gpu]
        .into_iter()
        .find(|engine| body.ends_with(&engine_section(*engine)))
}

/// The last section of a checkpoint; no part of the state, so that states can be compared by their hash.
fn engine_section(engine: EngineKind) -> Vec<u8> {
    let name = engine.name().as_bytes();
    let length = (name.len() as u64).to_le_bytes();
    [&ENGINE[..], &length, name].concat()
}

/// Counts every byte that passes into the checksum.
pub(super) struct Checksummed<W> {
    inner: W,
    crc: crc32fast::Hasher,
}

impl<W: Write> Checksummed<W> {
    pub(super) fn new(inner: W) -> Self {
        Self {
            inner,
            crc: crc32fast::Hasher::new(),
        }
    }

    /// Writes the checksum of all that was written.
    pub(super) fn finish(mut self) -> io::Result<()> {
        let checksum = self.crc.finalize();
        self.inner.write_all(&checksum.to_le_bytes())
    }
}

impl<W: Write> Write for Checksummed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.crc.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

pub(super) fn write_sections(out: &mut impl Write, state: &impl StateSource) -> io::Result<()> {
    let instant = state.instant();
    let run = [instant.step, instant.time_step.to_bits(), instant.removed];
    let ledger = ledger_fields(&instant.ledger);
    let fluid = fluid_fields(&instant.ledger);
    let walls = &instant.wall_forces;
    section(out, b"RUN ", 8, 3, 3, |bytes, k| put_u64(bytes, run[k]))?;
    section(out, b"GRID", GRID, 1, 1, |bytes, _| {
        put_grid(bytes, &instant.grid)
    })?;
    section(out, b"LEDG", 8, ledger.len(), ledger.len(), |bytes, k| {
        put_f64(bytes, ledger[k])
    })?;
    section(out, b"WALL", 24, walls.len(), walls.len(), |bytes, k| {
        put_vector(bytes, walls[k])
    })?;
    let count = instant.particles;
    let particle = |rank: usize| state.particle(rank);
    section(out, b"PID ", 4, count, count, |bytes, k| {
        bytes.extend_from_slice(&particle(k).id.to_le_bytes());
    })?;
    section(out, b"UNIT", 24, count, count, |bytes, k| {
        for axis in particle(k).units {
            bytes.extend_from_slice(&axis.to_le_bytes());
        }
    })?;
    section(out, b"REMN", 24, count, count, |bytes, k| {
        put_vector(bytes, particle(k).remainder)
    })?;
    section(out, b"VELO", 24, count, count, |bytes, k| {
        put_vector(bytes, particle(k).velocity)
    })?;
    section(out, b"SPIN", 24, count, count, |bytes, k| {
        put_vector(bytes, particle(k).spin)
    })?;
    section(out, b"ACCE", 24, count, count, |bytes, k| {
        put_vector(bytes, state.acceleration(k).0);
    })?;
    section(out, b"ANGA", 24, count, count, |bytes, k| {
        put_vector(bytes, state.acceleration(k).1);
    })?;
    section(out, b"RADI", 8, count, count, |bytes, k| {
        put_f64(bytes, particle(k).radius)
    })?;
    section(out, b"MATE", 2, count, count, |bytes, k| {
        bytes.extend_from_slice(&particle(k).material.to_le_bytes());
    })?;
    section(out, b"FIXD", 1, count, count, |bytes, k| {
        bytes.push(u8::from(particle(k).fixed))
    })?;
    section(
        out,
        b"CONT",
        CONTACT,
        instant.contacts,
        count,
        |bytes, k| {
            state.contacts_of(k, &mut |contact| put_contact(bytes, contact));
        },
    )?;
    if fluid.map(f64::to_bits) == [0; 4] {
        return Ok(());
    }
    section(out, FLUID, 8, 4, 4, |bytes, k| put_f64(bytes, fluid[k]))
}

/// Writes one array of `items` items: tag, length in bytes, and what `put` appends for 0 … `calls`.
fn section(
    out: &mut impl Write,
    tag: &[u8; 4],
    item_size: usize,
    items: usize,
    calls: usize,
    put: impl Fn(&mut Vec<u8>, usize),
) -> io::Result<()> {
    const CHUNK: usize = 1 << 16;
    out.write_all(tag)?;
    out.write_all(&((item_size * items) as u64).to_le_bytes())?;
    let mut bytes = Vec::with_capacity(CHUNK + item_size);
    let mut written = 0;
    for k in 0..calls {
        put(&mut bytes, k);
        if bytes.len() >= CHUNK {
            out.write_all(&bytes)?;
            written += bytes.len();
            bytes.clear();
        }
    }
    out.write_all(&bytes)?;
    debug_assert_eq!(written + bytes.len(), item_size * items, "size of {tag:?}");
    Ok(())
}

/// Bytes of a [`Grid`]: origin, unit, cells, units per cell, periodic axes, size.
const GRID: usize = 24 + 8 + 3 * 4 + 3 * 4 + 3 + 24;

fn put_grid(bytes: &mut Vec<u8>, grid: &Grid) {
    put_vector(bytes, grid.origin);
    put_f64(bytes, grid.unit);
    for count in grid.cells.iter().chain(&grid.cell_units) {
        bytes.extend_from_slice(&count.to_le_bytes());
    }
    bytes.extend(grid.periodic.map(u8::from));
    for size in grid.size {
        bytes.extend_from_slice(&size.to_le_bytes());
    }
}

fn put_contact(bytes: &mut Vec<u8>, contact: &ContactState) {
    bytes.extend_from_slice(&contact.first.to_le_bytes());
    bytes.extend_from_slice(&contact.second.to_le_bytes());
    put_vector(bytes, contact.spring);
    put_vector(bytes, contact.rolling);
    let [stiffness, damping] = contact.adaptive;
    put_f64(bytes, stiffness);
    put_f64(bytes, damping);
    put_f64(bytes, contact.overlap);
    put_f64(bytes, contact.normal_force);
    put_f64(bytes, contact.root_overlap);
}

fn put_u64(bytes: &mut Vec<u8>, x: u64) {
    bytes.extend_from_slice(&x.to_le_bytes());
}

fn put_f64(bytes: &mut Vec<u8>, x: f64) {
    put_u64(bytes, x.to_bits());
}

fn put_vector(bytes: &mut Vec<u8>, v: DVec3) {
    for x in v.to_array() {
        put_f64(bytes, x);
    }
}

/// What a fluid has taken; only there if it has taken anything.
const FLUID: &[u8; 4] = b"FLUI";

/// Which engine held the state.
const ENGINE: &[u8; 4] = b"ENGN";

fn fluid_fields(ledger: &Ledger) -> [f64; 4] {
    let [drag, film] = ledger.pending_fluid;
    [ledger.lost_drag, ledger.lost_film, drag, film]
}

/// The ledger in the order of the file, without what [`FLUID`] holds; a new field must raise
/// [`VERSION`].
fn ledger_fields(ledger: &Ledger) -> [f64; 20] {
    let Ledger {
        kinetic,
        rotational,
        potential,
        elastic_normal,
        elastic_tangential,
        elastic_rolling,
        lost_normal,
        lost_tangential,
        lost_friction,
        lost_rolling,
        gained_mindlin,
        removed,
        crossed,
        pending: [p0, p1, p2, p3, p4],
        initial,
        scale,
        lost_drag: _,
        lost_film: _,
        pending_fluid: _,
    } = *ledger;
    [
        kinetic,
        rotational,
        potential,
        elastic_normal,
        elastic_tangential,
        elastic_rolling,
        lost_normal,
        lost_tangential,
        lost_friction,
        lost_rolling,
        gained_mindlin,
        removed,
        crossed,
        p0,
        p1,
        p2,
        p3,
        p4,
        initial,
        scale,
    ]
}

const DAMAGED: &str =
    "put back a copy of it if there is one, or start the run again with --overwrite";

fn decode(bytes: &[u8], expected_fingerprint: u64) -> std::result::Result<State, String> {
    if !bytes.starts_with(MAGIC) {
        return Err(
            "not a lahar checkpoint (it does not begin with LAHARCKP); give the file that \
             lahar wrote as its checkpoint"
                .to_owned(),
        );
    }
    if bytes.len() < HEADER + CHECKSUM {
        return Err(format!(
            "ends after {} bytes, within its header; {DAMAGED}",
            bytes.len()
        ));
    }
    let mut header = Cursor {
        bytes: &bytes[MAGIC.len()..HEADER],
    };
    let version = header.u32();
    if version != VERSION {
        return Err(format!(
            "has format version {version}, this lahar reads version {VERSION}; resume with the \
             lahar that wrote it, or start the run again with --overwrite"
        ));
    }
    let (body, checksum) = bytes.split_at(bytes.len() - CHECKSUM);
    let stored = Cursor { bytes: checksum }.u32();
    let computed = crc32fast::hash(body);
    if stored != computed {
        return Err(format!(
            "is damaged or cut short (checksum {computed:08x}, expected {stored:08x}); {DAMAGED}"
        ));
    }
    let found = header.u64();
    if found != expected_fingerprint {
        return Err(format!(
            "belongs to another scene (fingerprint {found:016x}, this scene has \
             {expected_fingerprint:016x}); resume with the unchanged scene file, or start \
             a new run with another --out or with --overwrite"
        ));
    }
    let mut sections = Sections {
        rest: &body[HEADER..],
    };
    let state = decode_sections(&mut sections)?;
    if sections.rest.starts_with(ENGINE) {
        sections.array(ENGINE, 1, Cursor::u8)?;
    }
    if !sections.rest.is_empty() {
        return Err(format!(
            "has {} bytes after its last section; {DAMAGED}",
            sections.rest.len()
        ));
    }
    Ok(state)
}

fn decode_sections(sections: &mut Sections) -> std::result::Result<State, String> {
    let [step, time_step, removed] = sections.exactly(b"RUN ", 8, Cursor::u64)?;
    let [grid] = sections.exactly(b"GRID", GRID, Cursor::grid)?;
    let ledger = sections.exactly(b"LEDG", 8, Cursor::f64)?;
    let wall_forces = sections.array(b"WALL", 24, Cursor::vector)?;
    let id = sections.array(b"PID ", 4, Cursor::u32)?;
    let count = id.len();
    let particles = ParticleState {
        units: sections.counted(b"UNIT", 24, count, |c| {
            std::array::from_fn(|_| c.u64().cast_signed())
        })?,
        remainder: sections.counted(b"REMN", 24, count, Cursor::vector)?,
        velocity: sections.counted(b"VELO", 24, count, Cursor::vector)?,
        spin: sections.counted(b"SPIN", 24, count, Cursor::vector)?,
        acceleration: sections.counted(b"ACCE", 24, count, Cursor::vector)?,
        angular_acceleration: sections.counted(b"ANGA", 24, count, Cursor::vector)?,
        radius: sections.counted(b"RADI", 8, count, Cursor::f64)?,
        material: sections.counted(b"MATE", 2, count, Cursor::u16)?,
        fixed: sections.counted(b"FIXD", 1, count, |c| c.u8() != 0)?,
        id,
    };
    let contacts = sections.array(b"CONT", CONTACT, Cursor::contact)?;
    let [lost_drag, lost_film, drag_pending, film_pending] = if sections.rest.starts_with(FLUID) {
        sections.exactly(FLUID, 8, Cursor::f64)?
    } else {
        [0.0; 4]
    };
    let [
        kinetic,
        rotational,
        potential,
        elastic_normal,
        elastic_tangential,
        elastic_rolling,
        lost_normal,
        lost_tangential,
        lost_friction,
        lost_rolling,
        gained_mindlin,
        lost_removed,
        crossed,
        p0,
        p1,
        p2,
        p3,
        p4,
        initial,
        scale,
    ] = ledger;
    Ok(State {
        step,
        time_step: f64::from_bits(time_step),
        grid,
        particles,
        contacts,
        ledger: Ledger {
            kinetic,
            rotational,
            potential,
            elastic_normal,
            elastic_tangential,
            elastic_rolling,
            lost_normal,
            lost_tangential,
            lost_friction,
            lost_rolling,
            gained_mindlin,
            removed: lost_removed,
            crossed,
            pending: [p0, p1, p2, p3, p4],
            pending_fluid: [drag_pending, film_pending],
            lost_drag,
            lost_film,
            initial,
            scale,
        },
        wall_forces,
        removed,
    })
}

/// The sections not read yet. Lengths are believed only as far as there are bytes.
struct Sections<'a> {
    rest: &'a [u8],
}

impl<'a> Sections<'a> {
    /// The next section, which must have this tag and consist of whole items.
    fn array<T>(
        &mut self,
        tag: &[u8; 4],
        item_size: usize,
        get: impl Fn(&mut Cursor<'a>) -> T,
    ) -> std::result::Result<Vec<T>, String> {
        let name = String::from_utf8_lossy(tag);
        let name = name.trim_end();
        let Some((head, rest)) = self.rest.split_at_checked(4 + 8) else {
            return Err(format!("ends before section {name}; {DAMAGED}"));
        };
        if &head[..4] != tag {
            return Err(format!(
                "has no section {name} where one belongs; {DAMAGED}"
            ));
        }
        let length = Cursor { bytes: &head[4..] }.u64();
        let body = usize::try_from(length)
            .ok()
            .filter(|length| length % item_size == 0)
            .and_then(|length| rest.split_at_checked(length));
        let Some((body, rest)) = body else {
            return Err(format!(
                "gives section {name} an impossible length of {length} bytes; {DAMAGED}"
            ));
        };
        self.rest = rest;
        Ok(body
            .chunks_exact(item_size)
            .map(|bytes| get(&mut Cursor { bytes }))
            .collect())
    }

    /// The next section, which must hold `count` items.
    fn counted<T>(
        &mut self,
        tag: &[u8; 4],
        item_size: usize,
        count: usize,
        get: impl Fn(&mut Cursor<'a>) -> T,
    ) -> std::result::Result<Vec<T>, String> {
        let items = self.array(tag, item_size, get)?;
        if items.len() == count {
            Ok(items)
        } else {
            Err(format!(
                "has {} entries in section {}, expected {count}; {DAMAGED}",
                items.len(),
                String::from_utf8_lossy(tag).trim_end()
            ))
        }
    }

    /// The next section, which must hold exactly `N` items.
    fn exactly<T, const N: usize>(
        &mut self,
        tag: &[u8; 4],
        item_size: usize,
        get: impl Fn(&mut Cursor<'a>) -> T,
    ) -> std::result::Result<[T; N], String> {
        let items = self.counted(tag, item_size, N, get)?;
        items
            .try_into()
            .map_err(|_| format!("has a section of the wrong size; {DAMAGED}"))
    }
}

/// Takes numbers off the front of one item, whose size [`Sections::array`] has checked.
struct Cursor<'a> {
    bytes: &'a [u8],
}

impl Cursor<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let Some((head, rest)) = self.bytes.split_first_chunk::<N>() else {
            unreachable!("an item holds all its fields");
        };
        self.bytes = rest;
        *head
    }

    fn u8(&mut self) -> u8 {
        self.take::<1>()[0]
    }

    fn u16(&mut self) -> u16 {
        u16::from_le_bytes(self.take())
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }

    fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.take())
    }

    fn f64(&mut self) -> f64 {
        f64::from_bits(self.u64())
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.f64(), self.f64(), self.f64())
    }

    fn grid(&mut self) -> Grid {
        Grid {
            origin: self.vector(),
            unit: self.f64(),
            cells: std::array::from_fn(|_| self.u32()),
            cell_units: std::array::from_fn(|_| self.u32()),
            periodic: std::array::from_fn(|_| self.u8() != 0),
            size: std::array::from_fn(|_| self.u64().cast_signed()),
        }
    }

    fn contact(&mut self) -> ContactState {
        ContactState {
            first: self.u32(),
            second: self.u32(),
            spring: self.vector(),
            rolling: self.vector(),
            adaptive: [self.f64(), self.f64()],
            overlap: self.f64(),
            normal_force: self.f64(),
            root_overlap: self.f64(),
        }
    }
}
