//! One complaint for each mistake: the right line, key, finding and advice.

use super::*;

/// A mistake and what must be said about it.
struct Case {
    text: String,
    /// A passage on the line that must be named; empty for none.
    at: &'static str,
    key: &'static str,
    found: &'static str,
    allowed: &'static str,
}

#[track_caller]
fn check(case: &Case) {
    let error = complaint(&case.text);
    let shown = error.to_string();
    assert_eq!(error.key, case.key, "key of: {shown}");
    assert!(
        error.found.contains(case.found),
        "found {:?} in: {shown}",
        case.found
    );
    assert!(
        error.allowed.contains(case.allowed),
        "allowed {:?} in: {shown}",
        case.allowed
    );
    assert_eq!(
        error.file.as_deref(),
        Some(Path::new(FILE)),
        "file of: {shown}"
    );
    let line = (!case.at.is_empty()).then(|| line_of(&case.text, case.at));
    assert_eq!(error.line, line, "line of: {shown}");
    assert_eq!(Error::from(error).exit_code(), 2);
}

/// Declares tests: name, text, passage on the line, key, found, allowed.
macro_rules! mistakes {
    ($($name:ident: $text:expr, at $at:literal, $key:literal, $found:literal, $allowed:literal;)+) => {
        $(
            #[test]
            fn $name() {
                check(&Case {
                    text: $text,
                    at: $at,
                    key: $key,
                    found: $found,
                    allowed: $allowed,
                });
            }
        )+
    };
}

/// `BASE` with other laws and the given coefficients of glass on glass.
fn with_laws(normal: &str, tangential: &str, coefficients: &str) -> String {
    changed(
        "normal = \"hertz-tsuji\"\ntangential = \"mindlin\"",
        &format!("{normal}\n{tangential}"),
    )
    .replacen("restitution = 0.9\nfriction = 0.3", coefficients, 1)
}

/// A random table in `BASE`, with more keys.
fn random(keys: &str) -> String {
    with_particles(&format!(
        "[[particles]]\nkind = \"random\"\nmaterial = \"glass\"\n{keys}"
    ))
}

/// A lattice in `BASE`, with more keys.
fn lattice(keys: &str) -> String {
    with_particles(&format!(
        "[[particles]]\nkind = \"lattice\"\nmaterial = \"glass\"\n{keys}"
    ))
}

const CORNERS: &str = "lower = [0, 0, 0]\nupper = [1, 1, 1]";

mistakes! {
    // The text itself.
    not_toml: changed("end = 1.0", "end = = 1.0"), at "end = =", "TOML", "", "TOML";
    key_twice: changed("end = 1.0", "end = 1.0\nend = 2.0"), at "end = 2.0", "TOML", "duplicate key", "TOML";
    table_twice: format!("{BASE}\n[domain] # again\n"), at "[domain] # again", "TOML", "duplicate key", "TOML";

    // Unknown keys, at every level.
    unknown_top: changed("title", "titel"), at "titel", "titel", "unknown key", "did you mean title?";
    unknown_domain: changed("upper = [1, 1, 1]", "upper = [1, 1, 1]\ncolour = 1"), at "colour", "domain.colour", "unknown key", "the keys lower, upper";
    unknown_time: changed("end = 1.0", "end = 1.0\nsteps = 1"), at "steps", "time.steps", "unknown key", "did you mean step?";
    unknown_contact: changed("normal = \"h", "normale = \"h"), at "normale", "contact.normale", "unknown key", "did you mean normal?";
    unknown_material_key: changed("young = 1e7", "yuong = 1e7"), at "yuong", "materials[0].yuong", "unknown key", "did you mean young?";
    unknown_pair_key: changed("friction = 0.4", "frictoin = 0.4"), at "frictoin", "pairs[1].frictoin", "unknown key", "did you mean friction?";
    unknown_particles_key: changed("items = [", "sort = 1\nitems = ["), at "sort", "particles[0].sort", "unknown key", "kind, material, items";
    unknown_item_key: changed("0.5], radius = 0.1 }", "0.5], radius = 0.1, mass = 1 }"), at "0.5], radius", "particles[0].items[1].mass", "unknown key", "position, radius";
    unknown_wall_key: changed("normal = [0, 0, 1]", "normal = [0, 0, 1]\nradius = 1"), at "radius = 1\n", "walls[0].radius", "unknown key", "point, normal";
    unknown_fluid_key: format!("{BASE}[fluid]\ndensity = 1\nviscousity = 1"), at "viscousity", "fluid.viscousity", "unknown key", "did you mean viscosity?";
    fluid_without_viscosity: format!("{BASE}[fluid]\ndensity = 1000"), at "[fluid]", "fluid.viscosity", "missing", "a number in Pa s";
    fluid_without_density: format!("{BASE}[fluid]\nviscosity = 1e-3"), at "[fluid]", "fluid.density", "missing", "a number in kg/m³";
    fluid_without_weight: format!("{BASE}[fluid]\ndensity = 0\nviscosity = 1"), at "density = 0\n", "fluid.density", "0", "greater than 0";
    fluid_that_drives: format!("{BASE}[fluid]\ndensity = 1\nviscosity = -1"), at "viscosity = -1", "fluid.viscosity", "-1", "greater than 0";
    unknown_drag: format!("{BASE}[fluid]\ndensity = 1\nviscosity = 1\ndrag = \"stoke\""), at "drag", "fluid.drag", "stoke", "did you mean \"stokes\"?";
    buoyancy_in_numbers: format!("{BASE}[fluid]\ndensity = 1\nviscosity = 1\nbuoyancy = 1"), at "buoyancy", "fluid.buoyancy", "1", "true or false";
    lubrication_of_nothing: format!("{BASE}[fluid]\ndensity = 1\nviscosity = 1\n[fluid.lubrication]"), at "[fluid.lubrication]", "fluid.lubrication.grains", "neither", "or both";
    film_without_roughness: format!("{BASE}[fluid]\ndensity = 1\nviscosity = 1\n[fluid.lubrication.walls]\nresolved = 0.1"), at "[fluid.lubrication.walls]", "fluid.lubrication.walls.roughness", "missing", "radii";
    film_too_wide: format!("{BASE}[fluid]\ndensity = 1\nviscosity = 1\n[fluid.lubrication.walls]\nresolved = 0.6\nroughness = 0.1"), at "resolved = 0.6", "fluid.lubrication.walls.resolved", "0.6", "at most 0.5";
    film_too_rough: format!("{BASE}[fluid]\ndensity = 1\nviscosity = 1\n[fluid.lubrication.grains]\nresolved = 0.1\nroughness = 0.1"), at "roughness = 0.1", "fluid.lubrication.grains.roughness", "0.1", "less than resolved";
    unknown_neighbours_key: format!("{BASE}[neighbours]\nskim = 1"), at "skim", "neighbours.skim", "unknown key", "did you mean skin?";
    unknown_output_key: format!("{BASE}[output]\nframe = 1"), at "frame = 1", "output.frame", "unknown key", "did you mean frames?";
    unknown_distribution_key: random("count = 1\nlower = [0,0,0]\nupper = [1,1,1]\nradius = { distribution = \"uniform\", min = 0.1, max = 0.2, mean = 1 }"), at "radius = {", "particles[0].radius.mean", "unknown key", "min, max";

    // Wrong types.
    text_for_number: changed("density = 2500", "density = \"heavy\""), at "density", "materials[0].density", "\"heavy\"", "a number in kg/m³";
    number_for_text: changed("name = \"glass\"", "name = 3"), at "name = 3", "materials[0].name", "3", "a text";
    number_for_flag: changed("end = 1.0", "end = 1.0\nforce_step = 1"), at "force_step", "time.force_step", "1", "true or false";
    two_numbers_for_vector: changed("gravity = [0, 0, -9.81]", "gravity = [0, 0]"), at "gravity", "gravity", "2 numbers", "three numbers [x, y, z] in m/s²";
    text_in_vector: changed("upper = [1, 1, 1]", "upper = [\n1,\n\"a\",\n1]"), at "\"a\"", "domain.upper[1]", "\"a\"", "three numbers";
    number_for_table: format!("domain = 3\n{}", BASE.replacen("[domain]\nlower = [0, 0, 0]\nupper = [1, 1, 1]", "", 1)), at "domain", "domain", "3", "a table";
    number_for_tables: format!("walls = 3\n{}", &BASE[..BASE.find("[[walls]]").expect("walls")]), at "walls", "walls", "3", "[[walls]]";
    number_among_tables: format!("walls = [3]\n{}", &BASE[..BASE.find("[[walls]]").expect("walls")]), at "walls", "walls[0]", "3", "a table";
    word_for_law: changed("\"hertz-tsuji\"", "\"hertz-tsuyi\""), at "hertz-tsuyi", "contact.normal", "\"hertz-tsuyi\"", "did you mean \"hertz-tsuji\"?";
    number_for_law: changed("\"mindlin\"", "3"), at "tangential", "contact.tangential", "3", "\"coulomb\"";
    word_for_step: changed("end = 1.0", "end = 1.0\nstep = \"fast\""), at "step", "time.step", "\"fast\"", "\"auto\"";
    word_for_axis: changed("upper = [1, 1, 1]", "upper = [1, 1, 1]\nperiodic = [\"w\"]"), at "periodic", "domain.periodic", "\"w\"", "\"x\", \"y\", \"z\"";
    axis_twice: changed("upper = [1, 1, 1]", "upper = [1, 1, 1]\nperiodic = [\"x\", \"x\"]"), at "periodic", "domain.periodic", "\"x\" twice", "\"x\"";
    word_for_leaving: changed("upper = [1, 1, 1]", "upper = [1, 1, 1]\nleaving = \"go\""), at "leaving", "domain.leaving", "\"go\"", "\"remove\"";
    word_for_kind: changed("kind = \"list\"", "kind = \"lists\""), at "kind = \"lists", "particles[0].kind", "\"lists\"", "did you mean \"list\"?";
    true_for_interval: format!("{BASE}[output]\nframes = true"), at "frames", "output.frames", "true", "false for never";
    negative_seed: lattice("radius = 0.1\nseed = -1\nlower = [0,0,0]\nupper = [1,1,1]"), at "seed", "particles[0].seed", "-1", "a whole number";

    // Missing keys and tables.
    no_domain: BASE.replacen("[domain]\nlower = [0, 0, 0]\nupper = [1, 1, 1]", "", 1), at "", "domain", "missing", "[domain]";
    no_time: changed("[time]\nend = 1.0", ""), at "", "time", "missing", "[time]";
    no_end: changed("end = 1.0", "step = 1e-5"), at "[time]", "time.end", "missing", "a number in s";
    no_density: changed("density = 2500\n", ""), at "[[materials]]", "materials[0].density", "missing", "kg/m³";
    no_poisson: changed("poisson = 0.2", ""), at "[[materials]]", "materials[0].poisson", "missing", "young needs it";
    no_kind: changed("kind = \"plane\"\n", ""), at "[[walls]]", "walls[0].kind", "missing", "\"plane\"";
    no_radius: changed("0.1], radius = 0.1", "0.1]"), at "0.1] }", "particles[0].items[0].radius", "missing", "in m";
    no_side: changed("kind = \"plane\"\npoint = [0, 0, 0]\nnormal = [0, 0, 1]", "kind = \"sphere\"\ncenter = [0, 0, 0]\nradius = 1"), at "[[walls]]", "walls[0].side", "missing", "inside";
    no_between: changed("between = [\"glass\", \"glass\"]\n", ""), at "[[pairs]]", "pairs[0].between", "missing", "two materials";

    // Numbers that are none, or too large.
    nan: changed("end = 1.0", "end = nan"), at "end", "time.end", "NaN", "finite";
    infinite: changed("upper = [1, 1, 1]", "upper = [1, inf, 1]"), at "upper", "domain.upper[1]", "inf", "finite";
    huge: changed("density = 2500", "density = 1e300"), at "density", "materials[0].density", "1e300", "finite";

    // Ranges.
    zero_radius: changed("0.1], radius = 0.1", "0.1], radius = 0"), at "radius = 0 ", "particles[0].items[0].radius", "0", "greater than 0";
    negative_radius: changed("0.1], radius = 0.1", "0.1], radius = -0.1"), at "radius = -0.1", "particles[0].items[0].radius", "-0.1", "greater than 0";
    zero_density: changed("density = 2500", "density = 0"), at "density", "materials[0].density", "0", "greater than 0";
    negative_young: changed("young = 1e7", "young = -1e7"), at "young", "materials[0].young", "-1e7", "greater than 0 in Pa";
    poisson_half: changed("poisson = 0.2", "poisson = 0.5"), at "poisson", "materials[0].poisson", "0.5", "between -1 and 0.5";
    poisson_minus_one: changed("poisson = 0.2", "poisson = -1"), at "poisson", "materials[0].poisson", "-1", "between -1 and 0.5";
    restitution_zero: changed("restitution = 0.9", "restitution = 0"), at "restitution", "pairs[0].restitution", "0", "greater than 0, at most 1";
    restitution_above_one: changed("restitution = 0.8", "restitution = 1.1"), at "restitution = 1.1", "pairs[1].restitution", "1.1", "at most 1";
    negative_friction: changed("friction = 0.3", "friction = -0.3"), at "friction", "pairs[0].friction", "-0.3", "0 or more";
    negative_stiffness: changed("restitution = 0.9", "restitution = 0.9\nstiffness = -1"), at "stiffness", "pairs[0].stiffness", "-1", "greater than 0";
    end_zero: changed("end = 1.0", "end = 0"), at "end", "time.end", "0", "greater than 0 in s";
    step_negative: changed("end = 1.0", "end = 1.0\nstep = -1e-6"), at "step", "time.step", "-1e-6", "greater than 0";
    step_unresolved: changed("end = 1.0", "end = 1.0\nstep = 1e-20"), at "step", "time.step", "steps", "at least";
    speed_zero: changed("end = 1.0", "end = 1.0\nexpected_speed = 0"), at "expected_speed", "time.expected_speed", "0", "greater than 0";
    contact_time_zero: changed("normal = \"h", "contact_time = 0\nnormal = \"h"), at "contact_time", "contact.contact_time", "0", "greater than 0";
    minimum_speed_zero: changed("normal = \"h", "adaptive_minimum_speed = 0\nnormal = \"h"), at "adaptive_minimum_speed", "contact.adaptive_minimum_speed", "0", "greater than 0";
    domain_inverted: changed("upper = [1, 1, 1]", "upper = [1, 1, 0]"), at "upper", "domain.upper", "0 along z", "more than domain.lower";
    skin_zero: format!("{BASE}[neighbours]\nskin = 0"), at "skin", "neighbours.skin", "0", "greater than 0";
    frames_negative: format!("{BASE}[output]\nframes = -1"), at "frames", "output.frames", "-1", "greater than 0";
    frames_countless: format!("{BASE}[output]\nframes = 1e-9"), at "frames", "output.frames", "times in the run", "at least";
    period_short: changed("upper = [1, 1, 1]", "upper = [1, 1, 1]\nperiodic = [\"x\"]").replace("radius = 0.1", "radius = 0.3").replace("0.1], r", "0.3], r").replace("0.5, 0.5, 0.5", "0.5, 0.5, 0.95"), at "periodic", "domain.periodic", "along x", "twice the largest diameter";

    // Names.
    unknown_material: changed("material = \"glass\"", "material = \"glas\""), at "material = \"glas\"", "particles[0].material", "\"glas\"", "did you mean \"glass\"?";
    unknown_pair_material: changed("[\"glass\", \"glass\"]", "[\"glass\", \"wood\"]"), at "between", "pairs[0].between", "\"wood\"", "\"steel\"";
    one_material_in_pair: changed("[\"glass\", \"glass\"]", "[\"glass\"]"), at "between", "pairs[0].between", "1 names", "two materials";
    unknown_wall_material: changed("name = \"floor\"\nmaterial = \"steel\"", "material = \"iron\""), at "material = \"iron\"", "walls[0].material", "\"iron\"", "\"glass\", \"steel\"";
    material_twice: changed("name = \"steel\"\nrigid = true", "name = \"glass\"\nrigid = true"), at "name = \"glass\"\nrigid", "materials[1].name", "a second time", "of its own";
    material_unnamed: changed("name = \"glass\"", "name = \"\""), at "name = \"\"", "materials[0].name", "\"\"", "not empty";
    wall_twice: format!("{BASE}[[walls]]\nname = \"floor\" # again\nmaterial = \"steel\"\nkind = \"plane\"\npoint = [0,0,0]\nnormal = [0,0,1]"), at "name = \"floor\" # again", "walls[1].name", "a second time", "each wall";

    // Pairs and coefficients.
    pair_twice: changed("between = [\"glass\", \"steel\"]", "between = [\"glass\", \"glass\"] # again"), at "between = [\"glass\", \"glass\"] # again", "pairs[1].between", "a second time", "one table";
    pair_of_grains_missing: changed("between = [\"glass\", \"glass\"]", "between = [\"steel\", \"steel\"]"), at "material = \"glass\"", "pairs", "no entry between \"glass\" and \"glass\"", "[[pairs]]";
    pair_with_wall_missing: changed("between = [\"glass\", \"steel\"]", "between = [\"steel\", \"steel\"]"), at "material = \"steel\"", "pairs", "wall \"floor\"", "[\"glass\", \"steel\"]";
    linear_without_stiffness: with_laws("normal = \"linear\"", "tangential = \"coulomb\"", "restitution = 0.9\nfriction = 0.3"), at "[[pairs]]", "pairs[0].stiffness", "missing for \"glass\" and \"glass\"", "contact.normal = \"linear\" needs it";
    linear_without_damping: with_laws("normal = \"linear\"", "tangential = \"coulomb\"", "stiffness = 1e4\nfriction = 0.3"), at "[[pairs]]", "pairs[0].damping", "missing", "damping in N s/m or restitution";
    linear_with_both: with_laws("normal = \"linear\"", "tangential = \"coulomb\"", "stiffness = 1e4\ndamping = 1\nrestitution = 0.9\nfriction = 0.3"), at "restitution", "pairs[0].restitution", "besides damping", "either damping or restitution";
    stretched_without_restitution: with_laws("normal = \"linear-stretched\"\ncontact_time = 1e-3", "tangential = \"coulomb\"", "friction = 0.3"), at "[[pairs]]", "pairs[0].restitution", "missing", "linear-stretched";
    stretched_without_time: with_laws("normal = \"linear-stretched\"", "tangential = \"coulomb\"", "restitution = 0.9\nfriction = 0.3"), at "[contact]", "contact.contact_time", "missing", "linear-stretched";
    viscous_without_damping: with_laws("normal = \"hertz-viscous\"", "tangential = \"mindlin\"", "friction = 0.3"), at "[[pairs]]", "pairs[0].damping", "missing", "hertz-viscous";
    tsuji_without_restitution: changed("restitution = 0.9\n", ""), at "[[pairs]]", "pairs[0].restitution", "missing", "hertz-tsuji";
    tsuji_without_young: changed("young = 1e7\npoisson = 0.2", ""), at "[[materials]]", "materials[0].young", "missing for \"glass\"", "hertz-tsuji";
    kuwabara_kono_without_time: with_laws("normal = \"hertz-kuwabara-kono\"", "tangential = \"mindlin\"", "friction = 0.3"), at "[[pairs]]", "pairs[0].viscoelastic_time", "missing", "hertz-kuwabara-kono";
    adaptive_without_restitution: with_laws("normal = \"hertz-adaptive\"\ncontact_time = 1e-3", "tangential = \"none\"", ""), at "[[pairs]]", "pairs[0].restitution", "missing", "hertz-adaptive";
    adaptive_restitution_tiny: with_laws("normal = \"hertz-adaptive\"\ncontact_time = 1e-3", "tangential = \"none\"", "restitution = 0.009"), at "restitution = 0.009", "pairs[0].restitution", "0.009", "from 0.01 to 1";
    printed_inverse_too_far: with_laws("normal = \"hertz-adaptive\"\ncontact_time = 1e-3\ninverse = \"direct-paper\"", "tangential = \"none\"", "restitution = 0.39"), at "restitution = 0.39", "pairs[0].restitution", "0.39", "from 0.4 to 1";
    printed_inverse_of_force_end: with_laws("normal = \"hertz-adaptive\"\ncontact_time = 1e-3\nend = \"force\"\ninverse = \"direct-paper\"", "tangential = \"none\"", "restitution = 0.5"), at "inverse", "contact.inverse", "contact.end = \"force\"", "zero overlap";
    adaptive_without_time: with_laws("normal = \"hertz-adaptive\"", "tangential = \"none\"", "restitution = 0.5"), at "[contact]", "contact.contact_time", "missing", "hertz-adaptive";
    friction_missing: changed("friction = 0.3\n", ""), at "[[pairs]]", "pairs[0].friction", "missing", "contact.tangential = \"mindlin\" needs it";
    tangential_linear_bare: with_laws("normal = \"hertz-tsuji\"", "tangential = \"linear\"", "restitution = 0.9\nfriction = 0.3"), at "[[pairs]]", "pairs[0].tangential_stiffness", "missing", "tangential_restitution";
    tangential_linear_both: with_laws("normal = \"hertz-tsuji\"", "tangential = \"linear\"", "restitution = 0.9\nfriction = 0.3\ntangential_stiffness = 1\ntangential_restitution = 0.5"), at "tangential_restitution", "pairs[0].tangential_restitution", "besides tangential_stiffness", "either";
    tangential_restitution_without_time: with_laws("normal = \"hertz-tsuji\"", "tangential = \"linear\"", "restitution = 0.9\nfriction = 0.3\ntangential_restitution = 0.5"), at "[contact]", "contact.contact_time", "missing", "pairs[0].tangential_restitution";
    impulse_bare: with_laws("normal = \"hertz-tsuji\"", "tangential = \"impulse\"", "restitution = 0.9\nfriction = 0.3"), at "[[pairs]]", "pairs[0].tangential_restitution", "missing", "exponent";
    impulse_of_two_rules: with_laws("normal = \"hertz-tsuji\"", "tangential = \"impulse\"", "restitution = 0.9\nfriction = 0.3\ntangential_restitution = 0.5\nexponent = 0.5"), at "exponent", "pairs[0].exponent", "besides tangential_restitution", "either";
    impulse_without_restitution: with_laws("normal = \"linear\"", "tangential = \"impulse\"", "stiffness = 1e4\ndamping = 1\nfriction = 0.3\nexponent = 0.5"), at "[[pairs]]", "pairs[0].restitution", "missing", "contact.tangential = \"impulse\"";
    impulse_of_other_restitution: with_laws("normal = \"hertz-viscous\"", "tangential = \"impulse\"", "damping = 1\nfriction = 0.3\nexponent = 0.5"), at "tangential", "contact.tangential", "contact.normal = \"hertz-viscous\"", "constant restitution";
    impulse_that_creates_energy: with_laws("normal = \"hertz-tsuji\"", "tangential = \"impulse\"", "restitution = 0.9\nfriction = 0.3\nexponent = 4"), at "exponent = 4", "pairs[0].exponent", "4", "would create energy";
    exponent_zero: with_laws("normal = \"hertz-tsuji\"", "tangential = \"impulse\"", "restitution = 0.9\nfriction = 0.3\nexponent = 0"), at "exponent = 0", "pairs[0].exponent", "0", "greater than 0";
    mindlin_with_linear: changed("\"hertz-tsuji\"", "\"linear\""), at "tangential", "contact.tangential", "contact.normal = \"linear\"", "hertz-";
    mindlin_without_young: changed("young = 1e7\npoisson = 0.2", "").replacen("restitution = 0.9", "restitution = 0.9\nstiffness = 1e6", 1), at "[[materials]]", "materials[0].young", "missing", "contact.tangential = \"mindlin\"";
    rolling_friction_missing: changed("tangential = \"mindlin\"", "tangential = \"mindlin\"\nrolling = \"spring\""), at "[[pairs]]", "pairs[0].rolling_friction", "missing", "contact.rolling = \"spring\"";
    sjkr_without_density: changed("tangential = \"mindlin\"", "tangential = \"mindlin\"\ncohesion = \"sjkr\""), at "[[pairs]]", "pairs[0].cohesion_energy_density", "missing", "contact.cohesion = \"sjkr\"";
    dmt_without_work: changed("tangential = \"mindlin\"", "tangential = \"mindlin\"\ncohesion = \"dmt\""), at "[[pairs]]", "pairs[0].work_of_adhesion", "missing", "contact.cohesion = \"dmt\"";
    jkr_without_young: changed("tangential = \"mindlin\"", "tangential = \"coulomb\"\ncohesion = \"jkr\"").replacen("young = 1e7\npoisson = 0.2", "", 1).replacen("restitution = 0.9", "restitution = 0.9\nstiffness = 1e6\nwork_of_adhesion = 0.1", 1), at "[[materials]]", "materials[0].young", "missing", "contact.cohesion = \"jkr\"";
    jkr_with_linear: with_laws("normal = \"linear\"", "tangential = \"coulomb\"\ncohesion = \"jkr\"", "stiffness = 1\ndamping = 1"), at "cohesion", "contact.cohesion", "contact.normal = \"linear\"", "hertz-";
    jkr_with_force_end: changed("tangential = \"mindlin\"", "tangential = \"mindlin\"\ncohesion = \"jkr\"\nend = \"force\""), at "end = \"force\"", "contact.end", "\"force\"", "\"overlap\"";

    // Materials.
    rigid_and_young: changed("rigid = true", "rigid = true\nyoung = 1e9"), at "rigid", "materials[1].rigid", "besides young", "either";
    rigid_grain_moves: changed("material = \"glass\"", "material = \"steel\" # grain"), at "material = \"steel\" # grain", "particles[0].material", "rigid material \"steel\"", "walls and fixed grains";

    // Particles.
    no_particles: with_particles(""), at "", "particles", "no particle", "at least one";
    empty_list: with_particles("[[particles]]\nkind = \"list\"\nmaterial = \"glass\"\nitems = []"), at "items", "particles[0].items", "no item", "position";
    outside_domain: changed("[0.5, 0.5, 0.5]", "[0.5, 1.5, 0.5]"), at "[0.5, 1.5, 0.5]", "particles[0].items[1].position", "[0.5, 1.5, 0.5]", "inside the domain";
    grains_overlap: changed("[0.5, 0.5, 0.5]", "[0.5, 0.5, 0.29]"), at "[0.5, 0.5, 0.29]", "particles[0].items[1].position", "overlapping particle 0 by 0.100", "0.05 of the smaller radius";
    grain_in_plane: changed("[0.5, 0.5, 0.1]", "[0.5, 0.5, 0.09]"), at "[0.5, 0.5, 0.09]", "particles[0].items[0].position", "wall \"floor\" by 0.100", "0.05 of the radius";
    grain_in_box: changed("kind = \"plane\"\npoint = [0, 0, 0]\nnormal = [0, 0, 1]", "kind = \"box\"\nlower = [0.45, 0, 0]\nupper = [1, 1, 1]"), at "[0.5, 0.5, 0.1]", "particles[0].items[0].position", "wall \"floor\" by 0.500", "0.05";
    too_many: random("count = 200_000_000\nlower = [0,0,0]\nupper = [1,1,1]\nradius = 1e-6"), at "count", "particles[0].count", "200000000", "at most 100000000";
    too_many_on_lattice: lattice("radius = 1e-5\nlower = [0,0,0]\nupper = [1,1,1]"), at "[[particles]]", "particles[0].spacing", "125000000000000", "at most";
    count_zero: random("count = 0\nlower = [0,0,0]\nupper = [1,1,1]\nradius = 0.1"), at "count", "particles[0].count", "0", "1 or more";
    count_missing: random("lower = [0,0,0]\nupper = [1,1,1]\nradius = 0.1"), at "[[particles]]", "particles[0].count", "missing", "1 or more";
    too_dense: random("count = 1000\nlower = [0,0,0]\nupper = [1,1,1]\nradius = 0.05"), at "count", "particles[0].count", "1000 particles, 52.4 % of the region, of which", "about 33 %";
    too_large_for_region: random("count = 1\nlower = [0,0,0]\nupper = [1,1,0.1]\nradius = 0.06"), at "radius", "particles[0].radius", "does not fit", "larger region";
    region_outside: random("count = 1\nlower = [0,0,0]\nupper = [1,1,2]\nradius = 0.06"), at "upper = [1,1,2]", "particles[0].upper", "z = 2", "inside the domain";
    region_inverted: random("count = 1\nlower = [0,0,0]\nupper = [1,0,1]\nradius = 0.06"), at "upper = [1,0,1]", "particles[0].upper", "[1, 0, 1]", "more than lower";
    region_and_corners: random(&format!("count = 1\n{CORNERS} # both\nradius = 0.06\nregion = {{ kind = \"cylinder\" }}")), at "lower = [0, 0, 0]\nupper = [1, 1, 1] # both", "particles[0].lower", "besides region", "either";
    cylinder_outside: random("count = 1\nradius = 0.01\nregion = { kind = \"cylinder\", point = [0.5,0.5,0], axis = [0,0,1], radius = 0.75, length = 1 }"), at "region", "particles[0].region", "x = -0.25", "inside the domain";
    distribution_unknown: random(&format!("count = 1\n{CORNERS}\nradius = {{ distribution = \"gauss\" }}")), at "radius = {", "particles[0].radius.distribution", "\"gauss\"", "\"normal\"";
    distribution_inverted: random(&format!("count = 1\n{CORNERS}\nradius = {{ distribution = \"uniform\", min = 0.2, max = 0.1 }}")), at "radius = {", "particles[0].radius.max", "0.1", "at least min";
    distribution_impossible: random(&format!("count = 1\n{CORNERS}\nradius = {{ distribution = \"normal\", mean = 0.1, deviation = 1e-6, min = 0.2, max = 0.3 }}")), at "radius = {", "particles[0].radius", "no radius between", "around the mean";
    weights_too_few: random(&format!("count = 1\n{CORNERS}\nradius = {{ distribution = \"list\", radii = [0.1, 0.2], weights = [1] }}")), at "radius = {", "particles[0].radius.weights", "[1]", "one weight for each";
    radii_empty: random(&format!("count = 1\n{CORNERS}\nradius = {{ distribution = \"list\", radii = [] }}")), at "radius = {", "particles[0].radius.radii", "[]", "greater than 0";
    jitter_without_room: lattice(&format!("radius = 0.1\njitter = 0.5\n{CORNERS}")), at "jitter", "particles[0].jitter", "no room", "spacing of more than 0.2";
    jitter_above_one: lattice(&format!("radius = 0.1\nspacing = 0.3\njitter = 2\n{CORNERS}")), at "jitter", "particles[0].jitter", "2", "0 to 1";
    lattice_too_small: lattice("radius = 0.1\nlower = [0,0,0]\nupper = [1,1,0.1]"), at "upper = [1,1,0.1]", "particles[0].upper", "too small", "at least 0.2";
    lattice_overlaps: lattice(&format!("radius = 0.1\nspacing = 0.15\n{CORNERS}")), at "[[particles]]", "particles[0].position", "overlapping particle", "0.05";
    file_missing: with_particles("[[particles]]\nkind = \"file\"\nmaterial = \"glass\"\npath = \"none.csv\""), at "path", "particles[0].path", "none.csv", ".csv or .csv.gz";
    file_of_other_kind: with_particles("[[particles]]\nkind = \"file\"\nmaterial = \"glass\"\npath = \"bed.vtk\""), at "path", "particles[0].path", "bed.vtk", ".csv or .csv.gz";
    repeat_without_period: with_particles("[[particles]]\nkind = \"file\"\nmaterial = \"glass\"\npath = \"bed.csv\"\nrepeat = [2,1,1]"), at "[[particles]]", "particles[0].period", "missing", "repeat needs it";
    repeat_zero: with_particles("[[particles]]\nkind = \"file\"\nmaterial = \"glass\"\npath = \"bed.csv\"\nrepeat = [0,1,1]"), at "repeat", "particles[0].repeat", "[0, 1, 1]", "1 or more";

    // Walls.
    normal_zero: changed("normal = [0, 0, 1]", "normal = [0, 0, 0]"), at "normal = [0, 0, 0]", "walls[0].normal", "length 0", "a direction";
    box_inverted: changed("kind = \"plane\"\npoint = [0, 0, 0]\nnormal = [0, 0, 1]", "kind = \"box\"\nlower = [0,0,0]\nupper = [1,0,1]"), at "upper = [1,0,1]", "walls[0].upper", "[1, 0, 1]", "more than lower";
    box_without_faces: changed("kind = \"plane\"\npoint = [0, 0, 0]\nnormal = [0, 0, 1]", "kind = \"box\"\nlower = [0,0,0]\nupper = [1,1,1]\nopen = [\"-x\",\"+x\",\"-y\",\"+y\",\"-z\",\"+z\"]"), at "open", "walls[0].open", "all six", "five";
    box_face_unknown: changed("kind = \"plane\"\npoint = [0, 0, 0]\nnormal = [0, 0, 1]", "kind = \"box\"\nlower = [0,0,0]\nupper = [1,1,1]\nopen = [\"top\"]"), at "open", "walls[0].open", "\"top\"", "\"+z\"";
    cylinder_flat: changed("kind = \"plane\"\npoint = [0, 0, 0]\nnormal = [0, 0, 1]", "kind = \"cylinder\"\npoint = [0,0,0]\naxis = [0,0,1]\nradius = 0\nside = \"inside\""), at "radius = 0\n", "walls[0].radius", "0", "greater than 0";
    cone_without_radius: changed("kind = \"plane\"\npoint = [0, 0, 0]\nnormal = [0, 0, 1]", "kind = \"cone\"\npoint = [0,0,0]\naxis = [0,0,1]\nlength = 1\nradii = [0, 0]\nside = \"inside\""), at "radii", "walls[0].radii", "[0, 0]", "not both 0";
    cone_of_one_radius: changed("kind = \"plane\"\npoint = [0, 0, 0]\nnormal = [0, 0, 1]", "kind = \"cone\"\npoint = [0,0,0]\naxis = [0,0,1]\nlength = 1\nradii = [1]\nside = \"inside\""), at "radii", "walls[0].radii", "1 numbers", "two radii";
}

#[test]
fn the_message_is_one_line_with_everything_in_it() {
    let text = changed("poisson = 0.2", "poisson = 0.7");
    let error = read(&text).expect_err("a wrong Poisson ratio");
    let line = line_of(&text, "poisson");
    assert_eq!(
        error.to_string(),
        format!(
            "test.toml:{line}: materials[0].poisson: found 0.7; \
             allowed: a number between -1 and 0.5, both excluded"
        )
    );
}

#[test]
fn a_missing_file_is_named() {
    let error = Scene::from_file("no/such/scene.toml").expect_err("no such file");
    assert!(error.to_string().contains("no/such/scene.toml"), "{error}");
    assert_eq!(error.exit_code(), 2);
}

#[test]
fn a_grain_inside_a_curved_wall_is_named() {
    for wall in [
        "kind = \"sphere\"\ncenter = [0.5, 0.5, 0.5]\nradius = 0.05\nside = \"inside\"",
        "kind = \"cylinder\"\npoint = [0.5, 0.5, 0]\naxis = [0, 0, 1]\nradius = 0.05\nside = \"inside\"",
        "kind = \"cylinder\"\npoint = [0.5, 0.5, 0]\naxis = [0, 0, 1]\nlength = 1\nradius = 0.05\nside = \"inside\"",
    ] {
        let text = format!("{BASE}\n[[walls]]\nname = \"tube\"\nmaterial = \"glass\"\n{wall}\n");
        let complaint = complaint(&text);
        assert!(
            complaint.found.contains("overlapping wall \"tube\""),
            "{complaint:?}"
        );
    }
}
