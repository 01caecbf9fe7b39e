//! The one error type of the crate.

use std::fmt;
use std::path::{Path, PathBuf};

/// A result whose error is [`enum@Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// Everything that can go wrong, said so that the reader knows what to do next.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A scene file, a particle file or a value given in code is not acceptable.
    Scene(SceneError),
    /// A command-line argument is missing, superfluous or out of range.
    Usage(String),
    /// Reading or writing a file failed.
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What was being done, e.g. `"write checkpoint"`.
        action: &'static str,
        /// The cause given by the operating system.
        source: std::io::Error,
    },
    /// A checkpoint is damaged, of another version, or belongs to another scene.
    Checkpoint {
        /// The checkpoint file.
        path: PathBuf,
        /// What is wrong with it and what to do.
        message: String,
    },
    /// A particle left the domain of a scene that says `leaving = "stop"`.
    LeftDomain {
        /// Particle id (its number in the scene, from 0).
        particle: u32,
        /// Simulated time, s.
        time: f64,
        /// Where it was, m.
        position: [f64; 3],
    },
    /// A position, velocity or force became infinite or not a number.
    NonFinite {
        /// Particle id (its number in the scene, from 0).
        particle: u32,
        /// Step at which it was noticed.
        step: u64,
        /// Simulated time, s.
        time: f64,
    },
    /// Hard grains collide infinitely often in a finite time.
    Collapse {
        /// Ids of the grains that do.
        particles: Vec<u32>,
        /// Simulated time, s.
        time: f64,
        /// Collisions in a row of one of them …
        collisions: u32,
        /// … each within this time of the last, s.
        interval: f64,
        /// Its collisions per second, over those of them that could be told apart; `None` if none could.
        rate: Option<f64>,
        /// How many could; the others came at the same instant as the one before.
        told_apart: u32,
        /// Mean time between two collisions of a grain until then, s.
        mean_time: f64,
        /// Duration of a contact, s; 0: none was given.
        contact_duration: f64,
    },
    /// The machine cannot do what was asked (no such backend, not enough memory).
    Unsupported(String),
    /// There is no graphics device that compute shaders could run on, or none of those asked for.
    NoAdapter {
        /// What was asked for, e.g. `"a device named \"RTX\""`.
        wanted: String,
        /// Names of the devices that are there.
        found: Vec<String>,
    },
    /// A graphics device would not open, or refused what it was asked to do.
    Device {
        /// Name of the device.
        device: String,
        /// What was being done, e.g. `"open it"`.
        action: String,
        /// What the driver or wgpu said.
        message: String,
    },
    /// A graphics device has no room for a buffer, or cannot bind one of that size.
    DeviceMemory {
        /// Name of the device.
        device: String,
        /// What was being done, e.g. `"allocate contacts"`.
        action: String,
        /// How much was asked for, bytes; 0 if nobody knows.
        bytes: u64,
        /// The largest that the device allows, bytes; `None` if it was simply full.
        allowed: Option<u64>,
    },
    /// More grains than a graphics device can bind the buffers of.
    DeviceCapacity {
        /// Name of the device.
        device: String,
        /// How many there are.
        grains: u32,
        /// The largest buffer.
        buffer: &'static str,
        /// Its size, bytes.
        bytes: u64,
        /// The largest that the device allows, bytes.
        allowed: u64,
        /// How many grains of the same kind fit.
        fits: u32,
    },
    /// A graphics device stopped: the driver reset it, or it was unplugged.
    DeviceLost {
        /// Name of the device.
        device: String,
        /// What the driver said.
        message: String,
    },
    /// A shader does not compile. That is a fault of lahar, never of a scene.
    Shader {
        /// The file below `shaders/`.
        file: String,
        /// Line in that file, from 1.
        line: Option<usize>,
        /// What the compiler said.
        message: String,
    },
}

/// One complaint about a scene: where, which key, what was found, what is allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SceneError {
    /// The file, or `None` for a scene built in code.
    pub file: Option<PathBuf>,
    /// Line in that file, from 1.
    pub line: Option<usize>,
    /// Full key, e.g. `materials[0].poisson`.
    pub key: String,
    /// What was found there.
    pub found: String,
    /// What is allowed there, or what to do.
    pub allowed: String,
}

impl Error {
    /// Wraps an operating-system error with the file and the action that failed.
    pub fn io(path: impl AsRef<Path>, action: &'static str, source: std::io::Error) -> Self {
        Self::Io {
            path: path.as_ref().to_path_buf(),
            action,
            source,
        }
    }

    /// Whether another engine might do what a graphics device would not.
    pub fn is_of_device(&self) -> bool {
        matches!(
            self,
            Self::Unsupported(_)
                | Self::NoAdapter { .. }
                | Self::Device { .. }
                | Self::DeviceMemory { .. }
                | Self::DeviceLost { .. }
                | Self::Shader { .. }
        )
    }

    /// Exit code of the command line: 2 for bad input, 1 for everything that fails later.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Scene(_) | Self::Usage(_) => 2,
            _ => 1,
        }
    }
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.file, self.line) {
            (Some(file), Some(line)) => write!(f, "{}:{line}: ", file.display())?,
            (Some(file), None) => write!(f, "{}: ", file.display())?,
            (None, _) => {}
        }
        write!(
            f,
            "{}: found {}; allowed: {}",
            self.key, self.found, self.allowed
        )
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scene(e) => e.fmt(f),
            Self::Usage(message) | Self::Unsupported(message) => f.write_str(message),
            Self::Io {
                path,
                action,
                source,
            } => write!(f, "could not {action} {}: {source}", path.display()),
            Self::Checkpoint { path, message } => {
                write!(f, "checkpoint {}: {message}", path.display())
            }
            Self::LeftDomain {
                particle,
                time,
                position: [x, y, z],
            } => write!(
                f,
                "particle {particle} left the domain at t = {time:.6} s, at ({x:.6}, {y:.6}, {z:.6}) m; \
                 enlarge [domain], close the walls, or set domain.leaving = \"remove\""
            ),
            Self::NonFinite {
                particle,
                step,
                time,
            } => write!(
                f,
                "particle {particle} has a position, velocity or force that is not a finite number \
                 at step {step} (t = {time:.6} s); a smaller time step or a smaller starting overlap \
                 usually cures it"
            ),
            Self::Collapse {
                particles,
                time,
                collisions,
                interval,
                rate,
                told_apart,
                mean_time,
                contact_duration,
            } => {
                const SHOWN: usize = 10;
                let shown: Vec<String> = particles
                    .iter()
                    .take(SHOWN)
                    .map(ToString::to_string)
                    .collect();
                let more = if particles.len() > SHOWN { ", …" } else { "" };
                write!(
                    f,
                    "inelastic collapse at t = {time:.6} s: particle{} {}{more} collided {collisions} times in \
                     a row within {interval:.1e} s of each other, ",
                    if particles.len() == 1 { "" } else { "s" },
                    shown.join(", "),
                )?;
                let together = collisions.saturating_sub(*told_apart);
                match rate {
                    Some(rate) => write!(
                        f,
                        "{rate:.1e} times per second over the {told_apart} that could be told apart, and {together} \
                         times at one instant; "
                    )?,
                    None => {
                        let least = 1.0 / interval;
                        write!(
                            f,
                            "all at one instant, more than {least:.1e} times per second; "
                        )?;
                    }
                }
                if *contact_duration > 0.0 {
                    write!(
                        f,
                        "engine.tc = {contact_duration:e} s is too short for that: give contacts longer"
                    )
                } else {
                    // Far below the time between collisions, it changes nothing but clusters (Luding & McNamara).
                    let short = (1e-3 * mean_time).log10().floor();
                    write!(
                        f,
                        "set engine.tc to the duration of a contact, which should be far below the {mean_time:.1e} s that \
                         have passed between two collisions of a grain (engine.tc = 1e{short}, say), and go on with \
                         --resume, or start grains apart that rest on something"
                    )
                }
            }
            Self::NoAdapter { wanted, found } => {
                write!(
                    f,
                    "found no graphics device to run on: wanted {wanted}, found "
                )?;
                if found.is_empty() {
                    f.write_str("none; install a Vulkan, Metal or DX12 driver")?;
                } else {
                    write!(f, "{}; name one of these", found.join(", "))?;
                }
                f.write_str(", or use the CPU engine (--backend cpu), which needs none")
            }
            Self::Device {
                device,
                action,
                message,
            } => write!(
                f,
                "graphics device {device}: could not {action}: {message}; \
                 if a newer driver does not cure it, use the CPU engine"
            ),
            Self::DeviceMemory {
                device,
                action,
                bytes,
                allowed,
            } => {
                write!(f, "graphics device {device}: could not {action}: ")?;
                if *bytes > 0 {
                    write!(f, "that needs {bytes} bytes, and ")?;
                }
                match allowed {
                    Some(allowed) => write!(f, "it allows {allowed} bytes in one piece")?,
                    None => f.write_str("it is full")?,
                }
                f.write_str("; use fewer grains, another device or the CPU engine")
            }
            Self::DeviceCapacity {
                device,
                grains,
                buffer,
                bytes,
                allowed,
                fits,
            } => write!(
                f,
                "graphics device {device}: {grains} {} not fit: {buffer} needs {bytes} bytes, and it \
                 allows {allowed} bytes in one piece; at most {fits} such {}: use fewer, another \
                 device or the CPU engine",
                if *grains == 1 {
                    "grain does"
                } else {
                    "grains do"
                },
                if *fits == 1 {
                    "grain fits"
                } else {
                    "grains fit"
                },
            ),
            Self::DeviceLost { device, message } => write!(
                f,
                "graphics device {device} stopped: {message}; resume from the last checkpoint, \
                 with shorter batches of steps if the driver resets it again"
            ),
            Self::Shader {
                file,
                line,
                message,
            } => {
                write!(f, "shaders/{file}:")?;
                if let Some(line) = line {
                    write!(f, "{line}:")?;
                }
                write!(
                    f,
                    " {message}; this is a fault of lahar: please report it with the output of `lahar info`"
                )
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

impl From<SceneError> for Error {
    fn from(e: SceneError) -> Self {
        Self::Scene(e)
    }
}
