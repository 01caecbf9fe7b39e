//! What studies measure on.

use crate::collide::{Collision, Outcome, Step, Watch};
use crate::cpu::CpuEngine;
use crate::engine::Engine;
use crate::error::Result;
use crate::gpu::{Gpu, GpuEngine, GpuOptions};
use crate::hard::{Face, FaceShape, HardModel};
use crate::laws::hard_sphere::CollisionRule;
use crate::laws::tc::Dimensions;
use crate::scene::{ContactLaws, Leaving, Material, NormalLaw, Pair, Scene, TangentialLaw};
use crate::time_step::{StepAdvice, time_step};
use glam::DVec3;

/// Steps in a contact, unless a study is about their number. Not a round number: contacts whose length
/// is a whole number of steps let the errors of their two ends cancel.
pub(super) const STEPS: f64 = 500.3;

/// An engine to measure on.
pub trait Bench {
    /// An engine at the start of a validated scene.
    ///
    /// # Errors
    /// Whatever the engine complains about.
    fn start(&self, scene: &Scene, time_step: f64) -> Result<Box<dyn Engine>>;

    /// How closely a collision is watched.
    fn watch(&self) -> Watch {
        Watch::EveryStep
    }

    /// Runs one collision.
    ///
    /// # Errors
    /// If laws and coefficients do not fit together, or the run fails.
    fn collide(&self, collision: &Collision) -> Result<Outcome> {
        collision.run_with(self.watch(), |scene, time_step| {
            self.start(scene, time_step)
        })
    }

    /// The rule by which hard grains collide in a study of the event-driven engine: the one asked for. Tests
    /// put in another.
    fn hard_rule(&self, rule: CollisionRule) -> CollisionRule {
        rule
    }

    /// Starts a scene with the time step that it asks for.
    ///
    /// # Errors
    /// If the step is too large for the scene, or whatever the engine complains about.
    fn simulate(&self, scene: &Scene) -> Result<Box<dyn Engine>> {
        self.start(scene, time_step(scene, &StepAdvice::new(scene))?)
    }
}

/// The `f64` engine on the processor.
#[derive(Debug, Clone, Copy, Default)]
pub struct CpuBench;

impl Bench for CpuBench {
    fn start(&self, scene: &Scene, time_step: f64) -> Result<Box<dyn Engine>> {
        Ok(Box::new(CpuEngine::new(scene, time_step, 1)?))
    }
}

/// The engine on a graphics device.
#[derive(Debug, Clone, Copy)]
pub struct GpuBench<'a>(pub &'a Gpu);

impl Bench for GpuBench<'_> {
    fn watch(&self) -> Watch {
        Watch::WhereItMatters
    }

    fn start(&self, scene: &Scene, time_step: f64) -> Result<Box<dyn Engine>> {
        let options = GpuOptions::default();
        Ok(Box::new(GpuEngine::new(
            self.0, scene, time_step, &options,
        )?))
    }
}

/// Materials without elasticity of their own, of these densities (kg/m³).
pub(super) fn materials(densities: [f64; 2]) -> [Material; 2] {
    [0, 1].map(|k| Material {
        name: ["first", "second"][k].into(),
        density: densities[k],
        young: None,
        poisson: 0.3,
    })
}

/// Two equal spheres of 1 cm that meet head-on at 1 m/s, without friction.
pub(super) fn head_on(normal: NormalLaw, pair: Pair) -> Collision {
    Collision {
        laws: ContactLaws {
            normal,
            tangential: TangentialLaw::None,
            ..ContactLaws::default()
        },
        radius: [0.01; 2],
        material: materials([2500.0; 2]),
        pair,
        wall: false,
        speed: 1.0,
        angle: 0.0,
        spin: 0.0,
        gravity: 0.0,
        origin: DVec3::ZERO,
        step: Step::PerContact(STEPS),
        phase: 0.37,
    }
}

/// The contact time of a collision, infinite if it never ended.
pub(super) fn duration(outcome: &Outcome) -> f64 {
    outcome.contact_time.unwrap_or(f64::INFINITY)
}

/// Hard spheres above a floor at z = 0, in a box that reaches as far as `corner` to all sides but below, m.
pub(super) fn above_floor(corner: DVec3, gravity: DVec3, rule: CollisionRule) -> HardModel {
    HardModel {
        dimensions: Dimensions::Three,
        lower: DVec3::new(-corner.x, -corner.y, 0.0),
        upper: corner,
        periodic: [false; 3],
        leaving: Leaving::Stop,
        gravity,
        contact_duration: 0.0,
        faces: vec![Face {
            shape: FaceShape::Plane {
                point: DVec3::ZERO,
                normal: DVec3::Z,
                motion: None,
            },
            material: 0,
        }],
        rules: vec![rule],
        materials: 1,
    }
}
