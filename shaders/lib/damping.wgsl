// Dampers for Hertz's spring, for a pair in contact. Twins of src/laws/damping.rs.

// F_d = d δ̇
fn viscous_damping_force(d: f32, rate: f32) -> f32 {
    return d * rate;
}

// γ = √5 β √(m* k)
fn tsuji_damping_coefficient(ratio: f32, k: f32, mass: f32) -> f32 {
    return ratio * sqrt(5.0 * mass * k);
}

// F_d = γ δ^{1/4} δ̇, 0 for δ ≤ 0
fn tsuji_damping_force(gamma: f32, overlap: f32, rate: f32) -> f32 {
    return gamma * sqrt(sqrt(max(overlap, 0.0))) * rate;
}

// F_d = (3/2) k A √δ δ̇, 0 for δ ≤ 0
fn kuwabara_kono_damping_force(k: f32, a: f32, overlap: f32, rate: f32) -> f32 {
    return 1.5 * k * a * sqrt(max(overlap, 0.0)) * rate;
}
