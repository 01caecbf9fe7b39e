//! Which engine runs a scene if nobody says.

use super::device::{Device, DeviceKind};

/// An engine and why it was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Index of the device; `None` for the processor.
    pub device: Option<usize>,
    /// A clause for people.
    pub reason: String,
}

impl Choice {
    fn processor(reason: String) -> Self {
        Self {
            device: None,
            reason,
        }
    }
}

/// The best real device, else the processor.
///
/// A device that the processor imitates is never chosen: the engine that is made for the processor
/// is faster there, and computes in `f64`.
pub fn choose(devices: &[Device]) -> Choice {
    let real = |(_, device): &(usize, &Device)| device.kind != DeviceKind::Software;
    let able = |(_, device): &(usize, &Device)| device.shortcoming.is_none();
    let candidates = || devices.iter().enumerate().filter(real);
    let Some((index, device)) = candidates().filter(able).min_by_key(|(_, d)| d.kind) else {
        return Choice::processor(match (candidates().next(), devices) {
            (Some((_, device)), _) => format!(
                "{} cannot run its kernels: {}",
                device.name,
                device
                    .shortcoming
                    .as_deref()
                    .unwrap_or("it does not say why")
            ),
            (None, []) => "there is no graphics device".into(),
            (None, [device]) => format!("the only device, {}, is software", device.name),
            (None, _) => "all graphics devices are software".into(),
        });
    };
    Choice {
        device: Some(index),
        reason: format!("{} is a real device ({})", device.name, device.kind.name()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(name: &str, kind: DeviceKind) -> Device {
        Device {
            name: name.into(),
            interface: "vulkan".into(),
            kind,
            driver: "1.0".into(),
            largest_binding: 1 << 27,
            largest_buffer: 1 << 28,
            storage_buffers: 8,
            workgroup_invocations: 256,
            workgroup_memory: 16384,
            timestamps: true,
            subgroups: true,
            shortcoming: None,
        }
    }

    fn weak(name: &str, kind: DeviceKind) -> Device {
        Device {
            shortcoming: Some("max_storage_buffers_per_shader_stage is 4, 8 needed".into()),
            ..device(name, kind)
        }
    }

    #[track_caller]
    fn expect(devices: &[Device], want: Option<usize>, says: &str) {
        let choice = choose(devices);
        assert_eq!(choice.device, want, "{choice:?}");
        assert!(choice.reason.contains(says), "{choice:?}");
    }

    #[test]
    fn without_a_device() {
        expect(&[], None, "no graphics device");
    }

    #[test]
    fn software_is_not_taken() {
        let software = device("llvmpipe", DeviceKind::Software);
        expect(
            std::slice::from_ref(&software),
            None,
            "llvmpipe, is software",
        );
        expect(&[software.clone(), software], None, "all graphics");
    }

    #[test]
    fn the_best_real_device_is_taken_wherever_it_stands() {
        let kinds = [
            DeviceKind::Software,
            DeviceKind::Other,
            DeviceKind::Virtual,
            DeviceKind::Integrated,
            DeviceKind::Discrete,
        ];
        for count in 2..=kinds.len() {
            let mut devices: Vec<Device> = kinds[..count]
                .iter()
                .map(|&kind| device(kind.name(), kind))
                .collect();
            let best = kinds[count - 1].name();
            expect(&devices, Some(count - 1), best);
            devices.reverse();
            expect(&devices, Some(0), best);
        }
    }

    #[test]
    fn of_two_alike_the_first() {
        let devices = ["one", "two"].map(|name| device(name, DeviceKind::Discrete));
        expect(&devices, Some(0), "one");
    }

    #[test]
    fn a_device_that_allows_too_little_is_passed_over() {
        let poor = weak("old card", DeviceKind::Discrete);
        let software = device("llvmpipe", DeviceKind::Software);
        expect(&[poor.clone(), software], None, "old card cannot");
        let good = device("laptop", DeviceKind::Integrated);
        expect(&[poor, good], Some(1), "laptop");
    }
}
