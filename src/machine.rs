//! What the system tells about this process and the machine it runs on.

/// Processor time that this process has used so far, s; 0 where the system does not tell.
pub(crate) fn cpu_seconds() -> f64 {
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
