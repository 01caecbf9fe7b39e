//! Which coefficients the chosen laws ask of a pair of materials.

use super::meetings::{Meeting, meetings};
use super::names::number_text;
use super::source::Source;
use super::validate::{Check, Complaint, LARGEST, Place, complain};
use super::{AdaptiveInverse, CohesionLaw, NormalLaw, Pair, RollingLaw, Scene, TangentialLaw};
use crate::laws::hard_sphere::{CollisionRule, GrainShape};

/// Smallest restitution that `hertz-adaptive` can impose.
const ADAPTIVE_LEAST_RESTITUTION: f64 = 0.01;

/// The same with the formulas as printed, which the paper uses down to here.
const PRINTED_LEAST_RESTITUTION: f64 = 0.4;

/// Every pair of materials that can meet is there once, with all coefficients its laws need.
pub(super) fn check_coefficients(scene: &Scene, source: Option<&Source>) -> Check {
    for (i, pair) in scene.pairs.iter().enumerate() {
        check_pair_materials(scene, i, pair)?;
        check_ranges(i, pair, scene.contact.tangential)?;
    }
    for meeting in meetings(scene) {
        let [a, b] = meeting.materials;
        let found = scene
            .pairs
            .iter()
            .position(|pair| pair.materials == [a, b] || pair.materials == [b, a]);
        match found {
            Some(i) => PairCheck { scene, i, source }.check()?,
            None => return missing_pair(scene, &meeting),
        }
    }
    for i in 0..scene.pairs.len() {
        PairCheck { scene, i, source }.warn_unused();
    }
    Ok(())
}

fn missing_pair(scene: &Scene, meeting: &Meeting) -> Check {
    let [a, b] = meeting.materials.map(|i| &scene.materials[i].name);
    Err(Box::new(Complaint {
        place: Place::Key("pairs".to_owned()),
        near: Some(meeting.cause.clone()),
        found: format!(
            "no entry between {a:?} and {b:?}, but {}",
            meeting.description
        ),
        allowed: format!("a table [[pairs]] with between = [{a:?}, {b:?}]"),
    }))
}

fn check_pair_materials(scene: &Scene, i: usize, pair: &Pair) -> Check {
    let key = format!("pairs[{i}].between");
    let [a, b] = pair.materials;
    let count = scene.materials.len();
    if a.max(b) >= count {
        return complain(
            key,
            format!("material number {}", a.max(b)),
            format!("the numbers of two of the {count} materials, from 0"),
        );
    }
    let same = |other: &Pair| other.materials == [a, b] || other.materials == [b, a];
    if scene.pairs[..i].iter().any(same) {
        let [a, b] = pair.materials.map(|i| &scene.materials[i].name);
        return complain(
            key,
            format!("{a:?} and {b:?} a second time"),
            "one table [[pairs]] for each pair of materials",
        );
    }
    Ok(())
}

fn check_ranges(i: usize, pair: &Pair, law: TangentialLaw) -> Check {
    let check = |field: &str, value: Option<f64>, good: fn(f64) -> bool, allowed: &str| match value
    {
        Some(value) if !good(value) => {
            complain(format!("pairs[{i}].{field}"), number_text(value), allowed)
        }
        _ => Ok(()),
    };
    let restitution = |e: f64| e > 0.0 && e <= 1.0;
    let positive = |x: f64| x > 0.0 && x <= LARGEST;
    let not_negative = |x: f64| (0.0..=LARGEST).contains(&x);
    const RESTITUTION: &str = "a number greater than 0, at most 1";
    const POSITIVE: &str = "a number greater than 0";
    const NOT_NEGATIVE: &str = "a number, 0 or more";
    check("restitution", pair.restitution, restitution, RESTITUTION)?;
    check("stiffness", pair.stiffness, positive, POSITIVE)?;
    check("damping", pair.damping, not_negative, NOT_NEGATIVE)?;
    check(
        "viscoelastic_time",
        pair.viscoelastic_time,
        not_negative,
        NOT_NEGATIVE,
    )?;
    check("friction", Some(pair.friction), not_negative, NOT_NEGATIVE)?;
    check(
        "tangential_stiffness",
        pair.tangential_stiffness,
        positive,
        POSITIVE,
    )?;
    check(
        "tangential_damping",
        pair.tangential_damping,
        not_negative,
        NOT_NEGATIVE,
    )?;
    // A spring that gives nothing back is none; a rule may.
    if law == TangentialLaw::Impulse {
        check(
            "tangential_restitution",
            pair.tangential_restitution,
            |e| (0.0..=1.0).contains(&e),
            "a number between 0 and 1, both included",
        )?;
    } else {
        check(
            "tangential_restitution",
            pair.tangential_restitution,
            restitution,
            RESTITUTION,
        )?;
    }
    check("exponent", pair.exponent, positive, POSITIVE)?;
    check(
        "rolling_friction",
        Some(pair.rolling_friction),
        not_negative,
        NOT_NEGATIVE,
    )?;
    check(
        "rolling_damping",
        Some(pair.rolling_damping),
        not_negative,
        NOT_NEGATIVE,
    )?;
    check(
        "work_of_adhesion",
        Some(pair.work_of_adhesion),
        not_negative,
        NOT_NEGATIVE,
    )?;
    check(
        "cohesion_energy_density",
        Some(pair.cohesion_energy_density),
        not_negative,
        NOT_NEGATIVE,
    )
}

/// One pair of materials and the laws of the scene.
struct PairCheck<'a> {
    scene: &'a Scene,
    i: usize,
    source: Option<&'a Source>,
}

impl PairCheck<'_> {
    fn pair(&self) -> &Pair {
        &self.scene.pairs[self.i]
    }

    fn key(&self, field: &str) -> String {
        format!("pairs[{}].{field}", self.i)
    }

    fn check(&self) -> Check {
        self.check_normal()?;
        self.check_tangential()?;
        let contact = &self.scene.contact;
        if contact.rolling != RollingLaw::None {
            let wanted_by = format!("contact.rolling = \"{}\"", contact.rolling);
            self.need(
                "rolling_friction",
                self.stands("rolling_friction"),
                "a number",
                &wanted_by,
            )?;
        }
        let wanted_by = format!("contact.cohesion = \"{}\"", contact.cohesion);
        match contact.cohesion {
            CohesionLaw::None => Ok(()),
            CohesionLaw::Sjkr => self.need(
                "cohesion_energy_density",
                self.stands("cohesion_energy_density"),
                "a number in J/m³",
                &wanted_by,
            ),
            CohesionLaw::Jkr | CohesionLaw::Dmt => {
                self.need(
                    "work_of_adhesion",
                    self.stands("work_of_adhesion"),
                    "a number in J/m²",
                    &wanted_by,
                )?;
                if contact.cohesion == CohesionLaw::Jkr {
                    self.need_young(&wanted_by)?;
                }
                Ok(())
            }
        }
    }

    fn check_normal(&self) -> Check {
        let pair = self.pair();
        let law = self.scene.contact.normal;
        let wanted_by = format!("contact.normal = \"{law}\"");
        let restitution = || {
            self.need(
                "restitution",
                pair.restitution.is_some(),
                "a number greater than 0, at most 1",
                &wanted_by,
            )
        };
        match law {
            NormalLaw::Linear => {
                self.need(
                    "stiffness",
                    pair.stiffness.is_some(),
                    "a number in N/m",
                    &wanted_by,
                )?;
                self.one_of(
                    ("damping", pair.damping, "N s/m"),
                    ("restitution", pair.restitution, "(0, 1]"),
                    &wanted_by,
                )
            }
            NormalLaw::LinearStretched => restitution(),
            NormalLaw::HertzViscous => {
                self.need_stiffness(&wanted_by)?;
                self.need(
                    "damping",
                    pair.damping.is_some(),
                    "a number in N s/m",
                    &wanted_by,
                )
            }
            NormalLaw::HertzTsuji => {
                self.need_stiffness(&wanted_by)?;
                restitution()
            }
            NormalLaw::HertzKuwabaraKono => {
                self.need_stiffness(&wanted_by)?;
                self.need(
                    "viscoelastic_time",
                    pair.viscoelastic_time.is_some(),
                    "a time in s",
                    &wanted_by,
                )
            }
            NormalLaw::HertzAdaptive => {
                restitution()?;
                let printed = self.scene.contact.inverse == AdaptiveInverse::DirectPaper;
                let least = if printed {
                    PRINTED_LEAST_RESTITUTION
                } else {
                    ADAPTIVE_LEAST_RESTITUTION
                };
                match pair.restitution {
                    Some(e) if e < least => complain(
                        self.key("restitution"),
                        e.to_string(),
                        format!(
                            "a number from {least} to 1 with {wanted_by}{}",
                            if printed {
                                " and contact.inverse = \"direct-paper\""
                            } else {
                                ""
                            }
                        ),
                    ),
                    _ => Ok(()),
                }
            }
        }
    }

    fn check_tangential(&self) -> Check {
        let pair = self.pair();
        let law = self.scene.contact.tangential;
        if law == TangentialLaw::None {
            return Ok(());
        }
        let wanted_by = format!("contact.tangential = \"{law}\"");
        self.need(
            "friction",
            self.stands("friction"),
            "a number, 0 or more",
            &wanted_by,
        )?;
        match law {
            TangentialLaw::None | TangentialLaw::Coulomb => Ok(()),
            TangentialLaw::Linear => {
                self.one_of(
                    ("tangential_stiffness", pair.tangential_stiffness, "N/m"),
                    (
                        "tangential_restitution",
                        pair.tangential_restitution,
                        "(0, 1]",
                    ),
                    &wanted_by,
                )?;
                if pair.tangential_restitution.is_some()
                    && self.scene.contact.contact_time.is_none()
                {
                    return complain(
                        "contact.contact_time",
                        "nothing: the key is missing",
                        format!(
                            "a time in s: {} needs it",
                            self.key("tangential_restitution")
                        ),
                    );
                }
                Ok(())
            }
            TangentialLaw::Impulse => self.check_impulse(&wanted_by),
            TangentialLaw::Mindlin => {
                if pair.tangential_stiffness.is_some() {
                    return Ok(());
                }
                self.need_young(&format!("{wanted_by} without tangential_stiffness"))
            }
        }
    }

    /// All that the rule of a collision needs, and no more energy after it than before.
    fn check_impulse(&self, wanted_by: &str) -> Check {
        let pair = self.pair();
        self.one_of(
            (
                "tangential_restitution",
                pair.tangential_restitution,
                "[0, 1]",
            ),
            ("exponent", pair.exponent, "(0, ∞)"),
            wanted_by,
        )?;
        let Some(restitution) = pair.restitution else {
            return self.need(
                "restitution",
                false,
                "a number greater than 0, at most 1",
                wanted_by,
            );
        };
        let Some(exponent) = pair.exponent else {
            return Ok(());
        };
        let rule = CollisionRule::Rubin {
            restitution,
            exponent,
            friction: pair.friction,
        };
        match rule.check(GrainShape::Sphere.slip_ratio()) {
            Ok(()) => Ok(()),
            Err(error) => complain(
                self.key(error.coefficient),
                number_text(error.found),
                error.allowed,
            ),
        }
    }

    /// Hertz: the stiffness, or the moduli it follows from.
    fn need_stiffness(&self, wanted_by: &str) -> Check {
        if self.pair().stiffness.is_some() {
            return Ok(());
        }
        self.need_young(&format!("{wanted_by} without {}", self.key("stiffness")))
    }

    /// Young's modulus of both materials, at least one of them finite.
    fn need_young(&self, wanted_by: &str) -> Check {
        let materials = self.pair().materials;
        for i in materials {
            let material = &self.scene.materials[i];
            if material.young.is_none() {
                return complain(
                    format!("materials[{i}].young"),
                    format!("nothing: the key is missing for {:?}", material.name),
                    format!("a number greater than 0 in Pa: {wanted_by} needs it"),
                );
            }
        }
        let rigid = |i: usize| self.scene.materials[i].young == Some(f64::INFINITY);
        if materials.into_iter().all(rigid) {
            return complain(
                self.key("between"),
                "two rigid materials",
                format!("at least one with young: {wanted_by} needs it"),
            );
        }
        Ok(())
    }

    /// Whether a coefficient that has a default stands in the file; in code it always does.
    fn stands(&self, field: &str) -> bool {
        self.source
            .is_none_or(|source| source.has(&self.key(field)))
    }

    fn need(&self, field: &str, given: bool, allowed: &str, wanted_by: &str) -> Check {
        if given {
            return Ok(());
        }
        let names = self.pair().materials.map(|i| &self.scene.materials[i].name);
        complain(
            self.key(field),
            format!(
                "nothing: the key is missing for {:?} and {:?}",
                names[0], names[1]
            ),
            format!("{allowed}: {wanted_by} needs it"),
        )
    }

    /// Exactly one of two coefficients, each with its unit or range.
    fn one_of(
        &self,
        (a, value_a, unit_a): (&str, Option<f64>, &str),
        (b, value_b, unit_b): (&str, Option<f64>, &str),
        wanted_by: &str,
    ) -> Check {
        match (value_a, value_b) {
            (None, None) => self.need(
                a,
                false,
                &format!("{a} in {unit_a} or {b} in {unit_b}"),
                wanted_by,
            ),
            (Some(x), Some(y)) => complain(
                self.key(b),
                format!("{y}, besides {a} = {x}"),
                format!("either {a} or {b}: {wanted_by} finds one from the other"),
            ),
            _ => Ok(()),
        }
    }

    /// Says which coefficients no law of the scene looks at.
    fn warn_unused(&self) {
        use NormalLaw as N;
        use TangentialLaw as T;
        let pair = self.pair();
        let contact = &self.scene.contact;
        let (normal, tangential) = (contact.normal, contact.tangential);
        let spring = matches!(tangential, T::Linear | T::Mindlin);
        let table = [
            (
                "restitution",
                pair.restitution.is_some(),
                !matches!(normal, N::HertzViscous | N::HertzKuwabaraKono),
            ),
            (
                "stiffness",
                pair.stiffness.is_some(),
                !matches!(normal, N::LinearStretched | N::HertzAdaptive),
            ),
            (
                "damping",
                pair.damping.is_some(),
                matches!(normal, N::Linear | N::HertzViscous),
            ),
            (
                "viscoelastic_time",
                pair.viscoelastic_time.is_some(),
                normal == N::HertzKuwabaraKono,
            ),
            ("friction", pair.friction != 0.0, tangential != T::None),
            (
                "tangential_stiffness",
                pair.tangential_stiffness.is_some(),
                spring,
            ),
            (
                "tangential_damping",
                pair.tangential_damping.is_some(),
                spring,
            ),
            (
                "tangential_restitution",
                pair.tangential_restitution.is_some(),
                matches!(tangential, T::Linear | T::Impulse),
            ),
            (
                "exponent",
                pair.exponent.is_some(),
                tangential == T::Impulse,
            ),
            (
                "rolling_friction",
                pair.rolling_friction != 0.0,
                contact.rolling != RollingLaw::None,
            ),
            (
                "rolling_damping",
                pair.rolling_damping != 0.0,
                contact.rolling == RollingLaw::Spring,
            ),
            (
                "work_of_adhesion",
                pair.work_of_adhesion != 0.0,
                matches!(contact.cohesion, CohesionLaw::Jkr | CohesionLaw::Dmt),
            ),
            (
                "cohesion_energy_density",
                pair.cohesion_energy_density != 0.0,
                contact.cohesion == CohesionLaw::Sjkr,
            ),
        ];
        for (field, given, used) in table {
            if given && !used {
                log::warn!(
                    "{} is given, but none of the chosen laws uses it",
                    self.key(field)
                );
            }
        }
    }
}
