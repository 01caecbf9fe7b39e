//! The `lahar` command.

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    quieten_drivers();
    give_memory_back();
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

/// Large arrays go back to the system when they are dropped. By default glibc keeps ever larger ones for
/// later, which costs a run of a million grains up to 50 bytes per grain at its peak.
fn give_memory_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        const LARGE: libc::c_int = 8 << 20;
        // Small ones stay: a list is made anew every few dozen steps.
        const KEPT: libc::c_int = 32 << 20;
        // SAFETY: no other thread is there yet; a wish that cannot be met is refused, and changes nothing.
        unsafe {
            libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
            libc::mallopt(libc::M_TRIM_THRESHOLD, KEPT);
        }
    }
}
