//! The `lahar` command.

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).init();
    lahar::cli::main(&lahar::cli::Arguments::parse())
}
