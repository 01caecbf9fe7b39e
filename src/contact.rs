//! The contact model of a scene: its laws, with coefficients for each pair of materials.
//!
//! A [`ContactModel`] is what every soft-sphere engine reads. Coefficients that depend only on the
//! two materials are worked out here, once; those that also depend on the two grains (reduced mass
//! and radius, overlap) are worked out per contact by [`NormalCoefficients::of`] and the laws.

use crate::laws::number::Number;
use crate::laws::{self, ContactEnd};
use crate::scene::{
    AdaptiveInverse, CohesionLaw, ContactLaws, NormalLaw, Pair, Scene, TangentialLaw,
};

/// Laws and coefficients for all contacts of a scene.
#[derive(Debug, Clone)]
pub struct ContactModel {
    /// Which laws act.
    pub laws: ContactLaws,
    /// Number of materials.
    pub materials: usize,
    /// Coefficients for materials (a, b), at `a · materials + b`.
    pub table: Vec<PairCoefficients>,
}

/// What two materials do when they meet. Zero where the chosen laws do not ask for a value.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PairCoefficients {
    /// Normal stiffness as given: N/m (linear) or N/m^1.5 (Hertz).
    pub stiffness: f64,
    /// 4/3 E*, Pa: times √R* it is the Hertz stiffness.
    pub hertz_modulus: f64,
    /// Normal damping as given, N s/m.
    pub damping: f64,
    /// Damping ratio (linear α, Tsuji β) that gives the wanted restitution.
    pub damping_ratio: f64,
    /// Normal stiffness per reduced mass (linear-stretched), or 1/t*² (adaptive with contacts that end
    /// at zero force), 1/s².
    pub stiffness_per_mass: f64,
    /// Normal damping per reduced mass (linear-stretched; adaptive as above), 1/s.
    pub damping_per_mass: f64,
    /// Dissipative time of Kuwabara & Kono, s.
    pub viscoelastic_time: f64,
    /// Restitution that the adaptive law aims at, and that of a collision under the impulse law.
    pub restitution: f64,
    /// Coefficient of sliding friction.
    pub friction: f64,
    /// Tangential stiffness as given: N/m (linear) or N/m^1.5 (Mindlin).
    pub tangential_stiffness: f64,
    /// 8 G*, Pa: times √R* it is the Mindlin stiffness.
    pub mindlin_modulus: f64,
    /// Tangential damping as given, N s/m.
    pub tangential_damping: f64,
    /// Tangential damping ratio of Mindlin's spring: that of the normal one under Tsuji's damping. Under the impulse law,
    /// which has no damper, the rule: β₀ of Walton's, or −α of Rubin's.
    pub tangential_damping_ratio: f64,
    /// Tangential stiffness per tangential reduced mass (from `e_t` and the contact time), 1/s².
    pub tangential_stiffness_per_mass: f64,
    /// Tangential damping per tangential reduced mass (from `e_t` and the contact time), 1/s.
    pub tangential_damping_per_mass: f64,
    /// Coefficient of rolling friction.
    pub rolling_friction: f64,
    /// Damping ratio of the rolling spring.
    pub rolling_damping: f64,
    /// Work of adhesion, J/m².
    pub work_of_adhesion: f64,
    /// Cohesion energy density, J/m³.
    pub cohesion_energy_density: f64,
    /// Effective Young's modulus E*, Pa (0 if unknown).
    pub effective_young: f64,
}

impl ContactModel {
    /// Works out the coefficients of a validated scene.
    pub fn new(scene: &Scene) -> Self {
        Self::of(scene, None)
    }

    /// The same for an engine that takes steps of `time_step` (s): tangential springs that are made for a
    /// restitution give it at this step.
    pub fn stepped(scene: &Scene, time_step: f64) -> Self {
        Self::of(scene, Some(time_step))
    }

    fn of(scene: &Scene, time_step: Option<f64>) -> Self {
        let materials = scene.materials.len();
        let mut table = vec![PairCoefficients::default(); materials * materials];
        for pair in &scene.pairs {
            let coefficients = PairCoefficients::new(scene, pair, time_step);
            let [a, b] = pair.materials;
            table[a * materials + b] = coefficients;
            table[b * materials + a] = coefficients;
        }
        Self {
            laws: scene.contact,
            materials,
            table,
        }
    }

    /// Where the coefficients for two materials are in the table.
    #[inline]
    pub fn row(&self, a: usize, b: usize) -> usize {
        a * self.materials + b
    }

    /// Coefficients in a row that was carried as a floating-point number.
    #[inline]
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the number was a row"
    )]
    pub(crate) fn at(&self, row: f64) -> &PairCoefficients {
        &self.table[row as usize]
    }

    /// Coefficients for two materials.
    pub fn pair(&self, a: usize, b: usize) -> &PairCoefficients {
        &self.table[self.row(a, b)]
    }

    /// The most negative overlap at which any contact between grains of reduced radius up to
    /// `reduced_radius` still holds, m (zero except for JKR necks).
    pub fn longest_neck(&self, reduced_radius: f64) -> f64 {
        if self.laws.cohesion != CohesionLaw::Jkr {
            return 0.0;
        }
        self.table
            .iter()
            .filter(|c| c.effective_young > 0.0)
            .map(|c| {
                laws::cohesion::jkr_snap_off_overlap(
                    c.work_of_adhesion,
                    c.effective_young,
                    reduced_radius,
                )
            })
            .fold(0.0, f64::min)
    }
}

impl PairCoefficients {
    fn new(scene: &Scene, pair: &Pair, time_step: Option<f64>) -> Self {
        let laws = &scene.contact;
        let [a, b] = pair.materials.map(|index| &scene.materials[index]);
        let (effective_young, effective_shear) = match (a.young, b.young) {
            (Some(young_a), Some(young_b)) => (
                laws::material::effective_young_modulus(young_a, a.poisson, young_b, b.poisson),
                laws::material::effective_shear_modulus(young_a, a.poisson, young_b, b.poisson),
            ),
            _ => (0.0, 0.0),
        };
        // A stiffness that is given replaces the one that the materials would have.
        let hertz_modulus = if pair.stiffness.is_none() && effective_young.is_finite() {
            4.0 / 3.0 * effective_young
        } else {
            0.0
        };
        let mindlin_modulus = if pair.tangential_stiffness.is_none() && effective_shear.is_finite()
        {
            8.0 * effective_shear
        } else {
            0.0
        };
        let restitution = pair.restitution.unwrap_or(1.0);
        let damping_ratio = match laws.normal {
            NormalLaw::Linear if pair.restitution.is_some() => {
                laws::linear::linear_damping_ratio_from_restitution(restitution, laws.end)
            }
            NormalLaw::HertzTsuji => laws::damping::tsuji_damping_ratio(restitution, laws.end),
            _ => 0.0,
        };
        let (stiffness_per_mass, damping_per_mass) = match (laws.normal, laws.contact_time) {
            (NormalLaw::LinearStretched, Some(time)) => {
                laws::stretched::stretched_normal_coefficients(1.0, restitution, time, laws.end)
            }
            (NormalLaw::HertzAdaptive, Some(time)) if laws.tabulates_inverse() => {
                let (lambda, duration) = match laws.end {
                    ContactEnd::Force => laws::adaptive::adaptive_force_inverse(restitution),
                    ContactEnd::Overlap => laws::adaptive::adaptive_paper_inverse(restitution),
                };
                let rate = duration / time;
                (rate * rate, 2.0 * lambda * rate)
            }
            _ => (0.0, 0.0),
        };
        let (tangential_stiffness_per_mass, tangential_damping_per_mass) = match (
            laws.tangential,
            laws.contact_time,
            pair.tangential_restitution,
        ) {
            (TangentialLaw::Linear, Some(time), Some(restitution)) => match time_step {
                Some(step) => {
                    laws::stretched::stepped_tangential_coefficients(1.0, restitution, time, step)
                }
                None => laws::stretched::stretched_tangential_coefficients(1.0, restitution, time),
            },
            _ => (0.0, 0.0),
        };
        Self {
            stiffness: pair.stiffness.unwrap_or(0.0),
            hertz_modulus,
            damping: pair.damping.unwrap_or(0.0),
            damping_ratio,
            stiffness_per_mass,
            damping_per_mass,
            viscoelastic_time: pair.viscoelastic_time.unwrap_or(0.0),
            restitution,
            friction: pair.friction,
            tangential_stiffness: pair.tangential_stiffness.unwrap_or(0.0),
            mindlin_modulus,
            tangential_damping: pair.tangential_damping.unwrap_or(0.0),
            tangential_damping_ratio: if laws.tangential == TangentialLaw::Impulse {
                match (pair.exponent, pair.tangential_restitution) {
                    (Some(exponent), _) => -exponent,
                    (None, restitution) => restitution.unwrap_or(0.0),
                }
            } else if pair.tangential_damping.is_none() && laws.normal == NormalLaw::HertzTsuji {
                damping_ratio
            } else {
                0.0
            },
            tangential_stiffness_per_mass,
            tangential_damping_per_mass,
            rolling_friction: pair.rolling_friction,
            rolling_damping: pair.rolling_damping,
            work_of_adhesion: pair.work_of_adhesion,
            cohesion_energy_density: pair.cohesion_energy_density,
            effective_young: if effective_young.is_finite() {
                effective_young
            } else {
                0.0
            },
        }
    }
}

/// Stiffness and damping of one contact: what is left of a normal law when the grains are known.
///
/// ```text
/// F_elastic = k δ^p        F_damping = c(δ) δ̇        c(δ) = d δ^q
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct NormalCoefficients<N = f64> {
    /// k, N/m (linear, p = 1) or N/m^1.5 (Hertz, p = 3/2).
    pub stiffness: N,
    /// d, in N s/m^(1+q) with q of [`NormalExponents`].
    pub damping: N,
}

impl NormalCoefficients {
    /// Coefficients of a contact between grains of this reduced mass (kg) and radius (m).
    ///
    /// `adaptive` holds what [`NormalLaw::HertzAdaptive`] froze at first touch.
    pub fn of(
        law: NormalLaw,
        pair: &PairCoefficients,
        reduced_mass: f64,
        reduced_radius: f64,
        adaptive: [f64; 2],
    ) -> Self {
        let [stiffness, damping] = adaptive;
        let adaptive = NormalCoefficients { stiffness, damping };
        let coefficient = |of: fn(&PairCoefficients) -> f64| of(pair);
        Self::of_pairs(law, coefficient, reduced_mass, reduced_radius, adaptive)
    }
}

impl<N: Number> NormalCoefficients<N> {
    /// As [`of`](NormalCoefficients::of), of one contact or several; `coefficient` looks a coefficient of their pairs of
    /// materials up.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of the force loop")]
    pub(crate) fn of_pairs(
        law: NormalLaw,
        coefficient: impl Fn(fn(&PairCoefficients) -> f64) -> N,
        reduced_mass: N,
        reduced_radius: N,
        adaptive: Self,
    ) -> Self {
        let given = coefficient(|pair| pair.stiffness);
        let hertz = given + coefficient(|pair| pair.hertz_modulus) * reduced_radius.root();
        let (stiffness, damping) = match law {
            NormalLaw::Linear => (
                given,
                coefficient(|pair| pair.damping)
                    + laws::linear::linear_damping(
                        coefficient(|pair| pair.damping_ratio),
                        given,
                        reduced_mass,
                    ),
            ),
            NormalLaw::LinearStretched => (
                coefficient(|pair| pair.stiffness_per_mass) * reduced_mass,
                coefficient(|pair| pair.damping_per_mass) * reduced_mass,
            ),
            NormalLaw::HertzViscous => (hertz, coefficient(|pair| pair.damping)),
            NormalLaw::HertzTsuji => (
                hertz,
                laws::damping::tsuji_damping_coefficient(
                    coefficient(|pair| pair.damping_ratio),
                    hertz,
                    reduced_mass,
                ),
            ),
            NormalLaw::HertzKuwabaraKono => (
                hertz,
                // The damper at unit overlap and rate.
                laws::damping::kuwabara_kono_damping_force(
                    hertz,
                    coefficient(|pair| pair.viscoelastic_time),
                    N::all(1.0),
                    N::all(1.0),
                ),
            ),
            NormalLaw::HertzAdaptive => return adaptive,
        };
        Self { stiffness, damping }
    }
}

/// Stiffness and damping that the adaptive law takes for a contact that begins at `speed` (m/s).
///
/// Never stiffer than the material itself, where that is known (the contact then lasts as long as
/// the material wants), and never reckoned with less than the scene's minimum speed.
pub fn adaptive_coefficients(
    laws: &ContactLaws,
    pair: &PairCoefficients,
    reduced_mass: f64,
    reduced_radius: f64,
    speed: f64,
) -> [f64; 2] {
    let speed = speed.max(laws.adaptive_minimum_speed);
    let material = pair.stiffness + pair.hertz_modulus * reduced_radius.sqrt();
    let inverse = |time: f64| match laws.inverse {
        _ if laws.tabulates_inverse() => {
            // The table holds 1/t*² and 2λ/t* for the contact time of the scene.
            let rate = pair.stiffness_per_mass.sqrt();
            let lambda = 0.5 * pair.damping_per_mass / rate;
            let t_star = time / laws.contact_time.unwrap_or(time) / rate;
            laws::adaptive::adaptive_from_time_unit(lambda, t_star, speed, reduced_mass)
        }
        AdaptiveInverse::Direct | AdaptiveInverse::DirectPaper => {
            laws::adaptive::adaptive_direct(pair.restitution, time, speed, reduced_mass)
        }
        AdaptiveInverse::Iterative => {
            laws::adaptive::adaptive_iterative(pair.restitution, time, speed, reduced_mass)
        }
    };
    let time = laws.contact_time.unwrap_or(0.0);
    let (stiffness, damping) = inverse(time);
    if material > 0.0 && stiffness > material {
        // k = m / √(u t*⁵) at fixed λ: a contact k/k_material times softer in k lasts
        // (k/k_material)^(2/5) times longer.
        let (stiffness, damping) = inverse(time * (stiffness / material).powf(0.4));
        return [stiffness, damping];
    }
    [stiffness, damping]
}

/// Exponents of a normal law: `F_elastic` ∝ δ^elastic, `F_damping` ∝ δ^damping δ̇.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NormalExponents {
    /// p: 1 (linear) or 3/2 (Hertz).
    pub elastic: f64,
    /// q: 0 (viscous), ¼ (Tsuji), ½ (Kuwabara & Kono).
    pub damping: f64,
}

impl NormalExponents {
    /// Exponents of a law.
    pub fn of(law: NormalLaw) -> Self {
        let (elastic, damping) = match law {
            NormalLaw::Linear | NormalLaw::LinearStretched => (1.0, 0.0),
            NormalLaw::HertzViscous | NormalLaw::HertzAdaptive => (1.5, 0.0),
            NormalLaw::HertzTsuji => (1.5, 0.25),
            NormalLaw::HertzKuwabaraKono => (1.5, 0.5),
        };
        Self { elastic, damping }
    }
}

/// An overlap δ ≥ 0 with its roots, for those who find roots by themselves: they take longer than all else in a law.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rooted<N> {
    /// δ, m.
    pub(crate) overlap: N,
    /// √δ, m^½; only laws of Hertz's kind read it.
    pub(crate) root: N,
    /// δ^¼, m^¼; only Tsuji's damper reads it.
    pub(crate) fourth: N,
}

/// Elastic force and damping coefficient c(δ) of a normal law at overlap δ ≥ 0.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of the force loop")]
pub fn normal_response(law: NormalLaw, normal: NormalCoefficients, overlap: f64) -> (f64, f64) {
    let root = overlap.sqrt();
    let rooted = Rooted {
        overlap,
        root,
        fourth: root.sqrt(),
    };
    rooted_normal_response(law, normal, rooted)
}

/// As [`normal_response`], with roots that are known.
#[inline(always)]
#[allow(clippy::inline_always, reason = "part of the force loop")]
pub(crate) fn rooted_normal_response<N: Number>(
    law: NormalLaw,
    normal: NormalCoefficients<N>,
    rooted: Rooted<N>,
) -> (N, N) {
    use crate::laws::damping::{rooted_tsuji_damping_force, viscous_damping_force};
    use crate::laws::hertz::rooted_hertz_elastic_force;
    use crate::laws::linear::{linear_damping_force, linear_elastic_force};
    let NormalCoefficients { stiffness, damping } = normal;
    let Rooted {
        overlap,
        root,
        fourth,
    } = rooted;
    // A damper is linear in the rate, so its coefficient is its force at unit rate.
    let unit = N::all(1.0);
    match law {
        NormalLaw::Linear | NormalLaw::LinearStretched => (
            linear_elastic_force(stiffness, overlap),
            linear_damping_force(damping, unit),
        ),
        NormalLaw::HertzViscous | NormalLaw::HertzAdaptive => (
            rooted_hertz_elastic_force(stiffness, overlap, root),
            viscous_damping_force(damping, unit),
        ),
        NormalLaw::HertzTsuji => (
            rooted_hertz_elastic_force(stiffness, overlap, root),
            rooted_tsuji_damping_force(damping, fourth, unit),
        ),
        NormalLaw::HertzKuwabaraKono => (
            rooted_hertz_elastic_force(stiffness, overlap, root),
            damping * root,
        ),
    }
}

/// How long a head-on collision at `speed` (m/s) lasts, s; infinite where it never ends.
pub fn contact_time(
    laws: &ContactLaws,
    pair: &PairCoefficients,
    reduced_mass: f64,
    reduced_radius: f64,
    speed: f64,
) -> f64 {
    use crate::laws::collision::{
        hertz_kuwabara_kono_collision, hertz_tsuji_collision, hertz_viscous_collision,
    };
    let adaptive = if laws.normal == NormalLaw::HertzAdaptive {
        adaptive_coefficients(laws, pair, reduced_mass, reduced_radius, speed)
    } else {
        [0.0; 2]
    };
    let NormalCoefficients { stiffness, damping } =
        NormalCoefficients::of(laws.normal, pair, reduced_mass, reduced_radius, adaptive);
    let unit = laws::hertz::hertz_time_unit(stiffness, reduced_mass, speed);
    match laws.normal {
        NormalLaw::Linear | NormalLaw::LinearStretched => {
            let ratio = laws::linear::linear_damping_ratio(damping, stiffness, reduced_mass);
            laws::linear::linear_contact_time(ratio, stiffness, reduced_mass, laws.end)
        }
        NormalLaw::HertzViscous | NormalLaw::HertzAdaptive => {
            let lambda = damping * unit / (2.0 * reduced_mass);
            unit * hertz_viscous_collision(lambda, laws.end).contact_time
        }
        NormalLaw::HertzTsuji => {
            unit * hertz_tsuji_collision(pair.damping_ratio, laws.end).contact_time
        }
        NormalLaw::HertzKuwabaraKono => {
            let a = pair.viscoelastic_time / unit;
            unit * hertz_kuwabara_kono_collision(a, laws.end).contact_time
        }
    }
}

/// How long the same collision would last without damping, s.
pub fn elastic_contact_time(
    laws: &ContactLaws,
    pair: &PairCoefficients,
    reduced_mass: f64,
    reduced_radius: f64,
    speed: f64,
) -> f64 {
    if laws.normal == NormalLaw::HertzAdaptive {
        return contact_time(laws, pair, reduced_mass, reduced_radius, speed);
    }
    let stiffness =
        NormalCoefficients::of(laws.normal, pair, reduced_mass, reduced_radius, [0.0; 2]).stiffness;
    if NormalExponents::of(laws.normal).elastic > 1.0 {
        laws::hertz::hertz_contact_time(stiffness, reduced_mass, speed)
    } else {
        laws::linear::linear_contact_time(0.0, stiffness, reduced_mass, ContactEnd::Overlap)
    }
}
