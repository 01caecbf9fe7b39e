// Reduced quantities of a pair. Twins of src/laws/material.rs.

// Radius, mass and inertia of a wall. WGSL promises no infinity; against this number a grain vanishes in
// f32, and m R² still fits.
const MATERIAL_WALL: f32 = 1e12;

// ab/(a + b); with a wall, the other.
fn reduced(a: f32, b: f32) -> f32 {
    let smaller = min(a, b);
    let larger = max(a, b);
    return select(0.0, smaller / (1.0 + smaller / larger), smaller > 0.0);
}

// m_t = (2/7) m*
fn tangential_reduced_mass(reduced_mass: f32) -> f32 {
    return 2.0 / 7.0 * reduced_mass;
}
