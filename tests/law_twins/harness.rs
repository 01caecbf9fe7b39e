//! Runs functions of the shader library over rows of arguments.
//!
//! What a function takes and gives is read from the shader itself: arguments and results are laid out as
//! rows of 32-bit words, vectors and structs component by component. All functions of a run are branches
//! of one kernel, because a software device takes seconds to compile one.

use lahar::gpu::kernel::{Binding, KernelSpec};
use lahar::gpu::shader::Shader;
use lahar::gpu::{Gpu, Kernel};
use std::fmt::Write;
use wgpu::BufferUsages;
use wgpu::naga::{Handle, Module, ScalarKind, Type, TypeInner};

/// A function and the arguments it is to be run with, one row of words for each run.
pub(crate) struct Call {
    pub(crate) function: &'static str,
    pub(crate) rows: Vec<Vec<u32>>,
}

const SPEC: KernelSpec = KernelSpec {
    name: "twins",
    shader: "twins",
    workgroup_size: 64,
    bindings: &[Binding::read("arguments"), Binding::read_write("results")],
};

/// Runs every call and returns its results, row by row. `library` is WGSL that includes or declares the
/// functions; all calls have the same number of rows.
pub(crate) fn run(
    gpu: &Gpu,
    library: &str,
    constants: &[(&str, f64)],
    calls: &[Call],
) -> Vec<Vec<Vec<u32>>> {
    let library = format!("{library}\n//#include lib/dispatch.wgsl\n");
    let module = Shader::from_text("library", &library)
        .and_then(|shader| shader.check())
        .unwrap();
    let rows = calls[0].rows.len();
    let width = calls.iter().map(|call| call.rows[0].len()).max().unwrap();
    let results: Vec<_> = calls
        .iter()
        .map(|call| result_words(&module, call.function))
        .collect();
    let result_width = results.iter().map(Vec::len).max().unwrap();

    let mut branches = String::new();
    let mut words = vec![0u32; calls.len() * rows * width];
    for (index, call) in calls.iter().enumerate() {
        assert_eq!(call.rows.len(), rows, "{}", call.function);
        let mut used = 0;
        let arguments = call_arguments(&module, call.function, &mut used);
        write!(
            branches,
            "case {index}u: {{ let r = {}({arguments}); ",
            call.function
        )
        .unwrap();
        for (place, word) in results[index].iter().enumerate() {
            write!(branches, "results[into + {place}u] = {word}; ").unwrap();
        }
        branches.push_str("}\n");
        for (row, arguments) in call.rows.iter().enumerate() {
            assert_eq!(
                arguments.len(),
                used,
                "{} takes {used} words",
                call.function
            );
            let start = (index * rows + row) * width;
            words[start..start + used].copy_from_slice(arguments);
        }
    }
    let text = format!(
        "{library}
@group(0) @binding(0) var<storage, read> arguments: array<u32>;
@group(0) @binding(1) var<storage, read_write> results: array<u32>;

// One thread per row.
@compute @workgroup_size(64)
fn twins(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) local: u32) {{
    let thread = dispatch_thread(workgroup, local, 64u);
    if thread >= {count}u {{ return; }}
    let first = thread * {width}u;
    let into = thread * {result_width}u;
    switch thread / {rows}u {{
{branches}
        default: {{}}
    }}
}}
",
        count = calls.len() * rows,
    );
    let shader = Shader::from_text("twins", &text).unwrap();
    let kernel = Kernel::from_shader(gpu, &SPEC, &shader, constants).unwrap();
    let output = execute(gpu, &kernel, &words, calls.len() * rows, result_width);
    (0..calls.len())
        .map(|index| {
            let used = results[index].len();
            (0..rows)
                .map(|row| {
                    let start = (index * rows + row) * result_width;
                    output[start..start + used].to_vec()
                })
                .collect()
        })
        .collect()
}

fn execute(
    gpu: &Gpu,
    kernel: &Kernel,
    words: &[u32],
    threads: usize,
    result_width: usize,
) -> Vec<u32> {
    let storage = BufferUsages::STORAGE | BufferUsages::COPY_DST | BufferUsages::COPY_SRC;
    let buffer =
        |label: &str, count: usize| gpu.create_buffer(label, 4 * count as u64, storage).unwrap();
    let arguments = buffer("arguments", words.len());
    let results = buffer("results", threads * result_width);
    gpu.upload(&arguments, words).unwrap();
    let bound = kernel.bind(gpu, &[&arguments, &results]).unwrap();
    let mut encoder = gpu.encoder("twins");
    {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        kernel.dispatch(&mut pass, &bound, u32::try_from(threads).unwrap());
    }
    gpu.submit(encoder).unwrap();
    gpu.read(&results, 0..threads * result_width).unwrap()
}

fn function<'a>(module: &'a Module, name: &str) -> &'a wgpu::naga::Function {
    module
        .functions
        .iter()
        .find_map(|(_, function)| (function.name.as_deref() == Some(name)).then_some(function))
        .unwrap_or_else(|| panic!("the library has no function {name}"))
}

fn call_arguments(module: &Module, name: &str, used: &mut usize) -> String {
    let arguments: Vec<_> = function(module, name)
        .arguments
        .iter()
        .map(|argument| value(module, argument.ty, used))
        .collect();
    arguments.join(", ")
}

/// An expression that makes a value of the next words of a row.
fn value(module: &Module, ty: Handle<Type>, used: &mut usize) -> String {
    match &module.types[ty].inner {
        TypeInner::Scalar(scalar) => scalar_value(scalar.kind, used),
        TypeInner::Vector { size, scalar } => {
            let size = *size as usize;
            let parts: Vec<_> = (0..size).map(|_| scalar_value(scalar.kind, used)).collect();
            format!("vec{size}({})", parts.join(", "))
        }
        TypeInner::Struct { members, .. } => {
            let parts: Vec<_> = members
                .iter()
                .map(|member| value(module, member.ty, used))
                .collect();
            let name = module.types[ty].name.as_ref().unwrap();
            format!("{name}({})", parts.join(", "))
        }
        other => panic!("cannot make a {other:?} of words"),
    }
}

fn scalar_value(kind: ScalarKind, used: &mut usize) -> String {
    let word = format!("arguments[first + {used}u]");
    *used += 1;
    match kind {
        ScalarKind::Uint => word,
        ScalarKind::Sint => format!("bitcast<i32>({word})"),
        ScalarKind::Float => format!("bitcast<f32>({word})"),
        other => panic!("cannot make a {other:?} of a word"),
    }
}

/// Expressions for the words of a function's result, called `r`.
fn result_words(module: &Module, name: &str) -> Vec<String> {
    let result = function(module, name).result.as_ref().unwrap();
    let mut words = Vec::new();
    flatten(module, result.ty, "r", &mut words);
    words
}

fn flatten(module: &Module, ty: Handle<Type>, value: &str, words: &mut Vec<String>) {
    match &module.types[ty].inner {
        TypeInner::Scalar(scalar) => words.push(word_of(scalar.kind, value)),
        TypeInner::Vector { size, scalar } => {
            let axes = ["x", "y", "z", "w"];
            for axis in &axes[..*size as usize] {
                words.push(word_of(scalar.kind, &format!("{value}.{axis}")));
            }
        }
        TypeInner::Struct { members, .. } => {
            for member in members {
                let name = member.name.as_ref().unwrap();
                flatten(module, member.ty, &format!("{value}.{name}"), words);
            }
        }
        other => panic!("cannot make words of a {other:?}"),
    }
}

fn word_of(kind: ScalarKind, value: &str) -> String {
    match kind {
        ScalarKind::Uint => value.to_owned(),
        ScalarKind::Bool => format!("select(0u, 1u, {value})"),
        _ => format!("bitcast<u32>({value})"),
    }
}
