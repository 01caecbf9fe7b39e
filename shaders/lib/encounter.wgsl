// One contact in one step: geometry → normal → cohesion → tangential → rolling. Twin of src/cpu/forces
// and of src/cpu/brute_force/contact.rs, which say why.
//
// The kick of a step covers half a step before and after the instant of the positions. A contact that
// began or ended within it acts for a window of it only. The time step is 1.
//#include lib/contact.wgsl
//#include lib/tangential.wgsl
//#include lib/impulse.wgsl
//#include lib/rolling.wgsl
//#include lib/cohesion.wgsl

// Two bodies that may touch.
struct Encounter {
    // From the first to the second.
    normal: vec3f,
    overlap: f32,
    // v_i − v_j as predicted for this instant.
    velocity: vec3f,
    // 1/m_i + 1/m_j
    inverse_mass: f32,
    // R_i ω_i + R_j ω_j
    surface: vec3f,
    reduced_radius: f32,
    // ω_i − ω_j
    spin: vec3f,
    rolling_inertia: f32,
    radii: vec2f,
    was_touching: bool,
    // The first evaluation of a run: velocities are exact and no contact has just begun.
    starting: bool,
}

// What a contact remembers; vectors belong to the first body.
struct Memory {
    // Half a step ahead; of the impulse law μτ R*, as at first touch.
    spring: vec3f,
    // Mean over the last kick.
    normal_force: f32,
    // Moment of the rolling spring, half a step ahead.
    rolling: vec3f,
    // Root of the overlap at which the tangential stiffness was taken.
    root_overlap: f32,
    // Stiffness and damping that the adaptive law froze at first touch.
    adaptive: vec2f,
}

struct Energies {
    lost_normal: f32,
    lost_tangential: f32,
    lost_friction: f32,
    lost_rolling: f32,
    gained_mindlin: f32,
    elastic_normal: f32,
    elastic_tangential: f32,
    elastic_rolling: f32,
}

fn add_energies(a: Energies, b: Energies) -> Energies {
    return Energies(
        a.lost_normal + b.lost_normal,
        a.lost_tangential + b.lost_tangential,
        a.lost_friction + b.lost_friction,
        a.lost_rolling + b.lost_rolling,
        a.gained_mindlin + b.gained_mindlin,
        a.elastic_normal + b.elastic_normal,
        a.elastic_tangential + b.elastic_tangential,
        a.elastic_rolling + b.elastic_rolling,
    );
}

// Means over the kick of what the contact does to its first body, and what it is afterwards.
struct ContactStep {
    touches: bool,
    force: vec3f,
    // n × F_t: times its radius the torque on either body.
    torque: vec3f,
    moment: vec3f,
    // Times the inverse mass, how far to move the first body.
    shift: vec3f,
    memory: Memory,
    energies: Energies,
}

// Tangential velocity of the first body's contact point relative to the second's.
fn slip_of(encounter: Encounter) -> vec3f {
    let n = encounter.normal;
    return encounter.velocity + cross(encounter.surface, n) - dot(encounter.velocity, n) * n;
}

// The overlap at which a contact comes apart.
fn end_of_contact(pair: PairCoefficients, reduced_radius: f32) -> f32 {
    if COHESION_LAW != COHESION_JKR {
        return 0.0;
    }
    return jkr_snap_off_overlap(pair.work_of_adhesion, pair.effective_young, reduced_radius);
}

// What cohesion adds to the elastic force. A JKR neck is the whole elastic force.
fn attraction(pair: PairCoefficients, encounter: Encounter, overlap: f32, elastic: f32) -> f32 {
    let w = pair.work_of_adhesion;
    let young = pair.effective_young;
    let radius = encounter.reduced_radius;
    switch COHESION_LAW {
        case COHESION_DMT: {
            return dmt_force(w, radius);
        }
        case COHESION_SJKR: {
            let radii = encounter.radii;
            return sjkr_force(pair.cohesion_energy_density, overlap, radii.x, radii.y);
        }
        case COHESION_JKR: {
            let a = jkr_contact_radius(overlap, w, young, radius);
            return jkr_force(a, w, young, radius) - elastic;
        }
        default: {
            return 0.0;
        }
    }
}

// Energy in the normal spring at an overlap, cohesion included.
fn normal_energy(pair: PairCoefficients, encounter: Encounter, stiffness: f32, overlap: f32) -> f32 {
    let w = pair.work_of_adhesion;
    let young = pair.effective_young;
    let radius = encounter.reduced_radius;
    if COHESION_LAW == COHESION_JKR {
        return jkr_energy(jkr_contact_radius(overlap, w, young, radius), w, young, radius);
    }
    var energy = linear_elastic_energy(stiffness, overlap);
    if normal_exponents_of(NORMAL_LAW).elastic > 1.0 {
        energy = hertz_elastic_energy(stiffness, overlap);
    }
    if COHESION_LAW == COHESION_DMT {
        energy += dmt_energy(w, radius, overlap);
    }
    if COHESION_LAW == COHESION_SJKR {
        let radii = encounter.radii;
        energy += sjkr_energy(pair.cohesion_energy_density, overlap, radii.x, radii.y);
    }
    return energy;
}

// Tangential stiffness and damping; `root` is that of the overlap.
fn tangential_coefficients(
    pair: PairCoefficients,
    reduced_mass: f32,
    mindlin_per_root: f32,
    root: f32,
) -> vec2f {
    if TANGENTIAL_LAW == TANGENTIAL_LINEAR {
        let mass = tangential_reduced_mass(reduced_mass);
        return vec2f(
            pair.tangential_stiffness + pair.tangential_stiffness_per_mass * mass,
            pair.tangential_damping + pair.tangential_damping_per_mass * mass,
        );
    }
    let stiffness = mindlin_per_root * root;
    let damping = mindlin_damping(pair.tangential_damping_ratio, stiffness, reduced_mass);
    return vec2f(stiffness, pair.tangential_damping + damping);
}

// What friction works on: on a JKR neck the load plus twice the pull-off force (Thornton 1991).
fn pressing_force(pair: PairCoefficients, encounter: Encounter, damped: f32, cohesive: f32) -> f32 {
    if COHESION_LAW != COHESION_JKR {
        return damped;
    }
    return damped + cohesive
        + 2.0 * abs(jkr_pull_off_force(pair.work_of_adhesion, encounter.reduced_radius));
}

// Impulse of a contact that ends at the overlap `end`, what it takes, and the force that friction works on, over
// `duration`, with the overlap it had `time` before that; `means` average elastic force and damping over a window.
fn ending_impulse(
    pair: PairCoefficients,
    encounter: Encounter,
    normal: NormalCoefficients,
    end: f32,
    rate: f32,
    time: f32,
    duration: f32,
    means: vec2f,
) -> vec3f {
    let overlap = end - rate * time;
    let response = normal_response(NORMAL_LAW, normal, max(overlap, 0.0));
    let elastic = means.x * response.elastic;
    let damped = ended_normal_force(CONTACT_END, elastic, means.y * response.damping * rate);
    let cohesive = attraction(pair, encounter, overlap, elastic);
    let pressing = pressing_force(pair, encounter, damped, cohesive);
    return vec3f(duration * vec2f(damped + cohesive, (damped - elastic) * rate), pressing);
}

// A contact that ended since the last positions: what its last kick gave too much is taken back.
fn ended_step(
    pair: PairCoefficients,
    encounter: Encounter,
    before: Memory,
    normal: NormalCoefficients,
    reduced_mass: f32,
    free_rate: f32,
    end: f32,
) -> ContactStep {
    var result: ContactStep;
    // Only a spring of constant stiffness can be stretched when its contact ends.
    let sticky = tangential_coefficients(pair, reduced_mass, 0.0, 0.0);
    let n = encounter.normal;
    let spring = transport_spring(before.spring, n);
    if TANGENTIAL_LAW == TANGENTIAL_LINEAR {
        result.energies.lost_tangential = tangential_elastic_energy(sticky.x, spring);
    }
    if free_rate >= 0.0 {
        return result;
    }
    let exponents = normal_exponents_of(NORMAL_LAW);
    let lasted = 1.0 - clamp((encounter.overlap - end) / free_rate, 0.0, 1.0);
    let window = lasted + 0.5;
    let means = 1.0 / (vec2f(exponents.elastic, exponents.damping) + 1.0);
    let due = ending_impulse(pair, encounter, normal, end, free_rate, window, window, means);
    let given = ending_impulse(pair, encounter, normal, end, free_rate, lasted, 1.0, vec2f(1.0));
    // Never more than stops the grains: a damper stronger than that has done so before.
    let most = reduced_mass * abs(free_rate);
    let difference = due.x - given.x;
    let impulse = clamp(difference, -most, most);
    result.force = -impulse * n;
    if TANGENTIAL_LAW == TANGENTIAL_LINEAR {
        let slip = slip_of(encounter);
        let limits = vec2f(
            coulomb_limit(pair.friction, due.z), coulomb_limit(pair.friction, given.z));
        let along = linear_slider_ending(sticky.x, sticky.y, spring, slip, lasted, 1.0, limits);
        result.force += along;
        result.torque = cross(n, along);
        result.energies.lost_tangential -= dot(along, slip);
    }
    if TANGENTIAL_LAW == TANGENTIAL_IMPULSE {
        let along = impulse_force(spring / encounter.reduced_radius, window * due.z - given.z);
        result.force += along;
        result.torque = cross(n, along);
        result.energies.lost_friction = -dot(along, slip_of(encounter));
    }
    result.energies.lost_normal = due.y - given.y;
    if impulse != difference {
        result.energies.lost_normal *= impulse / difference;
    }
    if COHESION_LAW == COHESION_JKR {
        // The energy still in the neck goes with it.
        result.energies.lost_normal += normal_energy(pair, encounter, normal.stiffness, end);
    }
    return result;
}

struct NormalStep {
    force: f32,
    // What friction works on.
    pressing: f32,
    lost: f32,
}

// Dampers see the rate at the instant of the positions, δ̇ = δ̇* − F W/2m*, with δ̇* the rate without this
// contact's own force: solved for the rate in closed form.
fn normal_step(
    pair: PairCoefficients,
    encounter: Encounter,
    normal: NormalCoefficients,
    free_rate: f32,
    mobility: f32,
    window: f32,
    evaluated: f32,
    begins: bool,
) -> NormalStep {
    let exponents = normal_exponents_of(NORMAL_LAW);
    let response = normal_response(NORMAL_LAW, normal, evaluated);
    let elastic = response.elastic * select(1.0, 1.0 / (exponents.elastic + 1.0), begins);
    let damping = response.damping * select(1.0, 1.0 / (exponents.damping + 1.0), begins);
    let overlap = select(encounter.overlap, 0.5 * evaluated, begins);
    let cohesive = attraction(pair, encounter, overlap, elastic);
    let yielding = mobility * window;
    // A damper so strong that it would turn the grains round within the kick only stops them.
    let resistance = max(yielding * damping, 2.0 * yielding * damping - 1.0);
    var rate = (free_rate - yielding * (elastic + cohesive)) / (1.0 + resistance);
    let unclamped = elastic + damping * rate;
    let damped = ended_normal_force(CONTACT_END, elastic, damping * rate);
    // What the force works against; the same rate unless it was limited.
    if damped > unclamped || resistance > 1.0 {
        rate = free_rate - yielding * (damped + cohesive);
    }
    let force = damped + cohesive;
    let pressing = pressing_force(pair, encounter, damped, cohesive);
    return NormalStep(force, pressing, (damped - elastic) * rate * window);
}

// Works out one step of a contact; `before` is what it remembers, all zeros if it was none.
fn contact_step(
    laws: ContactLaws,
    pair: PairCoefficients,
    encounter: Encounter,
    before: Memory,
) -> ContactStep {
    let n = encounter.normal;
    let rate = dot(encounter.velocity, n);
    let reduced_mass = 1.0 / encounter.inverse_mass;
    let end = end_of_contact(pair, encounter.reduced_radius);
    let presses = encounter.overlap > 0.0;
    let touches = presses || (encounter.was_touching && encounter.overlap > end);
    // A pair that overlapped from the start, or recedes, has no moment of touch within this step.
    let begins = presses && !encounter.was_touching && !encounter.starting
        && encounter.overlap <= rate;
    var adaptive = before.adaptive;
    if NORMAL_LAW == NORMAL_HERTZ_ADAPTIVE && touches && !encounter.was_touching {
        adaptive = adaptive_coefficients(
            laws, pair, reduced_mass, encounter.reduced_radius, abs(rate));
    }
    let normal = normal_coefficients_of(
        NORMAL_LAW, pair, reduced_mass, encounter.reduced_radius, adaptive);
    let mobility = select(0.5 * encounter.inverse_mass, 0.0, encounter.starting);
    // Without its own last force, half a kick of which is in the prediction.
    let free_rate = rate + mobility * before.normal_force;
    if !touches {
        return ended_step(pair, encounter, before, normal, reduced_mass, free_rate, end);
    }
    let window = select(1.0, encounter.overlap / rate + 0.5, begins);
    let evaluated = select(max(encounter.overlap, 0.0), rate * window, begins);
    // At a beginning, in the middle of the window.
    let root = sqrt(evaluated * select(1.0, 0.5, begins));
    let pressed = normal_step(
        pair, encounter, normal, free_rate, mobility, window, evaluated, begins);

    var result: ContactStep;
    result.touches = true;
    result.memory.adaptive = adaptive;
    result.memory.root_overlap = root;
    result.energies.lost_normal = pressed.lost;
    result.energies.elastic_normal =
        normal_energy(pair, encounter, normal.stiffness, encounter.overlap);

    let slip = slip_of(encounter);
    let limit = coulomb_limit(pair.friction, pressed.pressing);
    var tangential = vec3f(0.0);
    if TANGENTIAL_LAW == TANGENTIAL_COULOMB {
        tangential = coulomb_force(slip, limit, tangential_reduced_mass(reduced_mass));
        result.energies.lost_friction = -dot(tangential, slip) * window;
    }
    if TANGENTIAL_LAW == TANGENTIAL_IMPULSE {
        let radius = encounter.reduced_radius;
        var spring = transport_spring(before.spring, n);
        if !encounter.was_touching {
            spring = radius * impulse_shear(
                pair.friction, pair.restitution, pair.tangential_damping_ratio, rate, slip);
        }
        tangential = impulse_force(spring / radius, pressed.pressing);
        result.memory.spring = spring;
        result.energies.lost_friction = -dot(tangential, slip) * window;
    }
    if TANGENTIAL_LAW == TANGENTIAL_LINEAR || TANGENTIAL_LAW == TANGENTIAL_MINDLIN {
        let per_root =
            pair.tangential_stiffness + pair.mindlin_modulus * sqrt(encounter.reduced_radius);
        let coefficients = tangential_coefficients(pair, reduced_mass, per_root, root);
        let stiffness = coefficients.x;
        let advance = 0.5 * window * slip;
        let carried = transport_spring(before.spring, n);
        let stretched = carried + advance;
        var slid: TangentialForce;
        if TANGENTIAL_LAW == TANGENTIAL_LINEAR {
            slid = linear_slider_force(stiffness, coefficients.y, stretched, slip, limit);
        } else {
            slid = mindlin_slider_force(stiffness, coefficients.y, stretched, slip, limit);
            // The stiffness changes between two kicks while the spring is as it was carried.
            let change = per_root * (root - before.root_overlap);
            result.energies.gained_mindlin = tangential_elastic_energy(change, carried);
        }
        tangential = slid.force;
        result.memory.spring = slid.spring + advance;
        let lost = -window * dot(slid.damping_force, slip);
        // Of the work against the slip, what neither dashpot nor spring took.
        let undamped = slid.force + stiffness * slid.spring;
        result.energies.lost_tangential = lost;
        result.energies.lost_friction =
            stiffness * dot(stretched - slid.spring, 0.5 * (stretched + slid.spring) - advance)
            - window * dot(undamped, slip) - lost;
        result.energies.elastic_tangential = tangential_elastic_energy(stiffness, slid.spring);
    }

    var moment = vec3f(0.0);
    if ROLLING_LAW != ROLLING_NONE {
        let velocity = rolling_velocity(encounter.spin, vec3f(0.0), n);
        let friction = pair.rolling_friction;
        let rolling_end = rolling_limit(friction, encounter.reduced_radius, pressed.pressing);
        if ROLLING_LAW == ROLLING_CONSTANT {
            moment = constant_rolling_moment(velocity, rolling_end, encounter.rolling_inertia);
            result.energies.lost_rolling = -dot(moment, velocity) * window;
        } else {
            let is_hertz = normal_exponents_of(NORMAL_LAW).elastic > 1.0;
            let tangent = select(
                normal.stiffness,
                hertz_tangent_stiffness(normal.stiffness, evaluated),
                is_hertz,
            );
            let stiffness = rolling_stiffness(tangent, friction, encounter.reduced_radius);
            let damping =
                rolling_damping(pair.rolling_damping, encounter.rolling_inertia, stiffness);
            let advance = 0.5 * window * velocity;
            let carried = transport_spring(before.rolling, n);
            let rolled = spring_rolling_moment(
                stiffness, damping, carried, advance, velocity, rolling_end);
            moment = rolled.moment;
            result.memory.rolling = rolled.spring - stiffness * advance;
            let damped = rolled.moment - rolled.spring;
            var lost = -dot(damped, velocity) * window;
            if stiffness > 0.0 {
                let test = carried - stiffness * advance;
                let middle = 0.5 * (test + rolled.spring) / stiffness + advance;
                lost += dot(test - rolled.spring, middle);
            }
            // E = M²/2k falls without work while k ∝ √δ grows.
            if is_hertz && evaluated > 0.0 && before.root_overlap > 0.0 {
                lost += rolling_elastic_energy(stiffness, carried)
                    * (root / before.root_overlap - 1.0);
            }
            result.energies.lost_rolling = lost;
            result.energies.elastic_rolling = rolling_elastic_energy(stiffness, rolled.spring);
        }
    }

    result.memory.normal_force = window * pressed.force;
    result.force = window * (tangential - pressed.force * n);
    result.torque = window * cross(n, tangential);
    result.moment = window * moment;
    if begins {
        // The middle of the window is later than that of the kick.
        result.shift = 0.5 * (window - 1.0) * result.force;
    }
    return result;
}
