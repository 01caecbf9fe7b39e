//! A scene of hard grains told in soft ones.
//!
//! Spring and dashpot are linear, with coefficients for each pair that make every contact last T and give it
//! the restitution of the hard rule, whatever the masses ([`LinearStretched`](NormalLaw::LinearStretched));
//! friction is in proportion to the normal force, as the rule has it at first touch ([`Impulse`](TangentialLaw::Impulse)).
//! Viscoelastic grains keep their law: Hertz's spring becomes stiffer, and A shorter with the contact time, so
//! that restitution at any speed stays what it was.

use crate::error::{Error, Result};
use crate::laws::ContactEnd;
use crate::laws::hard_sphere::CollisionRule;
use crate::laws::hertz::hertz_contact_time;
use crate::laws::material::sphere_mass;
use crate::laws::tc::Dimensions;
use crate::scene::{
    CohesionLaw, ContactLaws, HardSettings, Material, NormalLaw, Pair, RollingLaw, Scene,
    TangentialLaw, TimeStep, rule_name,
};

/// The scene with soft grains whose contacts last `contact_time`, s; of viscoelastic grains, those that meet
/// with `speed`, m/s.
///
/// # Errors
/// [`Error::Unsupported`] if soft grains cannot do what the hard ones do, with the reason.
pub fn soft_twin(scene: &Scene, contact_time: f64, speed: f64) -> Result<Scene> {
    let Some(hard) = &scene.hard else {
        return Err(Error::Unsupported(
            "the grains of this scene are soft: engine.kind = \"hard\" makes them hard".into(),
        ));
    };
    if let Some((wall, _)) = hard.motions.first() {
        return refuse(&format!("wall {:?} moves", scene.walls[*wall].name));
    }
    let mut soft = scene.clone();
    soft.hard = None;
    soft.time.step = TimeStep::Auto;
    if hard.dimensions == Dimensions::Two {
        spheres_of_disks(&mut soft, hard)?;
    }
    let rules = || hard.rules.iter().map(|pair| pair.rule);
    let viscoelastic = |rule: &CollisionRule| matches!(rule, CollisionRule::Viscoelastic { .. });
    let viscous = rules().any(|rule| viscoelastic(&rule));
    if viscous && !rules().all(|rule| viscoelastic(&rule)) {
        return refuse("some pairs are viscoelastic and others are not");
    }
    let rough = rules().any(|rule| rule.friction() > 0.0);
    soft.contact = ContactLaws {
        normal: if viscous {
            NormalLaw::HertzKuwabaraKono
        } else {
            NormalLaw::LinearStretched
        },
        tangential: if rough {
            TangentialLaw::Impulse
        } else {
            TangentialLaw::None
        },
        rolling: RollingLaw::None,
        cohesion: CohesionLaw::None,
        // The hard rule of viscoelastic grains lets them part when their force vanishes.
        end: if viscous {
            ContactEnd::Force
        } else {
            ContactEnd::Overlap
        },
        contact_time: (!viscous).then_some(contact_time),
        ..ContactLaws::default()
    };
    let shortening = contact_time / longest_contact(&soft, hard, speed);
    soft.time.expected_speed = viscous.then_some(speed);
    soft.pairs = hard
        .rules
        .iter()
        .map(|pair| soft_pair(pair.materials, &pair.rule, shortening, rough))
        .collect::<Result<_>>()?;
    soft.validate()?;
    Ok(soft)
}

fn refuse<T>(reason: &str) -> Result<T> {
    Err(Error::Unsupported(format!(
        "hard against soft: {reason}, which soft grains cannot do"
    )))
}

fn soft_pair(
    materials: [usize; 2],
    rule: &CollisionRule,
    shortening: f64,
    rough: bool,
) -> Result<Pair> {
    let mut pair = Pair::new(materials[0], materials[1]);
    match *rule {
        CollisionRule::Viscoelastic {
            viscoelastic_time,
            stiffness,
        } => {
            // T ∝ k^{−2/5}, and e depends on A/T alone.
            pair.stiffness = Some(stiffness * shortening.powf(-2.5));
            pair.viscoelastic_time = Some(viscoelastic_time * shortening);
            return Ok(pair);
        }
        // Without friction it does not matter which.
        CollisionRule::Smooth { .. } => pair.tangential_restitution = rough.then_some(0.0),
        CollisionRule::Walton {
            tangential_restitution,
            ..
        } => pair.tangential_restitution = rough.then_some(tangential_restitution),
        CollisionRule::Rubin { exponent, .. } => pair.exponent = rough.then_some(exponent),
    }
    let restitution = rule.restitution(1.0, 1.0);
    if restitution <= 0.0 {
        return refuse(&format!("rule {:?} with restitution 0", rule_name(rule)));
    }
    pair.restitution = Some(restitution);
    pair.friction = rule.friction();
    Ok(pair)
}

/// How long the longest contact of viscoelastic grains takes as the scene has them, s.
fn longest_contact(soft: &Scene, hard: &HardSettings, speed: f64) -> f64 {
    let masses = |material: usize| {
        let grains = soft
            .particles
            .iter()
            .filter(move |p| p.material == material);
        grains.map(move |p| sphere_mass(soft.materials[material].density, p.radius))
    };
    let mut longest: f64 = 0.0;
    for pair in &hard.rules {
        if let CollisionRule::Viscoelastic { stiffness, .. } = pair.rule {
            // Against a wall the reduced mass is that of the grain; between grains at most half of it.
            let mass = masses(pair.materials[0])
                .chain(masses(pair.materials[1]))
                .fold(0.0, f64::max);
            longest = longest.max(hertz_contact_time(stiffness, mass, speed));
        }
    }
    longest
}

/// Disks become spheres of the same mass: without friction nobody can tell.
fn spheres_of_disks(soft: &mut Scene, hard: &HardSettings) -> Result<()> {
    if hard.rules.iter().any(|pair| pair.rule.friction() > 0.0) {
        return refuse("disks have friction, and their inertia");
    }
    for (number, material) in soft.materials.iter_mut().enumerate() {
        let mut radii = soft
            .particles
            .iter()
            .filter(|particle| particle.material == number)
            .map(|particle| particle.radius);
        let Some(radius) = radii.next() else { continue };
        if radii.any(|other| other != radius) {
            return refuse(&format!(
                "disks of material {:?} have several radii, and masses ∝ R²",
                material.name
            ));
        }
        // ρ π R² = ρ' (4/3) π R³
        *material = Material {
            density: 0.75 * material.density / radius,
            ..material.clone()
        };
    }
    Ok(())
}
