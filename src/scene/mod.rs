//! What to simulate: domain, materials, contact laws, particles, walls, time and output.
//!
//! A [`Scene`] is plain data in SI units. It comes from a TOML file ([`Scene::from_file`],
//! described in `docs/scene.md`) or from code ([`Scene::builder`]), and either way passes the same
//! checks ([`Scene::validate`]), so an engine may trust it.

mod builder;
mod coefficients;
mod fluid;
mod grid;
mod hard;
mod locate;
mod meetings;
mod names;
mod overlaps;
mod parse;
mod particles;
mod reader;
mod source;
mod validate;
mod walls;

pub use builder::SceneBuilder;
pub(crate) use fluid::FILM_REACH;
pub use fluid::{DragLaw, FilmGaps, Fluid, Lubrication};
pub use hard::{HardSettings, PairRule, rule_name};
pub(crate) use locate::line_of_key;
pub use names::{UnknownName, contact_end_from_name, contact_end_name};
pub use overlaps::START_OVERLAP_LIMIT;
pub use parse::MAX_PARTICLES;

use glam::DVec3;

/// A complete description of a run. All values in SI units.
#[derive(Debug, Clone, PartialEq)]
pub struct Scene {
    /// A sentence for people; shown by `lahar check` and in pictures.
    pub title: String,
    /// The region that is simulated.
    pub domain: Domain,
    /// Acceleration of gravity, m/s².
    pub gravity: DVec3,
    /// How long, and in which steps.
    pub time: Time,
    /// What hard grains need; `None`: the grains are soft, and the contact laws act.
    pub hard: Option<HardSettings>,
    /// Which laws act in every contact.
    pub contact: ContactLaws,
    /// The fluid that soft grains are in; `None`: nothing.
    pub fluid: Option<Fluid>,
    /// Materials, referred to by index.
    pub materials: Vec<Material>,
    /// Properties of each pair of materials that can meet, in no particular order.
    pub pairs: Vec<Pair>,
    /// Particles; the index is the particle's id, also where a file lists them in another order.
    pub particles: Vec<Particle>,
    /// Walls.
    pub walls: Vec<Wall>,
    /// Neighbour search.
    pub neighbours: Neighbours,
    /// What is written, and when.
    pub output: Output,
}

impl Scene {
    /// A commented scene that runs as it is: what `lahar new` writes.
    pub fn example() -> &'static str {
        include_str!("example.toml")
    }

    /// The properties of a pair of materials, in either order.
    pub fn pair(&self, a: usize, b: usize) -> Option<&Pair> {
        self.pairs
            .iter()
            .find(|pair| pair.materials == [a, b] || pair.materials == [b, a])
    }
}

/// The region that is simulated, and what happens at its sides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Domain {
    /// Corner with the smallest coordinates, m.
    pub lower: DVec3,
    /// Corner with the largest coordinates, m.
    pub upper: DVec3,
    /// Axes along which the domain repeats.
    pub periodic: [bool; 3],
    /// What happens to a particle whose centre leaves through a side that is not periodic.
    pub leaving: Leaving,
}

/// What happens to a particle whose centre leaves the domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leaving {
    /// The run ends with an error that names the particle.
    Stop,
    /// The particle is taken out and counted.
    Remove,
}

/// How long to simulate, and in which steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Time {
    /// End of the run, s.
    pub end: f64,
    /// Length of a step.
    pub step: TimeStep,
    /// Run even with a step that is too large for the stiffest pair.
    pub force_step: bool,
    /// Fastest impact to expect, m/s: sets the contact time of laws that depend on speed.
    /// `None`: estimated from the starting velocities and the height of fall.
    pub expected_speed: Option<f64>,
}

/// Length of a time step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TimeStep {
    /// The smaller of 1/40 of the shortest contact time and 1/5 of the shortest Rayleigh time.
    Auto,
    /// Given, s.
    Fixed(f64),
}

/// Which laws act in every contact; their coefficients come from the [`Pair`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactLaws {
    /// Normal force.
    pub normal: NormalLaw,
    /// Tangential force.
    pub tangential: TangentialLaw,
    /// Rolling resistance.
    pub rolling: RollingLaw,
    /// Attraction between touching grains.
    pub cohesion: CohesionLaw,
    /// When a contact ends.
    pub end: crate::laws::ContactEnd,
    /// Contact time that `linear-stretched` and `hertz-adaptive` impose, s.
    pub contact_time: Option<f64>,
    /// How `hertz-adaptive` finds stiffness and damping from restitution and contact time.
    pub inverse: AdaptiveInverse,
    /// Smallest impact speed `hertz-adaptive` reckons with, m/s (its stiffness grows without bound
    /// as the speed tends to zero).
    pub adaptive_minimum_speed: f64,
}

impl Default for ContactLaws {
    /// Hertz with constant restitution, Mindlin friction, contact until zero overlap.
    fn default() -> Self {
        Self {
            normal: NormalLaw::HertzTsuji,
            tangential: TangentialLaw::Mindlin,
            rolling: RollingLaw::None,
            cohesion: CohesionLaw::None,
            end: crate::laws::ContactEnd::Overlap,
            contact_time: None,
            inverse: AdaptiveInverse::Direct,
            adaptive_minimum_speed: 1e-3,
        }
    }
}

/// Laws for the normal force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NormalLaw {
    /// Spring and dashpot, both linear.
    Linear,
    /// Linear, with stiffness and damping from restitution and an imposed contact time (Costa et al.).
    LinearStretched,
    /// Hertz spring with constant viscous damping (Ray, Kempe, Fröhlich).
    HertzViscous,
    /// Hertz spring with damping ∝ δ^¼: constant restitution (Tsuji).
    HertzTsuji,
    /// Hertz spring with damping ∝ √δ: viscoelastic material (Kuwabara & Kono).
    HertzKuwabaraKono,
    /// Hertz with viscous damping; stiffness and damping chosen per contact from its impact speed.
    HertzAdaptive,
}

impl NormalLaw {
    /// Whether its spring is Hertz's, F ∝ δ^1.5.
    pub fn is_hertz(self) -> bool {
        !matches!(self, Self::Linear | Self::LinearStretched)
    }
}

/// Laws for the tangential force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TangentialLaw {
    /// No tangential force.
    None,
    /// Sliding friction without memory.
    Coulomb,
    /// Linear spring and dashpot with a slider (Costa et al.).
    Linear,
    /// Mindlin spring ∝ √δ (secant form) and dashpot with a slider.
    Mindlin,
    /// In proportion to the normal force, as Walton's or Rubin's rule has it at first touch: for collisions.
    Impulse,
}

/// Laws for rolling resistance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RollingLaw {
    /// No rolling resistance.
    None,
    /// Moment of constant size against rolling.
    Constant,
    /// Elastic–plastic rolling spring.
    Spring,
}

/// Laws for attraction between touching grains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CohesionLaw {
    /// No attraction.
    None,
    /// Proportional to the area in which the overlapping spheres cut each other.
    Sjkr,
    /// Johnson, Kendall & Roberts: the neck holds on at negative overlap.
    Jkr,
    /// Derjaguin, Muller & Toporov: constant attraction while touching.
    Dmt,
}

/// How the adaptive law inverts (restitution, contact time) → (stiffness, damping).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AdaptiveInverse {
    /// lahar's polynomials, within 1e-7 of the exact collision.
    Direct,
    /// The direct formulas as Ray, Kempe & Fröhlich print them: e off by 1e-3 at 0.7, 3e-2 at 0.4.
    DirectPaper,
    /// The collision itself, solved again and again until it has the wanted restitution.
    Iterative,
}

impl ContactLaws {
    /// Whether the table of pairs holds what the adaptive law needs of a restitution.
    pub fn tabulates_inverse(&self) -> bool {
        self.end == crate::laws::ContactEnd::Force || self.inverse == AdaptiveInverse::DirectPaper
    }
}

/// What grains and walls are made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// Name used in the scene file.
    pub name: String,
    /// Density, kg/m³.
    pub density: f64,
    /// Young's modulus, Pa; infinite for a rigid wall; `None` where no law asks for it.
    pub young: Option<f64>,
    /// Poisson ratio.
    pub poisson: f64,
}

/// What two materials do when they meet. Only what the chosen laws ask for is needed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// Indices of the two materials (may be equal).
    pub materials: [usize; 2],
    /// Normal restitution, 0 < e ≤ 1.
    pub restitution: Option<f64>,
    /// Normal stiffness: N/m (linear), N/m^1.5 (Hertz; default: from the materials).
    pub stiffness: Option<f64>,
    /// Normal damping, N s/m (linear, hertz-viscous).
    pub damping: Option<f64>,
    /// Dissipative time A of Kuwabara & Kono, s.
    pub viscoelastic_time: Option<f64>,
    /// Coefficient of sliding friction.
    pub friction: f64,
    /// Tangential stiffness, N/m (linear) or N/m^1.5 (Mindlin; default: from the materials).
    pub tangential_stiffness: Option<f64>,
    /// Tangential damping, N s/m; default: none (linear), like the normal one (Mindlin with Tsuji).
    pub tangential_damping: Option<f64>,
    /// Tangential restitution, 0 < `e_t` ≤ 1 (linear tangential law with an imposed contact time), or β₀ of Walton's
    /// rule, 0 ≤ β₀ ≤ 1 (impulse).
    pub tangential_restitution: Option<f64>,
    /// Exponent α > 0 of Rubin's rule (impulse).
    pub exponent: Option<f64>,
    /// Coefficient of rolling friction (dimensionless, times the reduced radius).
    pub rolling_friction: f64,
    /// Damping ratio of the rolling spring.
    pub rolling_damping: f64,
    /// Work of adhesion, J/m² (JKR, DMT).
    pub work_of_adhesion: f64,
    /// Cohesion energy density, J/m³ (SJKR).
    pub cohesion_energy_density: f64,
}

impl Pair {
    /// A pair of materials without any coefficient: optional ones `None`, all others zero.
    pub fn new(a: usize, b: usize) -> Self {
        Self {
            materials: [a, b],
            restitution: None,
            stiffness: None,
            damping: None,
            viscoelastic_time: None,
            friction: 0.0,
            tangential_stiffness: None,
            tangential_damping: None,
            tangential_restitution: None,
            exponent: None,
            rolling_friction: 0.0,
            rolling_damping: 0.0,
            work_of_adhesion: 0.0,
            cohesion_energy_density: 0.0,
        }
    }
}

/// One sphere at the start.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Particle {
    /// Position of the centre, m.
    pub position: DVec3,
    /// Radius, m.
    pub radius: f64,
    /// Velocity, m/s.
    pub velocity: DVec3,
    /// Spin, rad/s.
    pub spin: DVec3,
    /// Index of its material.
    pub material: usize,
    /// Whether it is held in place.
    pub fixed: bool,
}

impl Particle {
    /// A free sphere at rest.
    pub fn new(position: DVec3, radius: f64, material: usize) -> Self {
        Self {
            position,
            radius,
            velocity: DVec3::ZERO,
            spin: DVec3::ZERO,
            material,
            fixed: false,
        }
    }
}

/// A wall: infinite mass, flat on the scale of a grain.
#[derive(Debug, Clone, PartialEq)]
pub struct Wall {
    /// Name used in output columns.
    pub name: String,
    /// Index of its material.
    pub material: usize,
    /// Its surface.
    pub shape: WallShape,
}

/// The surface of a wall. Particles are on the side that `normal` or `side` names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum WallShape {
    /// An infinite plane through `point`; particles are on the side its unit `normal` points to.
    Plane {
        /// A point of the plane, m.
        point: DVec3,
        /// Unit normal, towards the particles.
        normal: DVec3,
    },
    /// The inner faces of a box; each face is a wall of its own in the output.
    Box {
        /// Corner with the smallest coordinates, m.
        lower: DVec3,
        /// Corner with the largest coordinates, m.
        upper: DVec3,
        /// Which faces exist: −x, +x, −y, +y, −z, +z.
        faces: [bool; 6],
    },
    /// A circular cylinder around an axis.
    Cylinder {
        /// Where the axis starts, m.
        point: DVec3,
        /// Unit vector along the axis.
        axis: DVec3,
        /// Length along the axis, m; infinite in both directions if `None`.
        length: Option<f64>,
        /// Radius, m.
        radius: f64,
        /// Where the particles are.
        side: Side,
    },
    /// A sphere.
    Sphere {
        /// Centre, m.
        center: DVec3,
        /// Radius, m.
        radius: f64,
        /// Where the particles are.
        side: Side,
    },
    /// A cone, or a piece of one, around an axis: a funnel.
    Cone {
        /// Centre of its first rim, m.
        point: DVec3,
        /// Unit vector along the axis, from the first rim to the second.
        axis: DVec3,
        /// Distance of the rims along the axis, m.
        length: f64,
        /// Radii of the first and of the second rim, m (0: a tip).
        radii: [f64; 2],
        /// Where the particles are.
        side: Side,
    },
}

/// On which side of a curved wall the particles are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// In the hollow.
    Inside,
    /// Around it.
    Outside,
}

/// Neighbour search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbours {
    /// How much further than touching the neighbour list reaches, m. `None`: a tenth to four tenths
    /// of the mean diameter, by the speed of the grains. It decides speed only, never results.
    pub skin: Option<f64>,
}

/// What is written, and when. `None`: never.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Output {
    /// Time between frames (`.vtp`), s.
    pub frames: Option<f64>,
    /// Time between rows of `series.csv`, s.
    pub series: Option<f64>,
    /// Time between checkpoints, s.
    pub checkpoints: Option<f64>,
    /// Whether the end of the run is drawn.
    pub picture: bool,
}

impl Output {
    /// What a scene that says nothing about output gets: 50 frames, 500 rows and 10 checkpoints over
    /// the run, and a picture of its end.
    pub fn over(end: f64) -> Self {
        Self {
            frames: Some(end / 50.0),
            series: Some(end / 500.0),
            checkpoints: Some(end / 10.0),
            picture: true,
        }
    }
}

impl Default for Output {
    /// Only the picture of the end: intervals need the length of the run, see [`Output::over`].
    fn default() -> Self {
        Self {
            frames: None,
            series: None,
            checkpoints: None,
            picture: true,
        }
    }
}
