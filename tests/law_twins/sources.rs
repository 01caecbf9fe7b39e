//! What can be told from the sources alone: that no law lacks its twin, and that both sides agree on
//! names, numbers and layouts.

use crate::laws;
use lahar::gpu::laws::{COHESION_LAWS, CONTACT_ENDS, NORMAL_LAWS, ROLLING_LAWS, TANGENTIAL_LAWS};
use lahar::gpu::layout::{
    Acceleration, Body, ContactLaws, FluidParams, GridParams, Motion, PairCoefficients, Shared,
    StepParams,
};
use lahar::gpu::shader::{SHADERS, Shader};
use std::fs;
use std::path::{Path, PathBuf};
use wgpu::naga::{Expression, Literal, Module, TypeInner};

/// Laws that only the host needs, and why.
const HOST_ONLY: &[(&str, &[&str], &str)] = &[
    (
        "linear",
        &[
            "linear_damping_ratio",
            "linear_restitution",
            "linear_contact_time",
            "linear_max_overlap",
            "linear_damping_ratio_from_restitution",
            "linear_motion",
        ],
        "of a collision as a whole: for set-up and checks",
    ),
    (
        "hertz",
        &["hertz_time_unit", "hertz_contact_time", "hertz_max_overlap"],
        "of a collision as a whole: for set-up and checks",
    ),
    (
        "hertz",
        &["hertz_stiffness"],
        "the table of pairs holds 4/3 E*, and normal_coefficients_of multiplies by √R*",
    ),
    (
        "damping",
        &[
            "tsuji_damping_ratio",
            "tsuji_restitution",
            "tsuji_max_overlap",
        ],
        "the table of pairs holds the ratio; the others are of a collision as a whole",
    ),
    (
        "material",
        &[
            "sphere_volume",
            "sphere_mass",
            "sphere_inertia",
            "shear_modulus",
            "effective_young_modulus",
            "effective_shear_modulus",
            "rayleigh_time",
        ],
        "of grains and materials, which do not change during a run",
    ),
    (
        "tangential",
        &["mindlin_stiffness"],
        "the table of pairs holds 8 G*",
    ),
    (
        "adaptive",
        &["adaptive_force_inverse"],
        "the table of pairs holds what it finds, by bisection of a collision as a whole",
    ),
    (
        "adaptive",
        &["adaptive_direct_paper", "adaptive_paper_inverse"],
        "the table of pairs holds what it finds",
    ),
    (
        "adaptive",
        &["adaptive_iterative"],
        "it refines adaptive_direct by less than a rounding of f32, with collisions that f32 could not \
         solve as well",
    ),
    (
        "hard_sphere",
        &[
            "collide",
            "slip_ratio",
            "full_slip_obliquity",
            "walton_transition",
            "rubin_transition",
            "rebound_slip",
            "energetic_coefficient",
            "energy_loss",
            "largest_rubin_exponent",
            "largest_walton_restitution",
            "viscoelastic_restitution",
        ],
        "hard grains run on the processor only",
    ),
    (
        "tc",
        &[
            "is_elastic",
            "rest_time_difference",
            "equivalent_period",
            "contact_correlation",
            "excess_pressure",
            "enskog_rate",
            "elastic_particles",
            "elastic_collisions",
            "elastic_energy_factor",
            "critical_restitution",
            "cooling",
        ],
        "hard grains run on the processor only",
    ),
    (
        "stretched",
        &[
            "stretched_normal_coefficients",
            "stretched_tangential_coefficients",
            "stepped_tangential_coefficients",
            "stretched_max_overlap",
            "stretched_contact_time_limit",
        ],
        "the table of pairs holds the coefficients per mass",
    ),
    (
        "collision",
        &[
            "hertz_viscous_collision",
            "hertz_tsuji_collision",
            "hertz_kuwabara_kono_collision",
        ],
        "of a collision as a whole, solved by series of order 30",
    ),
    (
        "lubrication",
        &[
            "film_speed_at_touch",
            "film_restitution",
            "impact_stokes_number",
        ],
        "of a collision as a whole: for checks",
    ),
    (
        "fluid",
        &[
            "added_mass",
            "stokes_terminal_velocity",
            "stokes_relaxation_time",
        ],
        "the table of materials holds the mass that moves; the others are for checks",
    ),
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Stems of the files of a folder with an extension, sorted.
fn stems(folder: &str, extension: &str) -> Vec<String> {
    let mut stems: Vec<_> = fs::read_dir(root().join(folder))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    stems.sort();
    stems
}

/// A function or a struct of a source, with the names of its arguments or fields.
#[derive(Debug, Clone, PartialEq)]
struct Item {
    name: String,
    parts: Vec<String>,
}

/// Items that begin with a keyword at the start of a line, and list `name: type` up to a closing bracket.
fn items(source: &str, keyword: &str, open: char, close: char) -> Vec<Item> {
    let mut found = Vec::new();
    let without_comments: String = source
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n");
    for piece in format!("\n{without_comments}")
        .split(&format!("\n{keyword} "))
        .skip(1)
    {
        let (name, rest) = piece.split_once(open).unwrap();
        // A law for one number or several says so behind its name.
        let name = name.split('<').next().unwrap_or_default();
        let (inside, _) = rest.split_once(close).unwrap();
        let parts = inside
            .split(',')
            .filter_map(|part| part.split_once(':'))
            .map(|(part, _)| part.trim().trim_start_matches("pub ").to_owned());
        found.push(Item {
            name: name.trim().to_owned(),
            parts: parts.collect(),
        });
    }
    found
}

fn wgsl_functions(source: &str) -> Vec<Item> {
    items(source, "fn", '(', ')')
}

fn wgsl_structs(source: &str) -> Vec<Item> {
    items(source, "struct", '{', '}')
}

fn rust_functions(source: &str) -> Vec<Item> {
    items(source, "pub fn", '(', ')')
}

fn rust_structs(source: &str) -> Vec<Item> {
    items(source, "pub struct", '{', '}')
}

fn shader(file: &str) -> String {
    read(&root().join("shaders/lib").join(file).with_extension("wgsl"))
}

fn law_source(file: &str) -> String {
    read(&root().join("src/laws").join(file).with_extension("rs"))
}

/// Files of the shader library that hold laws.
fn law_files() -> Vec<String> {
    let laws = stems("src/laws", "rs");
    let mut files = stems("shaders/lib", "wgsl");
    files.retain(|file| laws.contains(file));
    files
}

#[test]
fn every_law_of_a_shader_has_a_twin_with_the_same_arguments() {
    let files = law_files();
    assert_eq!(files.len(), 12, "{files:?}");
    for file in files {
        let (wgsl, rust) = (shader(&file), law_source(&file));
        let twins = rust_functions(&rust);
        assert!(!twins.is_empty(), "{file}");
        for function in wgsl_functions(&wgsl) {
            assert!(
                twins.contains(&function),
                "shaders/lib/{file}.wgsl: src/laws/{file}.rs has no {function:?}"
            );
        }
        let twins = rust_structs(&rust);
        for shared in wgsl_structs(&wgsl) {
            assert!(
                twins.contains(&shared),
                "shaders/lib/{file}.wgsl: src/laws/{file}.rs has no {shared:?}"
            );
        }
    }
}

/// Functions of `src/contact.rs` are methods in part, which WGSL does not have.
#[test]
fn the_contact_model_of_a_shader_has_its_twins() {
    let (wgsl, rust) = (shader("contact"), read(&root().join("src/contact.rs")));
    let structs = rust_structs(&rust);
    for shared in wgsl_structs(&wgsl) {
        // Two that `src/contact.rs` does not have: a tuple there, a part of the scene's.
        if shared.name != "NormalResponse" && shared.name != "ContactLaws" {
            assert!(structs.contains(&shared), "{shared:?}");
        }
    }
    let functions = rust_functions(&rust);
    for function in wgsl_functions(&wgsl) {
        match function.name.as_str() {
            "normal_coefficients_of" | "normal_exponents_of" => {}
            _ => assert!(functions.contains(&function), "{function:?}"),
        }
    }
}

#[test]
fn every_function_of_a_law_file_is_run() {
    let run = laws::functions();
    for file in law_files()
        .iter()
        .map(String::as_str)
        .chain(["accurate", "contact"])
    {
        let (_, functions) = run.iter().find(|(name, _)| *name == file).expect(file);
        for function in wgsl_functions(&shader(file)) {
            assert!(
                functions.contains(&function.name.as_str()),
                "{file}: {} is not run",
                function.name
            );
        }
    }
}

#[test]
fn every_law_has_a_twin_or_a_reason() {
    for file in stems("src/laws", "rs") {
        let on_device = if law_files().contains(&file) {
            wgsl_functions(&shader(&file))
        } else {
            Vec::new()
        };
        let host_only: Vec<_> = HOST_ONLY
            .iter()
            .filter(|(name, ..)| *name == file)
            .flat_map(|(_, functions, _)| *functions)
            .collect();
        let laws = rust_functions(&law_source(&file));
        for law in &laws {
            let there = on_device.iter().any(|function| function.name == law.name);
            let left_out = host_only.iter().any(|&&name| name == law.name);
            assert!(there != left_out, "{file}: {} on a device?", law.name);
        }
        for name in host_only {
            assert!(
                laws.iter().any(|law| law.name == *name),
                "{file}: {name} is gone"
            );
        }
    }
}

/// The parser of this file, shown to see what it must.
#[test]
fn a_missing_twin_is_noticed() {
    let wgsl = "// fn no(a: f32)\nfn hertz(k: f32, // stiffness\n    overlap: f32) -> f32 {\n}\n";
    let function = wgsl_functions(wgsl);
    let rust = |arguments: &str| {
        rust_functions(&format!(
            "/// pub fn no()\n#[inline]\npub fn hertz({arguments}) -> f64 {{"
        ))
    };
    assert_eq!(function, rust("k: f64, overlap: f64"));
    assert_ne!(function, rust("overlap: f64, k: f64"));
    assert_ne!(function, rust("k: f64"));
    assert_eq!(function.len(), 1);
    let shared =
        wgsl_structs("struct Moment {\n    // On i.\n    moment: vec3f,\n    spring: vec3f,\n}");
    assert_eq!(
        shared,
        rust_structs(
            "pub struct Moment {\n    /// Total.\n    pub moment: DVec3,\n    pub spring: DVec3,\n}"
        )
    );
}

fn module(text: &str) -> Module {
    Shader::from_text("sources", text)
        .and_then(|shader| shader.check())
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Includes that another part names too must not make a part incomplete on its own.
#[test]
fn every_part_of_the_library_stands_alone() {
    for (path, _) in SHADERS.iter().filter(|(path, _)| path.starts_with("lib/")) {
        module(&format!("//#include {path}\n"));
    }
    let mut listed: Vec<_> = SHADERS
        .iter()
        .filter_map(|(path, _)| path.strip_prefix("lib/")?.strip_suffix(".wgsl"))
        .collect();
    listed.sort_unstable();
    assert_eq!(listed, stems("shaders/lib", "wgsl"));
}

fn constant(module: &Module, name: &str) -> u32 {
    let (_, constant) = module
        .constants
        .iter()
        .find(|(_, constant)| constant.name.as_deref() == Some(name))
        .unwrap_or_else(|| panic!("no constant {name}"));
    match module.global_expressions[constant.init] {
        Expression::Literal(Literal::U32(value)) => value,
        ref other => panic!("{name} is {other:?}"),
    }
}

#[test]
fn shaders_number_the_laws_as_the_host_does() {
    let module = module("//#include lib/contact.wgsl\n");
    fn check<T: Copy + Into<u32>>(module: &Module, prefix: &str, laws: &[(T, &str)]) {
        for (place, &(law, name)) in laws.iter().enumerate() {
            assert!(name.starts_with(prefix), "{name}");
            assert_eq!(constant(module, name), law.into(), "{name}");
            assert_eq!(place, law.into() as usize, "{name}");
        }
        let names = module
            .constants
            .iter()
            .filter_map(|(_, found)| found.name.as_deref());
        let count = names.filter(|name| name.starts_with(prefix)).count();
        assert_eq!(count, laws.len(), "{prefix}");
    }
    check(&module, "NORMAL_", NORMAL_LAWS);
    check(&module, "TANGENTIAL_", TANGENTIAL_LAWS);
    check(&module, "ROLLING_", ROLLING_LAWS);
    check(&module, "COHESION_", COHESION_LAWS);
    check(&module, "CONTACT_END_", CONTACT_ENDS);
}

/// Compares a struct of the host with that of a shader: names, order, offsets and size.
fn check_layout<T: Shared>(module: &Module) {
    let (_, found) = module
        .types
        .iter()
        .find(|(_, found)| found.name.as_deref() == Some(T::NAME))
        .unwrap_or_else(|| panic!("no struct {}", T::NAME));
    let TypeInner::Struct { members, span } = &found.inner else {
        panic!("{} is no struct", T::NAME)
    };
    let on_device: Vec<_> = members
        .iter()
        .map(|member| (member.name.as_deref().unwrap(), member.offset as usize))
        .collect();
    let on_host: Vec<_> = T::FIELDS
        .iter()
        .copied()
        .filter(|(name, _)| *name != "padding")
        .collect();
    assert_eq!(on_device, on_host, "{}", T::NAME);
    assert_eq!(*span as usize, size_of::<T>(), "{}", T::NAME);
}

#[test]
fn shared_structs_have_one_layout() {
    let module = module("//#include lib/grains.wgsl\n");
    check_layout::<Body>(&module);
    check_layout::<Motion>(&module);
    check_layout::<Acceleration>(&module);
    check_layout::<StepParams>(&module);
    check_layout::<FluidParams>(&module);
    check_layout::<PairCoefficients>(&module);
    check_layout::<ContactLaws>(&module);
    check_layout::<GridParams>(&module);
}

/// A coefficient that lands in its neighbour's place would pass every other test here.
#[test]
fn coefficients_keep_their_places_on_the_way_to_a_device() {
    let numbers: Vec<f32> = (1..=20).map(|n| n as f32).collect();
    let shared: PairCoefficients = bytemuck::pod_read_unaligned(bytemuck::cast_slice(&numbers));
    let mut next = 0.0;
    let mut number = || {
        next += 1.0;
        next
    };
    let pair = lahar::contact::PairCoefficients {
        stiffness: number(),
        hertz_modulus: number(),
        damping: number(),
        damping_ratio: number(),
        stiffness_per_mass: number(),
        damping_per_mass: number(),
        viscoelastic_time: number(),
        restitution: number(),
        friction: number(),
        tangential_stiffness: number(),
        mindlin_modulus: number(),
        tangential_damping: number(),
        tangential_damping_ratio: number(),
        tangential_stiffness_per_mass: number(),
        tangential_damping_per_mass: number(),
        rolling_friction: number(),
        rolling_damping: number(),
        work_of_adhesion: number(),
        cohesion_energy_density: number(),
        effective_young: number(),
    };
    assert_eq!(PairCoefficients::from(&pair), shared);
}
