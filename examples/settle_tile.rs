//! Makes the tile of which `lahar bench` lays its beds: 1000 equal spheres poured into a column that is
//! periodic in x and y, at rest, the lowest first.
//!
//!     cargo run --release --example settle_tile -- src/bench/tile.csv
//!
//! Expected: 4.9 contacts per grain, nothing faster than 0.2 mm/s, a depth of 37 mm.

#![allow(clippy::print_stdout, reason = "an example tells what it did")]

use glam::DVec3;
use lahar::Simulation;
use lahar::scene::{Pair, Particle, Scene, WallShape};
use std::fmt::Write;

const LENGTH: f64 = 0.014;
const RADIUS: f64 = 1e-3;
const ACROSS: usize = 6;
const GRAINS: usize = 1000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("say where to write")?;
    // A cubic lattice with gaps; places are shifted by a fixed rule, so that layers do not stand on each other.
    let spacing = LENGTH / ACROSS as f64;
    let jitter = |k: usize| ((k as f64 * 0.618_033_988_75).fract() - 0.5) * 0.3e-3;
    let place = |k: usize| {
        let (x, y, z) = (k % ACROSS, k / ACROSS % ACROSS, k / ACROSS / ACROSS);
        let corner = DVec3::new(x as f64, y as f64, z as f64) + 0.5;
        spacing * corner + DVec3::new(jitter(k), jitter(7 * k + 3), jitter(11 * k + 5))
    };
    let mut grains: Vec<DVec3> = (0..GRAINS).map(place).collect();
    // Poured with friction; then twice more from rest without tension in the springs, as beds start.
    for (round, duration) in [1.0, 0.4, 0.4].into_iter().enumerate() {
        let scene = Scene::builder()
            .domain(
                DVec3::new(0.0, 0.0, -RADIUS),
                DVec3::new(LENGTH, LENGTH, 0.08),
            )
            .periodic([true, true, false])
            .gravity(DVec3::new(0.0, 0.0, -9.81))
            .end_time(duration)
            .time_step(1e-5)
            .material("grain", 2500.0, 1e7, 0.3)
            .pair(Pair {
                restitution: Some(0.5),
                friction: 0.5,
                ..Pair::new(0, 0)
            })
            .wall(
                "floor",
                0,
                WallShape::Plane {
                    point: DVec3::ZERO,
                    normal: DVec3::Z,
                },
            )
            .particles(grains.iter().map(|&x| Particle::new(x, RADIUS, 0)))
            .build()?;
        let mut simulation = Simulation::from_scene(scene)?;
        simulation.run_until(duration)?;
        let state = simulation.snapshot()?;
        grains = (0..GRAINS).map(|k| state.position(k)).collect();
        let fastest = state
            .particles
            .velocity
            .iter()
            .map(|v| v.length())
            .fold(0.0, f64::max);
        println!(
            "round {round}: {} contacts, fastest {fastest:e} m/s",
            simulation.contacts()
        );
    }
    grains.sort_by(|a, b| a.z.total_cmp(&b.z));
    println!("highest {:.2} mm", 1e3 * grains[GRAINS - 1].z);
    let mut text = String::from("x,y,z\n");
    for grain in &grains {
        // To a picometre, a billionth of a radius.
        writeln!(text, "{:.12},{:.12},{:.12}", grain.x, grain.y, grain.z)?;
    }
    std::fs::write(&path, text)?;
    Ok(())
}
