//! Cases of MFIX and LAMMPS: one or a few grains under gravity, friction, rolling and adhesion.

use super::{Bench, Check, Engines, Measured, Study, Tolerance};
use crate::engine::Engine;
use crate::error::Result;
use crate::laws::ContactEnd;
use crate::laws::cohesion::{dmt_force, jkr_pull_off_force};
use crate::laws::linear::{linear_damping, linear_damping_ratio_from_restitution};
use crate::laws::material::sphere_mass;
use crate::scene::{
    CohesionLaw, ContactLaws, NormalLaw, Pair, Particle, RollingLaw, Scene, SceneBuilder,
    TangentialLaw, WallShape,
};
use crate::state::State;
use glam::DVec3;

pub(super) fn studies() -> Vec<Study> {
    vec![
        free_fall(),
        three_phases(),
        bouncing(),
        squeezed_stack(),
        stack_energy(),
        slip_to_roll(),
        rolling_decay(),
        pull_off(),
        cradle(),
    ]
}

const GRAVITY: f64 = 9.81;

/// A scene above a floor at z = 0, with one material and pair.
fn above_floor(laws: ContactLaws, density: f64, pair: Pair) -> SceneBuilder {
    Scene::builder()
        .domain(DVec3::splat(-2.0), DVec3::splat(2.0))
        .gravity(DVec3::NEG_Z * GRAVITY)
        .contact(laws)
        .material("grain", density, None, 0.3)
        .pair(pair)
        .wall(
            "floor",
            0,
            WallShape::Plane {
                point: DVec3::ZERO,
                normal: DVec3::Z,
            },
        )
}

/// Linear springs without friction.
fn linear() -> ContactLaws {
    ContactLaws {
        normal: NormalLaw::Linear,
        tangential: TangentialLaw::None,
        ..ContactLaws::default()
    }
}

fn free_fall() -> Study {
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

/// Radius (m), density (kg/m³), start (m), stiffness (N/m) and restitution of MFIX DEM01 and DEM02.
const BALL: (f64, f64, f64) = (0.1, 2600.0, 0.5);
const BALL_RESTITUTION: f64 = 0.9;

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

fn three_phases() -> Study {
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

fn bouncing() -> Study {
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

/// Radius (m), stiffness (N/m), density (kg/m³) and height of the gap over the radius.
const STACK_RADIUS: f64 = 5e-4;
const STACK_STIFFNESS: f64 = 1e3;
const STACK_DENSITY: f64 = 1e4;
const STACK_HEIGHT: f64 = 3.6;
const STACK_TIME: f64 = 1e-3;

/// Heights of the centres at the start, over the radius: not in balance.
const STACK_START: [f64; 2] = [0.9, 2.7];

/// Steps in [`STACK_TIME`]: 100 in the contact of two grains.
const STACK_STEPS: u32 = 2000;

/// Heights of two grains squeezed between plates after [`STACK_TIME`], by Runge & Kutta.
fn stack_reference(restitution: f64) -> [f64; 2] {
    let mass = sphere_mass(STACK_DENSITY, STACK_RADIUS);
    let ratio = linear_damping_ratio_from_restitution(restitution, ContactEnd::Overlap);
    let [with_wall, with_grain] =
        [mass, 0.5 * mass].map(|m| linear_damping(ratio, STACK_STIFFNESS, m));
    let push = |damping: f64, overlap: f64, rate: f64| {
        if overlap > 0.0 {
            STACK_STIFFNESS * overlap + damping * rate
        } else {
            0.0
        }
    };
    let slope = |[low, high, v_low, v_high]: [f64; 4]| {
        let [on_floor, on_ceiling, on_grain] = stack_overlaps([low, high]);
        let floor = push(with_wall, on_floor, -v_low);
        let ceiling = push(with_wall, on_ceiling, v_high);
        let between = push(with_grain, on_grain, v_low - v_high);
        [
            v_low,
            v_high,
            (floor - between) / mass - GRAVITY,
            (between - ceiling) / mass - GRAVITY,
        ]
    };
    let mut state = [
        STACK_START[0] * STACK_RADIUS,
        STACK_START[1] * STACK_RADIUS,
        0.0,
        0.0,
    ];
    let steps = 100_000;
    let h = STACK_TIME / f64::from(steps);
    let moved = |state: [f64; 4], slope: [f64; 4], h: f64| {
        [0, 1, 2, 3].map(|k: usize| state[k] + h * slope[k])
    };
    for _ in 0..steps {
        let a = slope(state);
        let b = slope(moved(state, a, 0.5 * h));
        let c = slope(moved(state, b, 0.5 * h));
        let d = slope(moved(state, c, h));
        state = [0, 1, 2, 3]
            .map(|k: usize| state[k] + h / 6.0 * (a[k] + 2.0 * b[k] + 2.0 * c[k] + d[k]));
    }
    [state[0] / STACK_RADIUS, state[1] / STACK_RADIUS]
}

/// Overlaps with floor and ceiling, and of the two grains at these heights, m.
fn stack_overlaps([low, high]: [f64; 2]) -> [f64; 3] {
    [
        STACK_RADIUS - low,
        high + STACK_RADIUS - STACK_HEIGHT * STACK_RADIUS,
        2.0 * STACK_RADIUS - (high - low),
    ]
}

/// Two grains squeezed between two plates.
fn start_stack(bench: &dyn Bench, restitution: f64) -> Result<Box<dyn Engine>> {
    let pair = Pair {
        stiffness: Some(STACK_STIFFNESS),
        restitution: Some(restitution),
        ..Pair::new(0, 0)
    };
    let ceiling = |height: f64| WallShape::Plane {
        point: DVec3::Z * height * STACK_RADIUS,
        normal: DVec3::NEG_Z,
    };
    let at = |height: f64| DVec3::Z * height * STACK_RADIUS;
    let mut scene = above_floor(linear(), STACK_DENSITY, pair)
        .domain(DVec3::splat(-0.01), DVec3::splat(0.01))
        .end_time(STACK_TIME)
        .time_step(STACK_TIME / f64::from(STACK_STEPS))
        .wall("ceiling", 0, ceiling(4.0))
        .particles([1.0, 3.0].map(|height| Particle::new(at(height), STACK_RADIUS, 0)))
        .build()?;
    // A scene of a user may not begin so deep in contact: it is pressed together behind that check.
    scene.walls[1].shape = ceiling(STACK_HEIGHT);
    for (particle, height) in scene.particles.iter_mut().zip(STACK_START) {
        particle.position = at(height);
    }
    bench.simulate(&scene)
}

/// The heights that both stacks end at.
fn stack_heights(expected: [f64; 2], tolerance: Tolerance) -> [Check; 2] {
    [("lower", expected[0]), ("upper", expected[1])].map(|(name, height)| {
        let quantity = format!("height of the {name} grain over the radius");
        Check::new(name, quantity, height, tolerance)
    })
}

fn squeezed_stack() -> Study {
    let [low, high] = stack_reference(BALL_RESTITUTION);
    let stepped = Tolerance::relative(4e-6, "second order at 100 steps in a contact time");
    Study {
        name: "mfix-stack",
        source: "MFIX DEM03",
        summary: "Two grains pressed into a gap of 3.6 radii between two plates oscillate; heights after \
                  1 ms against an integration by Runge & Kutta.",
        engines: Engines::All,
        quick: true,
        checks: stack_heights([low, high], stepped).into(),
        measure: Box::new(|bench| {
            let mut engine = start_stack(bench, BALL_RESTITUTION)?;
            engine.run(u64::from(STACK_STEPS))?;
            let state = engine.state()?;
            Ok(Measured::values(
                [0, 1].map(|k| state.position(k).z / STACK_RADIUS),
            ))
        }),
    }
}

fn stack_energy() -> Study {
    let [low, high] = stack_reference(1.0);
    let stepped = Tolerance::relative(1e-5, "second order at 100 steps in a contact time");
    Study {
        name: "stack-energy",
        source: "LAMMPS granular tests, stack energy",
        summary: "The two grains between two plates with e = 1: kinetic energy, weight and springs together \
                  stay what they were, and the heights after 1 ms are those of an integration by Runge \
                  & Kutta.",
        engines: Engines::All,
        quick: true,
        checks: [
            Check::new(
                "energy",
                "largest change of the total energy in 1 ms, over it",
                0.0,
                Tolerance::absolute(
                    1e-5,
                    "second order at 100 steps in a contact time: it swings, and does not drift",
                ),
            )
            .on_devices(Tolerance::absolute(1e-6, "f32 velocities")),
            Check::new(
                "drift",
                "mean of the total energy in the second half over that in the first",
                1.0,
                Tolerance::relative(4e-7, "the same swings, not quite whole in number"),
            ),
        ]
        .into_iter()
        .chain(stack_heights([low, high], stepped))
        .collect(),
        measure: Box::new(|bench| {
            let mut engine = start_stack(bench, 1.0)?;
            let mass = sphere_mass(STACK_DENSITY, STACK_RADIUS);
            let energy = |state: &State| {
                let heights = [0, 1].map(|k| state.position(k).z);
                let springs = stack_overlaps(heights).map(|o| o.max(0.0).powi(2));
                let kinetic = [0, 1].map(|k| state.particles.velocity[k].length_squared());
                0.5 * STACK_STIFFNESS * springs.iter().sum::<f64>()
                    + 0.5 * mass * kinetic.iter().sum::<f64>()
                    + mass * GRAVITY * (heights[0] + heights[1])
            };
            let begun = energy(&engine.state()?);
            let mut energies = Vec::new();
            for _ in 0..STACK_STEPS / 10 {
                engine.run(10)?;
                energies.push(energy(&engine.state()?) / begun);
            }
            let state = engine.state()?;
            let changes = energies.iter().map(|energy| (energy - 1.0).abs());
            let (first, second) = energies.split_at(energies.len() / 2);
            Ok(Measured::values([
                changes.fold(0.0, f64::max),
                second.iter().sum::<f64>() / first.iter().sum::<f64>(),
                state.position(0).z / STACK_RADIUS,
                state.position(1).z / STACK_RADIUS,
            ]))
        }),
    }
}

fn slip_to_roll() -> Study {
    Study {
        name: "mfix-slip-to-roll",
        source: "MFIX DEM04; LAMMPS dem05, slip to roll",
        summary: "A grain put on a floor with a horizontal speed u₀ = 0.1 m/s slides, is slowed by \
                  friction, and rolls from t_s = 2u₀/(7μg) on at 5u₀/7.",
        engines: Engines::All,
        quick: true,
        checks: vec![
            Check::new(
                "sliding",
                "speed at t_s/2 over u₀ − μ g t_s/2",
                1.0,
                Tolerance::relative(
                    1e-11,
                    "rounding: the spring is stretched to its limit within the first of 4000 steps",
                ),
            ),
            Check::new(
                "time",
                "when the slip first vanishes over t_s = 2u₀/(7μg)",
                1.0,
                Tolerance::relative(
                    2e-5,
                    "spring and dashpot take over c/k = 3·10⁻⁴ t_s before; a straight line between two steps",
                ),
            )
            .on_devices(Tolerance::relative(
                2e-5,
                "f32 spins and velocities, whose difference vanishes there",
            )),
            Check::new(
                "rolling",
                "speed at 2 t_s over 5u₀/7",
                1.0,
                Tolerance::relative(
                    1e-11,
                    "friction conserves the angular momentum about the floor; rounding of 16 000 steps",
                ),
            ),
            Check::new(
                "spin",
                "R ω over speed at 2 t_s",
                1.0,
                Tolerance::relative(
                    1e-12,
                    "the spring has rung out a hundred periods before",
                ),
            ),
        ],
        measure: Box::new(|bench| {
            let (radius, density, friction, speed) = (5e-4, 1e4, 0.2, 0.1);
            let stiffness = 1e4;
            let laws = ContactLaws {
                tangential: TangentialLaw::Linear,
                ..linear()
            };
            let mass = sphere_mass(density, radius);
            let pair = Pair {
                stiffness: Some(stiffness),
                restitution: Some(0.9),
                tangential_stiffness: Some(stiffness),
                tangential_damping: Some(0.2 * (stiffness * mass).sqrt()),
                friction,
                ..Pair::new(0, 0)
            };
            let slides = 2.0 * speed / (7.0 * friction * GRAVITY);
            let scene = above_floor(laws, density, pair)
                .domain(DVec3::splat(-0.1), DVec3::splat(0.1))
                .end_time(2.0 * slides)
                .time_step(slides / 8000.0)
                .particle(Particle {
                    velocity: DVec3::X * speed,
                    ..Particle::new(DVec3::Z * (radius - mass * GRAVITY / stiffness), radius, 0)
                })
                .build()?;
            let mut engine = bench.simulate(&scene)?;
            engine.run(4000)?;
            let sliding = engine.state()?.particles.velocity[0].x;
            engine.run(3980)?;
            let mut ends = f64::NAN;
            let mut before = f64::INFINITY;
            for k in 1..=40 {
                engine.run(1)?;
                let particles = engine.state()?.particles;
                let slip = particles.velocity[0].x - radius * particles.spin[0].y;
                if before > 0.0 && slip <= 0.0 {
                    ends = (7980.0 + f64::from(k) - slip / (slip - before)) / 8000.0;
                    break;
                }
                before = slip;
            }
            let done = engine.state()?.step;
            engine.run(16_000 - done)?;
            let state = engine.state()?;
            let rolling = state.particles.velocity[0].x;
            Ok(Measured::values([
                sliding / (speed - friction * GRAVITY * 0.5 * slides),
                ends,
                rolling / (5.0 / 7.0 * speed),
                radius * state.particles.spin[0].y / rolling,
            ]))
        }),
    }
}

fn rolling_decay() -> Study {
    Study {
        name: "rolling-decay",
        source: "LAMMPS dem07, rolling decay",
        summary: "A grain that rolls without slip is slowed by rolling resistance at (5/7) μ_r g.",
        engines: Engines::All,
        quick: true,
        checks: vec![
            Check::new(
                "deceleration",
                "deceleration over (5/7) μ_r g",
                1.0,
                Tolerance::relative(
                    1e-9,
                    "steady: the tangential spring rang out in the 4000 steps before; rounding of the rest",
                ),
            )
            .on_devices(Tolerance::relative(
                4e-5,
                "a difference of f32 velocities, a fifth of either",
            )),
        ],
        measure: Box::new(|bench| {
            let (radius, density, friction, speed) = (5e-3, 2500.0, 0.01, 0.2);
            let stiffness = 1e4;
            let laws = ContactLaws {
                tangential: TangentialLaw::Linear,
                rolling: RollingLaw::Constant,
                ..linear()
            };
            let mass = sphere_mass(density, radius);
            let pair = Pair {
                stiffness: Some(stiffness),
                restitution: Some(0.9),
                tangential_stiffness: Some(stiffness),
                tangential_damping: Some(0.2 * (stiffness * mass).sqrt()),
                friction: 0.5,
                rolling_friction: friction,
                ..Pair::new(0, 0)
            };
            let step = 1e-5;
            let scene = above_floor(laws, density, pair)
                .domain(DVec3::splat(-1.0), DVec3::splat(1.0))
                .end_time(0.2)
                .time_step(step)
                .particle(Particle {
                    velocity: DVec3::X * speed,
                    spin: DVec3::Y * speed / radius,
                    ..Particle::new(DVec3::Z * (radius - mass * GRAVITY / stiffness), radius, 0)
                })
                .build()?;
            let mut engine = bench.simulate(&scene)?;
            engine.run(4000)?;
            let before = engine.state()?.particles.velocity[0].x;
            engine.run(16_000)?;
            let after = engine.state()?.particles.velocity[0].x;
            let deceleration = (before - after) / (16_000.0 * step);
            Ok(Measured::values([
                deceleration / (5.0 / 7.0 * friction * GRAVITY)
            ]))
        }),
    }
}

fn pull_off() -> Study {
    let sampled = Tolerance::relative(
        2e-4,
        "the force is looked at once per step of 10⁻² of the neck",
    );
    Study {
        name: "pull-off",
        source: "LAMMPS dem08, pull-off; Johnson, Kendall & Roberts; Derjaguin, Muller & Toporov",
        summary: "A heavy sphere is drawn slowly from a fixed one: the strongest attraction is the pull-off \
                  force, (3/2)π w R* (JKR) or 2π w R* (DMT).",
        engines: Engines::All,
        quick: true,
        checks: vec![
            Check::new(
                "jkr",
                "strongest attraction over (3/2)π w R*, JKR",
                1.0,
                sampled,
            ),
            Check::new(
                "dmt",
                "strongest attraction over 2π w R*, DMT",
                1.0,
                Tolerance::relative(
                    2e-4,
                    "at the last step that touches the spring still pushes a little",
                ),
            ),
        ],
        measure: Box::new(|bench| {
            let (radius, adhesion) = (1e-3, 0.05);
            let expected = [
                (
                    CohesionLaw::Jkr,
                    jkr_pull_off_force(adhesion, 0.5 * radius).abs(),
                ),
                (CohesionLaw::Dmt, dmt_force(adhesion, 0.5 * radius).abs()),
            ];
            let mut values = Vec::new();
            for (cohesion, force) in expected {
                let strongest = strongest_attraction(bench, cohesion, radius, adhesion)?;
                values.push(strongest / force);
            }
            Ok(Measured::values(values))
        }),
    }
}

fn strongest_attraction(
    bench: &dyn Bench,
    cohesion: CohesionLaw,
    radius: f64,
    adhesion: f64,
) -> Result<f64> {
    let overlap = 1e-6;
    let speed = 0.01;
    let scene = Scene::builder()
        .domain(DVec3::splat(-0.01), DVec3::splat(0.01))
        .end_time(4e-4)
        .time_step(8e-7)
        .contact(ContactLaws {
            normal: NormalLaw::HertzTsuji,
            tangential: TangentialLaw::None,
            cohesion,
            ..ContactLaws::default()
        })
        .material("grain", 1e5, 1e7, 0.3)
        .pair(Pair {
            restitution: Some(1.0),
            work_of_adhesion: adhesion,
            ..Pair::new(0, 0)
        })
        .particle(Particle {
            fixed: true,
            ..Particle::new(DVec3::ZERO, radius, 0)
        })
        .particle(Particle {
            velocity: DVec3::X * speed,
            ..Particle::new(DVec3::X * (2.0 * radius - overlap), radius, 0)
        })
        .build()?;
    let mut engine = bench.simulate(&scene)?;
    let mut strongest = 0.0_f64;
    for _ in 0..400 {
        engine.run(1)?;
        let Some(contact) = engine.state()?.contacts.first().copied() else {
            break;
        };
        strongest = strongest.max(-contact.normal_force);
    }
    Ok(strongest)
}

/// Velocities (m/s) of three touching spheres after the first came in at 1 m/s: linear springs by Runge &
/// Kutta, 10⁵ steps in twelve natural times √(m/k), which 2·10⁴ steps repeat to eight digits.
const CRADLE: [f64; 3] = [-0.130_261_695, 0.150_229_57, 0.980_032_126];

fn cradle() -> Study {
    let stepped = Tolerance::absolute(4e-5, "second order at 200 steps in a contact");
    let sooner_or_later = Tolerance::absolute(
        5e-5,
        "spheres that touch to within a rounding begin to at this step or at the next: second order in 200 steps",
    );
    let velocity = |name: &str, expected: f64| {
        Check::new(
            name,
            format!("velocity of the {name}, m/s"),
            expected,
            stepped,
        )
        .on_devices(sooner_or_later)
    };
    Study {
        name: "cradle",
        source: "Newton's cradle of linear springs",
        summary: "Three equal spheres that touch in line, elastic and linear; the first comes in at \
                  1 m/s. The outcome depends on neither stiffness nor mass, and is not that of one impact \
                  after the other.",
        engines: Engines::All,
        quick: true,
        checks: vec![
            velocity("first", CRADLE[0]),
            velocity("second", CRADLE[1]),
            velocity("third", CRADLE[2]),
            Check::new(
                "energy",
                "kinetic energy after over before",
                1.0,
                Tolerance::relative(6e-5, "second order at 200 steps in a contact"),
            )
            .on_devices(sooner_or_later),
        ],
        measure: Box::new(|bench| {
            let radius = 0.01;
            let stiffness = 1e4;
            let mass = sphere_mass(2500.0, radius);
            let step = std::f64::consts::PI * (0.5 * mass / stiffness).sqrt() / 200.3;
            let sphere = |k: f64, speed: f64| Particle {
                velocity: DVec3::X * speed,
                ..Particle::new(DVec3::X * 2.0 * radius * k, radius, 0)
            };
            let scene = Scene::builder()
                .domain(DVec3::splat(-0.5), DVec3::splat(0.5))
                .end_time(1.0)
                .time_step(step)
                .contact(linear())
                .material("grain", 2500.0, None, 0.3)
                .pair(Pair {
                    stiffness: Some(stiffness),
                    restitution: Some(1.0),
                    ..Pair::new(0, 0)
                })
                .particles([sphere(0.0, 1.0), sphere(1.0, 0.0), sphere(2.0, 0.0)])
                .build()?;
            let mut engine = bench.simulate(&scene)?;
            engine.run(1000)?;
            let velocity = engine.state()?.particles.velocity;
            let energy: f64 = velocity.iter().map(|v| v.length_squared()).sum();
            Ok(Measured::values([
                velocity[0].x,
                velocity[1].x,
                velocity[2].x,
                energy,
            ]))
        }),
    }
}
