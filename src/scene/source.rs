//! The text of a scene, and where in it things are: the line of each key, also after reading, when
//! the scene is checked as a whole.

use super::names::quoted;
use super::particles::Origin;
use super::validate::{Complaint, Place};
use crate::error::{Error, Result, SceneError};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml_edit::Document;

/// The text a scene is read from, and where in it things are.
pub(super) struct Source {
    file: Option<PathBuf>,
    /// Offset of the first byte of each line.
    line_starts: Vec<usize>,
    /// Line of each key that was seen, by its full path.
    lines: RefCell<HashMap<String, usize>>,
    /// Where the particles come from, in the order in which they are listed.
    origins: RefCell<Vec<Origin>>,
    /// Where the particle of each id is listed; empty if they are listed by id.
    listed_at: RefCell<Vec<u32>>,
}

impl Source {
    pub(super) fn new(text: &str, file: Option<&Path>) -> Self {
        let line_ends = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        Self {
            file: file.map(Path::to_path_buf),
            line_starts: std::iter::once(0)
                .chain(line_ends.map(|(offset, _)| offset + 1))
                .collect(),
            lines: RefCell::default(),
            origins: RefCell::default(),
            listed_at: RefCell::default(),
        }
    }

    /// Parses the text as TOML.
    pub(super) fn parse<'t>(&self, text: &'t str) -> Result<Document<&'t str>> {
        Document::parse(text).map_err(|error| {
            let offset = error.span().map(|span| span.start);
            let part = error.span().and_then(|span| text.get(span)).unwrap_or("");
            SceneError {
                file: self.file.clone(),
                line: offset.map(|offset| self.line_at(offset)),
                key: "TOML".to_owned(),
                found: if part.trim().is_empty() {
                    error.message().to_owned()
                } else {
                    format!("{} at {}", error.message(), quoted(part))
                },
                allowed: "TOML as docs/scene.md describes it".to_owned(),
            }
            .into()
        })
    }

    /// The directory against which relative paths in the scene are meant.
    pub(super) fn directory(&self) -> Option<&Path> {
        self.file.as_deref().and_then(Path::parent)
    }

    /// Whether a key stands in the file.
    pub(super) fn has(&self, key: &str) -> bool {
        self.lines.borrow().contains_key(key)
    }

    pub(super) fn add_origin(&self, origin: Origin) {
        self.origins.borrow_mut().push(origin);
    }

    /// Remembers where the particle of each id is listed.
    pub(super) fn set_listed_at(&self, places: Vec<u32>) {
        *self.listed_at.borrow_mut() = places;
    }

    /// A complaint about a field of the particle that is listed there.
    pub(super) fn listed_error(
        &self,
        place: usize,
        field: &str,
        found: impl Into<String>,
        allowed: impl Into<String>,
    ) -> Error {
        SceneError {
            found: found.into(),
            allowed: allowed.into(),
            ..self.listed(place, field, String::new())
        }
        .into()
    }

    /// A complaint about a key. The line is that of the key or of the innermost table around it.
    pub(super) fn error(
        &self,
        key: impl Into<String>,
        found: impl Into<String>,
        allowed: impl Into<String>,
    ) -> Error {
        let key = key.into();
        SceneError {
            file: self.file.clone(),
            line: self.line_of(&key),
            key,
            found: found.into(),
            allowed: allowed.into(),
        }
        .into()
    }

    /// Adds file and line to what the validation says.
    pub(super) fn locate(&self, complaint: Complaint) -> Error {
        let Complaint {
            place,
            near,
            found,
            allowed,
        } = complaint;
        let mut error = self.located(&place);
        if let Some(near) = near {
            let near = self.located(&near);
            (error.file, error.line) = (near.file, near.line);
        }
        error.found = match self.particle_note(&place) {
            Some(note) => format!("{found} ({note})"),
            None => found,
        };
        error.allowed = allowed;
        error.into()
    }

    fn located(&self, place: &Place) -> SceneError {
        match *place {
            Place::Particle { index, field } => {
                let listed_at = self.listed_at.borrow();
                let listed = listed_at.get(index).map_or(index, |&place| place as usize);
                self.listed(listed, field, place.key())
            }
            Place::Key(_) => {
                let key = place.key();
                SceneError {
                    line: self.line_of(&key),
                    ..self.unlocated(key)
                }
            }
        }
    }

    /// Where a field of a listed particle stands; at `key` if that is not known.
    fn listed(&self, place: usize, field: &str, key: String) -> SceneError {
        let mut error = self.unlocated(key);
        let origins = self.origins.borrow();
        let after = origins.partition_point(|origin| origin.start <= place);
        if let Some(origin) = after.checked_sub(1).map(|i| &origins[i]) {
            origin.locate(place, field, &mut error);
        }
        if error.line.is_none() {
            error.line = self.line_of(&error.key);
        }
        error
    }

    fn unlocated(&self, key: String) -> SceneError {
        SceneError {
            file: self.file.clone(),
            line: None,
            key,
            found: String::new(),
            allowed: String::new(),
        }
    }

    /// Which of the generated particles is meant, where the key cannot say it.
    fn particle_note(&self, place: &Place) -> Option<String> {
        match place {
            Place::Particle { index, .. } => Some(format!("particle {index} of the scene")),
            Place::Key(_) => None,
        }
    }

    fn line_of(&self, key: &str) -> Option<usize> {
        let lines = self.lines.borrow();
        let mut key = key;
        loop {
            if let Some(&line) = lines.get(key) {
                return Some(line);
            }
            key = &key[..key.rfind(['.', '['])?];
        }
    }

    fn line_at(&self, offset: usize) -> usize {
        self.line_starts.partition_point(|&start| start <= offset)
    }

    pub(super) fn remember(&self, key: String, span: Option<Range<usize>>) {
        if let Some(span) = span {
            let line = self.line_at(span.start);
            self.lines.borrow_mut().entry(key).or_insert(line);
        }
    }
}
