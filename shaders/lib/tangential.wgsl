// Friction. Twins of src/laws/tangential.rs.
//#include lib/accurate.wgsl

struct TangentialForce {
    // On i, never longer than the Coulomb limit.
    force: vec3f,
    // ξ after sliding has shortened it.
    spring: vec3f,
    // Part of the force that the dashpot contributes.
    damping_force: vec3f,
}

// L = μ max(F_n, 0)
fn coulomb_limit(friction: f32, normal_force: f32) -> f32 {
    return friction * max(normal_force, 0.0);
}

// ξ_t = ξ − (ξ·n) n, ξ ← ξ_t |ξ|/|ξ_t|
fn transport_spring(spring: vec3f, normal: vec3f) -> vec3f {
    // Below this part of the length the direction of what is left is rounding.
    const LEAST_PART: f32 = 1e-6;
    let tangent = spring - dot(spring, normal) * normal;
    let whole = accurate_length(spring);
    let kept = accurate_length(tangent);
    return select(0.0, whole / kept, kept > LEAST_PART * whole) * tangent;
}

// F_t = −min(L, s |u_t|) u_t/|u_t|
fn coulomb_force(slip: vec3f, limit: f32, stopping: f32) -> vec3f {
    let speed = accurate_length(slip);
    let force = min(limit, stopping * speed);
    return -select(0.0, force / speed, speed > 0.0) * slip;
}

// F* = −k ξ − c u_t; sticks: F_t = F*; slides: F_t = L F*/|F*|, ξ = −(F_t + c u_t)/k
fn linear_slider_force(k: f32, c: f32, spring: vec3f, slip: vec3f, limit: f32) -> TangentialForce {
    let dashpot = -c * slip;
    let test = dashpot - k * spring;
    let size = accurate_length(test);
    let slides = size > limit;
    let scale = select(1.0, limit / size, slides);
    let force = scale * test;
    let shortened = select(0.0, 1.0 / k, k > 0.0) * (dashpot - force);
    return TangentialForce(force, select(spring, shortened, slides), scale * dashpot);
}

// J = W F_t(ξ + u_t (t_e/2 − 3Δt/4), L_m) − Δt F_t(ξ − u_t Δt/2, L_0), W = t_e + Δt/2
fn linear_slider_ending(
    k: f32,
    c: f32,
    spring: vec3f,
    slip: vec3f,
    lasted: f32,
    step: f32,
    limits: vec2f,
) -> vec3f {
    let middle = spring - (0.75 * step - 0.5 * lasted) * slip;
    let due = linear_slider_force(k, c, middle, slip, limits.x).force;
    let given = linear_slider_force(k, c, spring - 0.5 * step * slip, slip, limits.y).force;
    return (lasted + 0.5 * step) * due - step * given;
}

// ξ ← ξ min(1, L/|k_t ξ|), F* = −k_t ξ − c u_t, F_t = F* min(1, L/|F*|)
fn mindlin_slider_force(k_t: f32, c: f32, spring: vec3f, slip: vec3f, limit: f32) -> TangentialForce {
    let stretched = k_t * accurate_length(spring);
    let shortened = select(1.0, limit / stretched, stretched > limit) * spring;
    let elastic = -k_t * shortened;
    let test = elastic - c * slip;
    let size = accurate_length(test);
    let force = select(1.0, limit / size, size > limit) * test;
    return TangentialForce(force, shortened, force - elastic);
}

// U = ½ k |ξ|²
fn tangential_elastic_energy(k: f32, spring: vec3f) -> f32 {
    let stretch = accurate_length(spring);
    return 0.5 * (k * stretch) * stretch;
}

// c = 2 √(5/6) β √(k_t m*)
fn mindlin_damping(ratio: f32, k: f32, mass: f32) -> f32 {
    const TWICE_ROOT_FIVE_SIXTHS: f32 = 1.8257418583505537;
    return TWICE_ROOT_FIVE_SIXTHS * ratio * sqrt(k * mass);
}
