//! The functions of `shaders/lib`, run on a device, against their twins in Rust.
//!
//! Laws: `f32` on the device against `f64` on the host, over random arguments that both can hold.
//! Positions, and what sums of energies are made of: integers, exactly. `cargo test --test law_twins --
//! --nocapture` prints how far apart the twins of each law are at worst.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "a test says what it expects; its numbers are drawn from ranges that fit"
)]

#[path = "../common/device.rs"]
mod device;

mod draw;
mod harness;
mod laws;
mod positions;
mod sources;
mod sums;
