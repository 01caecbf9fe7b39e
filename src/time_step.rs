//! How long a time step may be.
//!
//! Two times limit it: the shortest contact (a collision must be resolved, and the swing of a
//! tangential spring that is stiffer still) and the Rayleigh time (a wave must not cross a grain within
//! a step). `step = "auto"` takes a stated fraction of both; a step
//! beyond the largest allowed one is refused unless the scene forces it.

use crate::contact::{ContactModel, elastic_contact_time};
use crate::contact::{
    NormalCoefficients, NormalExponents, PairCoefficients, adaptive_coefficients,
};
use crate::error::{Result, SceneError};
use crate::fluid::FluidModel;
use crate::laws::hertz::hertz_max_overlap;
use crate::laws::linear::linear_max_overlap;
use crate::laws::lubrication::film_damping;
use crate::laws::material::{rayleigh_time, reduced, sphere_mass, tangential_reduced_mass};
use crate::scene::{ContactLaws, NormalLaw, Scene, TangentialLaw, TimeStep};
use std::f64::consts::PI;

/// Steps in the shortest contact that `step = "auto"` takes.
pub const AUTO_STEPS_PER_CONTACT: f64 = 40.0;

/// Fraction of the shortest Rayleigh time that `step = "auto"` takes.
pub const AUTO_RAYLEIGH_FRACTION: f64 = 0.2;

/// Fewest steps in the shortest contact that a run accepts.
pub const FEWEST_STEPS_PER_CONTACT: f64 = 10.0;

/// Largest fraction of the shortest Rayleigh time that a run accepts.
pub const LARGEST_RAYLEIGH_FRACTION: f64 = 0.5;

/// Fraction of the shortest time in which films or drag stop a grain that `step = "auto"` takes.
pub const AUTO_FLUID_FRACTION: f64 = 0.1;

/// Largest such fraction that a run accepts. Films of one grain do not see each other within a step:
/// in the densest packing, twelve films a grain, steps of half that time would swing.
pub const LARGEST_FLUID_FRACTION: f64 = 0.25;

/// Overlap reckoned with where no speed is expected, in radii: grains that start in contact, or
/// attract each other, are moved by that alone.
const DEPTH_AT_REST: f64 = 1e-2;

/// What the stiffest pair of a scene allows.
#[derive(Debug, Clone, PartialEq)]
pub struct StepAdvice {
    /// Impact speed reckoned with, m/s.
    pub speed: f64,
    /// Shortest contact time, s.
    pub contact_time: f64,
    /// Names of the two materials whose contact is shortest.
    pub stiffest: [String; 2],
    /// Deepest overlap of an impact at that speed, in radii of the smaller grain.
    pub deepest_overlap: f64,
    /// Shortest Rayleigh time, s; none where no Young's modulus is known.
    pub rayleigh_time: Option<f64>,
    /// Shortest time in which the fluid of the scene, by drag or a film between rough surfaces, stops a
    /// grain, s; none without.
    pub fluid_time: Option<f64>,
    /// The step that `auto` takes, s.
    pub advised: f64,
    /// The largest step that is accepted, s.
    pub largest: f64,
}

/// Fastest impact to expect: as given, or the fastest start plus the fall through the domain.
fn expected_speed(scene: &Scene) -> f64 {
    if let Some(speed) = scene.time.expected_speed {
        return speed;
    }
    let fastest = scene
        .particles
        .iter()
        .map(|particle| particle.velocity.length())
        .fold(0.0, f64::max);
    let size = scene.domain.upper - scene.domain.lower;
    let drop: f64 = (0..3)
        .filter(|&axis| !scene.domain.periodic[axis])
        .map(|axis| (scene.gravity[axis] * size[axis]).abs())
        .sum();
    fastest + (2.0 * drop).sqrt()
}

/// Speed (m/s) with which a Hertzian contact of stiffness k pushes a reduced mass (kg) away from an
/// overlap (m): ½ m v² = 2/5 k δ^{5/2}. A linear contact lasts as long at any speed.
fn speed_of_push(k: f64, mass: f64, overlap: f64) -> f64 {
    let speed = (0.8 * k / mass * overlap.powf(2.5)).sqrt();
    speed.max(f64::MIN_POSITIVE)
}

/// Half a period of the tangential spring, s; infinite where its stiffness is not given as such: one
/// that follows from the materials or from the contact time suits the normal spring.
fn tangential_time(laws: &ContactLaws, pair: &PairCoefficients, mass: f64) -> f64 {
    if laws.tangential != TangentialLaw::Linear || pair.tangential_stiffness == 0.0 {
        return f64::INFINITY;
    }
    PI * (tangential_reduced_mass(mass) / pair.tangential_stiffness).sqrt()
}

/// Shortest time in which drag at a speed (m/s), or the film between surfaces as close as their
/// roughness, stops the smallest grains, s; `None` where neither acts.
fn shortest_fluid_time(
    scene: &Scene,
    fluid: &FluidModel,
    speed: f64,
    smallest: &Smallest,
) -> Option<f64> {
    let viscosity = fluid.fluid.viscosity;
    let mut shortest = f64::INFINITY;
    let mut consider = |mass: f64, damping: f64| shortest = shortest.min(mass / damping);
    let film = |radius_i, radius_j| {
        let film = fluid.film(radius_i, radius_j)?;
        Some(film_damping(film, viscosity, 0.0))
    };
    for (i, &radius) in smallest.moving.iter().enumerate() {
        if !radius.is_finite() {
            continue;
        }
        let mass = |k: usize, radius: f64| {
            fluid.inertia[k] * sphere_mass(scene.materials[k].density, radius)
        };
        consider(mass(i, radius), fluid.drag(radius, speed));
        if let Some(damping) = film(radius, f64::INFINITY).filter(|_| !scene.walls.is_empty()) {
            consider(mass(i, radius), damping);
        }
        let others = smallest.moving.iter().enumerate();
        for (k, &other) in others.filter(|(_, other)| other.is_finite()) {
            if let Some(damping) = film(radius, other) {
                consider(reduced(mass(i, radius), mass(k, other)), damping);
            }
        }
        for &other in smallest.fixed.iter().filter(|other| other.is_finite()) {
            if let Some(damping) = film(radius, other) {
                consider(mass(i, radius), damping);
            }
        }
    }
    shortest.is_finite().then_some(shortest)
}

/// Smallest radius of each material, m; infinite where there is none.
struct Smallest {
    moving: Vec<f64>,
    fixed: Vec<f64>,
}

impl StepAdvice {
    /// Looks at every pair of materials, each with its smallest grains.
    pub fn new(scene: &Scene) -> Self {
        let model = ContactModel::new(scene);
        let speed = expected_speed(scene);
        let mut smallest = Smallest {
            moving: vec![f64::INFINITY; scene.materials.len()],
            fixed: vec![f64::INFINITY; scene.materials.len()],
        };
        for particle in &scene.particles {
            let radii = if particle.fixed {
                &mut smallest.fixed
            } else {
                &mut smallest.moving
            };
            radii[particle.material] = radii[particle.material].min(particle.radius);
        }
        let mut advice = Self {
            speed,
            contact_time: f64::INFINITY,
            stiffest: [String::new(), String::new()],
            deepest_overlap: 0.0,
            rayleigh_time: None,
            fluid_time: None,
            advised: f64::INFINITY,
            largest: f64::INFINITY,
        };
        let fluid = FluidModel::new(scene);
        if let Some(fluid) = &fluid {
            advice.fluid_time = shortest_fluid_time(scene, fluid, speed, &smallest);
        }
        for pair in &scene.pairs {
            advice.consider(scene, &model, pair.materials, &smallest);
        }
        for (material, &radius) in scene.materials.iter().zip(&smallest.moving) {
            let Some(young) = material.young.filter(|young| young.is_finite()) else {
                continue;
            };
            if radius.is_finite() && NormalExponents::of(scene.contact.normal).elastic > 1.0 {
                let time = rayleigh_time(radius, material.density, young, material.poisson);
                let shortest = advice.rayleigh_time.unwrap_or(f64::INFINITY);
                advice.rayleigh_time = Some(time.min(shortest));
            }
        }
        // The adaptive and stretched laws soften contacts on purpose: only the contact time counts.
        let stretched = matches!(
            scene.contact.normal,
            NormalLaw::LinearStretched | NormalLaw::HertzAdaptive
        );
        let rayleigh = advice
            .rayleigh_time
            .filter(|_| !stretched)
            .unwrap_or(f64::INFINITY);
        let fluid = advice.fluid_time.unwrap_or(f64::INFINITY);
        advice.advised = (advice.contact_time / AUTO_STEPS_PER_CONTACT)
            .min(rayleigh * AUTO_RAYLEIGH_FRACTION)
            .min(fluid * AUTO_FLUID_FRACTION);
        advice.largest = (advice.contact_time / FEWEST_STEPS_PER_CONTACT)
            .min(rayleigh * LARGEST_RAYLEIGH_FRACTION)
            .min(fluid * LARGEST_FLUID_FRACTION);
        advice
    }

    /// What limits the step, in words.
    fn reasons(&self) -> String {
        let contact = self.contact_time.is_finite().then(|| {
            let [a, b] = &self.stiffest;
            let (speed, time) = (self.speed, self.contact_time);
            format!("{a}–{b} contacts at {speed:.3} m/s last {time:.3e} s")
        });
        let rayleigh = self
            .rayleigh_time
            .map(|time| format!("the Rayleigh time is {time:.3e} s"));
        let fluid = self
            .fluid_time
            .map(|time| format!("the fluid stops a grain within {time:.3e} s"));
        let reasons: Vec<String> = [contact, rayleigh, fluid].into_iter().flatten().collect();
        reasons.join(" and ")
    }

    fn consider(
        &mut self,
        scene: &Scene,
        model: &ContactModel,
        materials: [usize; 2],
        smallest: &Smallest,
    ) {
        let [a, b] = materials;
        let coefficients = model.pair(a, b);
        let grain = |material: usize| {
            let radius = smallest.moving[material];
            let density = scene.materials[material].density;
            (radius.is_finite()).then(|| (radius, sphere_mass(density, radius)))
        };
        let wall_of = |material: usize| scene.walls.iter().any(|wall| wall.material == material);
        let mut meetings = Vec::new();
        if let (Some(first), Some(second)) = (grain(a), grain(b)) {
            meetings.push((first, second));
        }
        let wall = (f64::INFINITY, f64::INFINITY);
        for (grain, other) in [(grain(a), b), (grain(b), a)] {
            let Some(grain) = grain else { continue };
            if wall_of(other) {
                meetings.push((grain, wall));
            }
            if smallest.fixed[other].is_finite() {
                meetings.push((grain, (smallest.fixed[other], f64::INFINITY)));
            }
        }
        for ((radius_1, mass_1), (radius_2, mass_2)) in meetings {
            let mass = reduced(mass_1, mass_2);
            let radius = reduced(radius_1, radius_2);
            let speed = if self.speed > 0.0 {
                self.speed
            } else {
                let law = model.laws.normal;
                let k = NormalCoefficients::of(law, coefficients, mass, radius, [0.0; 2]).stiffness;
                speed_of_push(k, mass, DEPTH_AT_REST * radius_1.min(radius_2))
            };
            let time = elastic_contact_time(&model.laws, coefficients, mass, radius, speed)
                .min(tangential_time(&model.laws, coefficients, mass));
            if time < self.contact_time {
                self.contact_time = time;
                self.stiffest = materials.map(|index| scene.materials[index].name.clone());
            }
            let adaptive = if model.laws.normal == NormalLaw::HertzAdaptive {
                adaptive_coefficients(&model.laws, coefficients, mass, radius, speed)
            } else {
                [0.0; 2]
            };
            let stiffness =
                NormalCoefficients::of(model.laws.normal, coefficients, mass, radius, adaptive)
                    .stiffness;
            let overlap = if NormalExponents::of(model.laws.normal).elastic > 1.0 {
                hertz_max_overlap(stiffness, mass, speed)
            } else {
                linear_max_overlap(0.0, stiffness, mass, speed)
            };
            self.deepest_overlap = self.deepest_overlap.max(overlap / radius_1.min(radius_2));
        }
    }
}

/// The time step of a scene: the one it gives, or the advised one, s.
///
/// # Errors
/// If the step given is larger than the stiffest pair allows and not forced.
pub fn time_step(scene: &Scene, advice: &StepAdvice) -> Result<f64> {
    match scene.time.step {
        // Nothing can touch: any step will do.
        TimeStep::Auto if !advice.advised.is_finite() => Ok(scene.time.end / 1000.0),
        TimeStep::Auto => Ok(advice.advised),
        TimeStep::Fixed(step) if step > advice.largest && !scene.time.force_step => {
            Err(SceneError {
                file: None,
                line: None,
                key: "time.step".into(),
                found: format!("{step:e} s"),
                allowed: format!(
                    "at most {:.3e} s, because {}; or step = \"auto\" ({:.3e} s), or force_step = true",
                    advice.largest,
                    advice.reasons(),
                    advice.advised,
                ),
            }
            .into())
        }
        TimeStep::Fixed(step) => Ok(step),
    }
}
