//! `lahar info`: what this machine offers, and what lahar would take.

use super::print;
use super::units::si;
use crate::error::Result;
use clap::Args;
use serde_json::json;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(super) struct InfoArguments {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn info(arguments: &InfoArguments) -> Result<ExitCode> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let vector = vector_instructions();
    let memory = super::check::available_memory();
    if arguments.json {
        print(
            &json!({
                "version": env!("CARGO_PKG_VERSION"),
                "engine": "cpu",
                "threads": threads,
                "vector_instructions": vector,
                "available_memory": memory,
            })
            .to_string(),
        )?;
        return Ok(ExitCode::SUCCESS);
    }
    print(&format!(
        "lahar {}\n\
         engine    cpu, f64: the only one in this version\n\
         threads   {threads}\n\
         vectors   {vector}\n\
         memory    {} available",
        env!("CARGO_PKG_VERSION"),
        memory.map_or("unknown".into(), |bytes| si(bytes, "B")),
    ))?;
    Ok(ExitCode::SUCCESS)
}

fn vector_instructions() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        return "AVX2";
    }
    "baseline"
}
