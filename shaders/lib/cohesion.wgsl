// Adhesion. Twins of src/laws/cohesion.rs. A wall has the radius MATERIAL_WALL.
//#include lib/accurate.wgsl

const COHESION_PI: f32 = 3.141592653589793;

// F = −2π w R*
fn dmt_force(w: f32, reduced_radius: f32) -> f32 {
    return -2.0 * COHESION_PI * w * reduced_radius;
}

// U = −2π w R* max(δ, 0)
fn dmt_energy(w: f32, reduced_radius: f32, overlap: f32) -> f32 {
    return dmt_force(w, reduced_radius) * max(overlap, 0.0);
}

// F = −k_c A_c, A_c = π δ (2R_i − δ)(2R_j − δ)(2R_i + 2R_j − δ)/(4 (R_i + R_j − δ)²)
fn sjkr_force(energy_density: f32, overlap: f32, radius_i: f32, radius_j: f32) -> f32 {
    let pressed = max(overlap, 0.0);
    let radius = min(radius_i, radius_j);
    let curvature = 1.0 / max(radius_i, radius_j);
    let half = 0.5 * pressed;
    let distance = 1.0 + (radius - pressed) * curvature;
    let wall_area = COHESION_PI * pressed * (2.0 * radius - pressed);
    let area = wall_area * (1.0 - half * curvature) * (1.0 + (radius - half) * curvature)
        / (distance * distance);
    return -energy_density * area;
}

// U = −k_c V, V = π δ² (12 R_i R_j − 4(R_i + R_j) δ + δ²)/(12 (R_i + R_j − δ))
fn sjkr_energy(energy_density: f32, overlap: f32, radius_i: f32, radius_j: f32) -> f32 {
    let pressed = max(overlap, 0.0);
    let radius = min(radius_i, radius_j);
    let curvature = 1.0 / max(radius_i, radius_j);
    let shape = 12.0 * radius - 4.0 * (1.0 + radius * curvature) * pressed
        + curvature * pressed * pressed;
    let volume = COHESION_PI * pressed * pressed * shape
        / (12.0 * (1.0 + (radius - pressed) * curvature));
    return -energy_density * volume;
}

// The larger a with δ = a²/R* − √(2π w a/E*), by Ferrari's method; that of snap-off where there is none.
// There the root is double, and a is good to half the digits.
fn jkr_contact_radius(overlap: f32, w: f32, effective_young: f32, reduced_radius: f32) -> f32 {
    let c = 0.25 * COHESION_PI * w / (effective_young * reduced_radius);
    let wanted = overlap / reduced_radius;
    let third = wanted / 3.0;
    let discriminant = max(0.25 * c * c + third * third * third, 0.0);
    let u = accurate_cube_root(0.5 * c + sqrt(discriminant));
    let q = max(wanted, -3.0 * u * u);
    let v = select(0.0, q / (3.0 * u), u > 0.0);
    // m = u − v as (u³ − v³)/(u² + uv + v²): no cancellation where q > 0.
    let square = u * u + u * v + v * v;
    let m = select(0.0, c / square, square > 0.0);
    let outer = sqrt(2.0 * m);
    let inner = sqrt(max(4.0 * sqrt(q + m * m) - 2.0 * m, 0.0));
    let x = 0.5 * (outer + inner);
    return reduced_radius * x * x;
}

// F = 4 E* a³/(3 R*) − √(8π w E* a³)
fn jkr_force(contact_radius: f32, w: f32, effective_young: f32, reduced_radius: f32) -> f32 {
    let cube = contact_radius * contact_radius * contact_radius;
    return 4.0 / 3.0 * effective_young * cube / reduced_radius
        - sqrt(8.0 * COHESION_PI * w * effective_young * cube);
}

// U = 8 E* a⁵/(15 R*²) − (4/3)√(2π w E*) a^{7/2}/R* + π w a² + (3/5) π w a₀², a₀³ = 2π w R*²/E*
fn jkr_energy(contact_radius: f32, w: f32, effective_young: f32, reduced_radius: f32) -> f32 {
    let a = contact_radius;
    let square = a * a;
    let elastic = 8.0 / 15.0 * effective_young * square * square * a
        / (reduced_radius * reduced_radius);
    let mixed = 4.0 / 3.0 * sqrt(2.0 * COHESION_PI * w * effective_young * a) * square * a
        / reduced_radius;
    let first = accurate_cube_root(
        2.0 * COHESION_PI * w * reduced_radius * reduced_radius / effective_young,
    );
    return elastic - mixed + COHESION_PI * w * (square + 0.6 * first * first);
}

// F_off = (3/2) π w R*
fn jkr_pull_off_force(w: f32, reduced_radius: f32) -> f32 {
    return 1.5 * COHESION_PI * w * reduced_radius;
}

// δ_off = −(3/4) (π² w² R*/E*²)^{1/3}
fn jkr_snap_off_overlap(w: f32, effective_young: f32, reduced_radius: f32) -> f32 {
    let strain = COHESION_PI * w / effective_young;
    return -0.75 * accurate_cube_root(strain * strain * reduced_radius);
}
