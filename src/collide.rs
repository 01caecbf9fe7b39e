//! One collision of two spheres, or of a sphere and a wall, through the engine that runs beds.
//!
//! The line of impact is x, from sphere 1 to its partner; the collision plane is xy; spins are about
//! z. The spheres touch at `origin`, sphere 2 (or the wall) being at rest there. Contact begin and
//! end are located between steps: positions move on straight lines from step to step, so the moments
//! at which the distance of the centres passes R₁ + R₂ follow exactly.

use crate::contact::{
    ContactModel, NormalCoefficients, adaptive_coefficients, contact_time, elastic_contact_time,
    normal_response,
};
use crate::cpu::CpuEngine;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::gpu::{Gpu, GpuEngine, GpuOptions};
use crate::laws::ContactEnd;
use crate::laws::collision::{hertz_kuwabara_kono_collision, hertz_viscous_collision};
use crate::laws::hertz::hertz_time_unit;
use crate::laws::material::{reduced, sphere_inertia, sphere_mass};
use crate::scene::{
    ContactLaws, Domain, Leaving, Material, Neighbours, NormalLaw, Output, Pair, Particle, Scene,
    Time, TimeStep, Wall, WallShape,
};
use crate::state::State;
use glam::DVec3;

/// Half the width of the domain, in radii of the larger sphere; rounded up to a power of two.
const DOMAIN_RADII: f64 = 1e4;

/// Dampers beyond this (λ, or A/t*) hardly change a collision any more.
const STRONGEST_DAMPER: f64 = 2.0;

/// A damped contact that lasts so many times longer than without damping is not waited for.
const LONGEST_DAMPED: f64 = 50.0;

/// Fewest and most steps in one contact.
const STEPS_PER_CONTACT: [f64; 2] = [2.0, 1e5];

/// A step so short that the spheres start where they touch, s.
const NO_STEP: f64 = 1e-30;

/// A collision that lasts longer than this many elastic contact times is taken to last for ever.
const LONGEST: f64 = 40.0;

/// How the time step is given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Step {
    /// Steps in one contact.
    PerContact(f64),
    /// Length of a step, s.
    Seconds(f64),
}

/// Which instants of a collision are looked at. Looking takes a graphics device longer than a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Watch {
    /// After every step.
    EveryStep,
    /// Only as often as beginning, turning point and end need.
    WhereItMatters,
}

/// Most steps that pass unseen.
const LONGEST_UNSEEN: f64 = 100.0;

/// A collision to simulate.
#[derive(Debug, Clone, PartialEq)]
pub struct Collision {
    /// The laws.
    pub laws: ContactLaws,
    /// Radii, m. The second is not used with a wall.
    pub radius: [f64; 2],
    /// Materials of sphere 1 and of its partner.
    pub material: [Material; 2],
    /// What the two do to each other; `materials` must be `[0, 1]`.
    pub pair: Pair,
    /// Whether the partner is a plane wall.
    pub wall: bool,
    /// Speed of sphere 1 at first touch, m/s.
    pub speed: f64,
    /// Angle of its velocity from the line of impact, rad.
    pub angle: f64,
    /// Its spin about z, rad/s.
    pub spin: f64,
    /// Gravity along the line of impact, from sphere 1 to its partner, m/s².
    pub gravity: f64,
    /// Where the spheres touch, m.
    pub origin: DVec3,
    /// Time step.
    pub step: Step,
    /// How far into a step the spheres touch, 0 … 1.
    pub phase: f64,
}

/// One instant of a collision.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Time since first touch, s.
    pub time: f64,
    /// Overlap, m.
    pub overlap: f64,
    /// Rate of the overlap, m/s, positive while approaching.
    pub rate: f64,
    /// Normal force by the law at this overlap and rate, N.
    pub normal_force: f64,
    /// Positions of both bodies, m.
    pub position: [DVec3; 2],
    /// Velocities of both bodies, m/s.
    pub velocity: [DVec3; 2],
    /// Spins of both bodies, rad/s.
    pub spin: [DVec3; 2],
}

/// What came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Time step, s.
    pub time_step: f64,
    /// Steps taken.
    pub steps: u64,
    /// Rebound over approach speed along the normal; 0 if the bodies never came apart.
    pub restitution: f64,
    /// How long the contact lasted, s; `None` if it never ended.
    pub contact_time: Option<f64>,
    /// Largest overlap, m.
    pub max_overlap: f64,
    /// Largest normal force, N.
    pub max_force: f64,
    /// Stiffness of the contact: N/m or N/m^1.5.
    pub stiffness: f64,
    /// Damping of the contact: N s/m, N s/m^1.25 (Tsuji), N s/m^1.5 (Kuwabara & Kono).
    pub damping: f64,
    /// Relative velocity along the normal after the collision, m/s, negative when receding.
    pub rebound_normal_velocity: f64,
    /// Velocity of the contact point of sphere 1 relative to its partner's after the collision,
    /// along the incoming slip (or y without one), m/s.
    pub rebound_tangential_velocity: f64,
    /// Velocities after the collision, m/s.
    pub velocity: [DVec3; 2],
    /// Spins after the collision, rad/s.
    pub spin: [DVec3; 2],
    /// Slip over normal speed at first touch.
    pub psi_in: f64,
    /// Slip after the collision over normal speed at first touch.
    pub psi_out: f64,
    /// Kinetic energy lost, J.
    pub energy_lost: f64,
    /// Every instant from the step before first touch to the step after the last.
    pub trace: Vec<Sample>,
}

impl Collision {
    fn masses(&self) -> [f64; 2] {
        let first = sphere_mass(self.material[0].density, self.radius[0]);
        let second = if self.wall {
            f64::INFINITY
        } else {
            sphere_mass(self.material[1].density, self.radius[1])
        };
        [first, second]
    }

    fn reduced(&self) -> (f64, f64) {
        let [first, second] = self.masses();
        let partner = if self.wall {
            f64::INFINITY
        } else {
            self.radius[1]
        };
        (reduced(first, second), reduced(self.radius[0], partner))
    }

    fn normal_speed(&self) -> f64 {
        self.speed * self.angle.cos()
    }

    /// Gives the damper of a law that knows no restitution the strength which yields
    /// `pair.restitution` in this very collision; other laws stay as they are.
    ///
    /// # Errors
    /// If the laws and coefficients do not make a valid scene, or no damper does it.
    pub fn solve_for_restitution(&mut self) -> Result<()> {
        let law = self.laws.normal;
        let damped_by_speed = matches!(law, NormalLaw::HertzViscous | NormalLaw::HertzKuwabaraKono);
        let Some(wanted) = self.pair.restitution.filter(|_| damped_by_speed) else {
            return Ok(());
        };
        let end = self.laws.end;
        let restitution = |strength: f64| match law {
            NormalLaw::HertzViscous => hertz_viscous_collision(strength, end).restitution,
            _ => hertz_kuwabara_kono_collision(strength, end).restitution,
        };
        if !(restitution(STRONGEST_DAMPER)..=1.0).contains(&wanted) {
            return Err(Error::Usage(format!(
                "--restitution: found {wanted}; allowed: {:.3} to 1, what a damper of this law can do",
                restitution(STRONGEST_DAMPER)
            )));
        }
        let (mut weak, mut strong) = (0.0, STRONGEST_DAMPER);
        while strong - weak > 1e-15 * strong {
            let middle = 0.5 * (weak + strong);
            if middle <= weak || middle >= strong {
                break;
            }
            if restitution(middle) > wanted {
                weak = middle;
            } else {
                strong = middle;
            }
        }
        self.pair.restitution = None;
        // Any damper makes a valid scene, from which to take the stiffness.
        self.pair.damping = (law == NormalLaw::HertzViscous).then_some(0.0);
        self.pair.viscoelastic_time = (law == NormalLaw::HertzKuwabaraKono).then_some(0.0);
        let model = ContactModel::new(&self.scene(NO_STEP)?);
        let (mass, radius) = self.reduced();
        let stiffness =
            NormalCoefficients::of(law, model.pair(0, 1), mass, radius, [0.0; 2]).stiffness;
        let unit = hertz_time_unit(stiffness, mass, self.normal_speed());
        match law {
            NormalLaw::HertzViscous => self.pair.damping = Some(2.0 * weak * mass / unit),
            _ => self.pair.viscoelastic_time = Some(weak * unit),
        }
        Ok(())
    }

    /// Contact time by the law itself, and without damping, s.
    fn contact_times(&self) -> Result<(f64, f64)> {
        let model = ContactModel::new(&self.scene(NO_STEP)?);
        let pair = model.pair(0, 1);
        let (mass, radius) = self.reduced();
        let speed = self.normal_speed();
        let time = contact_time(&model.laws, pair, mass, radius, speed);
        let elastic = elastic_contact_time(&model.laws, pair, mass, radius, speed);
        Ok((if time.is_finite() { time } else { elastic }, elastic))
    }

    /// A power of two, which makes the unit of positions one too.
    fn half_width(&self) -> f64 {
        let largest = self.radius[0].max(if self.wall { 0.0 } else { self.radius[1] });
        (DOMAIN_RADII * largest).log2().ceil().exp2()
    }

    /// Where the spheres touch, on the grid of positions: there the same collision has the same bits
    /// everywhere.
    fn origin(&self) -> DVec3 {
        // 2³⁰ units in each of 1024 cells along z, the axis with the fewest.
        let unit = 2.0 * self.half_width() / (1u64 << 40) as f64;
        (self.origin / unit).round() * unit
    }

    /// A vector near the origin, rounded so that adding it to any origin is exact.
    fn offset(&self, vector: DVec3) -> DVec3 {
        let spacing = 2.0 * self.half_width() / (1u64 << 52) as f64;
        (vector / spacing).round() * spacing
    }

    /// The scene in which the collision happens, starting `phase` of a step before first touch.
    pub(crate) fn scene(&self, time_step: f64) -> Result<Scene> {
        let half_width = DVec3::splat(self.half_width());
        let before = self.phase * time_step;
        let gravity = DVec3::X * self.gravity;
        let velocity = self.speed * DVec3::new(self.angle.cos(), self.angle.sin(), 0.0);
        // Both bodies fall: go back along parabolas.
        let earlier = |velocity: DVec3| {
            (
                -velocity * before + 0.5 * gravity * before * before,
                velocity - gravity * before,
            )
        };
        let (shift, start) = earlier(velocity);
        let mut particles = vec![Particle {
            position: self.origin() + self.offset(shift - self.radius[0] * DVec3::X),
            radius: self.radius[0],
            velocity: start,
            spin: self.spin * DVec3::Z,
            material: 0,
            fixed: false,
        }];
        let mut walls = Vec::new();
        if self.wall {
            walls.push(Wall {
                name: "wall".into(),
                material: 1,
                shape: WallShape::Plane {
                    point: self.origin(),
                    normal: DVec3::NEG_X,
                },
            });
        } else {
            let (shift, start) = earlier(DVec3::ZERO);
            particles.push(Particle {
                position: self.origin() + self.offset(shift + self.radius[1] * DVec3::X),
                radius: self.radius[1],
                velocity: start,
                spin: DVec3::ZERO,
                material: 1,
                fixed: false,
            });
        }
        // Only materials 0 and 1 ever meet, but a scene wants an entry for each pair.
        let pairs = [[0, 1], [0, 0], [1, 1]].map(|materials| Pair {
            materials,
            ..self.pair
        });
        let scene = Scene {
            title: "one collision".into(),
            domain: Domain {
                lower: -half_width,
                upper: half_width,
                periodic: [false; 3],
                leaving: Leaving::Stop,
            },
            gravity,
            time: Time {
                end: time_step,
                step: TimeStep::Fixed(time_step),
                force_step: true,
                expected_speed: Some(self.speed),
            },
            hard: None,
            fluid: None,
            contact: self.laws,
            materials: self.material.to_vec(),
            pairs: pairs.to_vec(),
            particles,
            walls,
            neighbours: Neighbours { skin: None },
            output: Output::default(),
        };
        scene.validate()?;
        Ok(scene)
    }

    /// Runs the collision on the CPU engine.
    ///
    /// # Errors
    /// If laws and coefficients do not fit together, or the run fails.
    pub fn run(&self) -> Result<Outcome> {
        self.run_with(Watch::EveryStep, |scene, time_step| {
            Ok(Box::new(CpuEngine::new(scene, time_step, 1)?))
        })
    }

    /// Runs the collision on a graphics device.
    ///
    /// # Errors
    /// As [`run`](Self::run), and whatever the device complains about.
    pub fn run_on_gpu(&self, gpu: &Gpu) -> Result<Outcome> {
        let options = GpuOptions::default();
        self.run_with(Watch::EveryStep, |scene, time_step| {
            let engine = GpuEngine::new(gpu, scene, time_step, &options)?;
            Ok(Box::new(engine))
        })
    }

    /// Runs the collision on the engine that `start` makes for a scene and a time step (s).
    ///
    /// # Errors
    /// As [`run`](Self::run), and whatever the engine complains about.
    pub fn run_with(
        &self,
        watch: Watch,
        start: impl FnOnce(&Scene, f64) -> Result<Box<dyn Engine>>,
    ) -> Result<Outcome> {
        if self.normal_speed() <= 0.0 || !self.normal_speed().is_finite() {
            return Err(Error::Usage(format!(
                "the spheres do not approach: --speed {} at --angle {:.6}° has no part towards the \
                 partner; give a positive speed and an angle below 90°",
                self.speed,
                self.angle.to_degrees()
            )));
        }
        let (expected, elastic) = self.contact_times()?;
        let time_step = match self.step {
            // Where a strong damper makes the contact long, by what it would last without.
            Step::PerContact(steps)
                if expected / steps > elastic / STEPS_PER_CONTACT[0]
                    && expected < LONGEST_DAMPED * elastic =>
            {
                elastic / steps
            }
            Step::PerContact(steps) => expected / steps,
            Step::Seconds(seconds) => seconds,
        };
        let [fewest, most] = STEPS_PER_CONTACT;
        // Strong damping makes the contact long, not the oscillation that a step must resolve.
        let steps = expected.min(elastic) / time_step;
        // Forgiving rounding.
        if !(fewest * 0.999_999..=most * 1.000_001).contains(&steps) {
            return Err(Error::Usage(format!(
                "--time-step: found {time_step:.3e} s; allowed: {:.3e} to {:.3e} s, which is {fewest} \
                 to {most:e} steps in the contact",
                expected.min(elastic) / most,
                expected.min(elastic) / fewest
            )));
        }
        let scene = self.scene(time_step)?;
        let mut engine = start(&scene, time_step)?;
        let mut observer = Observer::new(self, &scene, &engine.state()?);
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a number of steps, bounded by LONGEST contact times"
        )]
        let most = (LONGEST * expected / time_step).ceil().max(100.0) as u64;
        let mut steps = 0;
        while steps < most && !observer.is_over() {
            let unseen = match watch {
                Watch::EveryStep => 1,
                Watch::WhereItMatters => observer.idle_steps(time_step),
            };
            engine.run(unseen)?;
            steps += unseen;
            observer.observe(&engine.state()?);
        }
        if observer.begin.is_none() {
            return Err(Error::Usage(format!(
                "the spheres pass without touching: --angle {} is too close to 90°",
                self.angle.to_degrees()
            )));
        }
        Ok(observer.outcome(time_step, steps))
    }
}

/// Watches a collision and locates its beginning and end between steps.
struct Observer<'a> {
    collision: &'a Collision,
    model: ContactModel,
    touching_distance: f64,
    /// From sphere 1 to its partner at the last sample.
    normal: DVec3,
    begin: Option<f64>,
    end: Option<f64>,
    samples: Vec<Sample>,
    /// Stiffness and damping that an adaptive law froze.
    adaptive: [f64; 2],
}

impl<'a> Observer<'a> {
    fn new(collision: &'a Collision, scene: &Scene, start: &State) -> Self {
        let mut observer = Self {
            collision,
            model: ContactModel::new(scene),
            touching_distance: collision.radius[0]
                + if collision.wall {
                    0.0
                } else {
                    collision.radius[1]
                },
            normal: DVec3::X,
            begin: None,
            end: None,
            samples: Vec::new(),
            adaptive: [0.0; 2],
        };
        let sample = observer.sample(start);
        observer.samples.push(sample);
        observer
    }

    fn coefficients(&self) -> NormalCoefficients {
        let (mass, radius) = self.collision.reduced();
        NormalCoefficients::of(
            self.model.laws.normal,
            self.model.pair(0, 1),
            mass,
            radius,
            self.adaptive,
        )
    }

    /// Normal force by the law, before the end-of-contact convention.
    fn law_force(&self, overlap: f64, rate: f64) -> f64 {
        let (elastic, damping) = normal_response(
            self.model.laws.normal,
            self.coefficients(),
            overlap.max(0.0),
        );
        elastic + damping * rate
    }

    fn sample(&self, state: &State) -> Sample {
        let body = |index: usize| {
            if index < state.particles.len() {
                (
                    state.position(index),
                    state.particles.velocity[index],
                    state.particles.spin[index],
                )
            } else {
                (self.collision.origin(), DVec3::ZERO, DVec3::ZERO)
            }
        };
        let [(p1, v1, s1), (p2, v2, s2)] = [body(0), body(1)];
        // From exact differences, not from the positions in metres.
        let separation = self.separation(state);
        let overlap = match state.contacts.first() {
            Some(contact) => contact.overlap,
            None => self.touching_distance - separation.length(),
        };
        let normal = separation.normalize_or_zero();
        let rate = (v1 - v2).dot(normal);
        Sample {
            time: state.time(),
            overlap,
            rate,
            normal_force: if overlap > 0.0 {
                self.law_force(overlap, rate)
            } else {
                0.0
            },
            position: [p1, p2],
            velocity: [v1, v2],
            spin: [s1, s2],
        }
    }

    /// Vector from the centre of sphere 1 to its partner.
    fn separation(&self, state: &State) -> DVec3 {
        let particles = &state.particles;
        let (units, remainder) = if self.collision.wall {
            state.grid.from_metres(self.collision.origin())
        } else {
            (particles.units[1], particles.remainder[1])
        };
        let whole = state.grid.difference(particles.units[0], units);
        #[allow(
            clippy::cast_precision_loss,
            reason = "positions stay below 2^42 units"
        )]
        let whole = DVec3::from_array(whole.map(|x| x as f64));
        let separation = (whole + (remainder - particles.remainder[0])) * state.grid.unit;
        if self.collision.wall {
            separation.x * DVec3::X
        } else {
            separation
        }
    }

    /// Two steps apart: the kick that ended the contact is over only half a step after the first.
    fn is_over(&self) -> bool {
        // Where attraction is cut, bodies without a force between them fly apart, overlapping or not.
        let free = |s: &Sample| {
            s.overlap <= 0.0
                || (self.model.laws.end == ContactEnd::Force
                    && self.end.is_some_and(|end| s.time > end))
        };
        let apart = |s: &Sample| free(s) && s.rate < 0.0;
        self.begin.is_some() && self.samples.iter().rev().take(2).all(apart)
    }

    /// Steps that may pass unseen without missing the turning point or the end of the contact.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to LONGEST_UNSEEN"
    )]
    fn idle_steps(&self, time_step: f64) -> u64 {
        let Some(last) = self.samples.last() else {
            return 1;
        };
        // The turning point is found from three samples at equal distances.
        let turns = |s: &Sample| s.overlap <= 0.0 || (s.rate > 0.0) != (last.rate > 0.0);
        if self.end.is_some() || self.samples.iter().rev().take(3).any(turns) {
            return 1;
        }
        let left = if last.rate > 0.0 {
            // The force grows until the turning point: it comes sooner than at constant force.
            let (mass, _) = self.collision.reduced();
            0.5 * mass * last.rate / last.normal_force.abs()
        } else {
            // Bodies separate ever faster; where attraction is cut, the contact ends at zero force.
            let force = match self.model.laws.end {
                ContactEnd::Overlap => 1.0,
                ContactEnd::Force => {
                    (last.normal_force / self.law_force(last.overlap, 0.0)).max(0.0)
                }
            };
            0.3 * force * last.overlap / last.rate.abs()
        };
        (left / time_step - 2.0).clamp(1.0, LONGEST_UNSEEN) as u64
    }

    fn observe(&mut self, state: &State) {
        let now = self.sample(state);
        let Some(&before) = self.samples.last() else {
            return;
        };
        if before.overlap <= 0.0 && now.overlap > 0.0 && self.begin.is_none() {
            self.begin = Some(now.time - now.overlap / self.drift_rate(&before, &now));
            if self.model.laws.normal == NormalLaw::HertzAdaptive {
                let (mass, radius) = self.collision.reduced();
                self.adaptive = adaptive_coefficients(
                    &self.model.laws,
                    self.model.pair(0, 1),
                    mass,
                    radius,
                    self.collision.normal_speed(),
                );
            }
        }
        if self.begin.is_some() && self.end.is_none() {
            self.locate_end(&before, &now);
        }
        self.normal = self.separation(state).normalize_or_zero();
        self.samples.push(now);
    }

    /// Rate of the overlap while the bodies drift from one step to the next.
    fn drift_rate(&self, before: &Sample, now: &Sample) -> f64 {
        (now.overlap - before.overlap) / (now.time - before.time)
    }

    fn locate_end(&mut self, before: &Sample, now: &Sample) {
        let rate = self.drift_rate(before, now);
        if rate >= 0.0 || before.overlap <= 0.0 {
            return;
        }
        if self.model.laws.end == ContactEnd::Force {
            // Along the drift the rate is constant: bisect for the overlap at which the force vanishes.
            let at = |time: f64| self.law_force(before.overlap + rate * time, rate);
            let length = now.time - before.time;
            let last = length.min(before.overlap / -rate);
            if at(last) <= 0.0 && at(last) < at(0.0) {
                let (mut low, mut high) = (0.0, last);
                for _ in 0..60 {
                    let middle = 0.5 * (low + high);
                    if at(middle) > 0.0 {
                        low = middle;
                    } else {
                        high = middle;
                    }
                }
                self.end = Some(before.time + 0.5 * (low + high));
                return;
            }
        }
        if now.overlap <= 0.0 {
            self.end = Some(now.time - now.overlap / rate);
        }
    }

    fn outcome(mut self, time_step: f64, steps: u64) -> Outcome {
        let collision = self.collision;
        let begin = self.begin.unwrap_or(0.0);
        let speed = collision.normal_speed();
        let ended = self.is_over();
        let last = *self.samples.last().unwrap_or(&Sample {
            time: 0.0,
            overlap: 0.0,
            rate: 0.0,
            normal_force: 0.0,
            position: [DVec3::ZERO; 2],
            velocity: [DVec3::ZERO; 2],
            spin: [DVec3::ZERO; 2],
        });
        // What gravity did between the end of the contact and the last step is not the contact's.
        let end = self.end.unwrap_or(last.time);
        let fall = DVec3::X * collision.gravity * (last.time - end);
        let first = last.velocity[0] - fall;
        let second = if collision.wall {
            DVec3::ZERO
        } else {
            last.velocity[1] - fall
        };
        let normal = self.normal;
        let rebound = if ended {
            (first - second).dot(normal)
        } else {
            0.0
        };
        let slip_in =
            collision.speed * collision.angle.sin() + collision.radius[0] * collision.spin;
        let tangent = DVec3::Y * if slip_in < 0.0 { -1.0 } else { 1.0 };
        let radius_2 = if collision.wall {
            0.0
        } else {
            collision.radius[1]
        };
        let surface = collision.radius[0] * last.spin[0] + radius_2 * last.spin[1];
        let slip = first - second + surface.cross(normal);
        let rebound_slip = (slip - slip.dot(normal) * normal).dot(tangent);
        for sample in &mut self.samples {
            sample.time -= begin;
            if self.model.laws.end == ContactEnd::Force {
                sample.normal_force = sample.normal_force.max(0.0);
            }
        }
        let coefficients = self.coefficients();
        Outcome {
            time_step,
            steps,
            // Not −0.
            restitution: 0.0 - rebound / speed,
            contact_time: self.end.filter(|_| ended).map(|end| end - begin),
            max_overlap: self.peak(|s| s.overlap),
            max_force: self
                .peak(|s| s.normal_force)
                .max(self.law_force(0.0, speed)),
            stiffness: coefficients.stiffness,
            damping: coefficients.damping,
            rebound_normal_velocity: rebound,
            rebound_tangential_velocity: rebound_slip,
            velocity: [first, second],
            spin: last.spin,
            psi_in: slip_in.abs() / speed,
            psi_out: rebound_slip / speed,
            energy_lost: self.energy(
                [
                    collision.speed * DVec3::new(collision.angle.cos(), collision.angle.sin(), 0.0),
                    DVec3::ZERO,
                ],
                [collision.spin * DVec3::Z, DVec3::ZERO],
            ) - self.energy([first, second], last.spin),
            trace: self.samples,
        }
    }

    fn energy(&self, velocity: [DVec3; 2], spin: [DVec3; 2]) -> f64 {
        let masses = self.collision.masses();
        (0..2)
            .filter(|&k| masses[k].is_finite())
            .map(|k| {
                let inertia = sphere_inertia(masses[k], self.collision.radius[k]);
                0.5 * masses[k] * velocity[k].length_squared()
                    + 0.5 * inertia * spin[k].length_squared()
            })
            .sum()
    }

    /// Largest value over the samples, refined by the parabola through its neighbours.
    fn peak(&self, value: impl Fn(&Sample) -> f64) -> f64 {
        let values: Vec<f64> = self.samples.iter().map(value).collect();
        let Some(top) = (0..values.len()).max_by(|&a, &b| values[a].total_cmp(&values[b])) else {
            return 0.0;
        };
        if top == 0 || top + 1 >= values.len() {
            return values[top];
        }
        let [left, middle, right] = [values[top - 1], values[top], values[top + 1]];
        let curvature = left - 2.0 * middle + right;
        if curvature < 0.0 && left > 0.0 && right > 0.0 {
            middle - (right - left) * (right - left) / (8.0 * curvature)
        } else {
            middle
        }
    }
}
