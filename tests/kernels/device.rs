//! Opening a device, moving data, dispatching, and what is said when any of it fails.

use crate::common::gpu;
use crate::{STORAGE, buffer_of};
use lahar::Error;
use lahar::gpu::device::GpuChoice;
use lahar::gpu::kernel::{
    ARGUMENTS_BYTES, Binding, DISPATCH_ROW, Grid, KernelSpec, dispatch_arguments,
};
use lahar::gpu::shader::Shader;
use lahar::gpu::{Gpu, Kernel};
use wgpu::BufferUsages;

/// Writes to each element where its thread stands, or a constant that the host sets.
const NUMBERS: &str = "\
//#include lib/dispatch.wgsl
@group(0) @binding(0) var<storage, read_write> numbers: array<u32>;
override FIRST: u32 = 0u;
@compute @workgroup_size(32)
fn numbers_fill(@builtin(workgroup_id) workgroup: vec3u, @builtin(local_invocation_index) local: u32) {
    let thread = dispatch_thread(workgroup, local, 32u);
    if thread >= arrayLength(&numbers) { return; }
    numbers[thread] += FIRST + thread;
}
";

const NUMBERS_SPEC: KernelSpec = KernelSpec {
    name: "numbers_fill",
    shader: "numbers",
    workgroup_size: 32,
    bindings: &[Binding::read_write("numbers")],
};

fn numbers_kernel(gpu: &Gpu, first: u32) -> Kernel {
    let shader = Shader::from_text("numbers", NUMBERS).unwrap();
    Kernel::from_shader(gpu, &NUMBERS_SPEC, &shader, &[("FIRST", f64::from(first))]).unwrap()
}

fn message(error: &Error) -> String {
    error.to_string()
}

#[test]
fn values_come_back_as_they_went() {
    let Some(gpu) = gpu() else { return };
    let values: Vec<u32> = (0..1000).map(|value| value * 7).collect();
    let buffer = gpu.create_buffer("values", 4000, STORAGE).unwrap();
    gpu.upload(&buffer, &values).unwrap();
    assert_eq!(gpu.read::<u32>(&buffer, 0..1000).unwrap(), values);
    assert_eq!(gpu.read::<u32>(&buffer, 10..13).unwrap(), [70, 77, 84]);
    assert!(gpu.read::<u32>(&buffer, 5..5).unwrap().is_empty());
}

#[test]
fn every_thread_runs_once_in_rows_too() {
    let Some(gpu) = gpu() else { return };
    let row = DISPATCH_ROW as usize * 32;
    let kernel = numbers_kernel(gpu, 5);
    // The last is more than a dispatch has workgroups in one dimension.
    let most = 65_535 * 32;
    for count in [
        1,
        31,
        32,
        33,
        row - 1,
        row,
        row + 1,
        3 * row + 77,
        most + 33,
    ] {
        let buffer = gpu
            .create_buffer("numbers", 4 * count as u64, STORAGE)
            .unwrap();
        let bound = kernel.bind(gpu, &[&buffer]).unwrap();
        let mut encoder = gpu.encoder("numbers");
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            kernel.dispatch(&mut pass, &bound, u32::try_from(count).unwrap());
        }
        gpu.submit(encoder).unwrap();
        let got: Vec<u32> = gpu.read(&buffer, 0..count).unwrap();
        let want: Vec<u32> = (5..).take(count).collect();
        assert!(got == want, "{count} threads: not each ran exactly once");
    }
}

#[test]
fn an_indirect_dispatch_runs_what_the_buffer_says() {
    let Some(gpu) = gpu() else { return };
    let kernel = numbers_kernel(gpu, 1);
    let numbers = gpu.create_buffer("numbers", 4 * 64, STORAGE).unwrap();
    let bound = kernel.bind(gpu, &[&numbers]).unwrap();
    let arguments = gpu
        .create_buffer(
            "arguments",
            2 * ARGUMENTS_BYTES,
            BufferUsages::INDIRECT | BufferUsages::COPY_DST,
        )
        .unwrap();
    let [nothing, one] = [dispatch_arguments(0), dispatch_arguments(1)];
    gpu.upload(&arguments, &[nothing, one]).unwrap();
    let mut encoder = gpu.encoder("numbers");
    {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        for slot in 0..2 {
            let grid = Grid::Indirect {
                arguments: &arguments,
                slot,
            };
            kernel.dispatch_grid(&mut pass, &bound, grid);
        }
    }
    gpu.submit(encoder).unwrap();
    let got: Vec<u32> = gpu.read(&numbers, 0..64).unwrap();
    let want: Vec<u32> = (1..=32).chain([0; 32]).collect();
    assert_eq!(got, want);
}

/// What a kernel writes for an indirect dispatch is what the host would dispatch.
#[test]
fn kernels_and_host_agree_on_arguments() {
    const TEXT: &str = "\
//#include lib/dispatch.wgsl
@group(0) @binding(0) var<storage, read> workgroups: array<u32>;
@group(0) @binding(1) var<storage, read_write> arguments: array<vec4u>;
@compute @workgroup_size(1)
fn arguments_write(@builtin(workgroup_id) id: vec3u) {
    arguments[id.x] = dispatch_arguments(workgroups[id.x]);
}
";
    const SPEC: KernelSpec = KernelSpec {
        name: "arguments_write",
        shader: "arguments",
        workgroup_size: 1,
        bindings: &[
            Binding::read("workgroups"),
            Binding::read_write("arguments"),
        ],
    };
    let Some(gpu) = gpu() else { return };
    let cases = [
        0,
        1,
        DISPATCH_ROW - 1,
        DISPATCH_ROW,
        DISPATCH_ROW + 1,
        1 << 27,
    ];
    let shader = Shader::from_text("arguments", TEXT).unwrap();
    let kernel = Kernel::from_shader(gpu, &SPEC, &shader, &[]).unwrap();
    let workgroups = buffer_of(gpu, "workgroups", &cases);
    let arguments = gpu
        .create_buffer("arguments", cases.len() as u64 * ARGUMENTS_BYTES, STORAGE)
        .unwrap();
    let bound = kernel.bind(gpu, &[&workgroups, &arguments]).unwrap();
    let mut encoder = gpu.encoder("arguments");
    {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        kernel.dispatch(&mut pass, &bound, cases.len() as u32);
    }
    gpu.submit(encoder).unwrap();
    let got: Vec<[u32; 4]> = gpu.read(&arguments, 0..cases.len()).unwrap();
    assert_eq!(got, cases.map(dispatch_arguments));
    assert_eq!(got[5], [DISPATCH_ROW, 1 << 15, 1, 0]);
}

#[test]
fn a_device_that_is_not_there_is_named() {
    if gpu().is_none() {
        return;
    }
    let choice = GpuChoice {
        name: Some("no such device".into()),
        ..GpuChoice::default()
    };
    let error = Gpu::open(&choice).unwrap_err();
    assert!(matches!(error, Error::NoAdapter { .. }), "{error:?}");
    assert!(message(&error).contains("named \"no such device\""));
}

#[test]
fn a_buffer_beyond_the_limits_is_refused() {
    let Some(gpu) = gpu() else { return };
    let error = gpu.create_buffer("grains", 1 << 40, STORAGE).unwrap_err();
    assert!(message(&error).contains("could not allocate grains"));
    let Error::DeviceMemory { bytes, allowed, .. } = &error else {
        panic!("{error:?}")
    };
    assert_eq!((*bytes, *allowed), (1 << 40, Some(128 << 20)));
    gpu.check().unwrap();
}

#[test]
fn what_does_not_fit_is_an_error_and_the_device_lives_on() {
    let Some(gpu) = gpu() else { return };
    let buffer = gpu.create_buffer("small", 16, STORAGE).unwrap();
    for error in [
        gpu.upload(&buffer, &[0_u32; 5]).unwrap_err(),
        gpu.read::<u32>(&buffer, 3..5).map(drop).unwrap_err(),
        numbers_kernel(gpu, 0).bind(gpu, &[]).map(drop).unwrap_err(),
    ] {
        assert!(matches!(error, Error::Device { .. }), "{error:?}");
    }
    gpu.check().unwrap();
    assert_eq!(gpu.read::<u32>(&buffer, 0..4).unwrap(), [0; 4]);
}

#[test]
fn what_fails_unwatched_is_reported_later() {
    if gpu().is_none() {
        return;
    }
    // A device of its own: what it remembers would fail the other tests.
    let gpu = Gpu::open(&GpuChoice::default()).unwrap();
    let buffer = gpu.create_buffer("small", 16, STORAGE).unwrap();
    gpu.queue().write_buffer(&buffer, 0, &[0; 20]);
    for error in [gpu.check(), gpu.wait()].map(Result::unwrap_err) {
        assert!(matches!(error, Error::Device { .. }), "{error:?}");
    }
}

#[test]
fn a_lost_device_is_reported_and_nothing_panics() {
    if gpu().is_none() {
        return;
    }
    let gpu = Gpu::open(&GpuChoice::default()).unwrap();
    let buffer = gpu.create_buffer("values", 16, STORAGE).unwrap();
    gpu.device().destroy();
    for error in [
        gpu.wait().unwrap_err(),
        gpu.upload(&buffer, &[1_u32]).unwrap_err(),
        gpu.read::<u32>(&buffer, 0..1).map(drop).unwrap_err(),
        gpu.submit(gpu.encoder("nothing")).map(drop).unwrap_err(),
    ] {
        assert!(matches!(error, Error::DeviceLost { .. }), "{error:?}");
    }
}

#[test]
fn a_shader_error_names_file_and_line() {
    let Some(gpu) = gpu() else { return };
    for (text, line, part) in [
        (NUMBERS.replace("+= FIRST", "+= FRIST"), 8, "FRIST"),
        (NUMBERS.replace("thread;\n", "thread\n"), 9, "expected"),
        (NUMBERS.replace("+ thread;", "+ 1.5;"), 8, ""),
        (NUMBERS.replace("lib/dispatch", "lib/none"), 1, "lib/none"),
    ] {
        let error = Shader::from_text("numbers", &text)
            .and_then(|shader| Kernel::from_shader(gpu, &NUMBERS_SPEC, &shader, &[]))
            .unwrap_err();
        let Error::Shader {
            file,
            line: got,
            message,
        } = &error
        else {
            panic!("{error:?}")
        };
        assert_eq!((file.as_str(), *got), ("numbers", Some(line)), "{error}");
        assert!(message.contains(part), "{error}");
    }
    gpu.check().unwrap();
}
