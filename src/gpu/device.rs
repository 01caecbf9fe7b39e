//! The graphics devices of this machine, and one of them opened for work.

use super::kernel::Kernel;
use super::readback::Readback;
use super::shader::{LONG_WORDS, PICTURES, SMALL_CREW, Substitute, WHOLE_BITS};
use super::texels::{ROW_TEXELS, Source, TEXEL_FORMAT};
use crate::error::{Error, Result};
use bytemuck::Pod;
use std::collections::HashMap;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

/// What a graphics device is made of, the most desirable first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DeviceKind {
    /// A graphics card.
    Discrete,
    /// A graphics unit that shares memory with the processor.
    Integrated,
    /// A device of a virtual machine.
    Virtual,
    /// Something that its driver does not name.
    Other,
    /// The processor, imitating a device.
    Software,
}

impl DeviceKind {
    /// One word for people and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Discrete => "discrete",
            Self::Integrated => "integrated",
            Self::Virtual => "virtual",
            Self::Other => "other",
            Self::Software => "software",
        }
    }
}

impl From<wgpu::DeviceType> for DeviceKind {
    fn from(kind: wgpu::DeviceType) -> Self {
        match kind {
            wgpu::DeviceType::DiscreteGpu => Self::Discrete,
            wgpu::DeviceType::IntegratedGpu => Self::Integrated,
            wgpu::DeviceType::VirtualGpu => Self::Virtual,
            wgpu::DeviceType::Other => Self::Other,
            wgpu::DeviceType::Cpu => Self::Software,
        }
    }
}

/// A graphics device, as its driver describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device {
    /// Name, e.g. `NVIDIA GeForce RTX 4060 Laptop GPU`.
    pub name: String,
    /// Programming interface: Vulkan, Metal or DX12.
    pub interface: String,
    /// What it is made of.
    pub kind: DeviceKind,
    /// Driver and its version.
    pub driver: String,
    /// Largest storage buffer that a shader can bind, bytes.
    pub largest_binding: u64,
    /// Largest buffer, bytes.
    pub largest_buffer: u64,
    /// Storage buffers that a shader can bind.
    pub storage_buffers: u32,
    /// Invocations in one workgroup.
    pub workgroup_invocations: u32,
    /// Memory that a workgroup shares, bytes.
    pub workgroup_memory: u32,
    /// Whether it can measure how long a pass takes.
    pub timestamps: bool,
    /// Whether invocations of a subgroup can exchange values.
    pub subgroups: bool,
    /// The first limit that is lower than lahar's kernels need, if one is.
    pub shortcoming: Option<String>,
}

impl Device {
    fn of(adapter: &wgpu::Adapter) -> Self {
        let info = adapter.get_info();
        let limits = adapter.limits();
        let features = adapter.features();
        let mut shortcoming = None;
        wgpu::Limits::default().check_limits_with_fail_fn(&limits, true, |name, wanted, found| {
            shortcoming = Some(format!("{name} is {found}, {wanted} needed"));
        });
        Self {
            name: info.name,
            interface: info.backend.to_string(),
            kind: info.device_type.into(),
            driver: format!("{} {}", info.driver, info.driver_info)
                .trim()
                .to_owned(),
            largest_binding: limits.max_storage_buffer_binding_size,
            largest_buffer: limits.max_buffer_size,
            storage_buffers: limits.max_storage_buffers_per_shader_stage,
            workgroup_invocations: limits.max_compute_invocations_per_workgroup,
            workgroup_memory: limits.max_compute_workgroup_storage_size,
            timestamps: features.contains(wgpu::Features::TIMESTAMP_QUERY),
            subgroups: features.contains(wgpu::Features::SUBGROUP),
            shortcoming,
        }
    }
}

/// All devices that a compute shader could run on, without asking for any of them.
pub fn devices() -> Vec<Device> {
    adapters().iter().map(Device::of).collect()
}

/// Which limits an opened device has.
///
/// Under both, a shader has at most 8 storage buffers, 256 invocations and 16 KiB of workgroup
/// memory: kernels are written for those, so that they run everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LimitPolicy {
    /// Buffers as large as the device allows, and shaders that suit it.
    #[default]
    Adapter,
    /// What every WebGPU device has: 128 MiB per binding. Tests use it.
    WebGpuDefaults,
    /// The same with so many bytes per binding. Tests use it.
    Bindings(u64),
}

/// Which device to open, and how.
#[derive(Debug, Clone, Default)]
pub struct GpuChoice {
    /// Only a device whose name contains this, in either case.
    pub name: Option<String>,
    /// No device that a processor imitates: the CPU engine is faster and more accurate.
    pub hardware_only: bool,
    /// Limits of the opened device.
    pub limits: LimitPolicy,
}

/// An opened device: memory, work and what went wrong.
///
/// A device may fail long after the call that caused it. Every failure is kept, and every method that
/// returns a [`Result`] reports it from then on; [`Gpu::check`] does nothing else. A clone is the same device.
#[derive(Debug, Clone)]
pub struct Gpu {
    device: wgpu::Device,
    queue: wgpu::Queue,
    description: Device,
    failure: Arc<Mutex<Option<Failure>>>,
    kernels: Arc<Mutex<HashMap<String, Kernel>>>,
    substitutes: Vec<Substitute>,
}

/// The first thing that went wrong on a device without anyone waiting for it.
#[derive(Debug, Clone)]
enum Failure {
    Lost(String),
    Full,
    Refused(String),
}

impl Gpu {
    /// Opens the best device that fits the choice: discrete before integrated, virtual and software.
    ///
    /// # Errors
    /// [`Error::NoAdapter`] if there is none, [`Error::Device`] if it does not open.
    pub fn open(choice: &GpuChoice) -> Result<Self> {
        let adapters = adapters();
        let adapter = adapters
            .iter()
            .filter(|adapter| fits(adapter, choice))
            .min_by_key(|adapter| DeviceKind::from(adapter.get_info().device_type))
            .ok_or_else(|| Error::NoAdapter {
                wanted: wanted(choice),
                found: adapters
                    .iter()
                    .map(|adapter| adapter.get_info().name)
                    .collect(),
            })?;
        let description = Device::of(adapter);
        let (features, substitutes) = software_parts(choice, description.kind, adapter);
        let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
            label: Some("lahar"),
            required_features: adapter.features() & wgpu::Features::TIMESTAMP_QUERY | features,
            required_limits: limits(adapter, choice.limits),
            ..Default::default()
        }))
        .map_err(|error| Error::Device {
            device: description.name.clone(),
            action: "open it".into(),
            message: error.to_string(),
        })?;
        let failure = Arc::new(Mutex::new(None));
        let refused = Arc::clone(&failure);
        device.on_uncaptured_error(Arc::new(move |error| record(&refused, failure_of(error))));
        let lost = Arc::clone(&failure);
        device.set_device_lost_callback(move |_, message| record(&lost, Failure::Lost(message)));
        Ok(Self {
            device,
            queue,
            description,
            failure,
            kernels: Arc::default(),
            substitutes,
        })
    }

    /// The kernel of this name, built once for the device: compiling one may take a second.
    pub(crate) fn kernel_once(
        &self,
        name: String,
        build: impl FnOnce() -> Result<Kernel>,
    ) -> Result<Kernel> {
        let mut kernels = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kernel) = kernels.get(&name) {
            return Ok(kernel.clone());
        }
        let kernel = build()?;
        kernels.insert(name, kernel.clone());
        Ok(kernel)
    }

    /// What the driver says about this device.
    pub fn description(&self) -> &Device {
        &self.description
    }

    /// What may be asked of this device.
    pub fn limits(&self) -> wgpu::Limits {
        self.device.limits()
    }

    /// Largest storage that kernels can bind in one piece, bytes.
    pub fn largest_storage(&self) -> u64 {
        let limits = self.limits();
        limits
            .max_storage_buffer_binding_size
            .min(limits.max_buffer_size)
    }

    /// Whether this device can measure how long a pass takes.
    pub fn has_timestamps(&self) -> bool {
        self.device
            .features()
            .contains(wgpu::Features::TIMESTAMP_QUERY)
    }

    /// Parts of shaders that take the place of others on this device.
    pub(crate) fn substitutes(&self) -> &[Substitute] {
        &self.substitutes
    }

    /// Whether [`Texels`](super::texels) are textures on this device.
    pub(crate) fn has_pictures(&self) -> bool {
        PICTURES.iter().all(|twin| self.substitutes.contains(twin))
    }

    /// The device of wgpu, for what has no method here.
    pub fn device(&self) -> &wgpu::Device {
        &self.device
    }

    /// The queue of wgpu, for what has no method here.
    pub fn queue(&self) -> &wgpu::Queue {
        &self.queue
    }

    /// Reports what has gone wrong since the device was opened.
    ///
    /// # Errors
    /// [`Error::DeviceLost`], [`Error::DeviceMemory`] or [`Error::Device`].
    pub fn check(&self) -> Result<()> {
        let failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        match &*failure {
            None => Ok(()),
            Some(failure) => Err(self.error(failure, "do its work", 0)),
        }
    }

    /// Creates a buffer of zeros, labelled `lahar.` and the label.
    ///
    /// It has at least one element and a multiple of 16 bytes, so that it can be bound even if it
    /// holds nothing.
    ///
    /// # Errors
    /// [`Error::DeviceMemory`] if the device cannot hold it, or cannot bind it in one piece.
    pub fn create_buffer(
        &self,
        label: &str,
        bytes: u64,
        usage: wgpu::BufferUsages,
    ) -> Result<wgpu::Buffer> {
        let allowed = if usage.contains(wgpu::BufferUsages::STORAGE) {
            self.largest_storage()
        } else {
            self.limits().max_buffer_size
        };
        let size = bytes.max(1).next_multiple_of(16);
        let action = format!("allocate {label}");
        if size > allowed {
            return Err(Error::DeviceMemory {
                device: self.description.name.clone(),
                action,
                bytes,
                allowed: Some(allowed),
            });
        }
        self.watched(&action, bytes, |device| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(&format!("lahar.{label}")),
                size,
                usage,
                mapped_at_creation: false,
            })
        })
    }

    /// Writes values to the start of a buffer, before anything that is submitted later.
    ///
    /// # Errors
    /// [`Error::Device`] if they do not fit or the buffer lacks `COPY_DST`.
    pub fn upload<T: Pod>(&self, buffer: &wgpu::Buffer, values: &[T]) -> Result<()> {
        self.watched("upload", buffer.size(), |_| {
            self.queue
                .write_buffer(buffer, 0, bytemuck::cast_slice(values));
        })
    }

    /// Reads elements of a buffer, after everything that was submitted before. Blocks.
    ///
    /// # Errors
    /// [`Error::Device`] if they are not all there or the buffer lacks `COPY_SRC`.
    pub fn read<T: Pod>(&self, buffer: &wgpu::Buffer, elements: Range<usize>) -> Result<Vec<T>> {
        let stride = size_of::<T>() as u64;
        let start = elements.start as u64 * stride;
        let bytes = elements.len() as u64 * stride;
        if bytes == 0 {
            self.check()?;
            return Ok(Vec::new());
        }
        let readback = Readback::submit(
            self,
            self.encoder("read"),
            &[(Source::Buffer(buffer, start), bytes)],
        )?;
        readback.wait(self)?;
        readback.take(self, 0, elements.len())
    }

    /// Starts to record commands.
    pub fn encoder(&self, label: &str) -> wgpu::CommandEncoder {
        self.device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor {
                label: Some(&format!("lahar.{label}")),
            })
    }

    /// Hands recorded commands to the device, without waiting for it.
    ///
    /// # Errors
    /// [`Error::Device`] if the commands are not acceptable.
    pub fn submit(&self, encoder: wgpu::CommandEncoder) -> Result<wgpu::SubmissionIndex> {
        self.watched("submit work", 0, |_| self.queue.submit([encoder.finish()]))
    }

    /// Waits until the device has done everything that was submitted.
    ///
    /// # Errors
    /// Whatever went wrong on the way.
    pub fn wait(&self) -> Result<()> {
        self.wait_for(None)
    }

    /// Waits until the device has done what was submitted under this number, or everything.
    pub(crate) fn wait_for(&self, submission: Option<wgpu::SubmissionIndex>) -> Result<()> {
        // wgpu panics if the device is lost while it is waited for; by then it has called back.
        let polled = catch_unwind(AssertUnwindSafe(|| {
            self.device.poll(wgpu::PollType::Wait {
                submission_index: submission,
                timeout: None,
            })
        }));
        self.check()?;
        match polled {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(self.refusal("wait for it", &error)),
            Err(_) => {
                record(&self.failure, Failure::Lost("it failed at work".into()));
                self.check()
            }
        }
    }

    /// The error that says that an action was refused.
    pub(crate) fn refusal(&self, action: &str, message: &dyn std::fmt::Display) -> Error {
        Error::Device {
            device: self.description.name.clone(),
            action: action.into(),
            message: message.to_string(),
        }
    }

    /// Does something with the device and reports what went wrong with exactly that.
    pub(crate) fn watched<T>(
        &self,
        action: &str,
        bytes: u64,
        work: impl FnOnce(&wgpu::Device) -> T,
    ) -> Result<T> {
        self.check()?;
        let scopes = [
            wgpu::ErrorFilter::Internal,
            wgpu::ErrorFilter::Validation,
            wgpu::ErrorFilter::OutOfMemory,
        ]
        .map(|filter| self.device.push_error_scope(filter));
        let outcome = work(&self.device);
        let mut error = None;
        for scope in scopes.into_iter().rev() {
            error = pollster::block_on(scope.pop()).or(error);
        }
        if error.is_some() {
            // A lost device refuses what it is asked to do, and says why only when it is looked after.
            let _ = catch_unwind(AssertUnwindSafe(|| self.device.poll(wgpu::PollType::Poll)));
        }
        self.check()?;
        match error {
            None => Ok(outcome),
            Some(error) => Err(self.error(&failure_of(error), action, bytes)),
        }
    }

    fn error(&self, failure: &Failure, action: &str, bytes: u64) -> Error {
        let device = self.description.name.clone();
        match failure {
            Failure::Lost(message) => Error::DeviceLost {
                device,
                message: message.clone(),
            },
            Failure::Full => Error::DeviceMemory {
                device,
                action: action.into(),
                bytes,
                allowed: None,
            },
            Failure::Refused(message) => self.refusal(action, message),
        }
    }
}

/// Parts of shaders for software devices, and the features that they need. Such devices gather memory number by
/// number: half as many if they are twice as long, and none of a texture. To others it makes no difference. With the limits of
/// all devices, which tests use, shaders are those of all devices, too.
fn software_parts(
    choice: &GpuChoice,
    kind: DeviceKind,
    adapter: &wgpu::Adapter,
) -> (wgpu::Features, Vec<Substitute>) {
    if kind != DeviceKind::Software || choice.limits != LimitPolicy::Adapter {
        return (wgpu::Features::empty(), Vec::new());
    }
    let mut features = adapter.features() & wgpu::Features::SHADER_INT64;
    let mut substitutes = vec![SMALL_CREW, WHOLE_BITS];
    if !features.is_empty() {
        substitutes.push(LONG_WORDS);
    }
    let any_format = wgpu::Features::TEXTURE_ADAPTER_SPECIFIC_FORMAT_FEATURES;
    let format = adapter.get_texture_format_features(TEXEL_FORMAT).flags;
    let wanted = wgpu::TextureFormatFeatureFlags::STORAGE_READ_ONLY
        | wgpu::TextureFormatFeatureFlags::STORAGE_READ_WRITE;
    let wide_enough = adapter.limits().max_texture_dimension_2d >= ROW_TEXELS;
    if wide_enough && adapter.features().contains(any_format) && format.contains(wanted) {
        features |= any_format;
        substitutes.extend(PICTURES);
    }
    (features, substitutes)
}

fn failure_of(error: wgpu::Error) -> Failure {
    match error {
        wgpu::Error::OutOfMemory { .. } => Failure::Full,
        error => Failure::Refused(error.to_string()),
    }
}

/// Keeps the first failure, which is the cause of the others; but a lost device outweighs all.
fn record(slot: &Mutex<Option<Failure>>, failure: Failure) {
    let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
    log::error!("graphics device: {failure:?}");
    if slot.is_none() || matches!(failure, Failure::Lost(_)) {
        *slot = Some(failure);
    }
}

fn adapters() -> Vec<wgpu::Adapter> {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = wgpu::Backends::PRIMARY;
    // Checking indirect arguments costs a pass per dispatch; lahar's own kernels write them.
    descriptor.flags -= wgpu::InstanceFlags::VALIDATION_INDIRECT_CALL;
    let instance = wgpu::Instance::new(descriptor);
    pollster::block_on(instance.enumerate_adapters(wgpu::Backends::PRIMARY))
}

fn fits(adapter: &wgpu::Adapter, choice: &GpuChoice) -> bool {
    let info = adapter.get_info();
    let named = choice
        .name
        .as_ref()
        .is_none_or(|name| info.name.to_lowercase().contains(&name.to_lowercase()));
    named && !(choice.hardware_only && info.device_type == wgpu::DeviceType::Cpu)
}

fn wanted(choice: &GpuChoice) -> String {
    let kind = if choice.hardware_only {
        "a hardware device"
    } else {
        "any device"
    };
    match &choice.name {
        Some(name) => format!("{kind} named \"{name}\""),
        None => kind.into(),
    }
}

fn limits(adapter: &wgpu::Adapter, policy: LimitPolicy) -> wgpu::Limits {
    let defaults = wgpu::Limits::default();
    match policy {
        LimitPolicy::WebGpuDefaults => defaults,
        LimitPolicy::Bindings(bytes) => wgpu::Limits {
            max_storage_buffer_binding_size: bytes,
            ..defaults
        },
        LimitPolicy::Adapter => {
            let offered = adapter.limits();
            wgpu::Limits {
                max_buffer_size: offered.max_buffer_size,
                max_storage_buffer_binding_size: offered.max_storage_buffer_binding_size,
                max_texture_dimension_2d: offered.max_texture_dimension_2d,
                ..defaults
            }
        }
    }
}
