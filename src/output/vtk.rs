//! Frames for `ParaView`: `PolyData` files (`.vtp`) and the collection (`.pvd`) that orders them in time.
//!
//! The files are VTK XML with the numbers appended as raw little-endian bytes, which is the fastest
//! form to write and to load. Positions and radii are `Float64`, because an overlap is a small
//! difference of them; what is only looked at is `Float32`.

use super::surface::{self, Surface};
use super::{Durability, write_atomic};
use crate::error::{Error, Result};
use crate::hard::HardEngine;
use crate::scene::Scene;
use crate::state::StateSource;
use glam::DVec3;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes all particles of one instant as points.
///
/// Point data: `id`, `radius`, `velocity`, `spin`, `acceleration`, `material`, `coordination` (number
/// of contacts), `fixed`. Field data: `TimeValue` (s), which `ParaView` shows as the time, and `step`.
/// To see spheres: filter *Glyph*, type Sphere, radius 1, scale array `radius`.
///
/// # Errors
///
/// [`Error::Io`] when the file cannot be written; nothing is then left under its name.
pub fn write_vtp(path: impl AsRef<Path>, state: &impl StateSource) -> Result<()> {
    let instant = state.instant();
    let count = instant.particles;
    let contacts = state.contact_counts();
    let vector = |out: &mut Vec<u8>, v: DVec3| {
        for x in v.as_vec3().to_array() {
            out.extend_from_slice(&x.to_le_bytes());
        }
    };
    let data = PolyData {
        field: vec![
            Array::new("TimeValue", Kind::Float64, 1, 1, |_, out| {
                out.extend_from_slice(&instant.time().to_le_bytes());
            }),
            Array::new("step", Kind::UInt64, 1, 1, |_, out| {
                out.extend_from_slice(&instant.step.to_le_bytes());
            }),
        ],
        points: Array::new("position", Kind::Float64, 3, count, |i, out| {
            let particle = state.particle(i);
            let grid = &instant.grid;
            put_double(out, grid.to_metres(particle.units, particle.remainder));
        }),
        point_data: vec![
            Array::new("id", Kind::UInt32, 1, count, |i, out| {
                out.extend_from_slice(&state.particle(i).id.to_le_bytes());
            }),
            Array::new("radius", Kind::Float64, 1, count, |i, out| {
                out.extend_from_slice(&state.particle(i).radius.to_le_bytes());
            }),
            Array::new("velocity", Kind::Float32, 3, count, |i, out| {
                vector(out, state.particle(i).velocity);
            }),
            Array::new("spin", Kind::Float32, 3, count, |i, out| {
                vector(out, state.particle(i).spin);
            }),
            Array::new("acceleration", Kind::Float32, 3, count, |i, out| {
                vector(out, state.acceleration(i).0);
            }),
            Array::new("material", Kind::UInt16, 1, count, |i, out| {
                out.extend_from_slice(&state.particle(i).material.to_le_bytes());
            }),
            Array::new("coordination", Kind::UInt32, 1, count, |i, out| {
                out.extend_from_slice(&contacts[i].to_le_bytes());
            }),
            Array::new("fixed", Kind::UInt8, 1, count, |i, out| {
                out.push(u8::from(state.particle(i).fixed));
            }),
        ],
        cell_data: Vec::new(),
        vertices: Cells::one_per_point(count),
        polygons: Cells::none(),
    };
    write_atomic(path.as_ref(), "write frame", Durability::Process, |out| {
        data.write(out)
    })
}

/// Writes all hard grains at the present instant as points.
///
/// Point data: `id`, `radius`, `velocity`, `spin`, `material`, `fixed`, `collisions` (so far), `elastic`
/// (whether it collided within the last `t_c`). Field data: `TimeValue` (s).
///
/// # Errors
///
/// [`Error::Io`] when the file cannot be written; nothing is then left under its name.
pub fn write_hard_vtp(path: impl AsRef<Path>, engine: &HardEngine) -> Result<()> {
    let grains = engine.snapshot();
    let count = grains.len();
    let time = engine.time();
    let vector = |out: &mut Vec<u8>, v: DVec3| {
        for x in v.as_vec3().to_array() {
            out.extend_from_slice(&x.to_le_bytes());
        }
    };
    let data = PolyData {
        field: vec![Array::new("TimeValue", Kind::Float64, 1, 1, |_, out| {
            out.extend_from_slice(&time.to_le_bytes());
        })],
        points: Array::new("position", Kind::Float64, 3, count, |i, out| {
            put_double(out, grains[i].position);
        }),
        point_data: vec![
            Array::new("id", Kind::UInt32, 1, count, |i, out| {
                out.extend_from_slice(&grains[i].id.to_le_bytes());
            }),
            Array::new("radius", Kind::Float64, 1, count, |i, out| {
                out.extend_from_slice(&grains[i].radius.to_le_bytes());
            }),
            Array::new("velocity", Kind::Float32, 3, count, |i, out| {
                vector(out, grains[i].velocity);
            }),
            Array::new("spin", Kind::Float32, 3, count, |i, out| {
                vector(out, grains[i].spin);
            }),
            Array::new("material", Kind::UInt16, 1, count, |i, out| {
                out.extend_from_slice(&grains[i].material.to_le_bytes());
            }),
            Array::new("fixed", Kind::UInt8, 1, count, |i, out| {
                out.push(u8::from(grains[i].fixed));
            }),
            Array::new("collisions", Kind::UInt32, 1, count, |i, out| {
                out.extend_from_slice(&grains[i].collisions.to_le_bytes());
            }),
            Array::new("elastic", Kind::UInt8, 1, count, |i, out| {
                out.push(u8::from(grains[i].elastic));
            }),
        ],
        cell_data: Vec::new(),
        vertices: Cells::one_per_point(count),
        polygons: Cells::none(),
    };
    write_atomic(path.as_ref(), "write frame", Durability::Process, |out| {
        data.write(out)
    })
}

/// Writes the walls of a scene as polygons, so that the container is seen around the particles.
///
/// Planes and infinite cylinders end at the domain, curved walls are divided finely. Cell data:
/// `face`, the number of the wall face in the order of [`super::wall_face_names`], and `material`.
///
/// # Errors
///
/// [`Error::Io`] when the file cannot be written; nothing is then left under its name.
pub fn write_walls(path: impl AsRef<Path>, scene: &Scene) -> Result<()> {
    let surfaces = surface::surfaces(scene);
    let polygons: Vec<(usize, &Surface, &[DVec3])> = surfaces
        .iter()
        .enumerate()
        .flat_map(|(face, surface)| {
            let whole = surface.polygons.iter().filter(|polygon| polygon.len() >= 3);
            whole.map(move |polygon| (face, surface, polygon.as_slice()))
        })
        .collect();
    let points: Vec<DVec3> = polygons
        .iter()
        .flat_map(|(_, _, polygon)| *polygon)
        .copied()
        .collect();
    let ends: Vec<usize> = polygons
        .iter()
        .scan(0, |end, (_, _, polygon)| {
            *end += polygon.len();
            Some(*end)
        })
        .collect();
    let index = |x: usize, out: &mut Vec<u8>| out.extend_from_slice(&(x as u64).to_le_bytes());
    let data = PolyData {
        field: Vec::new(),
        points: Array::new("position", Kind::Float64, 3, points.len(), |i, out| {
            put_double(out, points[i]);
        }),
        point_data: Vec::new(),
        cell_data: vec![
            Array::new("face", Kind::UInt64, 1, polygons.len(), |i, out| {
                index(polygons[i].0, out);
            }),
            Array::new("material", Kind::UInt64, 1, polygons.len(), |i, out| {
                index(polygons[i].1.material, out);
            }),
        ],
        vertices: Cells::none(),
        polygons: Cells {
            connectivity: Array::new("connectivity", Kind::Int64, 1, points.len(), |i, out| {
                index(i, out);
            }),
            offsets: Array::new("offsets", Kind::Int64, 1, ends.len(), |i, out| {
                index(ends[i], out);
            }),
        },
    };
    write_atomic(path.as_ref(), "write walls", Durability::Process, |out| {
        data.write(out)
    })
}

/// Number formats of VTK.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Float32,
    Float64,
    Int64,
    UInt8,
    UInt16,
    UInt32,
    UInt64,
}

impl Kind {
    fn size(self) -> usize {
        match self {
            Self::UInt8 => 1,
            Self::UInt16 => 2,
            Self::Float32 | Self::UInt32 => 4,
            Self::Float64 | Self::Int64 | Self::UInt64 => 8,
        }
    }
}

/// Appends the bytes of one tuple, given its index.
type Put<'a> = Box<dyn Fn(usize, &mut Vec<u8>) + 'a>;

/// One array of the file: what the XML says of it, and how to get its bytes.
struct Array<'a> {
    name: &'static str,
    kind: Kind,
    components: usize,
    count: usize,
    put: Put<'a>,
}

impl<'a> Array<'a> {
    fn new(
        name: &'static str,
        kind: Kind,
        components: usize,
        count: usize,
        put: impl Fn(usize, &mut Vec<u8>) + 'a,
    ) -> Self {
        Self {
            name,
            kind,
            components,
            count,
            put: Box::new(put),
        }
    }

    fn bytes(&self) -> usize {
        self.kind.size() * self.components * self.count
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        const CHUNK: usize = 1 << 16;
        out.write_all(&(self.bytes() as u64).to_le_bytes())?;
        let mut bytes = Vec::with_capacity(CHUNK + 64);
        for i in 0..self.count {
            (self.put)(i, &mut bytes);
            if bytes.len() >= CHUNK {
                out.write_all(&bytes)?;
                bytes.clear();
            }
        }
        out.write_all(&bytes)
    }
}

/// Cells over the points: which points, and where each cell ends in that list.
struct Cells<'a> {
    connectivity: Array<'a>,
    offsets: Array<'a>,
}

impl Cells<'_> {
    fn none() -> Self {
        Self::one_per_point(0)
    }

    /// Without cells `ParaView` shows nothing, and its filters select cells: one for each point.
    fn one_per_point(count: usize) -> Self {
        let index = |i: usize, out: &mut Vec<u8>| out.extend_from_slice(&(i as u64).to_le_bytes());
        Self {
            connectivity: Array::new("connectivity", Kind::Int64, 1, count, index),
            offsets: Array::new("offsets", Kind::Int64, 1, count, move |i, out| {
                index(i + 1, out);
            }),
        }
    }
}

/// The contents of a `.vtp` file.
struct PolyData<'a> {
    field: Vec<Array<'a>>,
    points: Array<'a>,
    point_data: Vec<Array<'a>>,
    cell_data: Vec<Array<'a>>,
    vertices: Cells<'a>,
    polygons: Cells<'a>,
}

impl<'a> PolyData<'a> {
    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let mut xml = Xml {
            text: String::new(),
            appended: Vec::new(),
            offset: 0,
        };
        xml.line("<?xml version=\"1.0\"?>");
        xml.line(
            "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" \
             header_type=\"UInt64\">",
        );
        xml.line("<PolyData>");
        xml.arrays("FieldData", &self.field);
        xml.line(&format!(
            "<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"0\" \
             NumberOfStrips=\"0\" NumberOfPolys=\"{}\">",
            self.points.count, self.vertices.offsets.count, self.polygons.offsets.count
        ));
        xml.arrays("PointData", &self.point_data);
        xml.arrays("CellData", &self.cell_data);
        xml.arrays("Points", [&self.points]);
        for (tag, cells) in [("Verts", &self.vertices), ("Polys", &self.polygons)] {
            xml.arrays(tag, [&cells.connectivity, &cells.offsets]);
        }
        xml.line("</Piece>");
        xml.line("</PolyData>");
        xml.text.push_str("<AppendedData encoding=\"raw\">\n_");
        out.write_all(xml.text.as_bytes())?;
        for array in xml.appended {
            array.write(out)?;
        }
        out.write_all(b"\n</AppendedData>\n</VTKFile>\n")
    }
}

/// The XML part while it grows, and the arrays it has announced.
struct Xml<'a> {
    text: String,
    appended: Vec<&'a Array<'a>>,
    offset: usize,
}

impl<'a> Xml<'a> {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn arrays(&mut self, tag: &str, arrays: impl IntoIterator<Item = &'a Array<'a>>) {
        self.line(&format!("<{tag}>"));
        for array in arrays {
            // Field data has no count of its own in the file: it must be told.
            let tuples = match tag {
                "FieldData" => format!(" NumberOfTuples=\"{}\"", array.count),
                _ => String::new(),
            };
            // Writing to a String cannot fail.
            let _ = writeln!(
                self.text,
                "<DataArray type=\"{:?}\" Name=\"{}\" NumberOfComponents=\"{}\"{tuples} \
                 format=\"appended\" offset=\"{}\"/>",
                array.kind, array.name, array.components, self.offset
            );
            self.offset += size_of::<u64>() + array.bytes();
            self.appended.push(array);
        }
        self.line(&format!("</{tag}>"));
    }
}

fn put_double(out: &mut Vec<u8>, v: DVec3) {
    for x in v.to_array() {
        out.extend_from_slice(&x.to_le_bytes());
    }
}

/// A `.pvd` file: the frames of a run with their times. Open it to play the run in `ParaView`.
///
/// The file is rewritten whole after each frame, so it can be opened while the run goes on.
#[derive(Debug)]
pub struct Pvd {
    path: PathBuf,
    /// Time (s) and file name of each frame.
    frames: Vec<(f64, String)>,
}

impl Pvd {
    /// Begins a collection without frames, replacing a file of that name.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] when the file cannot be written.
    pub fn create(path: impl AsRef<Path>) -> Result<Self> {
        let pvd = Self {
            path: path.as_ref().to_path_buf(),
            frames: Vec::new(),
        };
        pvd.write()?;
        Ok(pvd)
    }

    /// Goes on with a collection from a checkpoint at `time` (s): later frames are dropped.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] when the file cannot be read or written, or was not written by [`Pvd`].
    pub fn resume(path: impl AsRef<Path>, time: f64) -> Result<Self> {
        let path = path.as_ref();
        let fail = |source| Error::io(path, "resume collection", source);
        let text = std::fs::read_to_string(path).map_err(fail)?;
        let mut frames = parse_pvd(&text)
            .map_err(|message| fail(io::Error::new(io::ErrorKind::InvalidData, message)))?;
        frames.retain(|frame| frame.0 <= time);
        let pvd = Self {
            path: path.to_path_buf(),
            frames,
        };
        pvd.write()?;
        Ok(pvd)
    }

    /// Adds a frame: `file` is relative to the directory of the collection, `time` in s. A frame
    /// that is already there for this time is replaced.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] when the file cannot be written; the previous collection is then still there.
    pub fn push(&mut self, time: f64, file: &str) -> Result<()> {
        self.frames.retain(|frame| frame.0 < time);
        self.frames.push((time, file.to_owned()));
        self.write()
    }

    /// Number of frames.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// Whether there are no frames.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    fn write(&self) -> Result<()> {
        write_atomic(&self.path, "write collection", Durability::Process, |out| {
            out.write_all(
                b"<?xml version=\"1.0\"?>\n\
                  <VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n\
                  <Collection>\n",
            )?;
            for (time, file) in &self.frames {
                let file = escape(file);
                writeln!(
                    out,
                    "<DataSet timestep=\"{time:?}\" part=\"0\" file=\"{file}\"/>"
                )?;
            }
            out.write_all(b"</Collection>\n</VTKFile>\n")
        })
    }
}

/// The frames of a collection that [`Pvd`] wrote, one per line.
fn parse_pvd(text: &str) -> std::result::Result<Vec<(f64, String)>, String> {
    if !text.contains("<Collection>") {
        return Err("it is no collection of frames; move it away".to_owned());
    }
    text.lines()
        .filter(|line| line.trim_start().starts_with("<DataSet "))
        .map(|line| {
            let attribute = |name: &str| {
                let (_, rest) = line.split_once(&format!(" {name}=\""))?;
                Some(rest.split_once('"')?.0)
            };
            let frame = attribute("timestep")
                .and_then(|time| time.parse().ok())
                .zip(attribute("file").map(unescape));
            frame.ok_or_else(|| format!("{line:?} names no frame; move the file away"))
        })
        .collect()
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;")
}

fn unescape(text: &str) -> String {
    text.replace("&quot;", "\"")
        .replace("&lt;", "<")
        .replace("&amp;", "&")
}
