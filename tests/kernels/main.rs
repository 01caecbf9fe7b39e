//! The graphics device and its kernels, one by one, against a few lines of `std`.

#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "a test says what it expects; counts are small"
)]

#[path = "../common/device.rs"]
mod common;
mod device;
