// Hertz's spring. Twins of src/laws/hertz.rs.

// F_el = k δ √δ, 0 for δ ≤ 0
fn hertz_elastic_force(k: f32, overlap: f32) -> f32 {
    let pressed = max(overlap, 0.0);
    return k * pressed * sqrt(pressed);
}

// dF_el/dδ = (3/2) k √δ
fn hertz_tangent_stiffness(k: f32, overlap: f32) -> f32 {
    return 1.5 * k * sqrt(max(overlap, 0.0));
}

// U = (2/5) k δ^{5/2}
fn hertz_elastic_energy(k: f32, overlap: f32) -> f32 {
    let pressed = max(overlap, 0.0);
    return 0.4 * k * pressed * pressed * sqrt(pressed);
}
