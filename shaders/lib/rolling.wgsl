// Rolling resistance. Twins of src/laws/rolling.rs.
//#include lib/accurate.wgsl
//#include lib/material.wgsl

struct RollingMoment {
    // On i.
    moment: vec3f,
    // Spring part M_k of the moment.
    spring: vec3f,
}

// ω_r = (ω_i − ω_j) − ((ω_i − ω_j)·n) n
fn rolling_velocity(spin_i: vec3f, spin_j: vec3f, normal: vec3f) -> vec3f {
    let difference = spin_i - spin_j;
    return difference - dot(difference, normal) * normal;
}

// L = μ_r R* max(F_n, 0)
fn rolling_limit(rolling_friction: f32, reduced_radius: f32, normal_force: f32) -> f32 {
    return rolling_friction * reduced_radius * max(normal_force, 0.0);
}

// M = −min(L, s |ω_r|) ω_r/|ω_r|
fn constant_rolling_moment(rolling_velocity: vec3f, limit: f32, stopping: f32) -> vec3f {
    let speed = accurate_length(rolling_velocity);
    let moment = min(limit, stopping * speed);
    return -select(0.0, moment / speed, speed > 0.0) * rolling_velocity;
}

// M_k* = M_k − k_r Δθ; |M_k*| < L: M = M_k* − c_r ω_r; |M_k*| ≥ L: M = M_k = L M_k*/|M_k*|
fn spring_rolling_moment(
    k_r: f32,
    c_r: f32,
    moment: vec3f,
    increment: vec3f,
    rolling_velocity: vec3f,
    limit: f32,
) -> RollingMoment {
    let test = moment - k_r * increment;
    let size = accurate_length(test);
    let spring = select(1.0, limit / size, size > limit) * test;
    let damping = select(c_r, 0.0, size >= limit);
    return RollingMoment(spring - damping * rolling_velocity, spring);
}

// k_r = 2.25 k_n (μ_r R*)²
fn rolling_stiffness(normal_stiffness: f32, rolling_friction: f32, reduced_radius: f32) -> f32 {
    let arm = rolling_friction * reduced_radius;
    return 2.25 * normal_stiffness * arm * arm;
}

// c_r = 2 η_r √(I_r k_r)
fn rolling_damping(damping_ratio: f32, inertia_r: f32, k_r: f32) -> f32 {
    return 2.0 * damping_ratio * sqrt(inertia_r * k_r);
}

// 1/I_r = 1/(I_i + m_i R_i²) + 1/(I_j + m_j R_j²)
fn rolling_inertia(
    inertia_i: f32,
    mass_i: f32,
    radius_i: f32,
    inertia_j: f32,
    mass_j: f32,
    radius_j: f32,
) -> f32 {
    return reduced(
        inertia_i + mass_i * radius_i * radius_i,
        inertia_j + mass_j * radius_j * radius_j,
    );
}

// U = |M_k|²/(2 k_r)
fn rolling_elastic_energy(k_r: f32, moment: vec3f) -> f32 {
    let size = accurate_length(moment);
    return select(0.0, 0.5 * size * (size / k_r), k_r > 0.0);
}
