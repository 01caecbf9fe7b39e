//! The TC model of hard grains, and what kinetic theory says of a gas of them.
//!
//! Inelastic hard grains can collide infinitely often in a finite time. In the TC model a collision
//! loses energy only if neither partner collided within the last `t_c`, the duration of a contact: a
//! grain that collides more often than that is in contact with several others.
//!
//! Source: Luding & McNamara, *How to handle the inelastic collapse of a dissipative hard-sphere gas
//! with the TC model*, Granular Matter 1 (1998) 113, doi:10.1007/s100350050017. Equation numbers are
//! those of this paper. Sections 5 and 6 are for two dimensions; the results for spheres are the
//! textbook ones of Enskog's theory with the equation of state of Carnahan & Starling.

use std::f64::consts::{FRAC_PI_4, PI};

/// Whether a collision of grains that last collided these times ago loses nothing (4).
///
/// * `since_first`, `since_second` — s; infinite if the grain never collided, or is a wall
/// * `contact_duration` — `t_c` in s; 0: collisions always lose energy
#[inline]
pub fn is_elastic(since_first: f64, since_second: f64, contact_duration: f64) -> bool {
    contact_duration > 0.0 && since_first.min(since_second) <= contact_duration
}

/// A grain bouncing on a plane under gravity, from its first impact on: section 4.2.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bouncing {
    /// Speed of the first impact v₁, m/s.
    pub speed: f64,
    /// Restitution r, below 1.
    pub restitution: f64,
    /// Gravity g, m/s².
    pub gravity: f64,
}

impl Bouncing {
    /// Flight time that a bounce with the speed of the first impact would have, t₁ = 2v₁/g, s (6).
    pub fn first_period(&self) -> f64 {
        2.0 * self.speed / self.gravity
    }

    /// Number `n_s` of impacts that lose energy: the first n whose flight t_{n+1} is not longer than `t_c`
    /// (7).
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "saturates"
    )]
    pub fn impacts_until_static(&self, contact_duration: f64) -> u64 {
        let decades = (contact_duration / self.first_period()).ln() / self.restitution.ln();
        decades.ceil().max(0.0) as u64
    }

    /// Time from the first impact until the grain rests, s, without the TC rule (8).
    pub fn rest_time(&self) -> f64 {
        self.restitution / (1.0 - self.restitution) * self.first_period()
    }

    /// Time from the first impact until no more energy is lost, s: (9) with `r^{n_s}` instead of `t_c/t₁`,
    /// to which it is only close.
    pub fn static_time(&self, contact_duration: f64) -> f64 {
        let n = self.impacts_until_static(contact_duration);
        self.rest_time() * (1.0 - self.decay(n))
    }

    /// Time between impacts for ever after, s: between `r t_c` and `t_c`.
    pub fn static_period(&self, contact_duration: f64) -> f64 {
        self.decay(self.impacts_until_static(contact_duration)) * self.first_period()
    }

    /// r^n.
    fn decay(&self, n: u64) -> f64 {
        #[allow(clippy::cast_precision_loss, reason = "r^n is 0 long before 2^53")]
        self.restitution.powf(n as f64)
    }
}

/// How much earlier the TC rule lets a bouncing grain come to rest, s, if its last flight takes `t_c`
/// (10): `r/(1 − r) t_c`.
pub fn rest_time_difference(restitution: f64, contact_duration: f64) -> f64 {
    restitution / (1.0 - restitution) * contact_duration
}

/// Flight time of a bouncing grain that has the mean height of a linear elastic one at rest, whose
/// collisions last `elastic_contact_time` (s): √12/π of it (13).
pub fn equivalent_period(elastic_contact_time: f64) -> f64 {
    12.0_f64.sqrt() / PI * elastic_contact_time
}

/// The number of dimensions in which grains move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dimensions {
    /// Disks in a plane.
    Two,
    /// Spheres in space.
    Three,
}

impl Dimensions {
    /// Their number D.
    pub fn count(self) -> f64 {
        match self {
            Self::Two => 2.0,
            Self::Three => 3.0,
        }
    }
}

/// Pair correlation at contact of equal grains that fill the fraction `fraction` ν.
///
/// ```text
/// disks    g = (1 − 7ν/16)/(1 − ν)²      ν below about 0.69 (17)
/// spheres  g = (1 − ν/2)/(1 − ν)³        ν below about 0.49 (Carnahan & Starling)
/// ```
pub fn contact_correlation(dimensions: Dimensions, fraction: f64) -> f64 {
    let free = 1.0 - fraction;
    match dimensions {
        Dimensions::Two => (1.0 - 7.0 / 16.0 * fraction) / (free * free),
        Dimensions::Three => (1.0 - 0.5 * fraction) / (free * free * free),
    }
}

/// Excess of the pressure of a gas over that of points, P V/(N T) − 1, with T the energy of
/// translation per degree of freedom times two.
///
/// ```text
/// disks (1 + r) ν g (16),   spheres 2 (1 + r) ν g
/// ```
pub fn excess_pressure(dimensions: Dimensions, fraction: f64, restitution: f64) -> f64 {
    let correlation = contact_correlation(dimensions, fraction);
    let factor = match dimensions {
        Dimensions::Two => 1.0,
        Dimensions::Three => 2.0,
    };
    factor * (1.0 + restitution) * fraction * correlation
}

/// Collisions of one grain per second in a gas of equal grains: Enskog's rate.
///
/// ```text
/// disks    t_E⁻¹ = 4 a (N/V) √(π T/m) g       (19), where E/M = T/m
/// spheres  t_E⁻¹ = 16 a² (N/V) √(π T/m) g
/// ```
///
/// * `radius` — a in m
/// * `density` — N/V in m⁻² or m⁻³
/// * `temperature` — T/m in m²/s²: the mean of one squared component of the velocity
pub fn enskog_rate(dimensions: Dimensions, radius: f64, density: f64, temperature: f64) -> f64 {
    let size = match dimensions {
        Dimensions::Two => PI * radius * radius,
        Dimensions::Three => 4.0 / 3.0 * PI * radius.powi(3),
    };
    let section = match dimensions {
        Dimensions::Two => 4.0 * radius,
        Dimensions::Three => 16.0 * radius * radius,
    };
    let correlation = contact_correlation(dimensions, density * size);
    section * density * (PI * temperature).sqrt() * correlation
}

/// Fraction of grains that collided within the last `t_c` (20), if they collide at `rate` per second:
/// `1 − exp(−t_c/t_E)`.
pub fn elastic_particles(contact_duration: f64, rate: f64) -> f64 {
    -f64::exp_m1(-contact_duration * rate)
}

/// Fraction of collisions in which at least one partner collided within the last `t_c` (21):
/// `1 − exp(−2 t_c/t_E)`.
///
/// A mean field: for small `t_c` molecular chaos gives 1.06 (disks) and 1.04 (spheres) of it, since fast
/// grains collide more often.
pub fn elastic_collisions(contact_duration: f64, rate: f64) -> f64 {
    -f64::exp_m1(-2.0 * contact_duration * rate)
}

/// Energy of the grains that collided within a short `t_c`, over what their number would have: fast ones
/// collide more often. 5/4 for disks, 7/6 for spheres.
pub fn elastic_energy_factor(dimensions: Dimensions) -> f64 {
    match dimensions {
        Dimensions::Two => 5.0 / 4.0,
        Dimensions::Three => 7.0 / 6.0,
    }
}

/// Restitution below which a periodic gas of `count` disks can collapse (22).
///
/// ```text
/// r_c = tan²(π/4 (1 − 1/λ)),   λ = √(π N ν)/2
/// ```
pub fn critical_restitution(count: f64, fraction: f64) -> f64 {
    let depth = 0.5 * (PI * count * fraction).sqrt();
    (FRAC_PI_4 * (1.0 - 1.0 / depth)).tan().powi(2)
}

/// Energy of a gas that cools homogeneously, over its initial energy: Haff's law (23).
///
/// ```text
/// T = (1 + (1 − r²) τ/(2D))⁻²
/// ```
///
/// * `collisions` — `τ = t/t_E(0)`: time in units of the initial time between collisions of a grain
pub fn cooling(dimensions: Dimensions, restitution: f64, collisions: f64) -> f64 {
    let loss = (1.0 - restitution * restitution) / (2.0 * dimensions.count());
    (1.0 + loss * collisions).powi(-2)
}
