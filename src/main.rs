//! The `lahar` command.

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    quieten_drivers();
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).init();
    lahar::cli::main(&lahar::cli::Arguments::parse())
}

/// Without a desktop, Mesa's choice among devices complains on standard error that it finds none; lahar
/// makes its own choice.
fn quieten_drivers() {
    if std::env::var_os("XDG_RUNTIME_DIR").is_none() {
        // SAFETY: there is no other thread yet that could read the environment.
        unsafe { std::env::set_var("NODEVICE_SELECT", "1") };
    }
}
