//! Hard grains: a gas of equal elastic ones.

use super::super::print;
use super::super::units::{count, si};
use super::BenchArguments;
use crate::error::{Error, Result};
use crate::hard::{HardEngine, HardModel, Leaving, StartingGrain};
use crate::laws::hard_sphere::CollisionRule;
use crate::laws::tc::Dimensions;
use crate::machine::cpu_seconds;
use glam::DVec3;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;
use serde_json::json;
use std::f64::consts::PI;
use std::process::ExitCode;
use std::time::Instant;

/// What is measured unless somebody says otherwise.
const USUAL_PARTICLES: usize = 100_000;
const USUAL_FRACTION: f64 = 0.4;

/// Radius of the grains, m.
const RADIUS: f64 = 0.5;

/// Fullest box that a lattice of grains still moves in: face-centred cubic, hexagonal.
const FULLEST: [f64; 2] = [0.7, 0.85];

/// Seconds that are measured, and collisions per grain before: those that make a gas of the lattice.
const MEASURED: f64 = 3.0;
const MIXING: u64 = 10;

pub(super) fn bench(arguments: &BenchArguments) -> Result<ExitCode> {
    let sizes = match &arguments.particles[..] {
        [] => &[USUAL_PARTICLES],
        sizes => sizes,
    };
    for &particles in sizes {
        measure(arguments, particles)?;
    }
    Ok(ExitCode::SUCCESS)
}

#[allow(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
fn measure(arguments: &BenchArguments, particles: usize) -> Result<()> {
    let fraction = arguments.fraction.unwrap_or(USUAL_FRACTION);
    let dimensions = arguments.dimensions.unwrap_or(3);
    let mut engine = gas(particles, fraction, dimensions == 2)?;
    run_collisions(&mut engine, MIXING * particles as u64 / 2)?;
    let before = engine.tally().clone();
    let (begun, cpu) = (Instant::now(), cpu_seconds());
    while begun.elapsed().as_secs_f64() < MEASURED {
        run_collisions(&mut engine, 10_000)?;
    }
    // Where the system tells, the time of the processor: others may use it too.
    let wall = begun.elapsed().as_secs_f64();
    let used = cpu_seconds() - cpu;
    let seconds = if used > 0.0 { used } else { wall };
    let tally = engine.tally();
    let events = tally.collisions - before.collisions;
    let rate = events as f64 / seconds;
    let bytes = engine.bytes() as f64 / particles as f64;
    let crossings = (tally.crossings - before.crossings) as f64 / events as f64;
    let outdated = (tally.outdated - before.outdated) as f64 / events as f64;
    print(&if arguments.json {
        json!({
            "engine": "hard",
            "dimensions": dimensions,
            "particles": particles,
            "fraction": fraction,
            "events": events,
            "seconds": seconds,
            "wall_seconds": wall,
            "events_per_s": rate,
            "crossings_per_event": crossings,
            "outdated_per_event": outdated,
            "bytes_per_particle": bytes,
        })
        .to_string()
    } else {
        format!(
            "{} collisions of {} hard grains at {} of the volume in {seconds:.2} s of one core\n\
             {} collisions/s; for each, {crossings:.2} cells entered and {outdated:.2} predictions outdated\n\
             {bytes:.0} bytes per grain",
            count(events),
            count(particles as u64),
            fraction,
            si(rate, "").trim_end(),
        )
    })
}

fn run_collisions(engine: &mut HardEngine, wanted: u64) -> Result<()> {
    const BATCH: u64 = 1000;
    let target = engine.tally().collisions + wanted;
    while engine.tally().collisions < target {
        engine.run_events(f64::INFINITY, BATCH)?;
    }
    Ok(())
}

/// Elastic grains on a lattice with random velocities.
#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "places on a lattice; counts stay far below 2^53"
)]
fn gas(particles: usize, fraction: f64, flat: bool) -> Result<HardEngine> {
    let fullest = FULLEST[usize::from(flat)];
    if !(fraction > 0.0 && fraction <= fullest) {
        return Err(Error::Usage(format!(
            "--fraction: found {fraction}; allowed: greater than 0, at most {fullest}"
        )));
    }
    if !(4..=100_000_000).contains(&particles) {
        return Err(Error::Usage(format!(
            "--particles: found {particles}; allowed: 4 to 100000000"
        )));
    }
    // Places in a unit cell, and how many cells make room for all.
    let (places, cells): (&[[f64; 3]], [usize; 3]) = if flat {
        let places: &[[f64; 3]] = &[[0.25, 0.25, 0.0], [0.75, 0.75, 0.0]];
        // Hexagonal: a cell is √3 times as high as wide.
        let across = (particles as f64 / 2.0 * 3.0_f64.sqrt()).sqrt().ceil() as usize;
        (places, [across, particles.div_ceil(2 * across), 1])
    } else {
        let places: &[[f64; 3]] = &[
            [0.25, 0.25, 0.25],
            [0.75, 0.75, 0.25],
            [0.75, 0.25, 0.75],
            [0.25, 0.75, 0.75],
        ];
        (places, [(particles as f64 / 4.0).cbrt().ceil() as usize; 3])
    };
    let size = if flat {
        PI * RADIUS * RADIUS
    } else {
        4.0 / 3.0 * PI * RADIUS.powi(3)
    };
    let counts = DVec3::from_array(cells.map(|count| count as f64));
    let room = particles as f64 * size / fraction;
    // Of the shape of the lattice, and of the volume asked for.
    let shape = if flat {
        DVec3::new(counts.x, counts.y * 3.0_f64.sqrt(), 1.0)
    } else {
        counts
    };
    let scale = if flat {
        (room / (shape.x * shape.y)).sqrt()
    } else {
        (room / (shape.x * shape.y * shape.z)).cbrt()
    };
    let upper = if flat {
        DVec3::new(scale * shape.x, scale * shape.y, 1.0)
    } else {
        scale * shape
    };
    let cell = upper / counts;
    let mut random = Pcg64::seed_from_u64(0);
    let mut draw = || (random.next_u64() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0;
    let mut grains = Vec::with_capacity(particles);
    'filled: for z in 0..cells[2] {
        for y in 0..cells[1] {
            for x in 0..cells[0] {
                for place in places {
                    if grains.len() == particles {
                        break 'filled;
                    }
                    let corner = DVec3::new(x as f64, y as f64, z as f64);
                    let velocity = DVec3::new(draw(), draw(), draw());
                    grains.push(StartingGrain {
                        position: (corner + DVec3::from_array(*place)) * cell,
                        velocity: if flat { velocity.with_z(0.0) } else { velocity },
                        spin: DVec3::ZERO,
                        radius: RADIUS,
                        mass: 1.0,
                        material: 0,
                        fixed: false,
                    });
                }
            }
        }
    }
    let drift: DVec3 = grains.iter().map(|grain| grain.velocity).sum();
    for grain in &mut grains {
        grain.velocity -= drift / particles as f64;
    }
    let model = HardModel {
        dimensions: if flat {
            Dimensions::Two
        } else {
            Dimensions::Three
        },
        lower: DVec3::ZERO,
        upper,
        periodic: [true, true, !flat],
        leaving: Leaving::Stop,
        gravity: DVec3::ZERO,
        contact_duration: 0.0,
        faces: Vec::new(),
        rules: vec![CollisionRule::Smooth { restitution: 1.0 }],
        materials: 1,
    };
    Ok(HardEngine::new(model, &grains))
}
