// Friction in proportion to the normal force. Twins of src/laws/impulse.rs.
//#include lib/accurate.wgsl

// Walton, by β₀ ≥ 0: g = min((1 + β₀) z, 1); Rubin, by −α < 0: g = 1 − max(1 − z, 0)^{1+α}
fn impulse_transition(z: f32, rule: f32) -> f32 {
    const LOG2_E: f32 = 1.4426950408889634;
    if rule >= 0.0 {
        return min((1.0 + rule) * z, 1.0);
    }
    if z >= 1.0 {
        return 1.0;
    }
    // (1 − z)^{1+α} = e^{−x} with ln(1 − z) = −ln(1 + z/(1 − z)), and 1 − e^{−x} by its series where it would cancel.
    let x = (1.0 - rule) * accurate_log_1p(z / (1.0 - z));
    if x > 0.5 {
        return 1.0 - exp2(-LOG2_E * x);
    }
    let high = 1.0 / 120.0 - x * (1.0 / 720.0 - x * (1.0 / 5040.0 - x * (1.0 / 40320.0)));
    return x * (1.0 - x * (0.5 - x * (1.0 / 6.0 - x * (1.0 / 24.0 - x * high))));
}

// μ τ with μ = μ_s g(z), z = |u_t|/(ψ_s |δ̇|), ψ_s = (1 + e) (7/2) μ_s, τ = u_t/|u_t|
fn impulse_shear(
    friction: f32,
    restitution: f32,
    rule: f32,
    rate: f32,
    slip: vec3f,
) -> vec3f {
    const SLIP_RATIO: f32 = 3.5;
    let speed = accurate_length(slip);
    if speed <= 0.0 {
        return vec3f(0.0);
    }
    let full_slip = (1.0 + restitution) * SLIP_RATIO * friction * abs(rate);
    let z = select(1.0, speed / full_slip, speed < full_slip);
    return friction * impulse_transition(z, rule) / speed * slip;
}

// F_t = −F_n μ τ
fn impulse_force(shear: vec3f, normal_force: f32) -> vec3f {
    return -normal_force * shear;
}
