//! `lahar info`: what this machine offers, and what lahar would take.

use super::print;
use super::units::si;
use crate::cpu::processor::Processor;
use crate::error::Result;
use crate::gpu::choose::{Choice, choose};
use crate::gpu::device::{Device, devices};
use crate::machine::available_memory;
use clap::Args;
use serde_json::{Value, json};
use std::process::ExitCode;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lahar info            the engine that --backend auto takes and why; processor, memory, devices
  lahar info --json     the same for a script")]
pub(super) struct InfoArguments {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn info(arguments: &InfoArguments) -> Result<ExitCode> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let vector = vector_instructions();
    let memory = available_memory();
    let devices = devices();
    let choice = choose(&devices);
    if arguments.json {
        print(
            &json!({
                "version": env!("CARGO_PKG_VERSION"),
                "engine": engine(&choice),
                "reason": choice.reason,
                "device": choice.device,
                "threads": threads,
                "vector_instructions": vector,
                "available_memory": memory,
                "devices": devices.iter().map(as_json).collect::<Vec<_>>(),
            })
            .to_string(),
        )?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut lines = vec![
        format!("lahar {}", env!("CARGO_PKG_VERSION")),
        format!("engine    {}: {}", engine(&choice), choice.reason),
    ];
    if !devices.is_empty() {
        let other = if choice.device.is_none() {
            "gpu takes the best device below"
        } else {
            "cpu takes the processor"
        };
        lines.push(format!("          --backend {other}"));
    }
    lines.push(format!("threads   {threads}"));
    lines.push(format!("vectors   {vector}"));
    lines.push(format!(
        "memory    {} available",
        memory.map_or("unknown".into(), |bytes| si(bytes, "B"))
    ));
    lines.extend(devices.iter().flat_map(as_lines));
    if devices.is_empty() {
        lines.push("device    no graphics device found".into());
    }
    print(&lines.join("\n"))?;
    Ok(ExitCode::SUCCESS)
}

fn engine(choice: &Choice) -> &'static str {
    if choice.device.is_some() {
        "gpu"
    } else {
        "cpu"
    }
}

fn as_json(device: &Device) -> Value {
    json!({
        "name": device.name,
        "interface": device.interface,
        "kind": device.kind.name(),
        "driver": device.driver,
        "largest_binding": device.largest_binding,
        "largest_buffer": device.largest_buffer,
        "storage_buffers": device.storage_buffers,
        "workgroup_invocations": device.workgroup_invocations,
        "workgroup_memory": device.workgroup_memory,
        "timestamps": device.timestamps,
        "subgroups": device.subgroups,
        "features_used": if device.timestamps { vec!["timestamps"] } else { Vec::new() },
        "shortcoming": device.shortcoming,
    })
}

#[allow(clippy::cast_precision_loss, reason = "rounded for people")]
fn as_lines(device: &Device) -> Vec<String> {
    let has = |there: bool| if there { "yes" } else { "no" };
    let mut lines = vec![
        format!("device    {}", device.name),
        format!(
            "          {}, {}, {}",
            device.interface,
            device.kind.name(),
            device.driver
        ),
        format!(
            "limits    buffers of {}, of which a shader binds {}, {} at a time",
            si(device.largest_buffer as f64, "B"),
            si(device.largest_binding as f64, "B"),
            device.storage_buffers,
        ),
        format!(
            "          workgroups of {} invocations with {} of memory",
            device.workgroup_invocations,
            si(f64::from(device.workgroup_memory), "B"),
        ),
        format!(
            "features  timestamps {}: lahar bench {}",
            has(device.timestamps),
            if device.timestamps {
                "times the stages of a step with them"
            } else {
                "cannot time the stages of a step"
            },
        ),
        format!(
            "          subgroups {}: not used; lahar runs without either",
            has(device.subgroups),
        ),
    ];
    if let Some(shortcoming) = &device.shortcoming {
        lines.push(format!("refused   {shortcoming}"));
    }
    lines
}

fn vector_instructions() -> &'static str {
    match Processor::here() {
        #[cfg(target_arch = "x86_64")]
        Processor::Avx512 => "AVX-512",
        #[cfg(target_arch = "x86_64")]
        Processor::Avx2 => "AVX2",
        Processor::Any => "baseline",
    }
}
