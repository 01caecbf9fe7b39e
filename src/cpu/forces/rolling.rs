//! Rolling resistance.

use super::ForceContext;
use super::lanes::{Lanes, WIDTH, set_vector, vector};
use crate::contact::{NormalExponents, PairCoefficients};
use crate::laws::hertz::hertz_tangent_stiffness;
use crate::laws::{rolling, tangential};
use crate::scene::RollingLaw;
use glam::DVec3;

/// Rolling resistance.
pub(super) fn rolling<'a>(
    lanes: &mut Lanes,
    context: &ForceContext<'_>,
    pair: impl Fn(usize) -> &'a PairCoefficients,
) {
    let law = context.model.laws.rolling;
    let exponents = NormalExponents::of(context.model.laws.normal);
    for l in 0..WIDTH {
        let c = pair(l);
        let n = vector(&lanes.normal, l);
        let velocity = rolling::rolling_velocity(vector(&lanes.spin, l), DVec3::ZERO, n);
        let reduced = lanes.reduced_radius[l];
        let limit = rolling::rolling_limit(c.rolling_friction, reduced, lanes.pressing[l].max(0.0));
        let inertia = lanes.rolling_inertia[l];
        let acts = lanes.touches[l];
        let window = lanes.window[l];
        if law == RollingLaw::Constant {
            let stopping = inertia / context.time_step;
            let moment = acts * rolling::constant_rolling_moment(velocity, limit, stopping);
            set_vector(&mut lanes.moment, l, moment);
            lanes.lost_rolling[l] = -moment.dot(velocity) * window;
            continue;
        }
        let overlap = lanes.evaluated[l];
        let normal = lanes.stiffness[l];
        let tangent = if exponents.elastic > 1.0 {
            hertz_tangent_stiffness(normal, overlap)
        } else {
            normal
        };
        let stiffness = rolling::rolling_stiffness(tangent, c.rolling_friction, reduced);
        let damping = rolling::rolling_damping(c.rolling_damping, inertia, stiffness);
        let advance = 0.5 * window * velocity;
        let old = tangential::transport_spring(vector(&lanes.rolling, l), n);
        let result =
            rolling::spring_rolling_moment(stiffness, damping, old, advance, velocity, limit);
        set_vector(&mut lanes.moment, l, acts * result.moment);
        set_vector(&mut lanes.rolling, l, result.spring - stiffness * advance);
        let stored = rolling::rolling_elastic_energy(stiffness, result.spring);
        lanes.elastic_rolling[l] = acts * stored;
        let damped = result.moment - result.spring;
        let yielded = if stiffness > 0.0 {
            let test = old - stiffness * advance;
            (test - result.spring).dot(0.5 * (test + result.spring) / stiffness + advance)
        } else {
            0.0
        };
        // E = M²/2k falls without work while k ∝ √δ grows.
        let before = lanes.old_root[l];
        let stiffening = if exponents.elastic > 1.0 && overlap > 0.0 && before > 0.0 {
            rolling::rolling_elastic_energy(stiffness, old) * (lanes.root[l] / before - 1.0)
        } else {
            0.0
        };
        lanes.lost_rolling[l] = acts * (yielded - damped.dot(velocity) * window + stiffening);
    }
}
