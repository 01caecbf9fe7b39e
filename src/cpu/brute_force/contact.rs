//! One contact in one step.
//!
//! The kick of a step covers the time from Δt/2 before to Δt/2 after the instant of the positions.
//! A contact that began or ended within it acts for a *window* W of it only:
//!
//! * it **begins** where δ > 0 for the first time, δ/δ̇ ago: W = δ/δ̇ + Δt/2. Within the window δ
//!   grows from 0 to δ̇ W, so a force ∝ δ^p has the mean 1/(p + 1) of its last value. The window's
//!   middle is later than that of the kick; the position is shifted by what the impulse therefore
//!   moved too much;
//! * it **ends** where δ has passed the end of contact: the last kick acted for Δt, while the contact
//!   lasted `t_e + Δt/2` from the middle of that kick to its end. The difference is applied once more.
//!
//! Dampers see the rate at the instant of the positions, δ̇ = δ̇* − F W/2m*, with δ̇* the rate without
//! this contact's own force.

use super::Rules;
use crate::contact::{
    ContactModel, NormalCoefficients, NormalExponents, PairCoefficients, adaptive_coefficients,
    normal_response,
};
use crate::laws::ended_normal_force;
use crate::laws::hertz::hertz_tangent_stiffness;
use crate::laws::linear::linear_elastic_energy;
use crate::laws::material::tangential_reduced_mass;
use crate::laws::{cohesion, impulse, rolling, tangential};
use crate::scene::{CohesionLaw, NormalLaw, RollingLaw, TangentialLaw};
use glam::DVec3;

/// Two bodies that may touch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Encounter {
    /// Unit vector from the first body to the second.
    pub(super) normal: DVec3,
    pub(super) overlap: f64,
    /// `v_i − v_j` at the instant of the positions, as predicted.
    pub(super) velocity: DVec3,
    /// `R_i ω_i + R_j ω_j`.
    pub(super) surface_spin: DVec3,
    /// `ω_i − ω_j`.
    pub(super) spin: DVec3,
    pub(super) radii: [f64; 2],
    pub(super) inverse_masses: [f64; 2],
    pub(super) materials: [usize; 2],
}

/// What a contact remembers from step to step; vectors belong to the first body.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Memory {
    /// Tangential spring, half a step ahead, m; of the impulse law μτ R*, as at first touch.
    pub(super) spring: DVec3,
    /// Moment of the rolling spring, half a step ahead, N m.
    pub(super) rolling: DVec3,
    /// Stiffness and damping that the adaptive law froze at first touch.
    pub(super) adaptive: [f64; 2],
    /// Mean normal force over the last kick, N.
    pub(super) normal_force: f64,
    /// Root of the overlap at which the tangential stiffness was taken, m^½.
    pub(super) root_overlap: f64,
    /// Energy stored now: normal, tangential, rolling, J.
    pub(super) elastic: [f64; 3],
}

/// Means over one kick of what a contact does to its first body.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Action {
    pub(super) force: DVec3,
    /// `n × F_t`, N: times its radius the torque on either body.
    pub(super) torque: DVec3,
    /// Rolling moment, N m.
    pub(super) moment: DVec3,
    /// Times the inverse mass, how far to move the first body, kg m.
    pub(super) shift: DVec3,
}

/// A contact with everything about it that stays the same while its forces are worked out.
struct Contact<'a> {
    encounter: &'a Encounter,
    model: &'a ContactModel,
    rules: &'a Rules,
    pair: &'a PairCoefficients,
    normal: NormalCoefficients,
    reduced_mass: f64,
    reduced_radius: f64,
    step: f64,
    /// How long it acts in this kick, s.
    window: f64,
    begins: bool,
}

/// The normal force and what the other laws need of it.
struct NormalForce {
    total: f64,
    /// What friction works on.
    pressing: f64,
}

impl Encounter {
    /// Works out one step of the contact that remembers `before`, if it was one: what it remembers
    /// now, if it is one, and what it does, if anything.
    pub(super) fn evaluate(
        &self,
        model: &ContactModel,
        rules: &Rules,
        step: f64,
        starting: bool,
        before: Option<&Memory>,
    ) -> (Option<Memory>, Option<Action>) {
        let pair = model.pair(self.materials[0], self.materials[1]);
        let [a, b] = self.radii;
        let reduced_radius = if b.is_finite() { a * b / (a + b) } else { a };
        let end = end_of_contact(model, pair, reduced_radius);
        let touches = self.overlap > 0.0 || (before.is_some() && self.overlap > end);
        if !touches && before.is_none() {
            return (None, None);
        }
        let rate = self.velocity.dot(self.normal);
        let since = self.overlap / rate;
        // Grains that overlapped from the start, or were pushed together while they recede, have no
        // moment of touch within this step.
        let begins = before.is_none() && !starting && rate > 0.0 && since <= step;
        let reduced_mass = 1.0 / (self.inverse_masses[0] + self.inverse_masses[1]);
        let mut memory = before.copied().unwrap_or_default();
        if before.is_none() && model.laws.normal == NormalLaw::HertzAdaptive {
            memory.adaptive =
                adaptive_coefficients(&model.laws, pair, reduced_mass, reduced_radius, rate.abs());
        }
        let contact = Contact {
            encounter: self,
            model,
            rules,
            pair,
            normal: NormalCoefficients::of(
                model.laws.normal,
                pair,
                (rules.damping_mass)(self.inverse_masses),
                reduced_radius,
                memory.adaptive,
            ),
            reduced_mass,
            reduced_radius,
            step,
            window: if begins { since + 0.5 * step } else { step },
            begins,
        };
        if before.is_none() && model.laws.tangential == TangentialLaw::Impulse {
            memory.spring = contact.shear(rate) * reduced_radius;
        }
        // Without its own last force, half a kick of which is in the prediction.
        let free_rate = if starting {
            rate
        } else {
            rate + memory.normal_force * step / (2.0 * reduced_mass)
        };
        if !touches {
            return (None, Some(contact.ending(free_rate, end, memory.spring)));
        }
        contact.act(free_rate, starting, &mut memory)
    }
}

/// The overlap at which a contact comes apart, m.
fn end_of_contact(model: &ContactModel, pair: &PairCoefficients, reduced_radius: f64) -> f64 {
    if model.laws.cohesion == CohesionLaw::Jkr {
        cohesion::jkr_snap_off_overlap(pair.work_of_adhesion, pair.effective_young, reduced_radius)
    } else {
        0.0
    }
}

impl Contact<'_> {
    fn act(
        &self,
        free_rate: f64,
        starting: bool,
        memory: &mut Memory,
    ) -> (Option<Memory>, Option<Action>) {
        let n = self.encounter.normal;
        let normal = self.normal_force(free_rate, starting);
        let along = self.tangential_force(normal.pressing, memory);
        let moment = self.rolling_moment(normal.pressing, memory);
        memory.elastic[0] = self.normal_energy();
        memory.root_overlap = self.tangential_overlap().sqrt();
        let share = self.window / self.step;
        memory.normal_force = share * normal.total;
        let force = share * (along - normal.total * n);
        let late = 0.5 * (self.step - self.window);
        let action = Action {
            force,
            torque: share * n.cross(along),
            moment: share * moment,
            shift: if self.begins {
                -late * self.step * force
            } else {
                DVec3::ZERO
            },
        };
        (Some(*memory), Some(action))
    }

    /// The overlap that the laws see: at a beginning, the one at the end of the window.
    fn evaluated(&self) -> f64 {
        if self.begins {
            let rate = self.encounter.velocity.dot(self.encounter.normal);
            rate * self.window
        } else {
            self.encounter.overlap.max(0.0)
        }
    }

    /// Elastic force and damping coefficient at an overlap.
    fn response(&self, overlap: f64) -> (f64, f64) {
        let (elastic, damping) = normal_response(self.model.laws.normal, self.normal, overlap);
        (elastic, (self.rules.damper)(damping))
    }

    /// Elastic force, damping coefficient: means over the window.
    fn spring_and_damper(&self) -> (f64, f64) {
        let (elastic, damping) = self.response(self.evaluated());
        if self.begins {
            let exponents = NormalExponents::of(self.model.laws.normal);
            (
                elastic / (exponents.elastic + 1.0),
                damping / (exponents.damping + 1.0),
            )
        } else {
            (elastic, damping)
        }
    }

    fn normal_force(&self, free_rate: f64, starting: bool) -> NormalForce {
        let (elastic, damping) = self.spring_and_damper();
        let overlap = if self.begins {
            0.5 * self.evaluated()
        } else {
            self.encounter.overlap
        };
        let attraction = self.attraction(overlap, elastic);
        // F = F_e + c δ̇ with δ̇ = δ̇* − (F + F_c) W/2m*, solved for δ̇; a damper with c W/2m* > 1, which
        // would turn the grains round, stops them instead.
        let response = if starting {
            0.0
        } else {
            self.window / (2.0 * self.reduced_mass)
        };
        let resistance = response * damping;
        let resistance = resistance.max(2.0 * resistance - 1.0);
        let rate = (free_rate - response * (elastic + attraction)) / (1.0 + resistance);
        let repulsion = ended_normal_force(self.model.laws.end, elastic + damping * rate, 0.0);
        let total = repulsion + attraction;
        NormalForce {
            total,
            pressing: self.pressing(total, repulsion),
        }
    }

    /// What friction works on, N.
    fn pressing(&self, total: f64, repulsion: f64) -> f64 {
        if self.model.laws.cohesion != CohesionLaw::Jkr {
            return repulsion;
        }
        // Thornton (1991): friction works on the load plus twice the pull-off force.
        let pull_off =
            cohesion::jkr_pull_off_force(self.pair.work_of_adhesion, self.reduced_radius);
        total + 2.0 * pull_off.abs()
    }

    /// What cohesion adds to the elastic force, N.
    fn attraction(&self, overlap: f64, elastic: f64) -> f64 {
        let pair = self.pair;
        let [radius_i, radius_j] = self.encounter.radii;
        match self.model.laws.cohesion {
            CohesionLaw::None => 0.0,
            CohesionLaw::Dmt => cohesion::dmt_force(pair.work_of_adhesion, self.reduced_radius),
            CohesionLaw::Sjkr => {
                cohesion::sjkr_force(pair.cohesion_energy_density, overlap, radius_i, radius_j)
            }
            // The JKR force is the whole elastic force.
            CohesionLaw::Jkr => {
                let (w, young) = (pair.work_of_adhesion, pair.effective_young);
                let a = cohesion::jkr_contact_radius(overlap, w, young, self.reduced_radius);
                cohesion::jkr_force(a, w, young, self.reduced_radius) - elastic
            }
        }
    }

    /// Tangential velocity of i's contact point relative to j's.
    fn slip(&self) -> DVec3 {
        let Encounter {
            normal,
            velocity,
            surface_spin,
            ..
        } = *self.encounter;
        let at_contact = velocity + surface_spin.cross(normal);
        at_contact - velocity.dot(normal) * normal
    }

    /// Tangential over normal force of a contact that has just begun.
    fn shear(&self, rate: f64) -> DVec3 {
        impulse::impulse_shear(
            self.pair.friction,
            self.pair.restitution,
            self.pair.tangential_damping_ratio,
            rate,
            self.slip(),
        )
    }

    fn tangential_force(&self, pressing: f64, memory: &mut Memory) -> DVec3 {
        let slip = self.slip();
        let limit = tangential::coulomb_limit(self.pair.friction, pressing);
        let law = self.model.laws.tangential;
        let result = match law {
            TangentialLaw::None => return DVec3::ZERO,
            TangentialLaw::Coulomb => {
                let stopping = tangential_reduced_mass(self.reduced_mass) / self.step;
                return tangential::coulomb_force(slip, limit, stopping);
            }
            TangentialLaw::Impulse => {
                memory.spring = (self.rules.transport_spring)(memory.spring, self.encounter.normal);
                return impulse::impulse_force(memory.spring / self.reduced_radius, pressing);
            }
            TangentialLaw::Linear | TangentialLaw::Mindlin => {
                let (stiffness, damping) = self.tangential_coefficients();
                let half = 0.5 * self.window * slip;
                let carried = (self.rules.transport_spring)(memory.spring, self.encounter.normal);
                let slider = if law == TangentialLaw::Linear {
                    self.rules.linear_slider
                } else {
                    self.rules.mindlin_slider
                };
                let result = slider(stiffness, damping, carried + half, slip, limit);
                memory.spring = result.spring + half;
                memory.elastic[1] = tangential::tangential_elastic_energy(stiffness, result.spring);
                result
            }
        };
        result.force
    }

    /// Stiffness and damping of the tangential spring.
    fn tangential_coefficients(&self) -> (f64, f64) {
        let pair = self.pair;
        if self.model.laws.tangential == TangentialLaw::Linear {
            let mass = tangential_reduced_mass(self.reduced_mass);
            return (
                pair.tangential_stiffness + mass * pair.tangential_stiffness_per_mass,
                pair.tangential_damping + mass * pair.tangential_damping_per_mass,
            );
        }
        let coefficient =
            pair.tangential_stiffness + pair.mindlin_modulus * self.reduced_radius.sqrt();
        let stiffness = coefficient * self.tangential_overlap().sqrt();
        let ratio = pair.tangential_damping_ratio;
        let damping = tangential::mindlin_damping(ratio, stiffness, self.reduced_mass);
        (stiffness, pair.tangential_damping + damping)
    }

    /// The overlap that the tangential stiffness is taken at: at a beginning, in the middle of the
    /// window.
    fn tangential_overlap(&self) -> f64 {
        self.evaluated() * if self.begins { 0.5 } else { 1.0 }
    }

    fn rolling_moment(&self, pressing: f64, memory: &mut Memory) -> DVec3 {
        let n = self.encounter.normal;
        let velocity = rolling::rolling_velocity(self.encounter.spin, DVec3::ZERO, n);
        let friction = self.pair.rolling_friction;
        let limit = rolling::rolling_limit(friction, self.reduced_radius, pressing);
        match self.model.laws.rolling {
            RollingLaw::None => DVec3::ZERO,
            RollingLaw::Constant => {
                let stopping = self.rolling_inertia() / self.step;
                (self.rules.constant_rolling)(velocity, limit, stopping)
            }
            RollingLaw::Spring => {
                let tangent = if self.model.laws.normal.is_hertz() {
                    hertz_tangent_stiffness(self.normal.stiffness, self.evaluated())
                } else {
                    self.normal.stiffness
                };
                let stiffness = rolling::rolling_stiffness(tangent, friction, self.reduced_radius);
                let inertia = self.rolling_inertia();
                let damping =
                    rolling::rolling_damping(self.pair.rolling_damping, inertia, stiffness);
                let half = 0.5 * self.window * velocity;
                let carried = tangential::transport_spring(memory.rolling, n);
                let result = rolling::spring_rolling_moment(
                    stiffness, damping, carried, half, velocity, limit,
                );
                memory.rolling = result.spring - stiffness * half;
                memory.elastic[2] = rolling::rolling_elastic_energy(stiffness, result.spring);
                result.moment
            }
        }
    }

    /// `1/I_r = Σ 1/(I + m R²)`, with `I = 2/5 m R²`; a wall adds nothing.
    fn rolling_inertia(&self) -> f64 {
        let term = |body: usize| {
            let radius = self.encounter.radii[body];
            self.encounter.inverse_masses[body] / (7.0 / 5.0 * radius * radius)
        };
        1.0 / (term(0) + term(1))
    }

    /// Energy in the normal spring now, cohesion included.
    fn normal_energy(&self) -> f64 {
        let overlap = self.encounter.overlap;
        let pair = self.pair;
        let [radius_i, radius_j] = self.encounter.radii;
        let elastic = if self.model.laws.normal.is_hertz() {
            (self.rules.hertz_energy)(self.normal.stiffness, overlap)
        } else {
            linear_elastic_energy(self.normal.stiffness, overlap)
        };
        let cohesive = match self.model.laws.cohesion {
            CohesionLaw::None => 0.0,
            CohesionLaw::Dmt => {
                cohesion::dmt_energy(pair.work_of_adhesion, self.reduced_radius, overlap)
            }
            CohesionLaw::Sjkr => {
                cohesion::sjkr_energy(pair.cohesion_energy_density, overlap, radius_i, radius_j)
            }
            CohesionLaw::Jkr => {
                let (w, young) = (pair.work_of_adhesion, pair.effective_young);
                let a = cohesion::jkr_contact_radius(overlap, w, young, self.reduced_radius);
                return cohesion::jkr_energy(a, w, young, self.reduced_radius);
            }
        };
        elastic + cohesive
    }

    /// What makes up for a contact which ended inside the last step: over one kick, the difference between the
    /// impulses that were due and given.
    fn ending(&self, rate: f64, end: f64, spring: DVec3) -> Action {
        if rate >= 0.0 {
            return Action::default();
        }
        let exponents = NormalExponents::of(self.model.laws.normal);
        // From the last position to the end of contact.
        let lasted = self.step - ((self.encounter.overlap - end) / rate).clamp(0.0, self.step);
        // Force and what friction works on at the overlap `time` before the end, with these means.
        let normal = |time: f64, means: [f64; 2]| {
            let overlap = end - rate * time;
            let (elastic, damping) = self.response(overlap.max(0.0));
            let elastic = means[0] * elastic;
            let repulsion = elastic + means[1] * damping * rate;
            let repulsion = ended_normal_force(self.model.laws.end, repulsion, 0.0);
            let total = repulsion + self.attraction(overlap, elastic);
            NormalForce {
                total,
                pressing: self.pressing(total, repulsion),
            }
        };
        let window = lasted + 0.5 * self.step;
        let means = [
            1.0 / (exponents.elastic + 1.0),
            1.0 / (exponents.damping + 1.0),
        ];
        let due = normal(window, means);
        let given = normal(lasted, [1.0; 2]);
        let most = self.reduced_mass * rate.abs();
        let impulse = (window * due.total - self.step * given.total).clamp(-most, most);
        let n = self.encounter.normal;
        let mut along = DVec3::ZERO;
        if self.model.laws.tangential == TangentialLaw::Linear {
            let slip = self.slip();
            let (stiffness, damping) = self.tangential_coefficients();
            let spring = (self.rules.transport_spring)(spring, n);
            // The spring is known for half a step after the last position.
            let force = |after: f64, pressing: f64| {
                let limit = tangential::coulomb_limit(self.pair.friction, pressing);
                let spring = spring + (after - 0.5 * self.step) * slip;
                (self.rules.linear_slider)(stiffness, damping, spring, slip, limit).force
            };
            let middle = 0.5 * (lasted - 0.5 * self.step);
            along = window * force(middle, due.pressing) - self.step * force(0.0, given.pressing);
        }
        if self.model.laws.tangential == TangentialLaw::Impulse {
            let spring = (self.rules.transport_spring)(spring, n);
            let pressed = window * due.pressing - self.step * given.pressing;
            along = impulse::impulse_force(spring / self.reduced_radius, pressed);
        }
        Action {
            force: (along - impulse * n) / self.step,
            torque: n.cross(along) / self.step,
            ..Action::default()
        }
    }
}
