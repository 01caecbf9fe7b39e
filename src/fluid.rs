//! The fluid of a scene: what it does to the grains of each material.
//!
//! ```text
//! m' a = F_contacts + (m − ρV) g − 6π μ R f(Re) v + F_films,   m' = m + ½ ρV
//! ```
//!
//! each term as far as the scene asks for it. In the ledger, kinetic energy is that of m', the fluid that
//! moves along included, and potential energy that of the weight less the buoyancy. Spins are those of
//! the grains alone: a sphere that turns takes no fluid along but by friction, which is left out.

use crate::laws::fluid::{reynolds_number, schiller_naumann_factor, stokes_drag};
use crate::laws::lubrication::{Film, film_between};
use crate::scene::{DragLaw, FILM_REACH, Fluid, Lubrication, Scene};

/// A fluid with all that follows from the materials of a scene.
#[derive(Debug, Clone, PartialEq)]
pub struct FluidModel {
    /// As the scene gives it.
    pub fluid: Fluid,
    /// By material: mass that moves over the mass of the grain.
    pub inertia: Vec<f64>,
    /// By material: weight less buoyancy over the weight of the mass that moves. What gravity becomes.
    pub weight: Vec<f64>,
}

impl FluidModel {
    /// The fluid of a scene, if it has one.
    pub fn new(scene: &Scene) -> Option<Self> {
        let fluid = scene.fluid?;
        let ratio = |density: f64| fluid.density / density;
        let added = if fluid.added_mass { 0.5 } else { 0.0 };
        let lifted = if fluid.buoyancy { 1.0 } else { 0.0 };
        let inertia = |density: f64| 1.0 + added * ratio(density);
        let of_each =
            |f: &dyn Fn(f64) -> f64| scene.materials.iter().map(|m| f(m.density)).collect();
        Some(Self {
            fluid,
            inertia: of_each(&inertia),
            weight: of_each(&|density| (1.0 - lifted * ratio(density)) / inertia(density)),
        })
    }

    /// What the drag multiplies a velocity with at a speed (m/s), N s/m.
    pub fn drag(&self, radius: f64, speed: f64) -> f64 {
        let Fluid {
            density, viscosity, ..
        } = self.fluid;
        match self.fluid.drag {
            DragLaw::None => 0.0,
            DragLaw::Stokes => stokes_drag(viscosity, radius),
            DragLaw::SchillerNaumann => {
                let reynolds = reynolds_number(density, viscosity, radius, speed);
                stokes_drag(viscosity, radius) * schiller_naumann_factor(reynolds)
            }
        }
    }

    /// The film between two grains, or a grain and a wall (an infinite radius), if there is one.
    pub fn film(&self, radius_i: f64, radius_j: f64) -> Option<Film> {
        let Lubrication { grains, walls } = self.fluid.lubrication;
        let gaps = if radius_j.is_finite() { grains } else { walls }?;
        Some(film_between(
            radius_i,
            radius_j,
            gaps.resolved,
            gaps.roughness,
        ))
    }

    /// Whether there are films at all.
    pub fn has_films(&self) -> bool {
        self.fluid.lubrication != Lubrication::default()
    }

    /// How far from touching films act on grains of at most this radius, m.
    pub fn film_reach(&self, largest_radius: f64) -> f64 {
        FILM_REACH * self.fluid.lubrication.widest_gap() * largest_radius
    }
}
