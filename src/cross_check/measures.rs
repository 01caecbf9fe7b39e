//! Statistics that two engines must agree in, and how far they may differ by rounding alone.

use super::subject::{Observation, Setting};
use glam::DVec3;

/// Layers of equal mass that make up the profile of a bed.
const LAYERS: u32 = 5;

/// What kind of number a measure is; decides what rounding does to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Energy,
    Potential,
    Height,
    /// Height of one of the layers.
    Layer,
    Coordination,
    Force,
    Grains,
}

impl Kind {
    pub(super) fn unit(self) -> &'static str {
        match self {
            Self::Energy | Self::Potential => "J",
            Self::Height | Self::Layer => "m",
            Self::Force => "N",
            Self::Coordination | Self::Grains => "",
        }
    }
}

/// One statistic of one instant. A scalar stands in x.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Measure {
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) value: DVec3,
}

/// All statistics of an observation, and of the forces on walls averaged up to it.
#[allow(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
pub(super) fn measures(
    setting: &Setting,
    seen: &Observation,
    wall_forces: &[DVec3],
) -> Vec<Measure> {
    let scalar = |name: &str, kind: Kind, value: f64| Measure {
        name: name.into(),
        kind,
        value: DVec3::X * value,
    };
    let mut list = vec![
        scalar("kinetic energy", Kind::Energy, seen.kinetic),
        scalar("rotational energy", Kind::Energy, seen.rotational),
        scalar("dissipated energy", Kind::Energy, seen.dissipated),
    ];
    if let Some(elastic) = seen.elastic {
        list.push(scalar("elastic energy", Kind::Energy, elastic));
    }
    if setting.weight > 0.0 {
        list.push(scalar("potential energy", Kind::Potential, seen.potential));
    }
    if let Some(coordination) = seen.coordination {
        list.push(scalar(
            "contacts per grain",
            Kind::Coordination,
            coordination,
        ));
    }
    if setting.open {
        list.push(scalar("grains", Kind::Grains, seen.grains.len() as f64));
    }
    if let Some(up) = setting.up {
        let (mean, profile) = heights(setting, seen, up);
        list.push(scalar("mean height", Kind::Height, mean));
        for (layer, height) in (1..).zip(profile) {
            let name = format!("height of layer {layer} of {LAYERS}");
            list.push(scalar(&name, Kind::Layer, height));
        }
    }
    for (name, &value) in setting.walls.iter().zip(wall_forces) {
        list.push(Measure {
            name: format!("force on {name}"),
            kind: Kind::Force,
            value,
        });
    }
    list
}

/// Mean height of all grains, and of each of [`LAYERS`] parts of equal mass from the lowest up, m.
fn heights(setting: &Setting, seen: &Observation, up: DVec3) -> (f64, Vec<f64>) {
    let mut sorted: Vec<(f64, f64)> = seen
        .grains
        .iter()
        .map(|&(id, position)| (position.dot(up), setting.masses[id as usize]))
        .collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let total: f64 = sorted.iter().map(|&(_, mass)| mass).sum();
    let share = total / f64::from(LAYERS);
    let mut moments = [0.0; LAYERS as usize];
    let mut below = 0.0;
    for &(height, mass) in &sorted {
        // A grain on a boundary belongs to both layers, so that no swap of two grains makes a jump.
        for (number, moment) in (0..).zip(&mut moments) {
            let bottom = share * f64::from(number);
            let within = (below + mass).min(bottom + share) - f64::max(below, bottom);
            *moment += height * f64::max(within, 0.0);
        }
        below += mass;
    }
    let profile = if total > 0.0 {
        moments.iter().map(|moment| moment / share).collect()
    } else {
        Vec::new()
    };
    let moment: f64 = sorted.iter().map(|(height, mass)| height * mass).sum();
    (moment / total.max(f64::MIN_POSITIVE), profile)
}

/// How large things are in a run: what rounding is measured against.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Scales {
    /// Largest sum of kinetic, elastic and dissipated energy so far, J.
    pub(super) energy: f64,
    /// Largest force on a wall so far, or the weight of the grains, N.
    pub(super) force: f64,
    /// How far rounding may lead a grain astray, m.
    pub(super) astray: f64,
    /// How far the mean height of all grains may be off because each is off by itself, m.
    pub(super) chance: f64,
    /// Weight of the grains, N.
    pub(super) weight: f64,
    /// Number of grains.
    pub(super) grains: f64,
}

/// Of energies and forces, against the largest in play: a hundred roundings of single precision.
const ROUNDING: f64 = 1e-5;

/// Contacts that just touch or just do not.
const MARGINAL_CONTACTS: f64 = 2.0;

impl Scales {
    /// How far a measure may be off by rounding and chance alone.
    pub(super) fn floor(&self, kind: Kind) -> f64 {
        match kind {
            Kind::Energy => ROUNDING * self.energy,
            Kind::Potential => ROUNDING * self.energy + self.weight * self.astray,
            Kind::Height => self.astray + self.chance,
            Kind::Layer => self.astray + f64::from(LAYERS) * self.chance,
            // A contact has two ends.
            Kind::Coordination => 2.0 * MARGINAL_CONTACTS / self.grains.max(1.0),
            Kind::Force => ROUNDING * self.force,
            Kind::Grains => 0.0,
        }
    }
}
