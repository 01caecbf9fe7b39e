//! The command line: what people type, and what they read.
//!
//! Exit codes: 0 done, 1 the run or a check failed, 2 the input is not acceptable, 130 interrupted.

mod backend;
mod bench;
mod check;
mod collide;
mod cross_check;
mod cross_check_hard;
mod info;
mod new;
mod run;
mod run_hard;
mod units;
mod verify;

use crate::error::{Error, Result};
use clap::{Parser, Subcommand};
use std::io::Write;
use std::process::ExitCode;

/// A discrete-element engine for granular matter.
#[derive(Debug, Parser)]
#[command(
    version,
    after_help = "\
Examples:
  lahar new heap                                  write a commented scene, heap.toml
  lahar check heap.toml                           time step, overlap and memory before it runs
  lahar run heap.toml                             run it; Ctrl-C stops it, --resume goes on
  lahar collide --law hertz-tsuji --radius 1e-3 --density 2500 --young 1e7 --poisson 0.3 \\
      --restitution 0.7 --speed 0.5               one collision, through the same engine
  lahar cross-check heap.toml --time 0.1          both engines side by side
  lahar bench                                     contacts per second, and how far from the limit
  lahar verify                                    the papers behind the laws, case by case

Exit codes: 0 done, 1 failed, 2 the input is not acceptable, 130 interrupted."
)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a scene
    Run(run::RunArguments),
    /// Validate a scene and say what it will take to run it
    Check(check::CheckArguments),
    /// Simulate one collision of two spheres, or of a sphere and a wall
    Collide(Box<collide::CollideArguments>),
    /// Run a scene on two engines and say how far and how long they agree
    CrossCheck(cross_check::CrossCheckArguments),
    /// Measure how fast an engine is
    Bench(bench::BenchArguments),
    /// Reproduce the papers behind the laws, with expected value, tolerance and result
    Verify(verify::VerifyArguments),
    /// Show what this machine offers
    Info(info::InfoArguments),
    /// Write a commented example scene
    New(new::NewArguments),
}

/// Runs a command and reports its error, if any, on standard error.
pub fn main(arguments: &Arguments) -> ExitCode {
    let result = match &arguments.command {
        Command::Run(arguments) => run::run(arguments),
        Command::Check(arguments) => check::check(arguments),
        Command::Collide(arguments) => collide::collide(arguments),
        Command::CrossCheck(arguments) => cross_check::cross_check(arguments),
        Command::Bench(arguments) => bench::bench(arguments),
        Command::Verify(arguments) => verify::run(arguments),
        Command::Info(arguments) => info::info(arguments),
        Command::New(arguments) => new::new(arguments),
    };
    match result {
        Ok(code) => code,
        Err(error) => {
            // Nothing better can be done if standard error is closed.
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}

/// Writes to standard output; a closed pipe (`lahar … | head`) ends the output, not the program.
fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Error::io("standard output", "write to", e))
        }
        _ => Ok(()),
    }
}

/// Tells something that is not a result.
fn note(text: &str) {
    // Nothing better can be done if standard error is closed.
    let _ = writeln!(std::io::stderr(), "{text}");
}
