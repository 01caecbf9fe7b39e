// Hertzian coefficients for a chosen restitution and contact time. Twin of src/laws/adaptive.rs.
//#include lib/accurate.wgsl

// q = −ln e, λ and τ_c by polynomials, t* = T_c/τ_c; returns (k, d).
fn adaptive_direct(restitution: f32, contact_time: f32, speed: f32, mass: f32) -> vec2f {
    const RESTITUTION_MIN: f32 = 0.01;
    const CENTRE: f32 = 3.453877639491068;
    let e = clamp(restitution, RESTITUTION_MIN, 1.0);
    let q = -accurate_log(e);
    // (λ, τ_c)
    var inverse: vec2f;
    if e >= 0.1 {
        inverse = vec2f(-2.6589442777676186e-06, 4.030735944684228e-06);
        inverse = inverse * q + vec2f(2.776554629042772e-05, -7.361036918449092e-05);
        inverse = inverse * q + vec2f(-8.835505192230051e-05, 0.00046194091517036396);
        inverse = inverse * q + vec2f(-6.213035057821776e-05, -0.0007453993691706962);
        inverse = inverse * q + vec2f(0.0007495484880477587, -0.004248592316584054);
        inverse = inverse * q + vec2f(0.0010350693154317838, 0.010052057631706038);
        inverse = inverse * q + vec2f(-0.00944989435753054, 0.11201248571113008);
        inverse = inverse * q + vec2f(-0.027967262767326428, 0.3218056192502917);
        inverse = inverse * q + vec2f(0.2796711289019508, 3.218065459719043);
        inverse *= vec2f(q, 1.0);
    } else {
        // About the middle of the range, good to 4e-9: about 0 the terms cancel to a hundredth.
        let x = q - CENTRE;
        inverse = vec2f(5.49799000431902e-07, -6.344406918501487e-07);
        inverse = inverse * x + vec2f(-3.5905376819601482e-06, 4.228587846155458e-06);
        inverse = inverse * x + vec2f(1.248432722114546e-05, -2.0232197106355596e-05);
        inverse = inverse * x + vec2f(4.479928975125327e-06, -7.337654109543527e-06);
        inverse = inverse * x + vec2f(-0.00045249344936539585, 0.001161902328520865);
        inverse = inverse * x + vec2f(0.003638143161535362, -0.009064012923132083);
        inverse = inverse * x + vec2f(-0.01636495354012546, 0.02695321116161802);
        inverse = inverse * x + vec2f(0.042748071121195816, 0.9038955340612024);
        inverse = inverse * x + vec2f(0.5126768938613046, 5.543835464632199);
    }
    return adaptive_from_time_unit(inverse.x, contact_time / inverse.y, speed, mass);
}

// k = m*/√(u t*⁵), d = 2 λ m*/t*; returns (k, d).
fn adaptive_from_time_unit(lambda: f32, t_star: f32, speed: f32, mass: f32) -> vec2f {
    return vec2f(
        mass / (t_star * t_star * sqrt(speed * t_star)),
        2.0 * lambda * mass / t_star,
    );
}
