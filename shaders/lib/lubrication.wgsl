// The liquid film between close surfaces. Twins of src/laws/lubrication.rs. A wall has the radius
// MATERIAL_WALL.
//#include lib/accurate.wgsl
//#include lib/material.wgsl

const LUBRICATION_PI: f32 = 3.141592653589793;

// RΛ(ε) as an expansion in ε = h/length, and between which gaps it holds.
struct Film {
    leading: f32,
    logarithmic: f32,
    small: f32,
    length: f32,
    resolved: f32,
    roughness: f32,
}

fn film_between(radius_i: f32, radius_j: f32, resolved: f32, roughness: f32) -> Film {
    if radius_j >= MATERIAL_WALL {
        return Film(radius_i, radius_i / 5.0, radius_i / 21.0, radius_i, resolved, roughness);
    }
    let sum = radius_i + radius_j;
    let a = radius_i / sum;
    let b = radius_j / sum;
    let product = a * b;
    let squares = a * a + b * b;
    return Film(
        2.0 * product * product * sum,
        product * (squares + 7.0 * product) / 5.0 * sum,
        (squares * squares - 31.0 * product * product + 18.0 * product * squares) / 42.0 * sum,
        0.5 * sum,
        resolved,
        roughness,
    );
}

// Rλ(ε), up to a constant.
fn film_amplification(film: Film, gap: f32) -> f32 {
    let log = accurate_log(gap);
    return film.leading / gap - film.logarithmic * log - film.small * gap * log;
}

// RΛ(ε)
fn film_correction(film: Film, gap: f32) -> f32 {
    if !(gap >= 0.0 && gap < film.resolved) {
        return 0.0;
    }
    return film_amplification(film, max(gap, film.roughness))
        - film_amplification(film, film.resolved);
}

// 6π μ RΛ(h/length)
fn film_damping(film: Film, viscosity: f32, gap: f32) -> f32 {
    return 6.0 * LUBRICATION_PI * viscosity * film_correction(film, gap / film.length);
}

// ∫F dt while the gap shrinks from `start` by `way`.
fn film_impulse(film: Film, viscosity: f32, start: f32, way: f32) -> f32 {
    let moved = way / film.length;
    let before = start / film.length;
    let after = before - moved;
    let high = max(before, after);
    let low = min(before, after);
    let rough = max(min(high, film.roughness) - max(low, 0.0), 0.0);
    let top = min(high, film.resolved);
    let bottom = max(low, film.roughness);
    var smoothly = top - bottom;
    if high <= film.resolved && low >= film.roughness {
        // Not from the difference of two gaps: a short way would drown in their rounding.
        smoothly = abs(moved);
    }
    var integral = rough * film_correction(film, film.roughness);
    if smoothly > 0.0 {
        let ratio = accurate_log_1p(smoothly / bottom);
        let log = accurate_log(top);
        let mean = smoothly * (top + bottom);
        let logs = smoothly * (log - 1.0) + bottom * ratio;
        let small = 0.5 * mean * (log - 0.5) + 0.5 * bottom * bottom * ratio;
        integral += film.leading * ratio - film.logarithmic * logs - film.small * small
            - smoothly * film_amplification(film, film.resolved);
    }
    return 6.0 * LUBRICATION_PI * viscosity * film.length * integral * sign(way);
}

// y = y_free − J(h, y Δt)/2m*, by Newton's method, or halving where that would leave the interval or not
// come nearer.
fn film_rate(
    film: Film,
    viscosity: f32,
    inverse_mass: f32,
    start: f32,
    free_rate: f32,
    step: f32,
) -> f32 {
    const RATE_ROUNDS: u32 = 30u;
    const RATE_CLOSE_ENOUGH: f32 = 3e-7;
    let half_mobility = 0.5 * inverse_mass;
    let direction = sign(free_rate);
    let free = abs(free_rate);
    var low = 0.0;
    var high = free;
    var rate = free;
    var last_change = 2.0 * free;
    for (var round = 0u; round < RATE_ROUNDS; round++) {
        let way = direction * rate * step;
        let impulse = direction * film_impulse(film, viscosity, start, way);
        let excess = rate - free + half_mobility * impulse;
        if excess > 0.0 {
            high = rate;
        } else {
            low = rate;
        }
        let slope = 1.0 + half_mobility * step * film_damping(film, viscosity, start - way);
        var next = rate - excess / slope;
        if !(next >= low && next <= high && abs(next - rate) <= 0.5 * last_change) {
            next = 0.5 * (low + high);
        }
        let change = abs(next - rate);
        last_change = change;
        rate = next;
        if change <= RATE_CLOSE_ENOUGH * rate {
            break;
        }
    }
    return direction * rate;
}
