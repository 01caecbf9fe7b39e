// The contact model: what the laws of a scene make of two materials and two grains. Twins of
// src/contact.rs; the numbers are those of src/gpu/laws.rs.
//#include lib/accurate.wgsl
//#include lib/linear.wgsl
//#include lib/hertz.wgsl
//#include lib/damping.wgsl
//#include lib/adaptive.wgsl
//#include lib/end.wgsl

const NORMAL_LINEAR: u32 = 0u;
const NORMAL_LINEAR_STRETCHED: u32 = 1u;
const NORMAL_HERTZ_VISCOUS: u32 = 2u;
const NORMAL_HERTZ_TSUJI: u32 = 3u;
const NORMAL_HERTZ_KUWABARA_KONO: u32 = 4u;
const NORMAL_HERTZ_ADAPTIVE: u32 = 5u;

const TANGENTIAL_NONE: u32 = 0u;
const TANGENTIAL_COULOMB: u32 = 1u;
const TANGENTIAL_LINEAR: u32 = 2u;
const TANGENTIAL_MINDLIN: u32 = 3u;
const TANGENTIAL_IMPULSE: u32 = 4u;

const ROLLING_NONE: u32 = 0u;
const ROLLING_CONSTANT: u32 = 1u;
const ROLLING_SPRING: u32 = 2u;

const COHESION_NONE: u32 = 0u;
const COHESION_SJKR: u32 = 1u;
const COHESION_JKR: u32 = 2u;
const COHESION_DMT: u32 = 3u;

// The laws of a scene, chosen when a pipeline is built. Functions take a law as an argument, so that one
// pipeline can test them all; kernels pass these, and the compiler drops what is not chosen.
override NORMAL_LAW: u32;
override TANGENTIAL_LAW: u32;
override ROLLING_LAW: u32;
override COHESION_LAW: u32;
override CONTACT_END: u32;
override ADAPTIVE_TABULATED: u32;

// What two materials do when they meet; 0 where the laws do not ask for a value.
struct PairCoefficients {
    stiffness: f32,
    hertz_modulus: f32,
    damping: f32,
    damping_ratio: f32,
    stiffness_per_mass: f32,
    damping_per_mass: f32,
    viscoelastic_time: f32,
    restitution: f32,
    friction: f32,
    tangential_stiffness: f32,
    mindlin_modulus: f32,
    tangential_damping: f32,
    tangential_damping_ratio: f32,
    tangential_stiffness_per_mass: f32,
    tangential_damping_per_mass: f32,
    rolling_friction: f32,
    rolling_damping: f32,
    work_of_adhesion: f32,
    cohesion_energy_density: f32,
    effective_young: f32,
}

// Numbers of the laws of a scene that belong to no pair of materials.
struct ContactLaws {
    contact_time: f32,
    adaptive_minimum_speed: f32,
    // 1 if the table of pairs holds what the adaptive law needs of a restitution, else 0.
    tabulated: u32,
}

// k and d of F_elastic = k δ^p, F_damping = d δ^q δ̇.
struct NormalCoefficients {
    stiffness: f32,
    damping: f32,
}

// p and q.
struct NormalExponents {
    elastic: f32,
    damping: f32,
}

// Elastic force, and c(δ) of F_damping = c(δ) δ̇.
struct NormalResponse {
    elastic: f32,
    damping: f32,
}

// Coefficients of one contact; `adaptive` holds what the adaptive law froze at first touch.
fn normal_coefficients_of(
    law: u32,
    pair: PairCoefficients,
    reduced_mass: f32,
    reduced_radius: f32,
    adaptive: vec2f,
) -> NormalCoefficients {
    let hertz = pair.stiffness + pair.hertz_modulus * sqrt(reduced_radius);
    switch law {
        case NORMAL_LINEAR: {
            return NormalCoefficients(
                pair.stiffness,
                pair.damping + linear_damping(pair.damping_ratio, pair.stiffness, reduced_mass),
            );
        }
        case NORMAL_LINEAR_STRETCHED: {
            return NormalCoefficients(
                pair.stiffness_per_mass * reduced_mass,
                pair.damping_per_mass * reduced_mass,
            );
        }
        case NORMAL_HERTZ_VISCOUS: {
            return NormalCoefficients(hertz, pair.damping);
        }
        case NORMAL_HERTZ_TSUJI: {
            return NormalCoefficients(
                hertz,
                tsuji_damping_coefficient(pair.damping_ratio, hertz, reduced_mass),
            );
        }
        case NORMAL_HERTZ_KUWABARA_KONO: {
            return NormalCoefficients(
                hertz,
                kuwabara_kono_damping_force(hertz, pair.viscoelastic_time, 1.0, 1.0),
            );
        }
        default: {
            return NormalCoefficients(adaptive.x, adaptive.y);
        }
    }
}

// (k, d) that the adaptive law takes for a contact that begins at `speed`; never stiffer than the
// material where that is known: k ∝ t*^{−5/2} and d ∝ 1/t* at a fixed restitution, so d falls as k^{2/5}.
fn adaptive_coefficients(
    laws: ContactLaws,
    pair: PairCoefficients,
    reduced_mass: f32,
    reduced_radius: f32,
    speed: f32,
) -> vec2f {
    let reckoned = max(speed, laws.adaptive_minimum_speed);
    let material = pair.stiffness + pair.hertz_modulus * sqrt(reduced_radius);
    var wanted: vec2f;
    if laws.tabulated == 1u {
        // The table holds 1/t*² and 2λ/t* for the contact time of the scene.
        let rate = sqrt(pair.stiffness_per_mass);
        let lambda = 0.5 * pair.damping_per_mass / rate;
        wanted = adaptive_from_time_unit(lambda, 1.0 / rate, reckoned, reduced_mass);
    } else {
        wanted = adaptive_direct(pair.restitution, laws.contact_time, reckoned, reduced_mass);
    }
    if material > 0.0 && wanted.x > material {
        let root = accurate_fifth_root(material / wanted.x);
        return vec2f(material, wanted.y * root * root);
    }
    return wanted;
}

// p: 1 (linear) or 3/2 (Hertz); q: 0 (viscous), ¼ (Tsuji), ½ (Kuwabara & Kono).
fn normal_exponents_of(law: u32) -> NormalExponents {
    switch law {
        case NORMAL_LINEAR, NORMAL_LINEAR_STRETCHED: {
            return NormalExponents(1.0, 0.0);
        }
        case NORMAL_HERTZ_TSUJI: {
            return NormalExponents(1.5, 0.25);
        }
        case NORMAL_HERTZ_KUWABARA_KONO: {
            return NormalExponents(1.5, 0.5);
        }
        default: {
            return NormalExponents(1.5, 0.0);
        }
    }
}

// Elastic force and damping coefficient at overlap δ ≥ 0: a damper's coefficient is its force at unit rate.
fn normal_response(law: u32, normal: NormalCoefficients, overlap: f32) -> NormalResponse {
    switch law {
        case NORMAL_LINEAR, NORMAL_LINEAR_STRETCHED: {
            return NormalResponse(
                linear_elastic_force(normal.stiffness, overlap),
                linear_damping_force(normal.damping, 1.0),
            );
        }
        case NORMAL_HERTZ_TSUJI: {
            return NormalResponse(
                hertz_elastic_force(normal.stiffness, overlap),
                tsuji_damping_force(normal.damping, overlap, 1.0),
            );
        }
        case NORMAL_HERTZ_KUWABARA_KONO: {
            return NormalResponse(
                hertz_elastic_force(normal.stiffness, overlap),
                normal.damping * sqrt(overlap),
            );
        }
        default: {
            return NormalResponse(
                hertz_elastic_force(normal.stiffness, overlap),
                viscous_damping_force(normal.damping, 1.0),
            );
        }
    }
}
