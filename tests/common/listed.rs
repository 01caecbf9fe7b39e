//! A dense bed whose grains are listed one by one, in any order.

use std::fmt::Write;

/// Grains along each axis.
const ACROSS: u64 = 6;
const HIGH: u64 = 10;

/// Bits that look random: Steele, Lea & Flood's `SplitMix64`.
fn scrambled(number: u64) -> u64 {
    let mut z = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A number from -1 to 1 for each grain and purpose.
fn noise(grain: u64, purpose: u64) -> f64 {
    (scrambled(64 * grain + purpose) >> 32) as f64 / f64::from(u32::MAX) * 2.0 - 1.0
}

/// Rough grains that press against each other in a box; those with several contacts are most of them.
/// Listed by id or all mixed up, with the ids written down or not.
pub(crate) fn dense_bed(mixed_up: bool, with_ids: bool) -> String {
    const RADIUS: f64 = 0.01;
    const SPACING: f64 = 1.97 * RADIUS;
    let side = ACROSS as f64 * SPACING;
    let mut order: Vec<u64> = (0..ACROSS * ACROSS * HIGH).collect();
    if mixed_up {
        order.sort_by_key(|&grain| scrambled(grain));
    }
    let mut items = String::new();
    for grain in order {
        let place = [
            grain % ACROSS,
            grain / ACROSS % ACROSS,
            grain / ACROSS / ACROSS,
        ];
        let of = |scale: f64, purpose: u64| {
            [0, 1, 2].map(|axis| scale * noise(grain, 3 * purpose + axis))
        };
        let jitter = of(0.005 * RADIUS, 0);
        let position = [0, 1, 2].map(|axis| (place[axis] as f64 + 0.5) * SPACING + jitter[axis]);
        let (velocity, spin) = (of(0.3, 1), of(20.0, 2));
        let id = if with_ids {
            format!("id = {grain}, ")
        } else {
            String::new()
        };
        writeln!(
            items,
            "    {{ {id}position = {position:?}, radius = {RADIUS:?}, velocity = {velocity:?}, spin = {spin:?} }},"
        )
        .expect("memory");
    }
    format!(
        r#"
title = "a dense bed"
gravity = [0, 0, -9.81]

[domain]
lower = [0, 0, 0]
upper = [{side:?}, {side:?}, 1]

[time]
end = 0.04
expected_speed = 1

[[materials]]
name = "glass"
density = 2500
young = 5e6
poisson = 0.25

[[pairs]]
between = ["glass", "glass"]
restitution = 0.7
friction = 0.5

[[particles]]
kind = "list"
material = "glass"
items = [
{items}]

[[walls]]
name = "box"
material = "glass"
kind = "box"
lower = [0, 0, 0]
upper = [{side:?}, {side:?}, 1]
open = ["+z"]

[output]
frames = false
series = 0.02
checkpoints = false
picture = false
"#
    )
}
