//! What the grains have together, as a device sums it up: the host's side of `shaders/measure.wgsl`.

use super::status::Status;
use super::units::Units;
use crate::fluid::FluidModel;
use crate::laws::material::sphere_mass;
use crate::position::Grid;
use crate::scene::Material;
use glam::DVec3;

/// Heights count in so many lengths, about the largest that a domain has, so that their sums fit 32 bits.
const HEIGHT: f64 = 4096.0;

/// Energies of motion, momentum, and the weight of the grains times their place.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Motion {
    /// Translational kinetic energy, J.
    pub(crate) kinetic: f64,
    /// Rotational kinetic energy, J.
    pub(crate) rotational: f64,
    /// kg m/s.
    pub(crate) momentum: DVec3,
    /// First moment of the masses that gravity pulls at, from the lower corner of the domain, kg m.
    pub(crate) moment: DVec3,
}

impl Motion {
    /// In SI, from the words of a device.
    pub(crate) fn from_status(status: &Status, units: &Units) -> Self {
        let vector = |first: usize| {
            DVec3::from_array(std::array::from_fn(|axis| status.motion(first + axis)))
        };
        Self {
            kinetic: 0.5 * status.motion(0) * units.energy(),
            // Half of 2/5 m R² ω².
            rotational: 0.2 * status.motion(1) * units.energy(),
            momentum: vector(2) * units.mass * units.velocity(),
            moment: vector(5) * units.mass * units.length * HEIGHT,
        }
    }
}

/// A number as `Fine` of `shaders/lib/fine.wgsl`: mantissa, exponent, sign.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "parts of the bits of an f64"
)]
fn fine(x: f64) -> [u32; 4] {
    const LEADING: u64 = 1 << 52;
    if !x.is_normal() {
        return [0; 4];
    }
    let exponent = ((x.to_bits() >> 52) & 0x7ff) as i32 - 1023 - 31;
    // Rounded to 32 of its 53 bits.
    let mantissa = ((x.to_bits() & (LEADING - 1) | LEADING) + (1 << 20)) >> 21;
    let (mantissa, exponent) = match u32::try_from(mantissa) {
        Ok(mantissa) => (mantissa, exponent),
        Err(_) => (1 << 31, exponent + 1),
    };
    [mantissa, exponent as u32, u32::from(x < 0.0), 0]
}

/// Rows of `tables` by which a device weighs the grains of each material.
pub(crate) fn weights(
    materials: &[Material],
    fluid: Option<&FluidModel>,
    grid: &Grid,
    units: &Units,
) -> impl Iterator<Item = [u32; 4]> {
    let unit = grid.unit / units.length;
    materials
        .iter()
        .enumerate()
        .flat_map(move |(index, material)| {
            let mass = sphere_mass(material.density, grid.unit) / units.mass;
            let [inertia, weight] = fluid.map_or([1.0; 2], |fluid| {
                [fluid.inertia[index], fluid.weight[index]]
            });
            let moving = mass * inertia;
            let heavy = moving * weight * unit / HEIGHT;
            [mass, moving, heavy, mass * unit * unit].map(fine)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fine_numbers_keep_32_bits() {
        for x in [
            1.0,
            -1.0,
            0.1,
            -3.7e-28,
            1.0 - 1e-16,
            // Three quarters of the last bit: up, not off.
            1.0 + 0.75 * 2.0f64.powi(-31),
            2.0f64.powi(-87),
            1e30,
        ] {
            let [mantissa, exponent, negative, _] = fine(x);
            assert!(mantissa >= 1 << 31, "{x}");
            let size = f64::from(mantissa) * 2.0f64.powi(exponent.cast_signed());
            let back = if negative == 1 { -size } else { size };
            assert!((back / x - 1.0).abs() <= 2.0f64.powi(-32), "{x}: {back}");
        }
        assert_eq!(fine(0.0), [0; 4]);
    }
}
