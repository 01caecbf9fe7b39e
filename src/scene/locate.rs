//! Where a key stands in a scene file.

use std::path::Path;

/// Line, from 1, of a dotted key such as `time.step`; `None` if the file cannot be read or has no
/// such key.
pub(crate) fn line_of_key(file: &Path, key: &str) -> Option<usize> {
    let text = std::fs::read_to_string(file).ok()?;
    let document = toml_edit::Document::parse(text.as_str()).ok()?;
    let mut parts = key.split('.');
    let mut item = document.get(parts.next()?)?;
    for part in parts {
        item = item.as_table_like()?.get(part)?;
    }
    let start = item.span()?.start;
    Some(1 + text.get(..start)?.matches('\n').count())
}
