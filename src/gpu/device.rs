//! The graphics devices of this machine.

/// A graphics device, as its driver describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device {
    /// Name, e.g. `NVIDIA GeForce RTX 4060 Laptop GPU`.
    pub name: String,
    /// Programming interface: Vulkan, Metal or DX12.
    pub interface: String,
    /// Discrete, integrated, virtual, or a processor that imitates one.
    pub kind: String,
    /// Driver and its version.
    pub driver: String,
    /// Largest storage buffer that a shader can bind, bytes.
    pub largest_binding: u64,
}

/// All devices that a compute shader could run on, without asking for any of them.
pub fn devices() -> Vec<Device> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::PRIMARY));
    adapters
        .iter()
        .map(|adapter| {
            let info = adapter.get_info();
            Device {
                name: info.name,
                interface: info.backend.to_string(),
                kind: match info.device_type {
                    wgpu::DeviceType::DiscreteGpu => "discrete",
                    wgpu::DeviceType::IntegratedGpu => "integrated",
                    wgpu::DeviceType::VirtualGpu => "virtual",
                    wgpu::DeviceType::Cpu => "software",
                    wgpu::DeviceType::Other => "other",
                }
                .into(),
                driver: format!("{} {}", info.driver, info.driver_info)
                    .trim()
                    .to_owned(),
                largest_binding: adapter.limits().max_storage_buffer_binding_size,
            }
        })
        .collect()
}
