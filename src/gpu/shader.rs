//! WGSL put together from parts, with errors that point at the part.
//!
//! A file names its parts in lines of their own, `//#include lib/dispatch.wgsl`, so it remains plain
//! WGSL for editors. Each part is taken once, where it is first named; WGSL does not care about the
//! order of declarations.

use crate::error::{Error, Result};
use wgpu::naga;

macro_rules! shaders {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("../../shaders/", $path)))),*]
    };
}

/// Every file below `shaders/`, with its text.
pub const SHADERS: &[(&str, &str)] = shaders![
    "lib/accurate.wgsl",
    "lib/adaptive.wgsl",
    "lib/carry.wgsl",
    "lib/cells.wgsl",
    "lib/cohesion.wgsl",
    "lib/contact.wgsl",
    "lib/crew.wgsl",
    "lib/damping.wgsl",
    "lib/dispatch.wgsl",
    "lib/encounter.wgsl",
    "lib/end.wgsl",
    "lib/fine.wgsl",
    "lib/fluid.wgsl",
    "lib/grains.wgsl",
    "lib/hertz.wgsl",
    "lib/impulse.wgsl",
    "lib/linear.wgsl",
    "lib/long_words.wgsl",
    "lib/lubrication.wgsl",
    "lib/material.wgsl",
    "lib/position.wgsl",
    "lib/rolling.wgsl",
    "lib/saved.wgsl",
    "lib/scan.wgsl",
    "lib/small_crew.wgsl",
    "lib/sort.wgsl",
    "lib/status.wgsl",
    "lib/tangential.wgsl",
    "lib/texels.wgsl",
    "lib/turns.wgsl",
    "lib/walls.wgsl",
    "lib/whole.wgsl",
    "lib/whole_bits.wgsl",
    "lib/wide.wgsl",
    "lib/words.wgsl",
    "bound/accelerations.wgsl",
    "bound/accelerations_written.wgsl",
    "bound/advance.wgsl",
    "bound/bodies.wgsl",
    "bound/bodies_written.wgsl",
    "bound/contacts.wgsl",
    "bound/pictured_accelerations.wgsl",
    "bound/pictured_accelerations_written.wgsl",
    "bound/pictured_bodies.wgsl",
    "bound/pictured_bodies_written.wgsl",
    "bound/scene.wgsl",
    "bound/sums.wgsl",
    "bound/tables.wgsl",
    "balance.wgsl",
    "cell_keys.wgsl",
    "cells_clear.wgsl",
    "cells_insert.wgsl",
    "copy.wgsl",
    "decide.wgsl",
    "forces.wgsl",
    "history_check.wgsl",
    "history_match.wgsl",
    "history_name.wgsl",
    "history_pack.wgsl",
    "history_restore.wgsl",
    "history_save.wgsl",
    "immerse.wgsl",
    "immerse_commit.wgsl",
    "integrate.wgsl",
    "leap.wgsl",
    "measure.wgsl",
    "neighbours.wgsl",
    "neighbours_check.wgsl",
    "reorder_commit.wgsl",
    "reorder_copy.wgsl",
    "scan_blocks.wgsl",
    "scan_downsweep.wgsl",
    "scan_reduce.wgsl",
    "sort_count.wgsl",
    "sort_scan.wgsl",
    "sort_scatter.wgsl",
];

const INCLUDE: &str = "//#include ";

/// A part, and its twin that takes its place on some devices.
pub type Substitute = (&'static str, &'static str);

/// Memory in words of 64 bits, on devices that have them.
pub const LONG_WORDS: Substitute = ("lib/words.wgsl", "lib/long_words.wgsl");

/// Fewer threads with more grains each, on software devices.
pub const SMALL_CREW: Substitute = ("lib/crew.wgsl", "lib/small_crew.wgsl");

/// Integers from the bits of floats, on software devices.
pub const WHOLE_BITS: Substitute = ("lib/whole.wgsl", "lib/whole_bits.wgsl");

/// Texels in textures instead of buffers, on software devices.
pub const PICTURES: [Substitute; 4] = [
    ("bound/bodies.wgsl", "bound/pictured_bodies.wgsl"),
    (
        "bound/bodies_written.wgsl",
        "bound/pictured_bodies_written.wgsl",
    ),
    (
        "bound/accelerations.wgsl",
        "bound/pictured_accelerations.wgsl",
    ),
    (
        "bound/accelerations_written.wgsl",
        "bound/pictured_accelerations_written.wgsl",
    ),
];

/// A shader with all its parts.
#[derive(Debug, Clone)]
pub struct Shader {
    source: String,
    parts: Vec<String>,
    /// For each line of the source: which part it is from, and which line there, from 1.
    origins: Vec<(usize, usize)>,
    substitutes: Vec<Substitute>,
}

impl Shader {
    /// Puts a file below `shaders/` together with what it includes.
    ///
    /// # Errors
    /// [`Error::Shader`] if it, or a part of it, does not exist.
    pub fn from_file(path: &str) -> Result<Self> {
        Self::with_substitutes(path, &[])
    }

    /// The same with some parts in the place of others.
    ///
    /// # Errors
    /// As [`Shader::from_file`].
    pub fn with_substitutes(path: &str, substitutes: &[Substitute]) -> Result<Self> {
        let text = text_of(path).ok_or_else(|| Error::Shader {
            file: path.into(),
            line: None,
            message: "is not in the table of src/gpu/shader.rs".into(),
        })?;
        Self::composed(path, text, substitutes)
    }

    /// Puts a text together with what it includes, as if it were a file of that name. Tests use it to
    /// run a function of the library.
    ///
    /// # Errors
    /// [`Error::Shader`] if a part of it does not exist.
    pub fn from_text(name: &str, text: &str) -> Result<Self> {
        Self::composed(name, text, &[])
    }

    fn composed(name: &str, text: &str, substitutes: &[Substitute]) -> Result<Self> {
        let mut shader = Self {
            source: String::new(),
            parts: Vec::new(),
            origins: Vec::new(),
            substitutes: substitutes.to_vec(),
        };
        shader.append(name, text)?;
        Ok(shader)
    }

    fn append(&mut self, name: &str, text: &str) -> Result<()> {
        let part = self.parts.len();
        self.parts.push(name.into());
        for (index, line) in text.lines().enumerate() {
            let Some(included) = line.strip_prefix(INCLUDE).map(str::trim) else {
                match self.pictured(line) {
                    Some(line) => self.source.push_str(&line),
                    None => self.source.push_str(line),
                }
                self.source.push('\n');
                self.origins.push((part, index + 1));
                continue;
            };
            let twin = self.substitutes.iter().find(|(part, _)| *part == included);
            let included = twin.map_or(included, |(_, twin)| *twin);
            if self.parts.iter().any(|part| part == included) {
                continue;
            }
            let text = text_of(included).ok_or_else(|| Error::Shader {
                file: name.into(),
                line: Some(index + 1),
                message: format!("includes {included}, which does not exist"),
            })?;
            self.append(included, text)?;
        }
        Ok(())
    }

    /// The line that declares a texture, instead of one that declares an array of texels, if they are textures.
    fn pictured(&self, line: &str) -> Option<String> {
        if !PICTURES.iter().all(|twin| self.substitutes.contains(twin)) {
            return None;
        }
        let (binding, declared) = line.split_once(" var<storage, ")?;
        let (access, variable) = declared.split_once("> ")?;
        let name = variable.strip_suffix(": array<Texel>;")?;
        Some(format!(
            "{binding} var {name}: texture_storage_2d<rgba32uint, {access}>;"
        ))
    }

    /// The WGSL of all parts.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The file and the line in it, from 1, that a line of the source comes from.
    pub fn origin(&self, line: usize) -> Option<(&str, usize)> {
        let &(part, line) = self.origins.get(line.checked_sub(1)?)?;
        Some((&self.parts[part], line))
    }

    /// Parses and validates the source, as WebGPU without optional features demands, but for integers of 64 bits in
    /// shaders with long words.
    ///
    /// # Errors
    /// [`Error::Shader`] with the place of the first fault.
    pub fn check(&self) -> Result<naga::Module> {
        let module = naga::front::wgsl::parse_str(&self.source)
            .map_err(|error| self.error(error.message().into(), error.labels()))?;
        let capabilities = if self.parts.iter().any(|part| part == LONG_WORDS.1) {
            naga::valid::Capabilities::SHADER_INT64
        } else {
            naga::valid::Capabilities::empty()
        };
        naga::valid::Validator::new(naga::valid::ValidationFlags::all(), capabilities)
            .validate(&module)
            .map_err(|error| self.error(chain(error.as_inner()), error.spans().cloned()))?;
        Ok(module)
    }

    /// The error at the first place that the compiler names; some have a place that is undefined.
    fn error<Label>(
        &self,
        message: String,
        mut places: impl Iterator<Item = (naga::Span, Label)>,
    ) -> Error {
        let origin = places
            .find(|(span, _)| span.is_defined())
            .and_then(|(span, _)| self.origin(span.location(&self.source).line_number as usize));
        Error::Shader {
            file: origin.map_or_else(|| self.name(), |(file, _)| file).into(),
            line: origin.map(|(_, line)| line),
            message,
        }
    }

    /// The file that all parts were put together for.
    pub fn name(&self) -> &str {
        &self.parts[0]
    }
}

fn text_of(path: &str) -> Option<&'static str> {
    SHADERS
        .iter()
        .find_map(|&(name, text)| (name == path).then_some(text))
}

/// An error with all its causes: the outermost alone often says only which function is wrong.
fn chain(error: &dyn std::error::Error) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        message += &format!(": {error}");
        cause = error.source();
    }
    message
}
