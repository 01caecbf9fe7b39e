//! The engine for hard grains, and the rules by which they collide.

#[path = "../common/mod.rs"]
mod common;
mod reference;
mod rules;
mod theory;
