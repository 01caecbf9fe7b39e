//! From a scene to a model.

use super::{Face, FaceShape, HardEngine, HardError, HardModel, StartingGrain, WallMotion};
use crate::error::{Error, Result};
use crate::laws::hard_sphere::CollisionRule;
use crate::laws::material::sphere_mass;
use crate::laws::tc::Dimensions;
use crate::scene::{Scene, Side, WallShape};
use glam::DVec3;
use std::f64::consts::PI;

impl HardEngine {
    /// The engine of a validated scene of hard grains.
    ///
    /// # Errors
    /// If the grains of the scene are soft.
    pub fn from_scene(scene: &Scene) -> Result<Self> {
        let (model, grains) = HardModel::from_scene(scene)?;
        Ok(Self::new(model, &grains))
    }
}

impl HardModel {
    /// Model and grains of a validated scene of hard grains.
    ///
    /// # Errors
    /// If the grains of the scene are soft, or there are too many materials or faces.
    pub fn from_scene(scene: &Scene) -> Result<(Self, Vec<StartingGrain>)> {
        let Some(hard) = &scene.hard else {
            return Err(Error::Unsupported(
                "the grains of this scene are soft: engine.kind = \"hard\" makes them hard".into(),
            ));
        };
        let number = |index: usize, what: &str| {
            u16::try_from(index)
                .map_err(|_| Error::Unsupported(format!("more than 65536 {what} of hard grains")))
        };
        let mut faces = Vec::new();
        for (index, wall) in scene.walls.iter().enumerate() {
            let motion = hard.motions.iter().find(|(moving, _)| *moving == index);
            let motion = motion.map(|&(_, motion)| motion);
            let material = number(wall.material, "materials")?;
            for shape in face_shapes(&wall.shape, motion) {
                faces.push(Face { shape, material });
            }
        }
        number(faces.len(), "wall faces")?;
        let materials = scene.materials.len();
        // Pairs that never meet have no rule; any will do.
        let idle = CollisionRule::Smooth { restitution: 1.0 };
        let rules = (0..materials * materials)
            .map(|pair| {
                hard.rule(pair / materials, pair % materials)
                    .unwrap_or(idle)
            })
            .collect();
        let mut grains = Vec::with_capacity(scene.particles.len());
        for particle in &scene.particles {
            let density = scene.materials[particle.material].density;
            let radius = particle.radius;
            grains.push(StartingGrain {
                position: particle.position,
                velocity: particle.velocity,
                spin: particle.spin,
                radius,
                mass: match hard.dimensions {
                    // Per metre of thickness.
                    Dimensions::Two => density * PI * radius * radius,
                    Dimensions::Three => sphere_mass(density, radius),
                },
                material: number(particle.material, "materials")?,
                fixed: particle.fixed,
            });
        }
        let model = Self {
            dimensions: hard.dimensions,
            lower: scene.domain.lower,
            upper: scene.domain.upper,
            periodic: scene.domain.periodic,
            leaving: scene.domain.leaving,
            gravity: scene.gravity,
            contact_duration: hard.contact_duration.unwrap_or(0.0),
            faces,
            rules,
            materials,
        };
        Ok((model, grains))
    }
}

/// The faces of a wall, in the order of the columns of `series.csv`.
fn face_shapes(shape: &WallShape, motion: Option<WallMotion>) -> Vec<FaceShape> {
    match *shape {
        WallShape::Plane { point, normal } => vec![FaceShape::Plane {
            point,
            normal,
            motion,
        }],
        WallShape::Box {
            lower,
            upper,
            faces,
        } => (0..6)
            .filter(|&face| faces[face])
            .map(|face| {
                let mut normal = DVec3::ZERO;
                normal[face / 2] = if face % 2 == 0 { 1.0 } else { -1.0 };
                FaceShape::Plane {
                    point: if face % 2 == 0 { lower } else { upper },
                    normal,
                    motion: None,
                }
            })
            .collect(),
        WallShape::Cylinder {
            point,
            axis,
            radius,
            side,
            ..
        } => vec![FaceShape::Cylinder {
            point,
            axis,
            radius,
            inside: side == Side::Inside,
        }],
        WallShape::Sphere {
            center,
            radius,
            side,
        } => vec![FaceShape::Sphere {
            center,
            radius,
            inside: side == Side::Inside,
        }],
        // Refused when the scene was checked.
        WallShape::Cone { .. } => Vec::new(),
    }
}

impl From<HardError> for Error {
    fn from(error: HardError) -> Self {
        match error {
            HardError::Left {
                particle,
                time,
                position,
            } => Self::LeftDomain {
                particle,
                time,
                position: position.to_array(),
            },
            HardError::Collapse(collapse) => Self::Collapse {
                rate: collapse.rate(),
                particles: collapse.particles,
                time: collapse.time,
                collisions: collapse.collisions,
                interval: collapse.resolution,
                told_apart: collapse.told_apart,
                mean_time: collapse.mean_time,
                contact_duration: collapse.contact_duration,
            },
        }
    }
}
