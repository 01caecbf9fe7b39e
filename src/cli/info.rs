//! `lahar info`: what this machine offers, and what lahar would take.

use super::print;
use super::units::si;
use crate::error::Result;
use crate::gpu::device::devices;
use clap::Args;
use serde_json::json;
use std::process::ExitCode;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lahar info            threads, vector instructions and memory
  lahar info --json     the same for a script")]
pub(super) struct InfoArguments {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn info(arguments: &InfoArguments) -> Result<ExitCode> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let vector = vector_instructions();
    let memory = super::check::available_memory();
    let devices = devices();
    if arguments.json {
        print(
            &json!({
                "version": env!("CARGO_PKG_VERSION"),
                "engine": "cpu",
                "threads": threads,
                "vector_instructions": vector,
                "available_memory": memory,
                "devices": devices
                    .iter()
                    .map(|device| {
                        json!({
                            "name": device.name,
                            "interface": device.interface,
                            "kind": device.kind,
                            "driver": device.driver,
                            "largest_binding": device.largest_binding,
                        })
                    })
                    .collect::<Vec<_>>(),
            })
            .to_string(),
        )?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut lines = vec![
        format!("lahar {}", env!("CARGO_PKG_VERSION")),
        "engine    cpu, f64; with --backend gpu on the first device below, f32".into(),
        format!("threads   {threads}"),
        format!("vectors   {vector}"),
        format!(
            "memory    {} available",
            memory.map_or("unknown".into(), |bytes| si(bytes, "B"))
        ),
    ];
    for device in &devices {
        lines.push(format!("device    {}", device.name));
        lines.push(format!(
            "          {}, {}, {}",
            device.interface, device.kind, device.driver
        ));
    }
    if devices.is_empty() {
        lines.push("device    no graphics device found".into());
    }
    print(&lines.join("\n"))?;
    Ok(ExitCode::SUCCESS)
}

fn vector_instructions() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    {
        if std::arch::is_x86_feature_detected!("avx512f") {
            return "AVX-512";
        }
        if std::arch::is_x86_feature_detected!("avx2") {
            return "AVX2";
        }
    }
    "baseline"
}
