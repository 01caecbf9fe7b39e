//! Hard grains against soft ones of the same scene.
//!
//! Soft contacts last a time T, hard ones none: what soft grains do tends to what hard ones do as T shrinks
//! against the time `t_E` between collisions of a grain. The soft engine therefore runs the scene several times,
//! each time with stiffer grains ([`soft_twin`]), and the stiffest run is judged:
//!
//! * **Energy decay and collision rate.** Trajectories part after a few collisions, so only statistics can agree.
//!   How far those scatter is measured: [`TWINS`] hard runs, their starts disturbed by as much as a soft contact
//!   displaces grains. The soft run may differ from their mean by [`SIGMAS`] of their standard deviations, and
//!   by [`SOFTNESS`] × `T/t_E` of what happened: a grain is in contact for that part of its time, during which a
//!   third may join in, and what is lost comes late.
//! * **Rebound.** Some collisions of the hard run are repeated one by one with soft grains. While they touch,
//!   their normal turns by θ = |`v_t`| `T/(R_i` + `R_j`), so that the impulse (1 + e) `v_n` (n + μτ) may be off by θ of itself.
//! * **The limit.** Rebounds come nearer as T shrinks.

use super::Check;
use super::soft_twin::soft_twin;
use crate::cpu::CpuEngine;
use crate::error::{Error, Result};
use crate::hard::{GrainNow, HardEngine, HardModel, Hit, StartingGrain};
use crate::laws::stretched::stretched_normal_coefficients;
use crate::scene::{Particle, Scene, TimeStep};
use crate::simulation::{Backend, Simulation, steps_until};
use crate::state::StateSource;
use glam::DVec3;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::collections::HashSet;

/// Contact times of the soft runs, in mean times between collisions of a grain at the start.
pub const DURATIONS: [f64; 4] = [0.1, 0.03, 0.01, 0.003];

/// Collisions of a grain, on average, that are compared if nobody says for how long.
pub const COLLISIONS: f64 = 10.0;

/// Hard runs whose scatter is measured.
pub const TWINS: u32 = 24;

/// How many standard deviations of the hard runs the soft one may be off: of 40 instants, each Gaussian, one in
/// 400 comparisons would fail by chance, if they did not go together.
pub const SIGMAS: f64 = 4.0;

/// How many times `T/t_E` of what happened the soft run may be off besides.
pub const SOFTNESS: f64 = 2.0;

/// How far rebounds may differ for steps of 1/40 of a contact, in speeds of approach.
const STEPPING: f64 = 2e-3;

/// Collisions that are repeated one by one.
const REBOUNDS: u32 = 60;

/// Looks at the contacts during one of them: fewer would overlook those that only graze.
const LOOKS_PER_CONTACT: u64 = 10;

/// One soft run.
#[derive(Debug, Clone, PartialEq)]
pub struct SoftRun {
    /// Duration T of a contact, s.
    pub contact_time: f64,
    /// T over the time between collisions of a grain at the start.
    pub share: f64,
    /// Stiffness of the spring between two mean grains, N/m; of viscoelastic grains `None`.
    pub stiffness: Option<f64>,
    /// Time step, s.
    pub time_step: f64,
    /// Energy of motion (springs included) at each instant, J.
    pub energy: Vec<f64>,
    /// Energy lost until each instant, J.
    pub lost: Vec<f64>,
    /// Collisions of a grain until each instant, on average.
    pub collisions: Vec<f64>,
    /// Mean difference of the rebounds, in speeds of approach.
    pub rebound: f64,
    /// How large it may be.
    pub rebound_band: f64,
}

/// Mean and scatter of the hard runs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HardRuns {
    /// Energy of motion at each instant: mean and standard deviation, J.
    pub energy: Vec<[f64; 2]>,
    /// Energy lost until each instant: mean and standard deviation, J.
    pub lost: Vec<[f64; 2]>,
    /// Collisions of a grain until each instant: mean and standard deviation.
    pub collisions: Vec<[f64; 2]>,
}

/// What the comparison came to.
#[derive(Debug, Clone, PartialEq)]
pub struct HardSoftReport {
    /// The instants that were compared, s.
    pub times: Vec<f64>,
    /// Collisions of a grain per second at the start.
    pub rate: f64,
    /// The hard runs.
    pub hard: HardRuns,
    /// The soft runs, the softest first.
    pub soft: Vec<SoftRun>,
    /// Collisions that were repeated one by one.
    pub rebounds: usize,
    /// What is judged; differences are those of the stiffest run.
    pub checks: Vec<Check>,
}

impl HardSoftReport {
    /// Whether everything is within its band.
    pub fn passes(&self) -> bool {
        self.checks.iter().all(Check::passes)
    }

    /// How far a soft run is off: root mean square over the instants of the energy, in energies of the
    /// start; collisions at the end, relative; rebound.
    pub fn deviations(&self, run: &SoftRun) -> [f64; 3] {
        let start = self.hard.energy.first().map_or(1.0, |e| e[0]);
        let squares = run.energy.iter().zip(&self.hard.energy);
        let squares = squares.map(|(soft, hard)| ((soft - hard[0]) / start).powi(2));
        #[allow(clippy::cast_precision_loss, reason = "counts of samples")]
        let energy = (squares.sum::<f64>() / self.times.len().max(1) as f64).sqrt();
        let collisions = match (run.collisions.last(), self.hard.collisions.last()) {
            (Some(soft), Some(hard)) if hard[0] > 0.0 => (soft / hard[0] - 1.0).abs(),
            _ => 0.0,
        };
        [energy, collisions, run.rebound]
    }
}

/// What is to be compared.
#[derive(Debug, Clone, PartialEq)]
pub struct HardSoft {
    /// Until when, s; `None`: for [`COLLISIONS`] per grain, at most to the end of the scene.
    pub time: Option<f64>,
    /// Number of instants.
    pub samples: u16,
    /// Contact times of the soft runs in times between collisions, the longest first.
    pub durations: Vec<f64>,
}

/// Compares hard and soft grains in a validated scene of hard ones. `progress` hears what is done, from 0 to 1.
///
/// # Errors
/// If soft grains cannot do what the hard ones do, or nothing collides; whatever stops one of the runs.
pub fn hard_soft(
    scene: &Scene,
    wanted: &HardSoft,
    progress: impl FnMut(f64),
) -> Result<HardSoftReport> {
    compare(scene, wanted, soft_twin, progress)
}

/// As [`hard_soft`], with soft grains of `twin`: scene, contact time (s) and speed (m/s) make a soft scene.
///
/// # Errors
/// As [`hard_soft`].
pub fn compare(
    scene: &Scene,
    wanted: &HardSoft,
    twin: impl Fn(&Scene, f64, f64) -> Result<Scene>,
    mut progress: impl FnMut(f64),
) -> Result<HardSoftReport> {
    let (model, start) = HardModel::from_scene(scene)?;
    let pace = pace(&model, &start, wanted.time.unwrap_or(scene.time.end))?;
    let end = wanted.time.unwrap_or_else(|| pace.end.min(scene.time.end));
    let samples = wanted.samples.max(1);
    let times: Vec<f64> = (0..=samples)
        .map(|k| end * f64::from(k) / f64::from(samples))
        .collect();
    let shortest = wanted.durations.last().copied().unwrap_or(0.01);
    let disturbance = shortest * pace.speed;
    let runs = (0..TWINS)
        .map(|seed| {
            hard_run(
                &model,
                &disturbed(&model, &start, disturbance, seed),
                &times,
            )
        })
        .collect::<Result<Vec<_>>>()?;
    let hard = scatter(&runs, times.len());
    let rebounds = sample_rebounds(&model, &start, end, pace.rate)?;
    // Stiffer runs take longer, in proportion.
    let work: f64 = wanted.durations.iter().map(|share| 1.0 / share).sum();
    let mut done = 0.0;
    let mut soft = Vec::new();
    for &share in &wanted.durations {
        let contact_time = share / pace.rate;
        let soft_scene = twin(scene, contact_time, pace.speed)?;
        let mut run = soft_run(&soft_scene, contact_time, &times, |part| {
            progress((done + part / share) / work);
        })?;
        run.share = share;
        run.stiffness = stiffness(&soft_scene, contact_time);
        (run.rebound, run.rebound_band) = rebound(&soft_scene, &rebounds, contact_time)?;
        soft.push(run);
        done += 1.0 / share;
    }
    let mut report = HardSoftReport {
        checks: Vec::new(),
        times,
        rate: pace.rate,
        hard,
        soft,
        rebounds: rebounds.len(),
    };
    report.checks = checks(&report);
    Ok(report)
}

/// How fast things go at the start.
struct Pace {
    /// Collisions of a grain per second.
    rate: f64,
    /// Root of the mean square of the speeds then, m/s.
    speed: f64,
    /// When there have been [`COLLISIONS`] per grain, s; infinite if that never comes.
    end: f64,
}

#[allow(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
fn hits(engine: &HardEngine) -> f64 {
    let tally = engine.tally();
    let hits = 2.0 * tally.collisions as f64 + tally.wall_collisions as f64;
    hits / engine.measure().moving.max(1) as f64
}

fn pace(model: &HardModel, start: &[StartingGrain], until: f64) -> Result<Pace> {
    const BATCH: u64 = 64;
    let mut engine = HardEngine::new(model.clone(), start);
    let mut first = None;
    let (mut over, mut so_far) = (false, 0.0);
    while !over && so_far < COLLISIONS {
        over = engine.run_events(until, BATCH)? < BATCH;
        so_far = hits(&engine);
        if first.is_none() && so_far > 0.0 && (so_far >= 1.0 || over) {
            let now = engine.measure();
            let speed = (2.0 * now.kinetic / now.mass.max(f64::MIN_POSITIVE)).sqrt();
            first = Some((so_far / engine.time(), speed));
        }
    }
    let Some((rate, speed)) = first else {
        return Err(Error::Unsupported(format!(
            "hard against soft: no grain collides until t = {until} s"
        )));
    };
    Ok(Pace {
        rate,
        speed,
        end: if over { f64::INFINITY } else { engine.time() },
    })
}

/// The grains with velocities disturbed by up to `speed` along each axis that they can move along; their momentum
/// and energy are those of before.
fn disturbed(
    model: &HardModel,
    start: &[StartingGrain],
    speed: f64,
    seed: u32,
) -> Vec<StartingGrain> {
    let mut random = Pcg64::seed_from_u64(u64::from(seed));
    let flat = model.dimensions == crate::laws::tc::Dimensions::Two;
    let sums = |grains: &[StartingGrain]| {
        let moving = grains.iter().filter(|grain| !grain.fixed);
        moving.fold((0.0, DVec3::ZERO), |(mass, momentum), grain| {
            (mass + grain.mass, momentum + grain.mass * grain.velocity)
        })
    };
    let (mass, momentum) = sums(start);
    let drift = momentum / mass;
    let energy = |grains: &[StartingGrain], drift: DVec3| -> f64 {
        let moving = grains.iter().filter(|grain| !grain.fixed);
        moving
            .map(|grain| grain.mass * (grain.velocity - drift).length_squared())
            .sum()
    };
    let mut grains = start.to_vec();
    for grain in grains.iter_mut().filter(|grain| !grain.fixed) {
        let mut kick = || speed * (2.0 * random.random::<f64>() - 1.0);
        let kick = DVec3::new(kick(), kick(), kick());
        grain.velocity += if flat { kick.with_z(0.0) } else { kick };
    }
    let (_, disturbed_momentum) = sums(&grains);
    let disturbed_drift = disturbed_momentum / mass;
    let (before, after) = (energy(start, drift), energy(&grains, disturbed_drift));
    let scale = if after > 0.0 {
        (before / after).sqrt()
    } else {
        1.0
    };
    for grain in grains.iter_mut().filter(|grain| !grain.fixed) {
        grain.velocity = drift + scale * (grain.velocity - disturbed_drift);
    }
    grains
}

/// Energy of motion, energy lost and collisions of a grain, at each instant.
type Course = Vec<[f64; 3]>;

fn hard_run(model: &HardModel, start: &[StartingGrain], times: &[f64]) -> Result<Course> {
    let mut engine = HardEngine::new(model.clone(), start);
    let mut course = Vec::with_capacity(times.len());
    for &time in times {
        engine.run_until(time)?;
        let now = engine.measure();
        let energy = now.kinetic + now.rotational;
        course.push([energy, engine.tally().lost, hits(&engine)]);
    }
    Ok(course)
}

fn scatter(runs: &[Course], instants: usize) -> HardRuns {
    let at = |instant: usize, quantity: usize| {
        let values = || runs.iter().map(|run| run[instant][quantity]);
        #[allow(clippy::cast_precision_loss, reason = "a few runs")]
        let count = runs.len() as f64;
        let mean = values().sum::<f64>() / count;
        let squares: f64 = values().map(|x| (x - mean).powi(2)).sum();
        [mean, (squares / (count - 1.0).max(1.0)).sqrt()]
    };
    let all = |quantity| (0..instants).map(|instant| at(instant, quantity)).collect();
    HardRuns {
        energy: all(0),
        lost: all(1),
        collisions: all(2),
    }
}

/// Runs soft grains, and counts contacts as they begin.
#[allow(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
fn soft_run(
    scene: &Scene,
    contact_time: f64,
    times: &[f64],
    mut progress: impl FnMut(f64),
) -> Result<SoftRun> {
    let moving = scene.particles.iter().filter(|p| !p.fixed).count().max(1) as f64;
    let mut simulation = Simulation::on(scene.clone(), Backend::Cpu { threads: 0 })?;
    let step = simulation.time_step();
    let between = (steps_until(contact_time, step) / LOOKS_PER_CONTACT).max(1);
    let mut touching: HashSet<(u32, u32)> = HashSet::new();
    let mut run = SoftRun {
        contact_time,
        share: 0.0,
        stiffness: None,
        time_step: step,
        energy: Vec::new(),
        lost: Vec::new(),
        collisions: Vec::new(),
        rebound: 0.0,
        rebound_band: 0.0,
    };
    let mut hits = 0_u64;
    for &time in times {
        let last = steps_until(time, step);
        while simulation.step() < last {
            simulation.run(between.min(last - simulation.step()))?;
            if simulation.contacts() == 0 {
                touching.clear();
                continue;
            }
            let mut now = HashSet::with_capacity(touching.len());
            let view = simulation.view()?;
            for rank in 0..view.instant().particles {
                view.contacts_of(rank, &mut |contact| {
                    let pair = (contact.first, contact.second);
                    if !touching.contains(&pair) {
                        hits += if contact.second < crate::state::WALL {
                            2
                        } else {
                            1
                        };
                    }
                    now.insert(pair);
                });
            }
            touching = now;
        }
        let ledger = simulation.ledger()?;
        run.energy.push(
            ledger.kinetic + ledger.rotational + ledger.elastic_normal + ledger.elastic_tangential,
        );
        run.lost.push(ledger.lost());
        run.collisions.push(hits as f64 / moving);
        progress(time / times.last().copied().unwrap_or(time).max(f64::MIN_POSITIVE));
    }
    Ok(run)
}

/// One collision of the hard run: the partners just before, and how they part.
struct Rebound {
    before: Vec<GrainNow>,
    /// Velocity of the first after it, relative to the second or to the wall, m/s.
    parting: DVec3,
    /// Unit vector between the centres when they touched; of a wall, the change of velocity.
    normal: DVec3,
    /// Spin of the first after it, rad/s.
    spin: DVec3,
}

/// The velocity of the first of one or two grains, relative to the other.
fn relative(grains: &[GrainNow]) -> DVec3 {
    grains[0].velocity - grains.get(1).map_or(DVec3::ZERO, |grain| grain.velocity)
}

/// Collisions spread over the run.
fn sample_rebounds(
    model: &HardModel,
    start: &[StartingGrain],
    end: f64,
    rate: f64,
) -> Result<Vec<Rebound>> {
    let mut engine = HardEngine::new(model.clone(), start);
    let mut rebounds = Vec::new();
    for k in 0..REBOUNDS {
        let time = end * f64::from(k) / f64::from(REBOUNDS);
        if engine.time() < time {
            engine.run_until(time)?;
        }
        let (before, begun) = (engine.snapshot(), engine.time());
        let Some(happened) = engine.next_collision(end)? else {
            break;
        };
        // Nothing collided in between, so both have been flying since.
        let flight = happened.time - begun;
        let fly = |id: u32| {
            before.iter().find(|grain| grain.id == id).map(|grain| {
                let mut grain = *grain;
                let gained = if grain.fixed {
                    DVec3::ZERO
                } else {
                    model.gravity * flight
                };
                grain.position += (grain.velocity + 0.5 * gained) * flight;
                grain.velocity += gained;
                grain
            })
        };
        let ids = match happened.hit {
            Hit::Grain(other) => vec![happened.grain, other],
            Hit::Face(_) => vec![happened.grain],
        };
        let Some(before) = ids.iter().map(|&id| fly(id)).collect::<Option<Vec<_>>>() else {
            continue;
        };
        // The soft contact begins alone only if none had been there within T: elastic ones of the TC rule are
        // those that follow another closely.
        if happened.elastic || flight * rate < 1e-9 && k > 0 {
            continue;
        }
        let after = engine.snapshot();
        let find = |id: u32| after.iter().find(|grain| grain.id == id).copied();
        let Some(parted) = ids.iter().map(|&id| find(id)).collect::<Option<Vec<_>>>() else {
            continue;
        };
        let parting = relative(&parted);
        let normal = match ids.len() {
            2 => nearest(model, before[1].position - before[0].position).normalize_or_zero(),
            _ => (relative(&before) - parting).normalize_or_zero(),
        };
        rebounds.push(Rebound {
            normal,
            parting,
            spin: parted[0].spin,
            before,
        });
    }
    Ok(rebounds)
}

/// The shortest way of all images.
fn nearest(model: &HardModel, way: DVec3) -> DVec3 {
    let length = model.upper - model.lower;
    DVec3::from_array(std::array::from_fn(|axis| {
        if model.periodic[axis] {
            way[axis] - length[axis] * (way[axis] / length[axis]).round()
        } else {
            way[axis]
        }
    }))
}

/// Repeats collisions with soft grains: mean difference, and how large it may be, both in speeds of approach.
fn rebound(soft: &Scene, rebounds: &[Rebound], contact_time: f64) -> Result<(f64, f64)> {
    let (mut difference, mut band, mut count) = (0.0, 0.0, 0.0);
    for rebound in rebounds {
        let mut scene = soft.clone();
        // Some steps before they touch.
        let lead = 0.1 * contact_time;
        let length = scene.domain.upper - scene.domain.lower;
        scene.particles = rebound
            .before
            .iter()
            .map(|grain| {
                let mut position = grain.position - grain.velocity * lead;
                for axis in 0..3 {
                    if scene.domain.periodic[axis] {
                        let from = scene.domain.lower[axis];
                        position[axis] = from + (position[axis] - from).rem_euclid(length[axis]);
                    }
                }
                Particle {
                    velocity: grain.velocity,
                    spin: grain.spin,
                    fixed: grain.fixed,
                    ..Particle::new(position, grain.radius, usize::from(grain.material))
                }
            })
            .collect();
        // The collision alone: neither gravity nor the size of the neighbours.
        scene.gravity = DVec3::ZERO;
        let Some(after) = collide_softly(&scene, contact_time)? else {
            continue;
        };
        let approach = relative(&rebound.before);
        let speed = approach.length();
        let radius = rebound.before[0].radius;
        let reach = radius + rebound.before.get(1).map_or(0.0, |grain| grain.radius);
        let parting = relative(&after) - rebound.parting;
        let spin = (after[0].spin - rebound.spin).length() * radius;
        difference += parting.length().max(spin) / speed;
        let impulse = (approach - rebound.parting).length();
        let along = approach.dot(rebound.normal) * rebound.normal;
        // A flat wall has one normal everywhere.
        let turned = if rebound.before.len() == 2 {
            (approach - along).length() * contact_time / reach
        } else {
            0.0
        };
        band += impulse * turned / speed + STEPPING;
        count += 1.0;
    }
    if count == 0.0 {
        return Ok((0.0, STEPPING));
    }
    Ok((difference / count, band / count))
}

/// Runs until the contact is over; `None` if it does not end within a few contact times.
fn collide_softly(scene: &Scene, contact_time: f64) -> Result<Option<Vec<GrainNow>>> {
    let step = contact_time / 40.0;
    let mut scene = scene.clone();
    scene.time.step = TimeStep::Fixed(step);
    scene.time.force_step = true;
    let mut engine = CpuEngine::new(&scene, step, 1)?;
    let mut touched = false;
    for _ in 0..400 {
        engine.run(1)?;
        let touches = engine.contacts() > 0;
        if touched && !touches {
            let state = engine.state();
            let grain = |k: usize| GrainNow {
                id: state.particles.id[k],
                position: state.position(k),
                velocity: state.particles.velocity[k],
                spin: state.particles.spin[k],
                radius: state.particles.radius[k],
                material: state.particles.material[k],
                fixed: state.particles.fixed[k],
                collisions: 1,
                elastic: false,
            };
            return Ok(Some((0..state.particles.len()).map(grain).collect()));
        }
        touched |= touches;
    }
    Ok(None)
}

/// Stiffness of the spring between two mean grains, N/m, if it is linear.
#[allow(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
fn stiffness(soft: &Scene, contact_time: f64) -> Option<f64> {
    soft.contact.contact_time?;
    let restitution = soft.pairs.first()?.restitution?;
    let masses = soft
        .particles
        .iter()
        .map(|p| crate::laws::material::sphere_mass(soft.materials[p.material].density, p.radius));
    let mean = masses.sum::<f64>() / soft.particles.len().max(1) as f64;
    let end = soft.contact.end;
    Some(stretched_normal_coefficients(0.5 * mean, restitution, contact_time, end).0)
}

fn checks(report: &HardSoftReport) -> Vec<Check> {
    let Some(stiffest) = report.soft.last() else {
        return Vec::new();
    };
    let softness = SOFTNESS * stiffest.share;
    let mut list = Vec::new();
    let quantities = [
        (
            "energy of motion",
            "J",
            &stiffest.energy,
            &report.hard.energy,
        ),
        ("energy lost", "J", &stiffest.lost, &report.hard.lost),
        (
            "collisions per grain",
            "",
            &stiffest.collisions,
            &report.hard.collisions,
        ),
    ];
    // What happened until the end: of energy, how much was lost.
    let lost = report.hard.lost.last().map_or(0.0, |lost| lost[0]);
    for (name, unit, soft, hard) in quantities {
        let mut worst: Option<Check> = None;
        for ((&time, &soft), &[mean, sigma]) in report.times.iter().zip(soft).zip(hard) {
            // What is lost in the contacts of one moment is on its way.
            let scale = if unit.is_empty() { mean.max(1.0) } else { lost };
            let check = Check {
                name: name.into(),
                unit,
                time,
                reference: mean,
                candidate: soft,
                difference: (soft - mean).abs(),
                twin: sigma,
                band: SIGMAS * sigma + softness * scale,
            };
            if worst.as_ref().is_none_or(|w| check.strain() > w.strain()) {
                worst = Some(check);
            }
        }
        list.extend(worst);
    }
    list.push(Check {
        name: "rebound".into(),
        unit: "of the speed",
        time: 0.0,
        reference: 0.0,
        candidate: stiffest.rebound,
        difference: stiffest.rebound,
        twin: 0.0,
        band: stiffest.rebound_band,
    });
    if let [softest, .., stiffest] = &report.soft[..] {
        // θ ∝ T; what the steps get wrong stays.
        let nearer = (stiffest.share / softest.share).sqrt();
        list.push(Check {
            name: "rebound, stiffest against softest".into(),
            unit: "of the speed",
            time: 0.0,
            reference: softest.rebound,
            candidate: stiffest.rebound,
            difference: stiffest.rebound,
            twin: 0.0,
            band: nearer * softest.rebound + STEPPING,
        });
    }
    list
}
