// Linear spring and dashpot. Twins of src/laws/linear.rs.

// F_el = k max(δ, 0)
fn linear_elastic_force(k: f32, overlap: f32) -> f32 {
    return k * max(overlap, 0.0);
}

// F_d = c δ̇, for a pair in contact.
fn linear_damping_force(c: f32, rate: f32) -> f32 {
    return c * rate;
}

// U = ½ k δ²
fn linear_elastic_energy(k: f32, overlap: f32) -> f32 {
    let pressed = max(overlap, 0.0);
    return 0.5 * k * pressed * pressed;
}

// c = 2 α √(m* k)
fn linear_damping(ratio: f32, k: f32, mass: f32) -> f32 {
    return 2.0 * ratio * sqrt(mass * k);
}
