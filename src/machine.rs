//! What the system tells about this process and the machine it runs on.

use std::sync::atomic::{AtomicU64, Ordering};

/// Processor time of threads that only keep processors awake, ns.
static IDLED: AtomicU64 = AtomicU64::new(0);

/// Books processor time in which nothing was done: [`cpu_seconds`] leaves it out.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn book_idling(nanoseconds: u64) {
    IDLED.fetch_add(nanoseconds, Ordering::Relaxed);
}

/// Processor time that went by like that, s.
#[allow(clippy::cast_precision_loss, reason = "2^53 ns are 104 days")]
pub(crate) fn idled_seconds() -> f64 {
    1e-9 * IDLED.load(Ordering::Relaxed) as f64
}

/// Processor time that this process has used for work so far, s; 0 where the system does not tell.
pub(crate) fn cpu_seconds() -> f64 {
    (process_seconds() - idled_seconds()).max(0.0)
}

/// Processor time of all threads of this process, s.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(clippy::cast_precision_loss, reason = "2^53 ns are 104 days")]
fn process_seconds() -> f64 {
    1e-9 * nanoseconds_of(libc::CLOCK_PROCESS_CPUTIME_ID) as f64
}

/// Processor time of the calling thread, ns.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn thread_nanoseconds() -> u64 {
    nanoseconds_of(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// What a clock shows, ns.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(clippy::cast_sign_loss, reason = "time that was used is not negative")]
fn nanoseconds_of(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the time is ours to be written to. A clock that is refused leaves it as it is.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    1_000_000_000 * time.tv_sec as u64 + time.tv_nsec as u64
}

/// Processor time of all threads of this process, s; 0 where the system does not tell.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn process_seconds() -> f64 {
    // Fields 14 and 15 of /proc/self/stat, in ticks; the name in field 2 may contain spaces.
    const TICKS_PER_SECOND: f64 = 100.0;
    let ticks = || -> Option<f64> {
        let text = std::fs::read_to_string("/proc/self/stat").ok()?;
        let after_name = text.rsplit_once(')')?.1;
        let mut fields = after_name.split_whitespace().skip(11);
        let user: f64 = fields.next()?.parse().ok()?;
        let system: f64 = fields.next()?.parse().ok()?;
        Some(user + system)
    };
    ticks().unwrap_or(0.0) / TICKS_PER_SECOND
}

/// Memory that programs could still take, bytes; Linux only.
pub(crate) fn available_memory() -> Option<f64> {
    kilobytes("/proc/meminfo", "MemAvailable:")
}

/// Most memory that this process has held, bytes; Linux only.
pub(crate) fn peak_memory() -> Option<f64> {
    kilobytes("/proc/self/status", "VmHWM:")
}

/// Memory that this process holds, bytes; Linux only.
pub(crate) fn resident_memory() -> Option<f64> {
    kilobytes("/proc/self/status", "VmRSS:")
}

fn kilobytes(file: &str, key: &str) -> Option<f64> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.starts_with(key))?;
    let value: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(value * 1024.0)
}

/// The make of the processor, or its architecture where the system does not tell.
pub(crate) fn processor_name() -> String {
    std::fs::read_to_string("/proc/cpuinfo")
        .ok()
        .and_then(|text| {
            let line = text.lines().find(|line| line.starts_with("model name"))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        })
        .unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}
