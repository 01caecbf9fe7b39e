//! One run at a time in a directory.

use crate::error::{Error, Result};
use std::fs::{File, TryLockError};
use std::path::Path;

/// Name of the file that a run holds locked.
const LOCK: &str = ".lock";

/// Holds a directory for one run. The operating system lets go of it when the process ends, however
/// it ends.
#[derive(Debug)]
pub struct DirectoryLock {
    _file: File,
}

impl DirectoryLock {
    /// Makes the directory if it is not there, and takes it.
    ///
    /// # Errors
    /// If another run has it, or it cannot be written to.
    pub fn take(directory: &Path) -> Result<Self> {
        std::fs::create_dir_all(directory)
            .map_err(|e| Error::io(directory, "create directory", e))?;
        let path = directory.join(LOCK);
        let file = File::create(&path).map_err(|e| Error::io(&path, "create lock", e))?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(Error::Usage(format!(
                "another run is writing to {}; wait for it, or name another directory with --out",
                directory.display()
            ))),
            // Some network file systems have no locks: better a run without than none.
            Err(TryLockError::Error(e)) => {
                log::warn!("{} cannot be locked: {e}", path.display());
                Ok(Self { _file: file })
            }
        }
    }
}
