//! The graphics device that the tests of one binary share.

use lahar::gpu::Gpu;
use lahar::gpu::device::{GpuChoice, LimitPolicy};
use std::io::Write;
use std::sync::{Once, OnceLock};

/// The device, opened once, with the limits that every WebGPU device has. `None`, and a line that says
/// so, if `LAHAR_SKIP_GPU=1`; without a device the test fails.
pub(crate) fn gpu() -> Option<&'static Gpu> {
    static GPU: OnceLock<Gpu> = OnceLock::new();
    if std::env::var_os("LAHAR_SKIP_GPU").is_some_and(|value| value == "1") {
        static SAID: Once = Once::new();
        SAID.call_once(|| {
            // Not `eprintln`: the test runner would keep that of tests that pass to itself.
            let _ = writeln!(
                std::io::stderr(),
                "tests that need a graphics device are skipped: LAHAR_SKIP_GPU=1"
            );
        });
        return None;
    }
    Some(GPU.get_or_init(|| {
        let choice = GpuChoice {
            limits: LimitPolicy::WebGpuDefaults,
            ..GpuChoice::default()
        };
        Gpu::open(&choice).unwrap_or_else(|error| {
            panic!("{error}\n./test installs a software device; LAHAR_SKIP_GPU=1 skips these tests")
        })
    }))
}
