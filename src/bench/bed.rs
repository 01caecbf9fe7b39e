//! The bed that engines are measured on: grains at rest in a layer, as many as wanted, at once.
//!
//! `tile.csv` holds the centres of [`TILE_GRAINS`] equal spheres that were poured and came to rest, the lowest
//! first, periodic in x and y; `examples/settle_tile.rs` made it. A bed is so many tiles side by side,
//! without the highest grains that are too many. Springs start without tension, so it stirs a little.

use crate::error::{Error, Result};
use crate::scene::{
    CohesionLaw, ContactLaws, NormalLaw, Pair, Particle, RollingLaw, Scene, TangentialLaw,
    WallShape,
};
use glam::DVec3;

const TILE: &str = include_str!("tile.csv");

/// Grains of a tile.
pub const TILE_GRAINS: usize = 1000;

/// Length of a tile along x and y, m.
pub const TILE_LENGTH: f64 = 0.014;

/// Radius of the grains, m.
pub const RADIUS: f64 = 1e-3;

/// Time step, s: about 30 in a contact.
pub const TIME_STEP: f64 = 1e-5;

/// Fewest and most grains of a bed.
pub const FEWEST: usize = 100;
/// Most grains of a bed: as many as a device can number.
pub const MOST: usize = 500_000_000;

/// Laws that a bed can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BedLaw {
    /// Hertz with constant restitution, Mindlin's spring with history and slider.
    HertzMindlin,
    /// Spring, dashpot and slider, all linear.
    Linear,
    /// Hertz with viscous damping, Mindlin.
    HertzViscous,
    /// Hertz, viscoelastic, Mindlin.
    KuwabaraKono,
    /// Hertz and Mindlin with a rolling spring.
    Rolling,
    /// Hertz and Mindlin with cohesion.
    Cohesive,
}

impl BedLaw {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::HertzMindlin,
        Self::Linear,
        Self::HertzViscous,
        Self::KuwabaraKono,
        Self::Rolling,
        Self::Cohesive,
    ];

    /// Its name for people and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::HertzMindlin => "hertz-mindlin",
            Self::Linear => "linear",
            Self::HertzViscous => "hertz-viscous",
            Self::KuwabaraKono => "hertz-kuwabara-kono",
            Self::Rolling => "rolling",
            Self::Cohesive => "cohesive",
        }
    }

    fn laws(self) -> ContactLaws {
        let mut laws = ContactLaws::default();
        match self {
            Self::HertzMindlin => {}
            Self::Linear => {
                laws.normal = NormalLaw::Linear;
                laws.tangential = TangentialLaw::Linear;
            }
            Self::HertzViscous => laws.normal = NormalLaw::HertzViscous,
            Self::KuwabaraKono => laws.normal = NormalLaw::HertzKuwabaraKono,
            Self::Rolling => laws.rolling = RollingLaw::Spring,
            Self::Cohesive => laws.cohesion = CohesionLaw::Sjkr,
        }
        laws
    }

    fn pair(self) -> Pair {
        let mut pair = Pair {
            friction: 0.5,
            ..Pair::new(0, 0)
        };
        match self {
            // A contact of two grains is as long as Hertz's at 0.1 m/s.
            Self::Linear => {
                pair.stiffness = Some(434.0);
                pair.restitution = Some(0.7);
                pair.tangential_stiffness = Some(434.0);
                pair.tangential_damping = Some(0.01);
            }
            Self::HertzViscous => pair.damping = Some(0.01),
            Self::KuwabaraKono => pair.viscoelastic_time = Some(1e-5),
            Self::HertzMindlin | Self::Rolling | Self::Cohesive => pair.restitution = Some(0.7),
        }
        if self == Self::Rolling {
            pair.rolling_friction = 0.05;
            pair.rolling_damping = 0.3;
        }
        if self == Self::Cohesive {
            pair.cohesion_energy_density = 1000.0;
        }
        pair
    }
}

/// A settled bed of exactly so many grains, between [`FEWEST`] and [`MOST`].
///
/// # Errors
/// [`Error::Usage`] if there are fewer or more.
#[allow(clippy::cast_precision_loss, reason = "tiles are counted in thousands")]
pub fn bed(law: BedLaw, grains: usize) -> Result<Scene> {
    if !(FEWEST..=MOST).contains(&grains) {
        return Err(Error::Usage(format!(
            "a bed of {grains} grains; allowed: {FEWEST} to {MOST}"
        )));
    }
    let tile = tile()?;
    let [across, along] = rows_and_columns(grains.div_ceil(TILE_GRAINS));
    let tiles = across * along;
    let mut particles = Vec::with_capacity(grains);
    for number in 0..tiles {
        // The highest grains that are too many are left out, from all tiles alike.
        let own = grains / tiles + usize::from(number < grains % tiles);
        let corner = DVec3::new((number % across) as f64, (number / across) as f64, 0.0);
        let centres = tile.iter().take(own);
        particles
            .extend(centres.map(|&centre| Particle::new(centre + TILE_LENGTH * corner, RADIUS, 0)));
    }
    let upper = DVec3::new(across as f64, along as f64, 0.0) * TILE_LENGTH;
    Scene::builder()
        .title(format!("settled bed of {grains} grains"))
        .domain(DVec3::new(0.0, 0.0, -RADIUS), upper.with_z(0.08))
        .periodic([true, true, false])
        .gravity(DVec3::new(0.0, 0.0, -9.81))
        .time_step(TIME_STEP)
        .end_time(1.0)
        .expected_speed(0.1)
        .contact(law.laws())
        .material("grain", 2500.0, 1e7, 0.3)
        .pair(law.pair())
        .wall(
            "floor",
            0,
            WallShape::Plane {
                point: DVec3::ZERO,
                normal: DVec3::Z,
            },
        )
        .particles(particles)
        .build()
}

/// Rows and columns of so many tiles or slightly more: as few as possible, and then as square as possible.
fn rows_and_columns(tiles: usize) -> [usize; 2] {
    /// What is longer than so many times its width is a strip, and no bed.
    const LONGEST: usize = 3;
    let square = tiles.isqrt();
    let fewest = (square / 2).max(1);
    (fewest..=square + 1)
        .map(|rows| [tiles.div_ceil(rows), rows])
        .filter(|[columns, rows]| *columns <= LONGEST * rows)
        .min_by_key(|[columns, rows]| (columns * rows, columns.abs_diff(*rows)))
        .unwrap_or([tiles, 1])
}

/// Centres of the grains of a tile, the lowest first.
fn tile() -> Result<Vec<DVec3>> {
    let centre = |line: &str| {
        let mut numbers = line.split(',').map(str::parse::<f64>);
        let mut next = || numbers.next()?.ok();
        Some(DVec3::new(next()?, next()?, next()?))
    };
    let centres: Option<Vec<DVec3>> = TILE.lines().skip(1).map(centre).collect();
    centres
        .filter(|centres| centres.len() == TILE_GRAINS)
        .ok_or_else(|| Error::Unsupported("the tile of the bed is damaged".into()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::cpu::CpuEngine;

    #[test]
    fn beds_have_as_many_grains_as_asked_for() {
        for grains in [FEWEST, 999, 1000, 1001, 2500, 10_000] {
            let scene = bed(BedLaw::HertzMindlin, grains).unwrap();
            assert_eq!(scene.particles.len(), grains);
        }
        // None is left out where there are tiles for all, in a bed that is no strip.
        let shapes = [1, 2, 5, 10, 20, 100, 1000].map(rows_and_columns);
        assert_eq!(
            shapes,
            [[1, 1], [2, 1], [3, 2], [5, 2], [5, 4], [10, 10], [40, 25]]
        );
        for grains in [0, FEWEST - 1, MOST + 1] {
            assert!(bed(BedLaw::HertzMindlin, grains).is_err(), "{grains}");
        }
    }

    #[test]
    fn tiles_hold_together_and_rest() {
        let scene = bed(BedLaw::HertzMindlin, 4000).unwrap();
        let mut engine = CpuEngine::new(&scene, TIME_STEP, 1).unwrap();
        let before = engine.contacts();
        engine.run(200).unwrap();
        let after = engine.contacts();
        // Friction keeps a bed up with 4 to 6 contacts per grain, two grains for each.
        assert!((8000..12_000).contains(&after), "{after} contacts");
        assert!(before.abs_diff(after) < before / 20, "{before} to {after}");
        // 1 mm/s moves a grain by a thousandth of its radius in 100 steps: at rest.
        let fastest = engine
            .state()
            .particles
            .velocity
            .iter()
            .fold(0.0, |most, v| v.length().max(most));
        assert!(fastest < 5e-3, "{fastest} m/s");
    }
}
