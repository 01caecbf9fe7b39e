//! The engine for hard grains, and the rules by which they collide.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a test says what it expects; counts are small"
)]

#[path = "../common/mod.rs"]
mod common;
mod cross_check;
mod gas;
mod grazing;
mod order;
#[path = "../common/random.rs"]
mod random;
mod reference;
mod rules;
mod scenes;
mod systems;
mod theory;
mod walls;
