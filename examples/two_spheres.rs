//! Two glass beads collide head-on: the hello world of lahar.
//!
//! Run it with `cargo run --release --example two_spheres`. Restitution comes out as the 0.8 that
//! was asked for, and the contact time as Hertz's theory with Tsuji's damping has it.

#![allow(clippy::print_stdout, reason = "an example talks to its reader")]

use glam::DVec3;
use lahar::Simulation;
use lahar::scene::{Pair, Particle, Scene};

fn main() -> lahar::Result<()> {
    let bead = |x: f64, speed: f64| Particle {
        velocity: DVec3::X * speed,
        ..Particle::new(DVec3::X * x, 1e-3, 0)
    };
    let scene = Scene::builder()
        .domain(DVec3::splat(-0.01), DVec3::splat(0.01))
        .end_time(2e-3)
        .material("glass", 2500.0, 1e8, 0.22)
        .pair(Pair {
            restitution: Some(0.8),
            friction: 0.4,
            ..Pair::new(0, 0)
        })
        .particle(bead(-1.1e-3, 0.5))
        .particle(bead(1.1e-3, -0.5))
        .build()?;

    let mut simulation = Simulation::from_scene(scene)?;
    let (mut begin, mut end) = (None, None);
    while simulation.time() < 2e-3 {
        simulation.run(1)?;
        let touching = !simulation.snapshot()?.contacts.is_empty();
        if touching && begin.is_none() {
            begin = Some(simulation.time());
        }
        if !touching && begin.is_some() && end.is_none() {
            end = Some(simulation.time());
        }
    }
    let state = simulation.snapshot()?;
    let rebound = state.particles.velocity[1].x - state.particles.velocity[0].x;
    println!("restitution   {rebound:.5} (asked for: 0.8)");
    if let (Some(begin), Some(end)) = (begin, end) {
        println!(
            "contact time  {:.1} µs in steps of {:.2} µs (elastic: {:.1} µs)",
            1e6 * (end - begin),
            1e6 * simulation.time_step(),
            1e6 * simulation.step_advice().contact_time,
        );
    }
    println!("energy error  {:.1e} J", state.ledger.balance_error());
    Ok(())
}
