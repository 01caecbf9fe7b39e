//! One sphere that falls, touches and bounces.

use super::{BALL_RESTITUTION, GRAVITY, above_floor, linear};
use crate::error::Result;
use crate::laws::ContactEnd;
use crate::laws::linear::{linear_damping, linear_damping_ratio_from_restitution};
use crate::laws::material::sphere_mass;
use crate::scene::{Pair, Particle, Scene};
use crate::verify::{Bench, Check, Engines, Measured, Study, Tolerance};
use glam::DVec3;

pub(super) fn free_fall() -> Study {
    Study {
        name: "free-fall",
        source: "LAMMPS granular tests, free fall",
        summary: "A grain falls for 4000 steps.",
        engines: Engines::All,
        quick: true,
        checks: vec![
            Check::new(
                "height",
                "distance fallen over ½ g t²",
                1.0,
                Tolerance::relative(1e-11, "rounding of 4000 sums"),
            )
            .on_devices(Tolerance::relative(
                1e-6,
                "f32 velocities with ten more bits",
            )),
            Check::new(
                "speed",
                "speed over g t",
                1.0,
                Tolerance::relative(1e-11, "rounding of 4000 sums"),
            )
            .on_devices(Tolerance::relative(
                1e-6,
                "f32 velocities with ten more bits",
            )),
        ],
        measure: Box::new(|bench| {
            let pair = Pair {
                stiffness: Some(1e4),
                restitution: Some(0.9),
                ..Pair::new(0, 0)
            };
            let step = 1e-4;
            let scene = above_floor(linear(), 2500.0, pair)
                .end_time(0.4)
                .time_step(step)
                .particle(Particle::new(DVec3::Z * 1.9, 0.05, 0))
                .build()?;
            let mut engine = bench.simulate(&scene)?;
            engine.run(4000)?;
            let state = engine.state()?;
            let time = 4000.0 * step;
            Ok(Measured::values([
                (1.9 - state.position(0).z) / (0.5 * GRAVITY * time * time),
                -state.particles.velocity[0].z / (GRAVITY * time),
            ]))
        }),
    }
}

/// Radius (m), density (kg/m³) and start (m) of MFIX DEM01 and DEM02.
const BALL: (f64, f64, f64) = (0.1, 2600.0, 0.5);

/// A contact of the ball with the floor in gravity, by its closed form:
/// δ = sag + e^(−βt) (A cos ωt + B sin ωt), with δ(0) = 0 and δ̇(0) = v.
struct Touch {
    sag: f64,
    decay: f64,
    frequency: f64,
    amplitudes: [f64; 2],
}

impl Touch {
    fn new(stiffness: f64, speed: f64) -> Self {
        let mass = sphere_mass(BALL.1, BALL.0);
        let ratio = linear_damping_ratio_from_restitution(BALL_RESTITUTION, ContactEnd::Overlap);
        let decay = linear_damping(ratio, stiffness, mass) / (2.0 * mass);
        let frequency = (stiffness / mass - decay * decay).sqrt();
        let sag = mass * GRAVITY / stiffness;
        Self {
            sag,
            decay,
            frequency,
            amplitudes: [-sag, (speed - decay * sag) / frequency],
        }
    }

    fn overlap(&self, t: f64) -> f64 {
        let (sin, cos) = (self.frequency * t).sin_cos();
        let [a, b] = self.amplitudes;
        self.sag + (-self.decay * t).exp() * (a * cos + b * sin)
    }

    fn rate(&self, t: f64) -> f64 {
        let (sin, cos) = (self.frequency * t).sin_cos();
        let ([a, b], f, d) = (self.amplitudes, self.frequency, self.decay);
        (-d * t).exp() * ((f * b - d * a) * cos - (f * a + d * b) * sin)
    }

    /// When the overlap is largest, and when it is zero again, s.
    fn top_and_end(&self) -> [f64; 2] {
        let bisect = |mut low: f64, mut high: f64, value: &dyn Fn(f64) -> f64| {
            for _ in 0..80 {
                let middle = 0.5 * (low + high);
                if value(middle) > 0.0 {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            0.5 * (low + high)
        };
        let half = std::f64::consts::PI / self.frequency;
        let top = bisect(0.0, half, &|t| self.rate(t));
        [top, bisect(top, 1.5 * half, &|t| self.overlap(t))]
    }
}

/// Speed after a bounce (m/s), and its largest overlap (m).
fn bounce(stiffness: f64, speed: f64) -> [f64; 2] {
    let touch = Touch::new(stiffness, speed);
    let [top, end] = touch.top_and_end();
    [-touch.rate(end), touch.overlap(top)]
}

/// Heights of the centre that the first bounces reach, m.
fn bounce_heights(stiffness: f64) -> [f64; 3] {
    let mut speed = (2.0 * GRAVITY * (BALL.2 - BALL.0)).sqrt();
    [0; 3].map(|_| {
        speed = bounce(stiffness, speed)[0];
        BALL.0 + speed * speed / (2.0 * GRAVITY)
    })
}

/// Stiffness of DEM01 and of DEM02, N/m.
const STIFFNESSES: [f64; 2] = [1e4, 5e4];

/// Step of a drop (s).
fn drop_step(stiffness: f64) -> f64 {
    let mass = sphere_mass(BALL.1, BALL.0);
    std::f64::consts::PI * (mass / stiffness).sqrt() / 400.3
}

/// Instants of DEM01, as steps from the start, and the height (m) and velocity (m/s) there: two in each of
/// free fall, contact and flight after it.
fn phases() -> [(&'static str, u64, [f64; 2]); 6] {
    let step = drop_step(STIFFNESSES[0]);
    let falls = (2.0 * (BALL.2 - BALL.0) / GRAVITY).sqrt();
    let touch = Touch::new(STIFFNESSES[0], GRAVITY * falls);
    let [_, lasts] = touch.top_and_end();
    let up = -touch.rate(lasts);
    let names = [
        ("fall/half", 0.5 * falls),
        ("fall/end", 0.999 * falls),
        ("contact/third", falls + 0.3 * lasts),
        ("contact/end", falls + 0.9 * lasts),
        ("rebound/half", falls + lasts + 0.5 * up / GRAVITY),
        ("rebound/top", falls + lasts + up / GRAVITY),
    ];
    names.map(|(name, time)| {
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "some thousand steps"
        )]
        let steps = (time / step).round() as u64;
        #[allow(clippy::cast_precision_loss, reason = "some thousand steps")]
        let time = steps as f64 * step;
        let seen = if time < falls {
            [BALL.2 - 0.5 * GRAVITY * time * time, -GRAVITY * time]
        } else if time < falls + lasts {
            let t = time - falls;
            [BALL.0 - touch.overlap(t), -touch.rate(t)]
        } else {
            let t = time - falls - lasts;
            [BALL.0 + up * t - 0.5 * GRAVITY * t * t, up - GRAVITY * t]
        };
        (name, steps, seen)
    })
}

pub(super) fn three_phases() -> Study {
    let mut checks = Vec::new();
    for (name, _, [height, speed]) in phases() {
        let falls = name.starts_with("fall");
        let device = Tolerance::absolute(
            4e-6,
            "f32 velocities of up to 2.8 m/s, in each of 1000 steps",
        );
        for (what, unit, expected) in [("height", "m", height), ("velocity", "m/s", speed)] {
            let tolerance = if falls {
                Tolerance::absolute(1e-12, "rounding of a thousand sums")
            } else if what == "height" {
                Tolerance::absolute(2e-6, "second order at 400 steps in the contact")
            } else {
                Tolerance::absolute(4e-5, "second order at 400 steps in the contact, at 2.8 m/s")
            };
            checks.push(
                Check::new(
                    format!("{name}/{what}"),
                    format!("DEM01, {}: {what}, {unit}", name.replace('/', ", ")),
                    expected,
                    tolerance,
                )
                .on_devices(device),
            );
        }
    }
    Study {
        name: "mfix-phases",
        source: "MFIX DEM01",
        summary: "A sphere of 0.2 m falls from 0.5 m onto a linear spring: height and velocity in free fall, \
                  in contact and in the flight after it, each against its closed form.",
        engines: Engines::All,
        quick: true,
        checks,
        measure: Box::new(|bench| {
            let mut engine = bench.simulate(&drop_scene(STIFFNESSES[0])?)?;
            let mut values = Vec::new();
            let mut done = 0;
            for (_, steps, _) in phases() {
                engine.run(steps - done)?;
                done = steps;
                let state = engine.state()?;
                values.extend([state.position(0).z, state.particles.velocity[0].z]);
            }
            Ok(Measured::values(values))
        }),
    }
}

/// The ball of DEM01 and DEM02 above its floor.
fn drop_scene(stiffness: f64) -> Result<Scene> {
    let (radius, density, start) = BALL;
    let pair = Pair {
        stiffness: Some(stiffness),
        restitution: Some(BALL_RESTITUTION),
        ..Pair::new(0, 0)
    };
    above_floor(linear(), density, pair)
        .end_time(3.0)
        .time_step(drop_step(stiffness))
        .particle(Particle::new(DVec3::Z * start, radius, 0))
        .build()
}

pub(super) fn bouncing() -> Study {
    let stepped = Tolerance::relative(4e-6, "second order at 400 steps in each contact");
    let first = (2.0 * GRAVITY * (BALL.2 - BALL.0)).sqrt();
    let mut checks = vec![Check::new(
        "dem01/overlap",
        "DEM01: largest overlap of the first bounce, m",
        bounce(STIFFNESSES[0], first)[1],
        Tolerance::relative(
            2e-7,
            "second order at 400 steps, where the overlap hardly changes; the largest of a parabola",
        ),
    )];
    for (name, stiffness) in ["dem01", "dem02"].into_iter().zip(STIFFNESSES) {
        for (k, height) in (1..).zip(bounce_heights(stiffness)) {
            checks.push(Check::new(
                format!("{name}/height/{k}"),
                format!("{}: height after bounce {k}, m", name.to_uppercase()),
                height,
                stepped,
            ));
        }
    }
    let hard = BALL.0 + (BALL.2 - BALL.0) * BALL_RESTITUTION.powi(2);
    checks.push(Check::new(
        "dem02/hard",
        "DEM02: height after bounce 1 over that of hard spheres, (h₀ − r)e² + r",
        bounce_heights(STIFFNESSES[1])[0] / hard,
        Tolerance::relative(
            4e-6,
            "second order at 400 steps; what is missing to 1 gravity takes during a contact of 0.05 s",
        ),
    ));
    Study {
        name: "mfix-bouncing",
        source: "MFIX DEM01 and DEM02",
        summary: "A sphere of 0.2 m falls from 0.5 m and bounces on a linear spring: the closed form of \
                  each contact, gravity included.",
        engines: Engines::All,
        quick: true,
        checks,
        measure: Box::new(move |bench| {
            let mut values = Vec::new();
            for stiffness in STIFFNESSES {
                let (heights, overlap) = drop_sphere(bench, stiffness)?;
                if stiffness == STIFFNESSES[0] {
                    values.push(overlap);
                }
                values.extend(heights);
                if stiffness == STIFFNESSES[1] {
                    values.push(heights[0] / hard);
                }
            }
            Ok(Measured::values(values))
        }),
    }
}

/// Steps of a contact between two looks at it.
const LOOK_EVERY: u64 = 4;

/// Heights after three bounces, and the largest overlap in the first.
fn drop_sphere(bench: &dyn Bench, stiffness: f64) -> Result<([f64; 3], f64)> {
    let radius = BALL.0;
    let step = drop_step(stiffness);
    let mut engine = bench.simulate(&drop_scene(stiffness)?)?;
    let mut heights = Vec::new();
    let mut overlaps = Vec::new();
    let mut in_flight = true;
    while heights.len() < 3 {
        let state = engine.state()?;
        let (height, speed) = (state.position(0).z, state.particles.velocity[0].z);
        if let Some(contact) = state.contacts.first() {
            if heights.is_empty() {
                overlaps.push(contact.overlap);
            }
            in_flight = false;
        } else if !in_flight && speed > 0.0 && height > radius + 2.0 * step * speed {
            // Free, and past the kick that ended the contact: what is left of the climb is known.
            heights.push(height + speed * speed / (2.0 * GRAVITY));
            in_flight = true;
        }
        // Until just before the next contact nothing happens.
        let left = height - radius;
        let until = (speed + (speed * speed + 2.0 * GRAVITY * left.max(0.0)).sqrt()) / GRAVITY;
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "some thousand steps at most"
        )]
        let idle = if in_flight {
            (until / step - 4.0).max(1.0) as u64
        } else {
            LOOK_EVERY
        };
        engine.run(idle)?;
    }
    // Refined by the parabola through the largest and its neighbours.
    let top = (1..overlaps.len().saturating_sub(1))
        .max_by(|&a, &b| overlaps[a].total_cmp(&overlaps[b]))
        .unwrap_or(1);
    let [left, middle, right] = [overlaps[top - 1], overlaps[top], overlaps[top + 1]];
    let largest = middle - (right - left).powi(2) / (8.0 * (left - 2.0 * middle + right));
    Ok(([heights[0], heights[1], heights[2]], largest))
}
