//! Exact head-on collisions of Hertz's spring with each of its dampers, in dimensionless form.
//!
//! In units of `t* = (m*²/(k² u))^{1/5}` and `u t*` a collision starts with overlap `z = 0` and
//! speed `v = ż = 1`:
//!
//! ```text
//! viscous         z̈ + 2λ ż + z^{3/2} = 0                 λ = d t*/(2 m*)
//! Tsuji           z̈ + √5 β z^{1/4} ż + z^{3/2} = 0        β, the damping ratio
//! Kuwabara–Kono   z̈ + (3/2)(A/t*) √z ż + z^{3/2} = 0
//! ```
//!
//! The fractional powers make these singular at `z = 0`, where every collision begins and ends, and
//! a step-by-step integrator loses its order there. The substitution `z = y^p`, `dτ = p y^{p−1} dσ`
//! (p = 2; 4 for Tsuji) turns all three into one polynomial system,
//!
//! ```text
//! y′ = v,   v′ = −C y^m v − p y^n,   τ′ = p y^{p−1},      y(0) = 0, v(0) = 1
//!
//! viscous         p = 2,  C = 4λ,       m = 1,  n = 4
//! Tsuji           p = 4,  C = 4√5 β,    m = 4,  n = 9
//! Kuwabara–Kono   p = 2,  C = 3A/t*,    m = 2,  n = 4
//! ```
//!
//! whose solution is analytic through first and last touch. A Taylor series of high order follows
//! it to rounding.
//!
//! These functions take tens to hundreds of microseconds. They are for set-up and checks, not for
//! the step loop.
//!
//! For weak viscous damping the exact expansions begin (Ray, Kempe & Fröhlich (40)–(42) print some
//! of these coefficients; their second-order one of e, −5.131, should be +5.114)
//!
//! ```text
//! e   = 1 − 3.575628 λ + 5.114047 λ² − 5.506852 λ³ + …
//! τ_c = 3.218065 + 1.150661 λ + 1.843344 λ² + 2.278341 λ³ + …
//! z_max = 1.093362 − 1.563783 λ + 1.768183 λ² − …
//! ```

use super::ContactEnd;

/// Viscous damping `λ` from which the overlap never returns to zero.
///
/// At and above it the grains creep towards `z = 0` along `z ≈ 16 λ²/τ²`. Just below it the
/// restitution falls to zero almost linearly, `e ≈ 0.46 (λ_crit − λ)`, and the contact time grows
/// like `−ln(e)/(2λ)`. Not mentioned by Ray, Kempe & Fröhlich, whose range ends before it.
pub const LAMBDA_CRITICAL: f64 = 0.563_994_067_760_084_6;

/// What one collision does, in units of `t*` and `u t*`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Collision {
    /// Speed of separation over speed of approach.
    pub restitution: f64,
    /// Time from first touch to the end of contact, in units of `t*`; infinite if it never ends.
    pub contact_time: f64,
    /// Greatest overlap, in units of `u t*`.
    pub max_overlap: f64,
}

/// Collision of Hertz's spring with a constant damper.
///
/// ```text
/// z̈ + 2λ ż + z^{3/2} = 0,   z(0) = 0, ż(0) = 1
/// ```
///
/// * `lambda` — λ = d t*/(2 m*) ≥ 0
///
/// With [`ContactEnd::Overlap`] and `λ ≥` [`LAMBDA_CRITICAL`]: restitution 0, infinite contact
/// time. With [`ContactEnd::Force`] the restitution is positive for every λ.
///
/// Source: Ray, Kempe & Fröhlich (6), (7), solved to rounding.
pub fn hertz_viscous_collision(lambda: f64, end: ContactEnd) -> Collision {
    let system = System {
        p: 2,
        damping: 4.0 * lambda,
        m: 1,
        n: 4,
    };
    let separates = lambda < LAMBDA_CRITICAL || end == ContactEnd::Force;
    system.collide(end, separates)
}

/// Collision of Hertz's spring with Tsuji's damper.
///
/// ```text
/// z̈ + √5 β z^{1/4} ż + z^{3/2} = 0,   z(0) = 0, ż(0) = 1
/// ```
///
/// * `ratio` — damping ratio β ≥ 0
///
/// Restitution and greatest overlap also have closed forms,
/// [`tsuji_restitution`](super::damping::tsuji_restitution) and
/// [`tsuji_max_overlap`](super::damping::tsuji_max_overlap); the contact time has none. With
/// [`ContactEnd::Overlap`] and `β ≥ 1`: restitution 0, infinite contact time.
///
/// Source: Tsuji, Tanaka & Ishida for the law, solved to rounding.
pub fn hertz_tsuji_collision(ratio: f64, end: ContactEnd) -> Collision {
    let system = System {
        p: 4,
        damping: 4.0 * 5.0_f64.sqrt() * ratio,
        m: 4,
        n: 9,
    };
    let separates = ratio < 1.0 || end == ContactEnd::Force;
    system.collide(end, separates)
}

/// Collision of Hertz's spring with the damper of Kuwabara and Kono.
///
/// ```text
/// z̈ + (3/2)(A/t*) √z ż + z^{3/2} = 0,   z(0) = 0, ż(0) = 1
/// ```
///
/// * `a_over_t_star` — A/t* ≥ 0; it grows with impact speed as u^{1/5}
///
/// For weak damping `e = 1 − 1.15344 x + 0.79826 x² − …` with `x = (3/2) A/t*` (Ramírez et al.
/// 1999). The grains separate for every A. Physical values are well below 1; the work grows as
/// `(A/t*)²` beyond.
///
/// Source: Kuwabara & Kono; Brilliantov et al. for the law, solved to rounding.
pub fn hertz_kuwabara_kono_collision(a_over_t_star: f64, end: ContactEnd) -> Collision {
    let system = System {
        p: 2,
        damping: 3.0 * a_over_t_star,
        m: 2,
        n: 4,
    };
    system.collide(end, true)
}

/// Order of the Taylor series. High, because the solution is smooth and a step then costs little
/// per digit.
const ORDER: usize = 30;

/// Terms at the end of a series that are looked at to choose a step. Without damping only every
/// tenth one is not zero.
const TAIL: usize = 11;

/// Highest power of `y` in any of the systems.
const MAX_POWER: usize = 9;

/// Size, against its largest term, at which a series may be cut.
const TRUNCATION: f64 = 1e-18;

/// A collision takes ten to a few hundred steps; one that takes this many has not separated in any
/// useful sense.
const MAX_STEPS: usize = 100_000;

/// Shrinkings of a step: enough for any damping a contact can have, and an end for input that is
/// not a number.
const MAX_SHRINKS: usize = 300;

/// Halvings of a bracket in a step: enough for the last bit.
const BISECTIONS: usize = 60;

type Series = [f64; ORDER + 1];

/// `y′ = v, v′ = −damping y^m v − p y^n, τ′ = p y^{p−1}`.
struct System {
    p: usize,
    damping: f64,
    m: usize,
    n: usize,
}

/// Taylor coefficients of a solution about one point, in powers of `σ` over the unit they were made
/// with.
struct Expansion {
    y: Series,
    v: Series,
    tau: Series,
}

impl System {
    /// From first touch to the end of contact; not a number if the damping is not one.
    fn collide(&self, end: ContactEnd, separates: bool) -> Collision {
        let (mut y, mut v, mut tau) = (0.0, 1.0, 0.0);
        let mut max_overlap = 0.0;
        // The series are in units of the last step, which may grow beyond what powers of it could
        // hold.
        let mut unit = 1.0;
        for _ in 0..MAX_STEPS {
            let expansion = self.expand(y, v, tau, unit);
            let step = expansion.step();
            let next_v = horner(&expansion.v, step);
            if next_v.is_nan() {
                return Collision {
                    restitution: f64::NAN,
                    contact_time: f64::NAN,
                    max_overlap: f64::NAN,
                };
            }
            if v > 0.0 && next_v <= 0.0 {
                let top = bisect(step, |s| horner(&expansion.v, s));
                max_overlap = power(horner(&expansion.y, top), self.p);
                if !separates {
                    return Collision {
                        restitution: 0.0,
                        contact_time: f64::INFINITY,
                        max_overlap,
                    };
                }
            }
            // Positive during the contact; zero at its end.
            let contact = |s: f64| {
                let y = horner(&expansion.y, s);
                // Spring plus damper, without their common power of y.
                let force = power(y, self.n - self.m) + self.drag() * horner(&expansion.v, s);
                match end {
                    ContactEnd::Overlap => y,
                    ContactEnd::Force => y.min(force),
                }
            };
            if next_v < 0.0 && contact(step) <= 0.0 {
                let last = bisect(step, contact);
                return Collision {
                    restitution: -horner(&expansion.v, last),
                    contact_time: horner(&expansion.tau, last),
                    max_overlap,
                };
            }
            y = horner(&expansion.y, step);
            v = next_v;
            tau = horner(&expansion.tau, step);
            unit *= step;
        }
        Collision {
            restitution: 0.0,
            contact_time: f64::INFINITY,
            max_overlap,
        }
    }

    /// Coefficient of the damper in the dimensionless law.
    fn drag(&self) -> f64 {
        self.damping / degree(self.p)
    }

    /// Taylor coefficients about a point, one order after the other; those of the powers of `y` are
    /// Cauchy products.
    fn expand(&self, y: f64, v: f64, tau: f64, unit: f64) -> Expansion {
        let mut powers = [[0.0; ORDER + 1]; MAX_POWER + 1];
        let mut expansion = Expansion {
            y: [0.0; ORDER + 1],
            v: [0.0; ORDER + 1],
            tau: [0.0; ORDER + 1],
        };
        powers[1][0] = y;
        expansion.v[0] = v;
        expansion.tau[0] = tau;
        let p = degree(self.p);
        for k in 0..ORDER {
            for exponent in 2..=self.n {
                powers[exponent][k] = cauchy(&powers[exponent - 1], &powers[1], k);
            }
            let share = unit / degree(k + 1);
            let drag = self.damping * cauchy(&powers[self.m], &expansion.v, k);
            powers[1][k + 1] = share * expansion.v[k];
            expansion.v[k + 1] = -share * (drag + p * powers[self.n][k]);
            expansion.tau[k + 1] = share * p * powers[self.p - 1][k];
        }
        expansion.y = powers[1];
        expansion
    }
}

impl Expansion {
    /// Step, at most four units, that the series of `y` and `v` carry to rounding.
    fn step(&self) -> f64 {
        let mut step = 4.0;
        for _ in 0..MAX_SHRINKS {
            if converged(&self.y, step) && converged(&self.v, step) {
                break;
            }
            step *= 0.8;
        }
        step
    }
}

/// Whether the terms of a series fall off fast enough for the rest to be rounding.
fn converged(series: &Series, step: f64) -> bool {
    let mut largest = 0.0_f64;
    let mut terms = *series;
    let mut factor = 1.0;
    for term in &mut terms {
        *term = (*term * factor).abs();
        largest = largest.max(*term);
        factor *= step;
    }
    // The bound of term k is on the geometric decay that reaches the truncation at the last term.
    (ORDER + 1 - TAIL..=ORDER)
        .all(|k| terms[k] <= largest * TRUNCATION.powf(degree(k) / degree(ORDER)))
}

/// Coefficient `k` of the product of two series.
fn cauchy(a: &Series, b: &Series, k: usize) -> f64 {
    (0..=k).map(|j| a[j] * b[k - j]).sum()
}

fn horner(series: &Series, x: f64) -> f64 {
    series
        .iter()
        .rev()
        .fold(0.0, |sum, &coefficient| sum * x + coefficient)
}

/// Where a function that is positive at 0 and not at `upper` changes sign.
fn bisect(upper: f64, function: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, upper);
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (low + high);
        if function(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

fn power(base: f64, exponent: usize) -> f64 {
    (0..exponent).fold(1.0, |product, _| product * base)
}

/// A small count as a float.
fn degree(count: usize) -> f64 {
    count as f64
}
