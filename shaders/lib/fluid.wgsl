// A sphere that moves through a fluid at rest. Twins of src/laws/fluid.rs.
//#include lib/accurate.wgsl

const FLUID_PI: f32 = 3.141592653589793;

// Re = 2 ρ u R/μ
fn reynolds_number(density: f32, viscosity: f32, radius: f32, speed: f32) -> f32 {
    return 2.0 * density * speed * radius / viscosity;
}

// f = max(1 + 0.15 Re^0.687, 0.44 Re/24)
fn schiller_naumann_factor(reynolds: f32) -> f32 {
    // No power of nothing: WGSL makes it of a logarithm.
    let power = exp2(0.687 * 1.4426950408889634 * accurate_log(max(reynolds, 1e-30)));
    return max(1.0 + 0.15 * power, 0.44 / 24.0 * reynolds);
}

// 6π μ R
fn stokes_drag(viscosity: f32, radius: f32) -> f32 {
    return 6.0 * FLUID_PI * viscosity * radius;
}

// a = (a₀ − κ v)/(1 + κ Δt/2); a drag that would turn the motion round stops it.
fn dragged_acceleration(free: f32, velocity: f32, rate: f32, step: f32) -> f32 {
    let half_step = 0.5 * rate * step;
    return (free - rate * velocity) / (1.0 + max(half_step, 2.0 * half_step - 1.0));
}
