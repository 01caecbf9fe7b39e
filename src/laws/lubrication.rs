//! The liquid film between two grains, or a grain and a wall, that approach in a viscous fluid.
//!
//! Squeezing a film of thickness h out of the gap of two spheres takes a force that grows like 1/h.
//! Costa et al. add what a flow solver on a grid of spacing Δx cannot resolve of it: the *amplification*
//! λ of Stokes' drag at the gap, less that at the gap `ε_Δx` from which on the grid resolves the flow.
//! Asperities keep surfaces apart, so that λ stays constant below the roughness `ε_σ`.
//!
//! ```text
//! ε = h/R,   h = −δ the gap
//! F = −6π μ R u_n Λ(ε),   Λ = λ(max(ε, ε_σ)) − λ(ε_Δx)  for 0 ≤ ε < ε_Δx,   0 elsewhere
//! ```
//!
//! `u_n > 0` while the surfaces approach; the force opposes approach and separation alike and is zero
//! once the surfaces touch. Everything here is for the gap alone: the flow around the grains is not
//! resolved. Tangential lubrication, which grows like ln ε only, is neglected, as in the paper.
//!
//! Source: Costa et al., section III. The gap must be read with the sign opposite to their (13).

use std::f64::consts::PI;

/// What approaches a grain through the film.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilmPartner {
    /// A plane wall.
    Wall,
    /// A grain of the same radius.
    EqualGrain,
}

/// A film that a flow solver resolves down to a gap, between rough surfaces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Film {
    /// What is on its other side.
    pub partner: FilmPartner,
    /// Gap `ε_Δx` over the radius, below which the flow is not resolved.
    pub resolved: f64,
    /// Roughness `ε_σ` over the radius, below which the film does not get stronger; less than `resolved`.
    pub roughness: f64,
}

/// Amplification λ of Stokes' drag on a sphere near a wall or an equal sphere, up to a constant.
///
/// ```text
/// wall   λ = 1/ε − (1/5) ln ε − (1/21) ε ln ε
/// grain  λ = 1/(4ε) − (9/40) ln ε − (3/112) ε ln ε
/// ```
///
/// * `gap` — ε > 0, gap over the radius
///
/// The force is `6π μ R u_n λ` with the *relative* velocity `u_n`.
///
/// Source: Costa et al. (33) and half of (32), which is per velocity of each sphere towards the middle:
/// with the relative velocity it would be twice too strong.
pub fn film_amplification(partner: FilmPartner, gap: f64) -> f64 {
    let log = gap.ln();
    match partner {
        FilmPartner::Wall => 1.0 / gap - log / 5.0 - gap * log / 21.0,
        FilmPartner::EqualGrain => 0.25 / gap - 9.0 / 40.0 * log - 3.0 / 112.0 * gap * log,
    }
}

impl Film {
    /// Λ(ε): what the flow solver lacks.
    ///
    /// * `gap` — ε, gap over the radius; negative where the surfaces overlap
    ///
    /// Source: Costa et al. (34).
    pub fn correction(&self, gap: f64) -> f64 {
        if !(0.0..self.resolved).contains(&gap) {
            return 0.0;
        }
        film_amplification(self.partner, gap.max(self.roughness))
            - film_amplification(self.partner, self.resolved)
    }

    /// Force on the grain in N, repulsive positive.
    ///
    /// * `viscosity` — μ in Pa s
    /// * `radius` — R in m
    /// * `gap` — h in m, negative where the surfaces overlap
    /// * `approach` — `u_n` in m/s, positive while the surfaces approach
    ///
    /// Source: Costa et al. (34).
    pub fn force(&self, viscosity: f64, radius: f64, gap: f64, approach: f64) -> f64 {
        6.0 * PI * viscosity * radius * approach * self.correction(gap / radius)
    }

    /// ∫Λ dε from touch to `ε_Δx`: what the film takes of the motion of a grain that only it acts on.
    ///
    /// ```text
    /// v = v₀ − (6π μ R²/m*) C
    /// ```
    ///
    /// Source: integral of Costa et al. (34).
    pub fn impulse(&self) -> f64 {
        // ∫λ: a ln ε − b (ε ln ε − ε) − c (ε² ln ε/2 − ε²/4).
        let [a, b, c] = match self.partner {
            FilmPartner::Wall => [1.0, 1.0 / 5.0, 1.0 / 21.0],
            FilmPartner::EqualGrain => [0.25, 9.0 / 40.0, 3.0 / 112.0],
        };
        let integral = |gap: f64| {
            let log = gap.ln();
            a * log - b * gap * (log - 1.0) - c * gap * gap * (0.5 * log - 0.25)
        };
        let rough = self.roughness * film_amplification(self.partner, self.roughness);
        rough + integral(self.resolved)
            - integral(self.roughness)
            - self.resolved * film_amplification(self.partner, self.resolved)
    }

    /// Speed at touch over the speed at which a grain entered the film, only the film acting; negative if
    /// it does not get through.
    ///
    /// ```text
    /// wall   v/v₀ = 1 − C/St       grain  v/v₀ = 1 − 2C/St
    /// ```
    ///
    /// * `stokes` — St, see [`impact_stokes_number`], with the relative velocity
    ///
    /// Source: (34) with Newton's law; reduced mass m/2 for two grains.
    pub fn speed_at_touch(&self, stokes: f64) -> f64 {
        let mass = match self.partner {
            FilmPartner::Wall => 1.0,
            FilmPartner::EqualGrain => 2.0,
        };
        1.0 - mass * self.impulse() / stokes
    }

    /// Restitution of a bounce through the film, in and out again, of a contact with dry restitution
    /// `dry`: 0 where the grain does not come out again.
    ///
    /// ```text
    /// e = e_d − (1 + e_d) C/St
    /// ```
    ///
    /// Source: as [`speed_at_touch`](Self::speed_at_touch), on both ways.
    pub fn wet_restitution(&self, dry: f64, stokes: f64) -> f64 {
        let lost = 1.0 - self.speed_at_touch(stokes);
        (dry - (1.0 + dry) * lost).max(0.0)
    }
}

/// Impact Stokes number `St = ρ_p u D/(9 μ)`.
///
/// * `density` — `ρ_p` of the grain in kg/m³
/// * `speed` — u in m/s
/// * `diameter` — D in m
/// * `viscosity` — μ in Pa s
///
/// Source: Costa et al., section I.
pub fn impact_stokes_number(density: f64, speed: f64, diameter: f64, viscosity: f64) -> f64 {
    density * speed * diameter / (9.0 * viscosity)
}
