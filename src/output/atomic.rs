//! Files that are either whole or not there.

use crate::error::{Error, Result};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// How much a file must survive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Durability {
    /// The end of the process, however abrupt. Costs nothing.
    Process,
    /// A power failure too: data and directory entry are forced to the disk before returning.
    Machine,
}

/// Writes a file under a temporary name and renames it once `fill` has succeeded.
///
/// On failure the temporary file is removed and a previous file stays as it was. The temporary name
/// is `path` + `.tmp`, always the same, so that one left behind by a killed process is overwritten
/// by the next write and does not pile up. A path that exists and is no regular file (a device, a
/// pipe) cannot be replaced by a rename and is written directly.
pub(crate) fn write_atomic(
    path: &Path,
    action: &'static str,
    durability: Durability,
    fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<()> {
    let fail = |source| Error::io(path, action, source);
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        let file = fs::OpenOptions::new().write(true).open(path);
        return file
            .and_then(|file| fill_and_flush(file, fill))
            .map(drop)
            .map_err(fail);
    }
    let temporary = temporary_name(path);
    let written = File::create(&temporary)
        .and_then(|file| fill_and_flush(file, fill))
        .and_then(|file| match durability {
            Durability::Process => Ok(()),
            Durability::Machine => file.sync_all(),
        })
        .and_then(|()| fs::rename(&temporary, path))
        .and_then(|()| match durability {
            Durability::Process => Ok(()),
            Durability::Machine => sync_directory(path),
        });
    written.map_err(|source| {
        // The first failure is the one to report; a leftover is overwritten by the next attempt.
        let _ = fs::remove_file(&temporary);
        fail(source)
    })
}

/// The name under which `path` is written before it is renamed.
pub(crate) fn temporary_name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".tmp");
    PathBuf::from(name)
}

fn fill_and_flush(
    file: File,
    fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<File> {
    let mut out = BufWriter::with_capacity(1 << 20, file);
    fill(&mut out)?;
    out.flush()?;
    out.into_inner().map_err(io::IntoInnerError::into_error)
}

/// Forces the directory entry made by a rename to the disk.
#[cfg(unix)]
fn sync_directory(path: &Path) -> io::Result<()> {
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    File::open(directory)?.sync_all()
}

/// Elsewhere a directory cannot be opened as a file; the rename itself has to do.
#[cfg(not(unix))]
fn sync_directory(_path: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        fs::write(&path, "old").unwrap();
        for durability in [Durability::Process, Durability::Machine] {
            let failed = write_atomic(&path, "write test", durability, |out| {
                out.write_all(b"half of the new")?;
                out.flush()?;
                Err(io::Error::from(io::ErrorKind::StorageFull))
            });
            let message = failed.unwrap_err().to_string();
            assert!(message.starts_with("could not write test "), "{message}");
            assert_eq!(fs::read_to_string(&path).unwrap(), "old");
            assert!(!temporary_name(&path).exists());
        }
    }

    #[test]
    fn a_leftover_of_a_killed_process_is_overwritten() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        fs::write(temporary_name(&path), "a much longer leftover").unwrap();
        write_atomic(&path, "write test", Durability::Machine, |out| {
            out.write_all(b"new")
        })
        .unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert!(!temporary_name(&path).exists());
    }
}
