//! Collisions of hard grains: instantaneous, between two bodies, by a rule.
//!
//! A rule maps the velocities just before a collision to those just after it. In the notation of
//! Rubin, with n from the first body to the second,
//!
//! ```text
//! Δv = v_A − v_B + (R_A ω_A + R_B ω_B)×n      velocity of A's contact point relative to B's
//! v_n = Δv·n > 0,   ψ₁ = |Δv_t|/v_n,   τ = Δv_t/|Δv_t|
//! P = −m* (1 + e) v_n (n + μ τ)               impulse on A; on B: −P
//! v_A += P/m_A,  v_B −= P/m_B,   ω_A += (R_A/I_A) n×P,   ω_B += (R_B/I_B) n×P
//! ```
//!
//! The rules differ in the restitution `e(v_n)` and in the shear ratio μ(ψ₁), which is never more than
//! the coefficient of friction. With `a = 1 + 1/I_m = 1 + m*(R_A²/I_A + R_B²/I_B)`, the *slip ratio*, a
//! collision slips throughout from `ψ₁ = ψ_s = (1 + e) a μ_s` on; `z = ψ₁/ψ_s`.
//!
//! | rule | e | `μ/μ_s` |
//! |---|---|---|
//! | smooth | constant | no friction |
//! | Walton | constant | min((1 + β₀) z, 1) |
//! | Rubin | constant | 1 − max(1 − z, 0)^{1+α} |
//! | viscoelastic | falls with `v_n` | no friction |
//!
//! Sources: Rubin, *A simple hard-particle collision model with a smooth transition to full slip*, J.
//! Mech. Mater. Struct. 11 (2016) 161; Walton, *Numerical simulation of inelastic, frictional
//! particle–particle interactions* (1993), as given there in section 4.

use glam::DVec3;
use std::fmt;

/// What a grain looks like: it decides the moment of inertia.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GrainShape {
    /// A disk that moves in its plane: I = ½ m R².
    Disk,
    /// A solid sphere: I = (2/5) m R².
    Sphere,
}

impl GrainShape {
    /// I/(m R²).
    pub fn inertia_factor(self) -> f64 {
        match self {
            Self::Disk => 0.5,
            Self::Sphere => 0.4,
        }
    }

    /// The slip ratio `a = 1 + 1/I_m` of two grains of this shape, or of one and a wall, whatever their
    /// masses and radii: 3 for disks, 7/2 for spheres.
    pub fn slip_ratio(self) -> f64 {
        1.0 + 1.0 / self.inertia_factor()
    }
}

/// One partner of a collision, just before or just after it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Body {
    /// Mass, kg; infinite for a wall.
    pub mass: f64,
    /// Moment of inertia about the centre, kg m²; infinite for a wall.
    pub inertia: f64,
    /// Radius, m; 0 for a wall.
    pub radius: f64,
    /// Velocity of the centre, m/s; for a wall, of its point of contact.
    pub velocity: DVec3,
    /// Spin, rad/s.
    pub spin: DVec3,
}

impl Body {
    /// A grain of uniform density.
    pub fn grain(shape: GrainShape, mass: f64, radius: f64, velocity: DVec3, spin: DVec3) -> Self {
        Self {
            mass,
            inertia: shape.inertia_factor() * mass * radius * radius,
            radius,
            velocity,
            spin,
        }
    }

    /// A wall whose point of contact moves with `velocity`. Nothing changes its motion.
    pub fn wall(velocity: DVec3) -> Self {
        Self {
            mass: f64::INFINITY,
            inertia: f64::INFINITY,
            radius: 0.0,
            velocity,
            spin: DVec3::ZERO,
        }
    }

    /// Kinetic energy, J; 0 for a wall.
    pub fn kinetic_energy(&self) -> f64 {
        if self.mass.is_infinite() {
            return 0.0;
        }
        0.5 * (self.mass * self.velocity.length_squared()
            + self.inertia * self.spin.length_squared())
    }
}

/// What a collision did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Impact {
    /// Impulse on the first body, N s; the second gets the opposite.
    pub impulse: DVec3,
    /// The first body after the collision.
    pub first: Body,
    /// The second body after the collision.
    pub second: Body,
}

/// How two materials collide.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CollisionRule {
    /// No friction, constant restitution: Luding & McNamara (2).
    Smooth {
        /// Normal restitution e, 0 … 1.
        restitution: f64,
    },
    /// Walton: slip reversed with a constant tangential restitution until friction is exhausted.
    Walton {
        /// Normal restitution e, 0 … 1.
        restitution: f64,
        /// Tangential restitution β₀ of collisions that do not slip throughout, 0 … 1.
        tangential_restitution: f64,
        /// Coefficient of friction `μ_s`.
        friction: f64,
    },
    /// Rubin: a smooth transition to full slip.
    Rubin {
        /// Normal restitution e, 0 … 1.
        restitution: f64,
        /// Exponent α > 0 of the transition; slow slip is reversed with tangential restitution α.
        exponent: f64,
        /// Coefficient of friction `μ_s`.
        friction: f64,
    },
    /// Viscoelastic spheres: Hertz's spring with the damper of Kuwabara & Kono, no friction.
    Viscoelastic {
        /// Dissipative time A, s.
        viscoelastic_time: f64,
        /// Stiffness k of Hertz's spring, N/m^1.5.
        stiffness: f64,
    },
}

/// A coefficient of a rule that is outside its range.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleError {
    /// Name of the coefficient.
    pub coefficient: &'static str,
    /// Its value.
    pub found: f64,
    /// The range.
    pub allowed: String,
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: found {}; allowed: {}",
            self.coefficient, self.found, self.allowed
        )
    }
}

impl std::error::Error for RuleError {}

impl CollisionRule {
    /// Normal restitution of a collision.
    ///
    /// * `reduced_mass` — m* in kg
    /// * `approach` — `v_n > 0` in m/s
    #[inline]
    pub fn restitution(&self, reduced_mass: f64, approach: f64) -> f64 {
        match *self {
            Self::Smooth { restitution }
            | Self::Walton { restitution, .. }
            | Self::Rubin { restitution, .. } => restitution,
            Self::Viscoelastic {
                viscoelastic_time,
                stiffness,
            } => viscoelastic_restitution(viscoelastic_time, stiffness, reduced_mass, approach),
        }
    }

    /// Coefficient of friction `μ_s`; 0 for rules without.
    #[inline]
    pub fn friction(&self) -> f64 {
        match *self {
            Self::Smooth { .. } | Self::Viscoelastic { .. } => 0.0,
            Self::Walton { friction, .. } | Self::Rubin { friction, .. } => friction,
        }
    }

    /// Shear ratio μ, tangential over normal impulse, of a collision with restitution `restitution`.
    ///
    /// * `obliquity` — ψ₁ ≥ 0
    /// * `slip_ratio` — `a = 1 + 1/I_m`, see [`GrainShape::slip_ratio`]
    ///
    /// Source: Rubin (3-12), (4-6).
    #[inline]
    pub fn shear_ratio(&self, restitution: f64, obliquity: f64, slip_ratio: f64) -> f64 {
        let friction = self.friction();
        let full_slip = full_slip_obliquity(restitution, friction, slip_ratio);
        if full_slip <= 0.0 {
            return 0.0;
        }
        let z = obliquity / full_slip;
        friction
            * match *self {
                Self::Smooth { .. } | Self::Viscoelastic { .. } => 0.0,
                Self::Walton {
                    tangential_restitution,
                    ..
                } => walton_transition(z, tangential_restitution),
                Self::Rubin { exponent, .. } => rubin_transition(z, exponent),
            }
    }

    /// Whether every coefficient is in its range and no collision can create energy, for bodies with
    /// this slip ratio ([`GrainShape::slip_ratio`]).
    ///
    /// # Errors
    /// The first coefficient that is not, with the range.
    pub fn check(&self, slip_ratio: f64) -> Result<(), RuleError> {
        let in_range = |coefficient, found: f64, range: std::ops::RangeInclusive<f64>| {
            if range.contains(&found) {
                return Ok(());
            }
            let (least, most) = (range.start(), range.end());
            Err(RuleError {
                coefficient,
                found,
                allowed: if most.is_finite() {
                    format!("a number between {least} and {most}, both included")
                } else {
                    format!("a number, {least} or more")
                },
            })
        };
        // With 0 grains would stay together, and collide without end.
        let check_restitution = |found: f64| {
            if found > 0.0 && found <= 1.0 {
                return Ok(());
            }
            Err(RuleError {
                coefficient: "restitution",
                found,
                allowed: "a number greater than 0, at most 1".to_owned(),
            })
        };
        match *self {
            Self::Smooth { restitution } => check_restitution(restitution),
            Self::Walton {
                restitution,
                tangential_restitution,
                friction,
            } => {
                check_restitution(restitution)?;
                in_range("friction", friction, 0.0..=f64::INFINITY)?;
                in_range("tangential_restitution", tangential_restitution, 0.0..=1.0)
            }
            Self::Rubin {
                restitution,
                exponent,
                friction,
            } => {
                check_restitution(restitution)?;
                in_range("friction", friction, 0.0..=f64::INFINITY)?;
                let largest = largest_rubin_exponent(restitution, friction, slip_ratio);
                if exponent > 0.0 && exponent <= largest {
                    return Ok(());
                }
                Err(RuleError {
                    coefficient: "exponent",
                    found: exponent,
                    allowed: if largest.is_finite() {
                        format!(
                            "a number greater than 0, at most {largest:.6}: with restitution \
                             {restitution} and friction {friction}, larger ones would create energy"
                        )
                    } else {
                        "a number greater than 0".to_owned()
                    },
                })
            }
            Self::Viscoelastic {
                viscoelastic_time,
                stiffness,
            } => {
                in_range("viscoelastic_time", viscoelastic_time, 0.0..=f64::INFINITY)?;
                in_range("stiffness", stiffness, f64::MIN_POSITIVE..=f64::INFINITY)
            }
        }
    }
}

/// Collision of two bodies that touch and approach.
///
/// * `normal` — unit vector n from `first` to `second`
/// * `elastic` — whether nothing may be lost: restitution 1 and no friction
///
/// Bodies that do not approach are returned as they were. At least one of them has a finite mass.
///
/// Source: Rubin (2-3), (3-11); `elastic` is the switch of Luding & McNamara (4).
pub fn collide(
    first: &Body,
    second: &Body,
    normal: DVec3,
    rule: &CollisionRule,
    elastic: bool,
) -> Impact {
    let (mut first, mut second) = (*first, *second);
    let arms = first.radius * first.spin + second.radius * second.spin;
    let contact_velocity = first.velocity - second.velocity + arms.cross(normal);
    let approach = contact_velocity.dot(normal);
    if approach <= 0.0 {
        return Impact {
            impulse: DVec3::ZERO,
            first,
            second,
        };
    }
    let reduced_mass = 1.0 / (1.0 / first.mass + 1.0 / second.mass);
    let restitution = if elastic {
        1.0
    } else {
        rule.restitution(reduced_mass, approach)
    };
    let push = reduced_mass * (1.0 + restitution) * approach;
    let mut impulse = -push * normal;
    if !elastic && rule.friction() > 0.0 {
        let slip = contact_velocity - approach * normal;
        let speed = slip.length();
        if speed > 0.0 {
            let slip_ratio = slip_ratio(&first, &second, reduced_mass);
            let shear = rule.shear_ratio(restitution, speed / approach, slip_ratio);
            impulse -= push * shear / speed * slip;
            let torque = normal.cross(impulse);
            first.spin += first.radius / first.inertia * torque;
            second.spin += second.radius / second.inertia * torque;
        }
    }
    first.velocity += impulse / first.mass;
    second.velocity -= impulse / second.mass;
    Impact {
        impulse,
        first,
        second,
    }
}

/// `a = 1 + 1/I_m = 1 + m*(R_A²/I_A + R_B²/I_B)` of two bodies.
///
/// * `reduced_mass` — m* in kg
///
/// Source: Rubin (2-7).
#[inline]
pub fn slip_ratio(first: &Body, second: &Body, reduced_mass: f64) -> f64 {
    let turn = |body: &Body| body.radius * body.radius / body.inertia;
    1.0 + reduced_mass * (turn(first) + turn(second))
}

/// Obliquity `ψ_s = (1 + e) a μ_s` from which a collision slips throughout.
///
/// Source: Rubin (3-12).
#[inline]
pub fn full_slip_obliquity(restitution: f64, friction: f64, slip_ratio: f64) -> f64 {
    (1.0 + restitution) * slip_ratio * friction
}

/// `g = μ/μ_s` of Walton's rule at `z = ψ₁/ψ_s`: `min((1 + β₀) z, 1)`.
///
/// Source: Rubin (4-6).
#[inline]
pub fn walton_transition(z: f64, tangential_restitution: f64) -> f64 {
    ((1.0 + tangential_restitution) * z).min(1.0)
}

/// `g = μ/μ_s` of Rubin's rule at `z = ψ₁/ψ_s`: `1 − max(1 − z, 0)^{1+α}`.
///
/// Source: Rubin (3-12).
#[inline]
pub fn rubin_transition(z: f64, exponent: f64) -> f64 {
    // 1 − (1 − z)^p without cancellation at small z.
    let stick = (1.0 - z).max(0.0);
    if stick > 0.5 {
        -f64::exp_m1((1.0 + exponent) * f64::ln_1p(-z))
    } else {
        1.0 - stick.powf(1.0 + exponent)
    }
}

/// Slip after a collision over the speed of approach before it, e ψ₂ = ψ₁ − (1 + e) a μ.
///
/// Negative where the slip was reversed. Rubin's ψ₂ is this over e; it has no value at e = 0.
///
/// Source: Rubin (3-11).
#[inline]
pub fn rebound_slip(restitution: f64, obliquity: f64, shear_ratio: f64, slip_ratio: f64) -> f64 {
    obliquity - (1.0 + restitution) * slip_ratio * shear_ratio
}

/// Energetic coefficient η of a collision: it loses energy where η < 1.
///
/// ```text
/// 1 + η = (1 + e) (1 + a μ²)/(1 + μ ψ₁)
/// ```
///
/// Source: Rubin (3-9). His (3-10) and (4-7) lack the factor 1 + e.
#[inline]
pub fn energetic_coefficient(
    restitution: f64,
    obliquity: f64,
    shear_ratio: f64,
    slip_ratio: f64,
) -> f64 {
    (1.0 + restitution) * (1.0 + slip_ratio * shear_ratio * shear_ratio)
        / (1.0 + shear_ratio * obliquity)
        - 1.0
}

/// Energy lost in a collision, J, from its energetic coefficient.
///
/// ```text
/// T₁ − T₂ = ½ m* (1 − η²) v_n² (1 + μ ψ₁)²/(1 + a μ²)
/// ```
///
/// * `reduced_mass` — m* in kg
/// * `approach` — `v_n` in m/s
///
/// Source: Rubin (2-13), where the second factor ½m is superfluous.
pub fn energy_loss(
    reduced_mass: f64,
    approach: f64,
    restitution: f64,
    obliquity: f64,
    shear_ratio: f64,
    slip_ratio: f64,
) -> f64 {
    let eta = energetic_coefficient(restitution, obliquity, shear_ratio, slip_ratio);
    let work = approach * (1.0 + shear_ratio * obliquity);
    0.5 * reduced_mass * (1.0 - eta * eta) * work * work
        / (1.0 + slip_ratio * shear_ratio * shear_ratio)
}

/// Largest exponent α with which Rubin's rule never creates energy; infinite if all do.
///
/// ```text
/// max over z of g (g − 2z) ≤ Q,   Q = (1 − e)/(μ_s ψ_s)
/// ```
///
/// With w = 1 − z and p = 1 + α the left side is (1 − w^p)(2w − 1 − w^p). It has one maximum, where
/// 1 − (1 + p) w^p + p w^{2p−1} = 0, which is positive only for α > 1 and grows with α up to 1.
///
/// Source: the dissipation inequality (3-2b), (3-10) of Rubin for every obliquity.
pub fn largest_rubin_exponent(restitution: f64, friction: f64, slip_ratio: f64) -> f64 {
    let spare = spare_dissipation(restitution, friction, slip_ratio);
    if spare >= 1.0 {
        return f64::INFINITY;
    }
    if spare <= 0.0 {
        return 1.0;
    }
    let (mut below, mut above) = (1.0, 2.0);
    while largest_gain(above) <= spare {
        below = above;
        above *= 2.0;
    }
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (below + above);
        if largest_gain(middle) <= spare {
            below = middle;
        } else {
            above = middle;
        }
    }
    below
}

/// Largest β₀ with which Walton's rule never creates energy, (1 + Q)/(1 − Q); infinite if all do.
///
/// It is never less than 1, so that β₀ ≤ 1 is always safe.
pub fn largest_walton_restitution(restitution: f64, friction: f64, slip_ratio: f64) -> f64 {
    let spare = spare_dissipation(restitution, friction, slip_ratio);
    if spare >= 1.0 {
        f64::INFINITY
    } else {
        (1.0 + spare) / (1.0 - spare)
    }
}

/// `Q = (1 − e)/(μ_s ψ_s)`: what the normal direction loses against what friction could return.
fn spare_dissipation(restitution: f64, friction: f64, slip_ratio: f64) -> f64 {
    let returned = friction * full_slip_obliquity(restitution, friction, slip_ratio);
    if returned > 0.0 {
        (1.0 - restitution) / returned
    } else {
        f64::INFINITY
    }
}

/// Halvings that reach the last bit.
const BISECTIONS: usize = 60;

/// The maximum of g(g − 2z) over z for α > 1.
fn largest_gain(exponent: f64) -> f64 {
    let p = 1.0 + exponent;
    let slope = |w: f64| 1.0 - (1.0 + p) * w.powf(p) + p * w.powf(2.0 * p - 1.0);
    let (mut below, mut above) = (0.0, ((1.0 + p) / (2.0 * p - 1.0)).powf(1.0 / (p - 1.0)));
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (below + above);
        if slope(middle) > 0.0 {
            below = middle;
        } else {
            above = middle;
        }
    }
    let power = below.powf(p);
    (1.0 - power) * (2.0 * below - 1.0 - power)
}

/// Restitution of viscoelastic spheres that part when their force vanishes.
///
/// ```text
/// e = (1 + c y)/(1 + b₁ y + b₂ y² + b₃ y³ + b₄ y⁴),   y² = (3/2) A/t*,   t* = (m*²/(k² v_n))^{1/5}
/// ```
///
/// * `viscoelastic_time` — A in s
/// * `stiffness` — k of Hertz's spring in N/m^1.5
/// * `reduced_mass` — m* in kg
/// * `approach` — `v_n > 0` in m/s
///
/// A Padé approximant of the series in y, 1 at rest and falling with speed; within 2·10⁻⁴ of
/// [`hertz_kuwabara_kono_collision`](super::collision::hertz_kuwabara_kono_collision) for A/t* ≤ 0.1, the
/// range of real materials, and within 9·10⁻³ up to 3.
///
/// Source: Müller & Pöschel, Phys. Rev. E 84 (2011) 021302, doi:10.1103/PhysRevE.84.021302.
pub fn viscoelastic_restitution(
    viscoelastic_time: f64,
    stiffness: f64,
    reduced_mass: f64,
    approach: f64,
) -> f64 {
    const C: f64 = 0.501_086;
    const B: [f64; 4] = [0.501_086, 1.153_45, 0.577_977, 0.532_178];
    let rate = (stiffness * stiffness * approach / (reduced_mass * reduced_mass)).powf(0.2);
    let y = (1.5 * viscoelastic_time * rate).sqrt();
    let denominator = 1.0 + y * (B[0] + y * (B[1] + y * (B[2] + y * B[3])));
    (1.0 + C * y) / denominator
}
