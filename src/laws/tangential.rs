//! Friction at a contact: a Coulomb limit, with or without an elastic spring below it.
//!
//! A spring `ξ` remembers how far the contact points have moved over each other since first touch.
//! It grows with the slip, `ξ ← ξ + u_t Δt`, turns with the contact ([`transport_spring`]), and is
//! shortened where the contact slides. The sign of `ξ` is that of `u_t`: it belongs to i, and
//! changes when the pair is looked at from j.

use super::number::{Number, Truth, Vector};
use glam::DVec3;

/// Tangential force of a spring and slider, with the spring it leaves behind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TangentialForce {
    /// Total tangential force on i in N, never longer than the Coulomb limit.
    pub force: DVec3,
    /// Spring ξ in m after sliding has shortened it; to be kept for the next step.
    pub spring: DVec3,
    /// Part of [`force`](Self::force) in N that the dashpot contributes. Its power
    /// `damping_force·u_t` is never positive.
    ///
    /// While the contact sticks, `force = −k·spring + damping_force` and `damping_force = −c u_t`.
    /// While it slides, the dashpot's part is reduced, possibly to zero; how, is said at each law.
    /// What the total force does beyond the dashpot and beyond the change of spring energy is work
    /// against sliding friction.
    pub damping_force: DVec3,
}

/// [`TangentialForce`] of one contact or several, and which of them slide.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slider<N: Number> {
    pub(crate) force: Vector<N>,
    pub(crate) spring: Vector<N>,
    pub(crate) damping_force: Vector<N>,
    pub(crate) slides: N::Truth,
}

impl From<Slider<f64>> for TangentialForce {
    #[inline(always)]
    fn from(slider: Slider<f64>) -> Self {
        Self {
            force: slider.force.into(),
            spring: slider.spring.into(),
            damping_force: slider.damping_force.into(),
        }
    }
}

/// Greatest tangential force of a contact in N.
///
/// ```text
/// μ max(F_n, 0)
/// ```
///
/// * `friction` — coefficient of friction μ ≥ 0
/// * `normal_force` — `F_n` in N, repulsive positive
///
/// An attractive normal force carries no friction. Costa et al. (22) print `μ|F_n|`, which also
/// rubs in the attractive tail of a damped contact; for their restitution of 0.97 the rebound slip
/// differs by less than 1e-4 of the normal speed.
///
/// Source: Coulomb; Costa et al. (22).
#[inline(always)]
pub fn coulomb_limit<N: Number>(friction: N, normal_force: N) -> N {
    friction * normal_force.or_more(N::all(0.0))
}

/// Turns a tangential spring into the tangent plane of the present normal, keeping its length.
///
/// ```text
/// ξ_t = ξ − (ξ·n) n,   ξ ← ξ_t |ξ|/|ξ_t|
/// ```
///
/// * `spring` — ξ in m (or any tangential vector that turns with the contact)
/// * `normal` — present unit normal n
///
/// Agrees with the rotation from the old normal to the new one to second order in the angle between
/// them. A zero spring stays zero. A spring along the normal has no direction left in the plane and
/// becomes zero.
///
/// Source: the rotation tensor of Costa et al. (27).
#[inline(always)]
pub fn transport_spring(spring: DVec3, normal: DVec3) -> DVec3 {
    transported(spring.into(), normal.into()).into()
}

/// As [`transport_spring`], of one contact or several.
#[inline(always)]
pub(crate) fn transported<N: Number>(spring: Vector<N>, normal: Vector<N>) -> Vector<N> {
    /// Of turns up to this the next term of the series is less than rounding.
    const SLIGHT: f64 = 1e-4;
    let along = spring.dot(normal);
    let tangent = spring.plus_times(normal, -along);
    let old = spring.length_squared();
    // ε = (ξ·n)²/ξ²: |ξ|/|ξ_t| = 1/√(1 − ε) = 1 + ε/2 + 3ε²/8 + 5ε³/16 + …
    let turn = along * along / old.or_more(N::all(1e-300));
    let series = turn.times_plus(N::all(5.0 / 16.0), N::all(3.0 / 8.0));
    let series = turn.times_plus(series, N::all(0.5));
    let longer = turn.times_plus(series, N::all(1.0));
    let far = turn.exceeds(N::all(SLIGHT));
    if !far.any() {
        return tangent * longer;
    }
    let new = tangent.length_squared();
    // Below this the direction of what is left is rounding.
    let is_left = new.exceeds(N::all(1e-16) * old);
    let much_longer = N::only(is_left, old / new).root();
    tangent * N::pick(far, much_longer, longer)
}

/// Sliding friction without a spring, in N on i.
///
/// ```text
/// F_t = −min(L, s |u_t|) u_t/|u_t|
/// ```
///
/// * `slip` — `u_t` in m/s
/// * `limit` — L in N, see [`coulomb_limit`]
/// * `stopping` — s = `m_t/Δt` in N s/m with the tangential reduced mass `m_t`: the force that
///   stops the slip in one step is `s |u_t|`, so friction never reverses it
///
/// No slip, no force: this law cannot hold a grain on a slope against its weight better than to a
/// creep of `L/s`.
///
/// Source: Coulomb, regularised by the time step.
#[inline(always)]
pub fn coulomb_force(slip: DVec3, limit: f64, stopping: f64) -> DVec3 {
    coulomb(slip.into(), limit, stopping).into()
}

/// As [`coulomb_force`], of one contact or several.
#[inline(always)]
pub(crate) fn coulomb<N: Number>(slip: Vector<N>, limit: N, stopping: N) -> Vector<N> {
    let speed = slip.length_squared().root();
    let stops = stopping * speed;
    let force = N::pick(stops.exceeds(limit), limit, stops);
    let scale = N::pick(speed.exceeds(N::all(0.0)), force / speed, N::all(0.0));
    slip * -scale
}

/// Linear tangential spring and dashpot with a Coulomb slider.
///
/// ```text
/// F* = −k ξ − c u_t
/// sticks if |F*| ≤ L:   F_t = F*,            ξ stays
/// slides if |F*| > L:   F_t = L F*/|F*|,     ξ = −(F_t + c u_t)/k
/// ```
///
/// * `k` — tangential stiffness in N/m; with `k = 0` a sliding spring is set to zero
/// * `c` — tangential damping in N s/m
/// * `spring` — ξ in m, already advanced by this step's slip and turned with the contact
/// * `slip` — `u_t` in m/s
/// * `limit` — L in N, see [`coulomb_limit`]
///
/// While sliding, the spring is set so that spring and full dashpot together give the limit,
/// `F_t = −k ξ − c u_t`. At first touch, where L is small and the dashpot is not, this bends the
/// spring *backwards*; the force stays right. The returned `damping_force` is then the dashpot's
/// share of the test force, scaled like it: `−c u_t L/|F*|`.
///
/// Source: Costa et al. (22), (23), (28). The conditions of their (28a), (28b) must be read with
/// the test force F*: the capped force never exceeds the limit.
#[inline(always)]
pub fn linear_slider_force(
    k: f64,
    c: f64,
    spring: DVec3,
    slip: DVec3,
    limit: f64,
) -> TangentialForce {
    linear_slider(k, c, spring.into(), slip.into(), limit).into()
}

/// As [`linear_slider_force`], of one contact or several.
#[inline(always)]
pub(crate) fn linear_slider<N: Number>(
    k: N,
    c: N,
    spring: Vector<N>,
    slip: Vector<N>,
    limit: N,
) -> Slider<N> {
    let dashpot = slip * -c;
    let test = dashpot.plus_times(spring, -k);
    let squared = test.length_squared();
    let slides = squared.exceeds(limit * limit);
    let sticking = Slider {
        force: test,
        spring,
        damping_force: dashpot,
        slides,
    };
    if !slides.any() {
        return sticking;
    }
    let scale = limit / squared.root();
    let force = test * scale;
    let compliance = N::pick(k.exceeds(N::all(0.0)), N::all(1.0) / k, N::all(0.0));
    Slider {
        force: Vector::pick(slides, force, test),
        spring: Vector::pick(slides, (dashpot - force) * compliance, spring),
        damping_force: Vector::pick(slides, dashpot * scale, dashpot),
        slides,
    }
}

/// Impulse in N s on i that makes up for a linear slider whose contact ended inside the last step.
///
/// ```text
/// J = W F_t(ξ_m, u_t, L_m) − Δt F_t(ξ_0, u_t, L_0),   W = t_e + Δt/2
/// ξ_m = ξ + u_t (t_e/2 − 3Δt/4),   ξ_0 = ξ − u_t Δt/2
/// ```
///
/// * `k`, `c` — tangential stiffness in N/m and damping in N s/m
/// * `spring` — ξ in m, half a step after the last instant `t_0` at which the contact was evaluated
/// * `slip` — `u_t` in m/s
/// * `lasted` — `t_e` in s, from `t_0` to the end of the contact
/// * `step` — Δt in s: the kick around `t_0` took the force at `t_0`, `F(ξ_0)`, for all of it
/// * `limits` — Coulomb limits in N: the mean over the window W from the beginning of that kick to the end
///   of the contact, and the one at `t_0`
///
/// A dashpot acts to the last moment: without this the tangential restitution would be off by up to
/// `c Δt/2m_t`, depending on where in a step the contact happens to end.
///
/// Source: [`linear_slider_force`] in the middle of the window, a midpoint rule.
pub fn linear_slider_ending(
    k: f64,
    c: f64,
    spring: DVec3,
    slip: DVec3,
    lasted: f64,
    step: f64,
    limits: [f64; 2],
) -> DVec3 {
    let force = |before: f64, limit: f64| {
        linear_slider_force(k, c, spring - before * slip, slip, limit).force
    };
    let due = force(0.75 * step - 0.5 * lasted, limits[0]);
    let given = force(0.5 * step, limits[1]);
    (lasted + 0.5 * step) * due - step * given
}

/// Coefficient of Mindlin's tangential stiffness in N/m^{3/2}.
///
/// ```text
/// 8 G* √R*,   so that k_t = 8 G* √(R* δ)
/// ```
///
/// * `effective_shear` — G* in Pa
/// * `reduced_radius` — R* in m
///
/// Multiply by √δ for the stiffness `k_t` of [`mindlin_slider_force`]. Its ratio to the normal
/// tangent stiffness is `4 G*/E*`, which is `2(1 − ν)/(2 − ν)` for equal materials.
///
/// Source: Mindlin (1949).
#[inline]
pub fn mindlin_stiffness(effective_shear: f64, reduced_radius: f64) -> f64 {
    8.0 * effective_shear * reduced_radius.sqrt()
}

/// Tangential spring of overlap-dependent stiffness (Mindlin, without micro-slip), with dashpot and
/// Coulomb slider.
///
/// ```text
/// ξ   ← ξ min(1, L/|k_t ξ|)
/// F*  = −k_t ξ − c u_t
/// F_t = F* min(1, L/|F*|)
/// ```
///
/// * `k_t` — tangential stiffness in N/m at the present overlap, see [`mindlin_stiffness`]
/// * `c` — tangential damping in N s/m
/// * `spring` — ξ in m, already advanced by this step's slip and turned with the contact
/// * `slip` — `u_t` in m/s
/// * `limit` — L in N, see [`coulomb_limit`]
///
/// The spring is shortened first, alone; then the dashpot is added and the sum is capped without
/// touching ξ. Rule (28b) of Costa et al. will not do here: `k_t` vanishes at first touch, and the
/// spring would be bent back without bound, as `δ^{−1/4}`. The returned `damping_force` is
/// `F_t + k_t ξ`, so `force = −k_t·spring + damping_force` holds sliding or not; with a fully
/// stretched spring and forward slip it is zero.
///
/// This is the secant form, force = present stiffness × whole ξ. It slips sooner than the
/// incremental form and is 3/2 stiffer during loading, but it has an energy,
/// [`tangential_elastic_energy`].
///
/// Source: Mindlin (1949) for the stiffness; Cundall & Strack (1979) for the slider.
#[inline(always)]
pub fn mindlin_slider_force(
    k_t: f64,
    c: f64,
    spring: DVec3,
    slip: DVec3,
    limit: f64,
) -> TangentialForce {
    mindlin_slider(k_t, c, spring.into(), slip.into(), limit).into()
}

/// As [`mindlin_slider_force`], of one contact or several.
#[inline(always)]
pub(crate) fn mindlin_slider<N: Number>(
    k_t: N,
    c: N,
    spring: Vector<N>,
    slip: Vector<N>,
    limit: N,
) -> Slider<N> {
    let (spring, stretched) = shortened(spring, k_t * k_t * spring.length_squared(), limit);
    let elastic = spring * -k_t;
    let test = elastic.plus_times(slip, -c);
    let (force, capped) = shortened(test, test.length_squared(), limit);
    Slider {
        force,
        spring,
        damping_force: force - elastic,
        slides: stretched | capped,
    }
}

/// A vector, shortened where this square exceeds that of the limit by the ratio of their roots; and where.
#[inline(always)]
fn shortened<N: Number>(vector: Vector<N>, squared: N, limit: N) -> (Vector<N>, N::Truth) {
    let beyond = squared.exceeds(limit * limit);
    if beyond.any() {
        let shorter = vector * (limit / squared.root());
        (Vector::pick(beyond, shorter, vector), beyond)
    } else {
        (vector, beyond)
    }
}

/// Energy stored in a tangential spring in J.
///
/// ```text
/// U = ½ k |ξ|²,   −∂U/∂ξ = −k ξ
/// ```
///
/// * `k` — tangential stiffness in N/m, at the present overlap
/// * `spring` — ξ in m
///
/// With Mindlin's stiffness it also changes with the overlap at a fixed ξ; that work is not part of
/// any normal force here.
#[inline(always)]
pub fn tangential_elastic_energy(k: f64, spring: DVec3) -> f64 {
    spring_energy(k, spring.into())
}

/// As [`tangential_elastic_energy`], of one contact or several.
#[inline(always)]
pub(crate) fn spring_energy<N: Number>(k: N, spring: Vector<N>) -> N {
    N::all(0.5) * k * spring.length_squared()
}

/// Damping coefficient of a Mindlin spring that is damped like the Hertz spring beside it.
///
/// ```text
/// c = 2 √(5/6) β √(k_t m*)
/// ```
///
/// * `ratio` – β, the damping ratio of Tsuji's normal damper, dimensionless;
/// * `k` – tangential stiffness now, `k_t` = 8 G* √(R* δ), N/m;
/// * `mass` – reduced mass m*, kg. Returns c, N s/m.
///
/// The same form as Tsuji's normal damper written with the tangent stiffness, 2 √(5/6) β √(`S_n` m*).
/// Source: Tsuji, Tanaka & Ishida (1992); the convention of most Hertz–Mindlin codes.
#[allow(clippy::inline_always, reason = "part of the force loop")]
#[inline(always)]
pub fn mindlin_damping<N: Number>(ratio: N, k: N, mass: N) -> N {
    const TWICE_ROOT_FIVE_SIXTHS: f64 = 1.825_741_858_350_553_7;
    N::all(TWICE_ROOT_FIVE_SIXTHS) * ratio * (k * mass).root()
}
