//! Every shader composed, validated and compared with what the host believes about it. No device needed.

#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "a test says what it expects; sizes are small"
)]

use glam::DVec3;
use lahar::Error;
use lahar::gpu::DeviceMemory;
use lahar::gpu::kernel::{Access, Binding, DISPATCH_ROW, KernelSpec};
use lahar::gpu::layout::MOST_CLASSES;
use lahar::gpu::shader::{LONG_WORDS, PICTURES, SHADERS, SMALL_CREW, Shader, WHOLE_BITS};
use lahar::gpu::stages::balance::BALANCE;
use lahar::gpu::stages::forces::{FORCES, LEAP};
use lahar::gpu::stages::history::ROOTS_PER_TEXEL;
use lahar::gpu::stages::scan::SCAN_BLOCK;
use lahar::gpu::stages::sort::{SORT_BLOCK, SORT_DIGIT_BITS, SORT_DIGITS, SortRound};
use lahar::gpu::stages::{KERNELS, decide};
use lahar::gpu::status;
use lahar::gpu::texels::ROW_TEXELS;
use lahar::gpu::walls::FACE_VECTORS;
use lahar::scene::{Fluid, Pair, Particle, RollingLaw, Scene};
use lahar::state::WALL;
use std::mem::offset_of;
use std::path::Path;
use wgpu::naga;

fn module(path: &str) -> naga::Module {
    Shader::from_file(path)
        .and_then(|shader| shader.check())
        .unwrap_or_else(|error| panic!("{error}"))
}

fn is_library(path: &str) -> bool {
    path.starts_with("lib/")
}

/// Parts that use what the kernel binds that includes them.
fn is_bound_part(path: &str) -> bool {
    path.starts_with("bound/")
}

fn storage_access(access: naga::StorageAccess) -> Access {
    if access.contains(naga::StorageAccess::STORE) {
        Access::ReadWrite
    } else {
        Access::Read
    }
}

/// How a texture of texels is used; no other texture is bound.
fn texture_access(module: &naga::Module, variable: &naga::GlobalVariable) -> naga::StorageAccess {
    match module.types[variable.ty].inner {
        naga::TypeInner::Image {
            class:
                naga::ImageClass::Storage {
                    format: naga::StorageFormat::Rgba32Uint,
                    access,
                },
            ..
        } => access,
        ref other => panic!("{:?} is {other:?}", variable.name),
    }
}

/// What a module binds, by number; all of it in group 0.
fn bindings(path: &str, module: &naga::Module) -> Vec<(u32, String, Access)> {
    let mut bindings: Vec<_> = module
        .global_variables
        .iter()
        .filter_map(|(_, variable)| {
            let binding = variable.binding?;
            let name = variable.name.clone().unwrap();
            assert_eq!(binding.group, 0, "{path}: group of {name}");
            let access = match variable.space {
                naga::AddressSpace::Uniform => Access::Uniform,
                naga::AddressSpace::Storage { access } => storage_access(access),
                naga::AddressSpace::Handle => storage_access(texture_access(module, variable)),
                space => panic!("{path}: {name} is {space:?}"),
            };
            Some((binding.binding, name, access))
        })
        .collect();
    bindings.sort_by_key(|(number, ..)| *number);
    bindings
}

/// Whether a shader is what a specification says; if not, what differs.
fn compare(spec: &KernelSpec, module: &naga::Module) -> Result<(), String> {
    let entry = module
        .entry_points
        .iter()
        .find(|entry| entry.name == spec.name)
        .ok_or("no such entry point")?;
    if entry.workgroup_size != [spec.workgroup_size, 1, 1] {
        return Err(format!("workgroup size {:?}", entry.workgroup_size));
    }
    let got = bindings(spec.shader, module);
    let want: Vec<_> = (0..)
        .zip(spec.bindings)
        .map(|(number, binding)| (number, binding.name.to_owned(), binding.access))
        .collect();
    if got != want {
        return Err(format!("binds {got:?}, not {want:?}"));
    }
    Ok(())
}

#[test]
fn the_table_lists_the_folder() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("shaders");
    let mut files = Vec::new();
    for folder in ["", "lib/", "bound/"] {
        for entry in root.join(folder).read_dir().unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_file() {
                files.push(format!("{folder}{}", entry.file_name().to_str().unwrap()));
            }
        }
    }
    files.sort();
    let mut table: Vec<_> = SHADERS.iter().map(|(path, _)| (*path).to_owned()).collect();
    table.sort();
    assert_eq!(table, files);
}

#[test]
fn every_file_is_valid_and_says_what_it_is_for() {
    for (path, text) in SHADERS {
        assert!(text.starts_with("// "), "{path} starts with no purpose");
        if is_bound_part(path) {
            // Valid only with the bindings of a kernel, and shared by at least two.
            assert!(!text.contains("@group"), "{path} binds a buffer");
            let include = format!("//#include {path}\n");
            let users = SHADERS.iter().filter(|(_, text)| text.contains(&include));
            let is_twin = PICTURES.iter().any(|(_, twin)| twin == path);
            assert!(users.count() > 1 || is_twin, "{path} is not shared");
            continue;
        }
        let module = module(path);
        if is_library(path) {
            assert!(module.entry_points.is_empty(), "{path} has an entry point");
            assert!(bindings(path, &module).is_empty(), "{path} binds a buffer");
        }
    }
}

#[test]
fn every_kernel_is_what_the_host_believes() {
    let is_kernel = |path: &str| !is_library(path) && !is_bound_part(path);
    for (path, _) in SHADERS.iter().filter(|(path, _)| is_kernel(path)) {
        let specs: Vec<_> = KERNELS.iter().filter(|spec| spec.shader == *path).collect();
        assert!(!specs.is_empty(), "{path} is in no KernelSpec of KERNELS");
        let module = module(path);
        assert_eq!(module.entry_points.len(), specs.len(), "{path}");
        for spec in specs {
            compare(spec, &module).unwrap_or_else(|message| panic!("{}: {message}", spec.name));
        }
    }
    for spec in KERNELS {
        let stem = spec.shader.strip_suffix(".wgsl").unwrap();
        assert!(spec.name.starts_with(stem), "{} in {stem}.wgsl", spec.name);
        assert!(SHADERS.iter().any(|(path, _)| *path == spec.shader));
    }
}

/// Bytes from one element to the next of each bound array, by name.
fn strides(module: &naga::Module) -> Vec<(String, u32)> {
    module
        .global_variables
        .iter()
        .filter(|(_, variable)| variable.binding.is_some())
        .filter_map(|(_, variable)| match module.types[variable.ty].inner {
            naga::TypeInner::Array { stride, .. } => Some((variable.name.clone()?, stride)),
            _ => None,
        })
        .collect()
}

#[test]
fn twins_of_parts_leave_kernels_what_they_are() {
    for spec in KERNELS {
        let plain = module(spec.shader);
        for substitutes in [
            &[LONG_WORDS][..],
            &[SMALL_CREW],
            &[WHOLE_BITS],
            &[LONG_WORDS, SMALL_CREW, WHOLE_BITS],
        ] {
            let twin = Shader::with_substitutes(spec.shader, substitutes)
                .and_then(|shader| shader.check())
                .unwrap_or_else(|error| panic!("{}, {substitutes:?}: {error}", spec.name));
            assert_eq!(
                bindings(spec.shader, &twin),
                bindings(spec.shader, &plain),
                "{}",
                spec.name
            );
            assert_eq!(strides(&twin), strides(&plain), "{}", spec.name);
        }
    }
}

/// With textures for texels a kernel binds the same, and textures are what its specification says.
#[test]
fn texels_are_textures_where_the_host_believes_so() {
    let with_words: Vec<_> = PICTURES.iter().copied().chain([LONG_WORDS]).collect();
    for spec in KERNELS {
        for substitutes in [&PICTURES[..], &with_words] {
            let twin = Shader::with_substitutes(spec.shader, substitutes)
                .and_then(|shader| shader.check())
                .unwrap_or_else(|error| panic!("{}: {error}", spec.name));
            compare(spec, &twin).unwrap_or_else(|message| panic!("{}: {message}", spec.name));
            let mut textures: Vec<_> = twin
                .global_variables
                .iter()
                .filter(|(_, variable)| variable.space == naga::AddressSpace::Handle)
                .filter_map(|(_, variable)| {
                    Some((variable.binding?.binding, variable.name.clone()?))
                })
                .collect();
            textures.sort();
            let told: Vec<_> = (0..)
                .zip(spec.bindings)
                .filter(|(_, binding)| binding.texels)
                .map(|(number, binding)| (number, binding.name.to_owned()))
                .collect();
            assert_eq!(textures, told, "{}", spec.name);
        }
    }
}

#[test]
fn every_kernel_keeps_to_the_default_limits() {
    let limits = wgpu::Limits::default();
    for spec in KERNELS {
        let storage = spec
            .bindings
            .iter()
            .filter(|binding| binding.access != Access::Uniform);
        assert!(storage.count() <= limits.max_storage_buffers_per_shader_stage as usize);
        assert!(spec.workgroup_size <= limits.max_compute_invocations_per_workgroup);
        let module = module(spec.shader);
        let memory: u32 = module
            .global_variables
            .iter()
            .filter(|(_, variable)| variable.space == naga::AddressSpace::WorkGroup)
            .map(|(_, variable)| {
                let size = module.types[variable.ty].inner.size(module.to_ctx());
                size.next_multiple_of(16)
            })
            .sum();
        assert!(
            memory <= limits.max_compute_workgroup_storage_size,
            "{}: {memory} bytes of workgroup memory",
            spec.name
        );
    }
}

#[test]
fn constants_are_the_same_on_both_sides() {
    for (path, name, want) in [
        ("lib/dispatch.wgsl", "DISPATCH_ROW", DISPATCH_ROW),
        ("lib/scan.wgsl", "SCAN_BLOCK", SCAN_BLOCK),
        ("lib/sort.wgsl", "SORT_BLOCK", SORT_BLOCK),
        ("lib/sort.wgsl", "SORT_DIGIT_BITS", SORT_DIGIT_BITS),
        ("lib/sort.wgsl", "SORT_DIGITS", SORT_DIGITS),
        ("lib/turns.wgsl", "TURN_GRAINS", BALANCE.workgroup_size),
        ("lib/turns.wgsl", "TURN_GRAINS", FORCES.workgroup_size),
        ("lib/turns.wgsl", "TURN_GRAINS", LEAP.workgroup_size),
        ("lib/walls.wgsl", "FACE_VECTORS", FACE_VECTORS as u32),
        ("lib/grains.wgsl", "MOST_CLASSES", MOST_CLASSES as u32),
        ("lib/grains.wgsl", "WALL", WALL),
        (
            "lib/status.wgsl",
            "STATUS_HALTED",
            status::STATUS_HALTED as u32,
        ),
        ("lib/status.wgsl", "HALTED_STALE", status::HALTED_STALE),
        (
            "lib/status.wgsl",
            "HALTED_CAPACITY",
            status::HALTED_CAPACITY,
        ),
        ("lib/status.wgsl", "HALTED_AWAY", status::HALTED_AWAY),
        (
            "lib/status.wgsl",
            "STATUS_STEPS",
            status::STATUS_STEPS as u32,
        ),
        ("lib/status.wgsl", "STATUS_PATH", status::STATUS_PATH as u32),
        (
            "lib/status.wgsl",
            "STATUS_PATH_AWAY",
            status::STATUS_PATH_AWAY as u32,
        ),
        ("lib/status.wgsl", "STATUS_SKIN", status::STATUS_SKIN as u32),
        (
            "lib/status.wgsl",
            "STATUS_NOT_FINITE",
            status::STATUS_NOT_FINITE as u32,
        ),
        ("lib/status.wgsl", "STATUS_LEFT", status::STATUS_LEFT as u32),
        (
            "lib/status.wgsl",
            "STATUS_SLOTS_NEEDED",
            status::STATUS_SLOTS_NEEDED as u32,
        ),
        (
            "lib/status.wgsl",
            "STATUS_SLOTS",
            status::STATUS_SLOTS as u32,
        ),
        (
            "lib/status.wgsl",
            "STATUS_REBUILDS",
            status::STATUS_REBUILDS as u32,
        ),
        (
            "lib/status.wgsl",
            "STATUS_GRAINS",
            status::STATUS_GRAINS as u32,
        ),
        (
            "lib/status.wgsl",
            "STATUS_REBUILD_WANTED",
            status::STATUS_REBUILD_WANTED as u32,
        ),
        (
            "lib/status.wgsl",
            "STATUS_SPEED",
            status::STATUS_SPEED as u32,
        ),
        (
            "lib/status.wgsl",
            "STATUS_SPEED_BEFORE",
            status::STATUS_SPEED_BEFORE as u32,
        ),
        (
            "lib/status.wgsl",
            "STATUS_LOSSES",
            status::STATUS_LOSSES as u32,
        ),
        (
            "lib/status.wgsl",
            "STATUS_CONTACT_UPDATES",
            status::STATUS_CONTACT_UPDATES as u32,
        ),
        (
            "lib/status.wgsl",
            "STATUS_LAST_LOSSES",
            status::STATUS_LAST_LOSSES as u32,
        ),
        (
            "lib/status.wgsl",
            "STATUS_ELASTIC",
            status::STATUS_ELASTIC as u32,
        ),
        (
            "lib/status.wgsl",
            "STATUS_CONTACTS",
            status::STATUS_CONTACTS as u32,
        ),
        (
            "lib/status.wgsl",
            "STATUS_CROSSED",
            status::STATUS_CROSSED as u32,
        ),
        (
            "lib/status.wgsl",
            "STATUS_FLUID_LOSSES",
            status::STATUS_FLUID_LOSSES as u32,
        ),
        (
            "lib/status.wgsl",
            "STATUS_LAST_FLUID_LOSSES",
            status::STATUS_LAST_FLUID_LOSSES as u32,
        ),
        (
            "lib/status.wgsl",
            "STATUS_WALL_CONTACTS",
            status::STATUS_WALL_CONTACTS as u32,
        ),
        (
            "lib/status.wgsl",
            "STATUS_MOTION",
            status::STATUS_MOTION as u32,
        ),
        (
            "lib/status.wgsl",
            "STATUS_WALL_FORCES",
            status::STATUS_WALL_FORCES as u32,
        ),
        ("lib/status.wgsl", "STATUS_NONE", status::STATUS_NONE),
        (
            "lib/status.wgsl",
            "ARGUMENTS_GRAINS",
            decide::ARGUMENTS_GRAINS,
        ),
        (
            "lib/status.wgsl",
            "ARGUMENTS_CELLS",
            decide::ARGUMENTS_CELLS,
        ),
        (
            "lib/status.wgsl",
            "ARGUMENTS_SORT_BLOCKS",
            decide::ARGUMENTS_SORT_BLOCKS,
        ),
        (
            "lib/status.wgsl",
            "ARGUMENTS_SORT_DIGITS",
            decide::ARGUMENTS_SORT_DIGITS,
        ),
        (
            "lib/status.wgsl",
            "ARGUMENTS_SCAN_BLOCKS",
            decide::ARGUMENTS_SCAN_BLOCKS,
        ),
        (
            "lib/status.wgsl",
            "ARGUMENTS_SINGLE",
            decide::ARGUMENTS_SINGLE,
        ),
        ("lib/status.wgsl", "ARGUMENTS_FILL", decide::ARGUMENTS_FILL),
        ("lib/status.wgsl", "ARGUMENTS_SAVE", decide::ARGUMENTS_SAVE),
        ("lib/status.wgsl", "ARGUMENTS_NAME", decide::ARGUMENTS_NAME),
        (
            "lib/status.wgsl",
            "STATUS_SAVED",
            status::STATUS_SAVED as u32,
        ),
        (
            "lib/status.wgsl",
            "STATUS_LIST_IS_VOID",
            status::STATUS_LIST_IS_VOID as u32,
        ),
        ("lib/saved.wgsl", "ROOTS_PER_TEXEL", ROOTS_PER_TEXEL),
        ("lib/texels.wgsl", "ROW_TEXELS", ROW_TEXELS),
        (
            "lib/status.wgsl",
            "ARGUMENTS_COUNT",
            decide::ARGUMENTS_COUNT,
        ),
    ] {
        let module = module(path);
        let constant = module
            .constants
            .iter()
            .find(|(_, constant)| constant.name.as_deref() == Some(name));
        let (_, constant) = constant.unwrap_or_else(|| panic!("{path} has no {name}"));
        let got = &module.global_expressions[constant.init];
        assert!(
            matches!(got, naga::Expression::Literal(naga::Literal::U32(got)) if *got == want),
            "{path}: {name} is {got:?}, want {want}"
        );
    }
}

/// A Rust struct as WGSL should see it: name, size, and each field with its offset.
type Layout = (&'static str, usize, Vec<(&'static str, usize)>);

macro_rules! layout {
    ($name:ident { $($field:ident),* }) => {
        (stringify!($name), size_of::<$name>(), vec![$((stringify!($field), offset_of!($name, $field))),*])
    };
}

#[test]
fn structs_have_the_same_layout_on_both_sides() {
    let shared: [(&str, Layout); 1] = [("lib/sort.wgsl", layout!(SortRound { shift, mask }))];
    for (path, (name, size, fields)) in shared {
        let module = module(path);
        let declared = module
            .types
            .iter()
            .find(|(_, declared)| declared.name.as_deref() == Some(name));
        let (_, declared) = declared.unwrap_or_else(|| panic!("{path} has no {name}"));
        let naga::TypeInner::Struct { members, span } = &declared.inner else {
            panic!("{path}: {name} is no struct")
        };
        let got: Vec<_> = members
            .iter()
            .map(|member| (member.name.as_deref().unwrap(), member.offset as usize))
            .collect();
        assert_eq!((*span as usize, got), (size, fields), "{path}: {name}");
    }
}

#[test]
fn parts_are_taken_once_and_lines_keep_their_origin() {
    let text = "// First.\n//#include lib/dispatch.wgsl\n//#include lib/dispatch.wgsl\n// Last.\n";
    let shader = Shader::from_text("two.wgsl", text).unwrap();
    assert_eq!(shader.source().matches("const DISPATCH_ROW").count(), 1);
    let lines: Vec<_> = shader.source().lines().collect();
    assert_eq!(shader.origin(1), Some(("two.wgsl", 1)));
    assert_eq!(shader.origin(2), Some(("lib/dispatch.wgsl", 1)));
    assert_eq!(lines.last(), Some(&"// Last."));
    assert_eq!(shader.origin(lines.len()), Some(("two.wgsl", 4)));
    assert_eq!(shader.origin(lines.len() + 1), None);
    assert_eq!(shader.origin(0), None);
}

#[test]
fn a_fault_is_found_where_it_is() {
    for fault in [
        "fn broken() -> u32 { return 1.5; }",
        "fn broken() -> u32 { return scan_block_count(2i); }",
        "fn broken() -> u32 { return absent; }",
        "fn broken() -> u32 { }",
        "var<workgroup> scan_threads: u32;",
    ] {
        let text = format!("//#include lib/scan.wgsl\n\n{fault}\n");
        let error = Shader::from_text("broken.wgsl", &text)
            .and_then(|shader| shader.check())
            .unwrap_err();
        let Error::Shader { file, line, .. } = &error else {
            panic!("{error:?}")
        };
        assert_eq!((file.as_str(), *line), ("broken.wgsl", Some(3)), "{error}");
    }
    let missing = Shader::from_file("none.wgsl").unwrap_err();
    assert!(missing.to_string().contains("none.wgsl"), "{missing}");
}

/// The comparison itself must be able to fail.
#[test]
fn a_wrong_specification_is_noticed() {
    const TEXT: &str = "
        @group(0) @binding(0) var<storage, read> source: array<u32>;
        @group(0) @binding(1) var<storage, read_write> copied: array<u32>;
        @compute @workgroup_size(32) fn copy(@builtin(global_invocation_id) id: vec3u) { copied[id.x] = source[id.x]; }";
    const RIGHT: KernelSpec = KernelSpec {
        name: "copy",
        shader: "copy.wgsl",
        workgroup_size: 32,
        bindings: &[Binding::read("source"), Binding::read_write("copied")],
    };
    const WRONG: [KernelSpec; 6] = [
        KernelSpec {
            name: "move",
            ..RIGHT
        },
        KernelSpec {
            workgroup_size: 64,
            ..RIGHT
        },
        KernelSpec {
            bindings: &[Binding::read("source")],
            ..RIGHT
        },
        KernelSpec {
            bindings: &[Binding::read("copied"), Binding::read_write("source")],
            ..RIGHT
        },
        KernelSpec {
            bindings: &[Binding::read("source"), Binding::read("copied")],
            ..RIGHT
        },
        KernelSpec {
            bindings: &[Binding::uniform("source"), Binding::read_write("copied")],
            ..RIGHT
        },
    ];
    let module = Shader::from_text(RIGHT.shader, TEXT)
        .unwrap()
        .check()
        .unwrap();
    assert_eq!(compare(&RIGHT, &module), Ok(()));
    for wrong in WRONG {
        assert!(compare(&wrong, &module).is_err(), "{wrong:?}");
    }
}

const ARCHITECTURE: &str = include_str!("../docs/architecture.md");

/// The part of the documentation under a heading.
fn chapter(heading: &str) -> &'static str {
    let start = ARCHITECTURE.find(heading).unwrap() + heading.len();
    let rest = &ARCHITECTURE[start..];
    rest.split("\n## ").next().unwrap()
}

#[test]
fn the_drawing_has_every_kernel_and_every_buffer_of_a_step() {
    let drawing = chapter("## One step on a graphics device");
    let drawing = drawing.split("**Batches.**").next().unwrap();
    // The last one only measures how fast the device copies.
    for spec in KERNELS.iter().filter(|spec| spec.name != "copy") {
        assert!(drawing.contains(spec.name), "no {}", spec.name);
    }
    for (name, bytes) in memory().buffers() {
        let grows = bytes > GRAINS;
        assert!(!grows || drawing.contains(name), "no {name}");
    }
}

const GRAINS: u64 = 100_000;

/// Of a scene in which every buffer is needed.
fn memory() -> DeviceMemory {
    let mut scene = Scene::builder()
        .domain(DVec3::ZERO, DVec3::ONE)
        .end_time(1.0)
        .material("glass", 2500.0, 1e7, 0.2)
        .pair(Pair {
            restitution: Some(0.9),
            friction: 0.3,
            ..Pair::new(0, 0)
        })
        .particles([Particle::new(DVec3::splat(0.5), 0.1, 0)])
        .build()
        .unwrap();
    scene.particles = vec![scene.particles[0]; GRAINS as usize];
    scene.contact.rolling = RollingLaw::Spring;
    scene.fluid = Some(Fluid::new(1000.0, 1e-3));
    DeviceMemory::expected(&scene)
}

#[test]
fn the_documented_bytes_per_grain_are_those_there_are() {
    // Given to a tenth of a byte where there is less than one, else to whole ones.
    const ROUNDING: f64 = 0.51;
    let rows: Vec<Vec<&str>> = chapter("## One step on a graphics device")
        .lines()
        .filter(|line| line.starts_with("| `") || line.starts_with("| all"))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    let documented = |name: &str| {
        let row = rows.iter().find(|row| row[0].starts_with(name));
        let row = row.unwrap_or_else(|| panic!("no row {name}"));
        row[3].parse::<f64>().unwrap()
    };
    let buffers = memory().buffers();
    let mut listed = 0;
    let mut always = 0.0;
    for &(name, bytes) in &buffers {
        let per_grain = bytes as f64 / GRAINS as f64;
        if per_grain < 0.1 {
            continue;
        }
        listed += 1;
        let told = documented(&format!("`{name}`"));
        assert!(
            (told - per_grain).abs() < ROUNDING,
            "{name}: {told}, really {per_grain}"
        );
        if !["extras", "saved_extras", "immersed"].contains(&name) {
            always += per_grain;
        }
    }
    assert_eq!(rows.len(), listed + 1, "rows besides the sum");
    let told = documented("all");
    assert!((told - always).abs() < ROUNDING, "{told}, really {always}");
}

#[test]
fn a_law_takes_five_steps() {
    let steps: Vec<&str> = chapter("## How to add a contact law")
        .lines()
        .filter(|line| line.starts_with(|c: char| c.is_ascii_digit()))
        .collect();
    assert_eq!(steps.len(), 5, "{steps:?}");
    // What it names is there.
    for path in chapter("## How to add a contact law")
        .split('`')
        .skip(1)
        .step_by(2)
    {
        let is_file = path.ends_with(".rs") || path.ends_with(".wgsl") || path.ends_with(".md");
        if is_file && path.contains('/') && !path.contains('<') {
            let root = Path::new(env!("CARGO_MANIFEST_DIR"));
            let found = [root.join(path), root.join("shaders").join(path)];
            assert!(found.iter().any(|file| file.exists()), "no {path}");
        }
    }
}
