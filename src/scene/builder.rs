//! Scenes built in code.

use super::{
    ContactLaws, Domain, Fluid, Leaving, Material, Neighbours, Output, Pair, Particle, Scene, Time,
    TimeStep, Wall, WallShape,
};
use crate::error::Result;
use glam::DVec3;

/// Collects a [`Scene`] piece by piece; what is not said keeps the default of the scene file.
///
/// ```
/// use glam::DVec3;
/// use lahar::scene::{Pair, Particle, Scene, WallShape};
///
/// let mut glass = Pair::new(0, 0);
/// glass.restitution = Some(0.9);
/// glass.friction = 0.3;
/// let scene = Scene::builder()
///     .domain(DVec3::ZERO, DVec3::ONE)
///     .gravity(DVec3::new(0.0, 0.0, -9.81))
///     .end_time(0.1)
///     .material("glass", 2500.0, 1e7, 0.2)
///     .pair(glass)
///     .particle(Particle::new(DVec3::splat(0.5), 0.01, 0))
///     .wall("floor", 0, WallShape::Plane { point: DVec3::ZERO, normal: DVec3::Z })
///     .build()?;
/// assert_eq!(scene.particles.len(), 1);
/// # Ok::<(), lahar::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct SceneBuilder {
    scene: Scene,
    output: Option<Output>,
}

impl Scene {
    /// Begins a scene: no particles, no materials, no gravity, an empty domain and no end of time,
    /// so at least those of them that a run needs have to be given.
    pub fn builder() -> SceneBuilder {
        SceneBuilder {
            scene: Scene {
                title: String::new(),
                domain: Domain {
                    lower: DVec3::ZERO,
                    upper: DVec3::ZERO,
                    periodic: [false; 3],
                    leaving: Leaving::Stop,
                },
                gravity: DVec3::ZERO,
                time: Time {
                    end: 0.0,
                    step: TimeStep::Auto,
                    force_step: false,
                    expected_speed: None,
                },
                hard: None,
                contact: ContactLaws::default(),
                fluid: None,
                materials: Vec::new(),
                pairs: Vec::new(),
                particles: Vec::new(),
                walls: Vec::new(),
                neighbours: Neighbours { skin: None },
                output: Output::default(),
            },
            output: None,
        }
    }
}

impl SceneBuilder {
    /// A sentence for people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.scene.title = title.into();
        self
    }

    /// The corners of the region that is simulated, m.
    #[must_use]
    pub fn domain(mut self, lower: DVec3, upper: DVec3) -> Self {
        (self.scene.domain.lower, self.scene.domain.upper) = (lower, upper);
        self
    }

    /// The axes along which the domain repeats.
    #[must_use]
    pub fn periodic(mut self, periodic: [bool; 3]) -> Self {
        self.scene.domain.periodic = periodic;
        self
    }

    /// What happens to a particle whose centre leaves the domain.
    #[must_use]
    pub fn leaving(mut self, leaving: Leaving) -> Self {
        self.scene.domain.leaving = leaving;
        self
    }

    /// Acceleration of gravity, m/s².
    #[must_use]
    pub fn gravity(mut self, gravity: DVec3) -> Self {
        self.scene.gravity = gravity;
        self
    }

    /// End of the run, s.
    #[must_use]
    pub fn end_time(mut self, end: f64) -> Self {
        self.scene.time.end = end;
        self
    }

    /// A time step of this length, s.
    #[must_use]
    pub fn time_step(mut self, step: f64) -> Self {
        self.scene.time.step = TimeStep::Fixed(step);
        self
    }

    /// A time step found from the stiffest pair (the default).
    #[must_use]
    pub fn auto_time_step(mut self) -> Self {
        self.scene.time.step = TimeStep::Auto;
        self
    }

    /// Run even with a step that is too large for the stiffest pair.
    #[must_use]
    pub fn force_step(mut self, force_step: bool) -> Self {
        self.scene.time.force_step = force_step;
        self
    }

    /// Fastest impact to expect, m/s.
    #[must_use]
    pub fn expected_speed(mut self, speed: f64) -> Self {
        self.scene.time.expected_speed = Some(speed);
        self
    }

    /// The laws that act in every contact.
    #[must_use]
    pub fn contact(mut self, contact: ContactLaws) -> Self {
        self.scene.contact = contact;
        self
    }

    /// Adds a material; its index is the number of those before it. Density in kg/m³; Young's modulus
    /// in Pa, infinite for a rigid wall, `None` where no law asks for it.
    #[must_use]
    pub fn material(
        mut self,
        name: impl Into<String>,
        density: f64,
        young: impl Into<Option<f64>>,
        poisson: f64,
    ) -> Self {
        self.scene.materials.push(Material {
            name: name.into(),
            density,
            young: young.into(),
            poisson,
        });
        self
    }

    /// Adds what two materials do when they meet.
    #[must_use]
    pub fn pair(mut self, pair: Pair) -> Self {
        self.scene.pairs.push(pair);
        self
    }

    /// Adds a particle; its id is the number of those before it.
    #[must_use]
    pub fn particle(mut self, particle: Particle) -> Self {
        self.scene.particles.push(particle);
        self
    }

    /// Adds particles in their order.
    #[must_use]
    pub fn particles(mut self, particles: impl IntoIterator<Item = Particle>) -> Self {
        self.scene.particles.extend(particles);
        self
    }

    /// Adds a wall. Its normal or axis may have any length but zero.
    #[must_use]
    pub fn wall(mut self, name: impl Into<String>, material: usize, shape: WallShape) -> Self {
        self.scene.walls.push(Wall {
            name: name.into(),
            material,
            shape: shape.with_unit_directions(),
        });
        self
    }

    /// The fluid that the grains are in.
    #[must_use]
    pub fn fluid(mut self, fluid: Fluid) -> Self {
        self.scene.fluid = Some(fluid);
        self
    }

    /// How much further than touching the neighbour list reaches, m.
    #[must_use]
    pub fn skin(mut self, skin: f64) -> Self {
        self.scene.neighbours.skin = Some(skin);
        self
    }

    /// What is written, and when; by default what [`Output::over`] says.
    #[must_use]
    pub fn output(mut self, output: Output) -> Self {
        self.output = Some(output);
        self
    }

    /// The scene, checked.
    ///
    /// # Errors
    /// If [`Scene::validate`] finds fault with it.
    pub fn build(self) -> Result<Scene> {
        let mut scene = self.scene;
        scene.output = self.output.unwrap_or_else(|| Output::over(scene.time.end));
        scene.validate()?;
        Ok(scene)
    }
}
