//! What a step is made of: each stage owns its kernels and knows how to record them.

pub mod balance;
pub mod cells;
pub mod copy;
pub mod decide;
pub mod forces;
pub mod history;
pub mod immerse;
pub mod integrate;
pub mod measure;
pub mod neighbours;
pub mod reorder;
pub mod scan;
pub mod sort;

use super::kernel::KernelSpec;

/// Every kernel, for the test that compares them with their shaders.
pub const KERNELS: &[&KernelSpec] = &[
    &scan::REDUCE,
    &scan::BLOCKS,
    &scan::DOWNSWEEP,
    &sort::COUNT,
    &sort::SCAN,
    &sort::SCATTER,
    &decide::DECIDE,
    &cells::KEYS,
    &cells::CLEAR,
    &cells::INSERT,
    &neighbours::NEIGHBOURS,
    &neighbours::CHECK,
    &reorder::COPY,
    &reorder::COMMIT,
    &history::SAVE,
    &history::CHECK,
    &history::NAME,
    &history::PACK,
    &history::MATCH,
    &history::RESTORE,
    &balance::BALANCE,
    &forces::FORCES,
    &forces::LEAP,
    &immerse::IMMERSE,
    &immerse::COMMIT,
    &integrate::INTEGRATE,
    &measure::MEASURE,
    &copy::COPY,
];
