//! Files that a run leaves behind: frames for `ParaView`, a CSV series, checkpoints.
//!
//! | file | written by | read by |
//! |---|---|---|
//! | `frame_*.vtp`, `walls.vtp` | [`write_vtp`], [`write_walls`] | `ParaView` |
//! | `run.pvd` | [`Pvd`] | `ParaView`: the frames in time |
//! | `series.csv` | [`SeriesWriter`] | [`read_series`], any spreadsheet |
//! | `.lock` | [`DirectoryLock`] | other runs, which stay away |
//! | `checkpoint.lahar` | [`write_checkpoint`] | [`read_checkpoint`] |
//!
//! A run of hard grains writes the same files through [`HardRecorder`]; its series has other columns
//! ([`HARD_COLUMNS`]).
//!
//! A file appears under its name only when it is complete: it is written beside it, under the same
//! name with `.tmp` added, and then renamed. A full disk or a killed process leaves the previous file
//! untouched. The series is the exception, because it grows row by row; there, a row that could not
//! be written whole is taken back.
//!
//! To resume: write rows and frames *before* the checkpoint of the same step. Then everything up to
//! the checkpoint is on disk, and [`SeriesWriter::resume`] and [`Pvd::resume`] drop what came later.

mod atomic;
pub mod checkpoint;
mod hard_checkpoint;
mod hard_recorder;
mod hard_series;
mod hash;
mod lock;
pub mod recorder;
pub mod series;
pub(crate) mod surface;
pub mod vtk;

pub(crate) use atomic::{Durability, write_atomic};
pub use checkpoint::{checkpoint_engine, fingerprint, read_checkpoint, write_checkpoint};
pub use hard_checkpoint::{read_hard_checkpoint, write_hard_checkpoint};
pub use hard_recorder::HardRecorder;
pub use hard_series::{HARD_COLUMNS, HardSeries, RowBefore};
pub use hash::{hard_state_hash, state_hash};
pub use lock::DirectoryLock;
pub use recorder::{CHECKPOINT, Recorder};
pub use series::{Series, SeriesWriter, read_series, wall_face_names};
pub use vtk::{Pvd, write_hard_vtp, write_vtp, write_walls};
