//! The same physics without cells, queues or clocks of grains: all pairs, at every event.
//!
//! Slow and plain; what the engine is tested against. It shares the rules of collision with it and
//! nothing else: positions are absolute, everything moves at every event, and where paths are not straight, or walls
//! round or moving, intervals of time are halved until each is shown to be without a contact. Grains that come to rest
//! with the TC rule are not carried (`rest.rs`), and none leaves the domain.

use super::{Face, FaceShape, Happened, HardModel, Hit, StartingGrain, WallMotion};
use crate::laws::hard_sphere::{Body, GrainShape, collide};
use crate::laws::tc::Dimensions;
use glam::DVec3;
use std::f64::consts::TAU;

/// How far ahead contacts are looked for that have no closed form, s.
const AHEAD: f64 = 1000.0;

/// All pairs.
#[derive(Debug)]
pub struct BruteForce {
    model: HardModel,
    /// The grains now.
    pub grains: Vec<StartingGrain>,
    last: Vec<f64>,
    time: f64,
}

impl BruteForce {
    /// Prepares a run.
    pub fn new(model: HardModel, start: &[StartingGrain]) -> Self {
        Self {
            last: vec![f64::NEG_INFINITY; start.len()],
            grains: start.to_vec(),
            model,
            time: 0.0,
        }
    }

    /// Takes over the state of the engine: chaos soon drives two runs apart that differ by a rounding.
    pub fn meet(&mut self, engine: &super::HardEngine) {
        for now in engine.snapshot() {
            let index = now.id as usize;
            self.grains[index].position = now.position;
            self.grains[index].velocity = now.velocity;
            self.grains[index].spin = now.spin;
        }
        self.time = engine.time();
    }

    /// Goes to the next collision, which it returns; `None` if there will be none.
    pub fn step(&mut self) -> Option<Happened> {
        let mut first: Option<(f64, usize, Hit)> = None;
        let mut consider = |time: f64, grain: usize, hit: Hit| {
            if time.is_finite() && first.is_none_or(|(earliest, ..)| time < earliest) {
                first = Some((time, grain, hit));
            }
            first.map_or(AHEAD, |(earliest, ..)| earliest)
        };
        for i in 0..self.grains.len() {
            for j in i + 1..self.grains.len() {
                if !self.is_fall(i, j) {
                    consider(self.pair_time(i, j), i, Hit::Grain(id(j)));
                }
            }
            for (index, face) in self.model.faces.iter().enumerate() {
                if let Some(time) = self.face_time(i, face) {
                    consider(time, i, Hit::Face(id(index)));
                }
            }
        }
        // What has no closed form is looked for only until the first of these.
        let mut end = consider(f64::INFINITY, 0, Hit::Grain(0));
        for i in 0..self.grains.len() {
            for j in i + 1..self.grains.len() {
                if self.is_fall(i, j) {
                    end = consider(self.fall_time(i, j, end), i, Hit::Grain(id(j)));
                }
            }
            for (index, face) in self.model.faces.iter().enumerate() {
                if self.face_time(i, face).is_none() {
                    end = consider(self.searched_time(i, face, end), i, Hit::Face(id(index)));
                }
            }
        }
        let (wait, grain, hit) = first?;
        self.advance(wait);
        Some(match hit {
            Hit::Grain(other) => self.collide_pair(grain, other as usize),
            Hit::Face(face) => self.collide_face(grain, face as usize),
        })
    }

    fn advance(&mut self, wait: f64) {
        let length = self.model.upper - self.model.lower;
        for grain in &mut self.grains {
            if grain.fixed {
                continue;
            }
            grain.position += wait * (grain.velocity + 0.5 * wait * self.model.gravity);
            grain.velocity += wait * self.model.gravity;
            for axis in 0..3 {
                if self.model.periodic[axis] {
                    let along = grain.position[axis] - self.model.lower[axis];
                    grain.position[axis] -= length[axis] * (along / length[axis]).floor();
                }
            }
        }
        self.time += wait;
    }

    /// From i to j along the shortest way.
    fn way(&self, i: usize, j: usize) -> DVec3 {
        let mut way = self.grains[j].position - self.grains[i].position;
        let length = self.model.upper - self.model.lower;
        for axis in 0..3 {
            if self.model.periodic[axis] {
                way[axis] -= length[axis] * (way[axis] / length[axis]).round();
            }
        }
        way
    }

    /// The earliest touch over the images within one period.
    fn pair_time(&self, i: usize, j: usize) -> f64 {
        let (a, b) = (&self.grains[i], &self.grains[j]);
        if a.fixed && b.fixed {
            return f64::INFINITY;
        }
        let length = self.model.upper - self.model.lower;
        let (way, velocity) = (self.way(i, j), b.velocity - a.velocity);
        let shifts = |axis: usize| {
            if self.model.periodic[axis] {
                -1..=1
            } else {
                0..=0
            }
        };
        let mut earliest = f64::INFINITY;
        for x in shifts(0) {
            for y in shifts(1) {
                for z in shifts(2) {
                    let image = way + length * DVec3::new(f64::from(x), f64::from(y), f64::from(z));
                    let reach = a.radius + b.radius;
                    earliest = earliest.min(touch_time(image, velocity, reach));
                }
            }
        }
        earliest
    }

    /// Whether one of two grains falls and the other is held.
    fn is_fall(&self, i: usize, j: usize) -> bool {
        self.model.gravity != DVec3::ZERO && self.grains[i].fixed != self.grains[j].fixed
    }

    /// When a grain first touches one that is held, or an image of it, within `end`, s from now.
    fn fall_time(&self, i: usize, j: usize, end: f64) -> f64 {
        let (a, b) = (&self.grains[i], &self.grains[j]);
        let sign = if a.fixed { 1.0 } else { -1.0 };
        let (way, gravity) = (self.way(i, j), self.model.gravity);
        let velocity = b.velocity - a.velocity;
        let length = self.model.upper - self.model.lower;
        // As many periods as it comes past.
        let travel = (velocity.length() + 0.5 * gravity.length() * end) * end;
        let shifts = |axis: usize| {
            let most = if self.model.periodic[axis] {
                (travel / length[axis]).ceil() + 1.0
            } else {
                0.0
            };
            std::iter::successors(Some(-most), move |shift| {
                (*shift < most).then_some(shift + 1.0)
            })
        };
        let mut earliest = f64::INFINITY;
        for x in shifts(0) {
            for y in shifts(1) {
                for z in shifts(2) {
                    let round = Round {
                        place: way + length * DVec3::new(x, y, z),
                        velocity,
                        acceleration: sign * gravity,
                        contact: a.radius + b.radius,
                        inside: false,
                    };
                    earliest = earliest.min(first_closing(&round, end.min(earliest)));
                }
            }
        }
        earliest
    }

    /// When a grain touches a face within `end`, s from now, where that has no closed form or needs none.
    fn searched_time(&self, i: usize, face: &Face, end: f64) -> f64 {
        let grain = &self.grains[i];
        if grain.fixed {
            return f64::INFINITY;
        }
        let gravity = self.model.gravity;
        match face.shape {
            FaceShape::Plane {
                point,
                normal,
                motion,
            } => {
                let moving = MovingPlane {
                    height: (grain.position - point).dot(normal) - grain.radius,
                    speed: grain.velocity.dot(normal),
                    acceleration: gravity.dot(normal),
                    normal,
                    motion: motion.unwrap_or(STILL),
                    now: self.time,
                };
                first_closing(&moving, end)
            }
            FaceShape::Cylinder {
                point,
                axis,
                radius,
                inside,
            } => {
                let across = |v: DVec3| v - v.dot(axis) * axis;
                let round = Round {
                    place: across(grain.position - point),
                    velocity: across(grain.velocity),
                    acceleration: across(gravity),
                    contact: contact(radius, grain.radius, inside),
                    inside,
                };
                first_closing(&round, end)
            }
            FaceShape::Sphere {
                center,
                radius,
                inside,
            } => {
                let round = Round {
                    place: grain.position - center,
                    velocity: grain.velocity,
                    acceleration: gravity,
                    contact: contact(radius, grain.radius, inside),
                    inside,
                };
                first_closing(&round, end)
            }
        }
    }

    /// When a grain hits a plane that does not move, s from now; `None` for other faces.
    fn face_time(&self, i: usize, face: &Face) -> Option<f64> {
        let FaceShape::Plane {
            point,
            normal,
            motion: None,
        } = face.shape
        else {
            return None;
        };
        let grain = &self.grains[i];
        if grain.fixed {
            return Some(f64::INFINITY);
        }
        let gap = ((grain.position - point).dot(normal) - grain.radius).max(0.0);
        let (speed, push) = (grain.velocity.dot(normal), self.model.gravity.dot(normal));
        if push == 0.0 {
            return Some(if speed < 0.0 {
                -gap / speed
            } else {
                f64::INFINITY
            });
        }
        let discriminant = speed * speed - 2.0 * push * gap;
        if discriminant < 0.0 {
            return Some(f64::INFINITY);
        }
        // The later root where the plane is below, the earlier where the grain is thrown at it.
        let root = discriminant.sqrt();
        let times = [(-speed - root) / push, (-speed + root) / push];
        let falling = |time: f64| speed + push * time < 0.0;
        let times = times
            .into_iter()
            .filter(|&time| time >= 0.0 && falling(time));
        Some(times.fold(f64::INFINITY, f64::min))
    }

    fn shape(&self) -> GrainShape {
        match self.model.dimensions {
            Dimensions::Two => GrainShape::Disk,
            Dimensions::Three => GrainShape::Sphere,
        }
    }

    fn body(&self, i: usize) -> Body {
        let grain = &self.grains[i];
        if grain.fixed {
            return Body {
                radius: grain.radius,
                ..Body::wall(DVec3::ZERO)
            };
        }
        Body::grain(
            self.shape(),
            grain.mass,
            grain.radius,
            grain.velocity,
            grain.spin,
        )
    }

    fn is_elastic(&self, i: usize) -> bool {
        let duration = self.model.contact_duration;
        duration > 0.0 && self.time - self.last[i] <= duration
    }

    fn collide_pair(&mut self, i: usize, j: usize) -> Happened {
        let elastic = self.is_elastic(i) || self.is_elastic(j);
        let since = self.time - self.last[i].max(self.last[j]);
        let normal = self.way(i, j).normalize();
        let pair = usize::from(self.grains[i].material) * self.model.materials
            + usize::from(self.grains[j].material);
        let rule = self.model.rules[pair];
        let impact = collide(&self.body(i), &self.body(j), normal, &rule, elastic);
        for (index, body) in [(i, impact.first), (j, impact.second)] {
            self.grains[index].velocity = body.velocity;
            self.grains[index].spin = body.spin;
            self.last[index] = self.time;
        }
        Happened {
            time: self.time,
            grain: id(i),
            hit: Hit::Grain(id(j)),
            elastic,
            since,
            impulse: impact.impulse.length(),
        }
    }

    fn collide_face(&mut self, i: usize, index: usize) -> Happened {
        let elastic = self.is_elastic(i);
        let since = self.time - self.last[i];
        let face = self.model.faces[index];
        // From the wall to the grain.
        let place = self.grains[i].position;
        let (normal, velocity) = match face.shape {
            FaceShape::Plane { normal, motion, .. } => {
                let (_, velocity) = displacement(&motion.unwrap_or(STILL), self.time);
                (normal, velocity)
            }
            FaceShape::Cylinder {
                point,
                axis,
                inside,
                ..
            } => {
                let way = place - point;
                (outwards(way - way.dot(axis) * axis, inside), DVec3::ZERO)
            }
            FaceShape::Sphere { center, inside, .. } => {
                (outwards(place - center, inside), DVec3::ZERO)
            }
        };
        let pair = usize::from(self.grains[i].material) * self.model.materials
            + usize::from(face.material);
        let rule = self.model.rules[pair];
        let wall = Body::wall(velocity);
        let impact = collide(&self.body(i), &wall, -normal, &rule, elastic);
        self.grains[i].velocity = impact.first.velocity;
        self.grains[i].spin = impact.first.spin;
        self.last[i] = self.time;
        Happened {
            time: self.time,
            grain: id(i),
            hit: Hit::Face(id(index)),
            elastic,
            since,
            impulse: impact.impulse.length(),
        }
    }
}

/// When two bodies on straight lines touch.
fn touch_time(way: DVec3, velocity: DVec3, reach: f64) -> f64 {
    let b = way.dot(velocity);
    let speed = velocity.length_squared();
    let discriminant = b * b - speed * (way.length_squared() - reach * reach);
    if b >= 0.0 || discriminant < 0.0 {
        return f64::INFINITY;
    }
    ((-b - discriminant.sqrt()) / speed).max(0.0)
}

/// A motion that is none.
const STILL: WallMotion = WallMotion {
    velocity: DVec3::ZERO,
    amplitude: DVec3::ZERO,
    frequency: 0.0,
    phase: 0.0,
};

/// Displacement and velocity of a wall, `time` s after the start.
fn displacement(motion: &WallMotion, time: f64) -> (DVec3, DVec3) {
    let angular = TAU * motion.frequency;
    let phase = angular * time + motion.phase;
    (
        motion.velocity * time + motion.amplitude * phase.sin(),
        motion.velocity + motion.amplitude * angular * phase.cos(),
    )
}

/// Distance of a centre from the middle of a round wall at contact.
fn contact(wall_radius: f64, radius: f64, inside: bool) -> f64 {
    if inside {
        wall_radius - radius
    } else {
        wall_radius + radius
    }
}

/// From a round wall to a grain.
fn outwards(way: DVec3, inside: bool) -> DVec3 {
    if inside {
        -way.normalize()
    } else {
        way.normalize()
    }
}

/// A gap that changes with time.
trait Gap {
    /// The gap and its rate, `time` s from now.
    fn at(&self, time: f64) -> (f64, f64);

    /// A bound on the magnitude of its second derivative between two times.
    fn bend(&self, from: f64, to: f64) -> f64;
}

/// A grain and a plane that moves.
struct MovingPlane {
    /// Of the grain above the place of the plane at the start.
    height: f64,
    speed: f64,
    acceleration: f64,
    normal: DVec3,
    motion: WallMotion,
    /// s since the start.
    now: f64,
}

impl Gap for MovingPlane {
    fn at(&self, time: f64) -> (f64, f64) {
        let (way, velocity) = displacement(&self.motion, self.now + time);
        let fall = self.height + self.speed * time + 0.5 * self.acceleration * time * time;
        (
            fall - way.dot(self.normal),
            self.speed + self.acceleration * time - velocity.dot(self.normal),
        )
    }

    fn bend(&self, _: f64, _: f64) -> f64 {
        let angular = TAU * self.motion.frequency;
        self.acceleration.abs() + angular * angular * self.motion.amplitude.length()
    }
}

/// A parabola around a round wall, or a grain that is held: the gap is (|place|² − contact²)/(2 contact), which has no
/// corner in the middle, and the opposite of it inside.
struct Round {
    place: DVec3,
    velocity: DVec3,
    acceleration: DVec3,
    contact: f64,
    inside: bool,
}

impl Round {
    fn path(&self, time: f64) -> (DVec3, DVec3) {
        (
            self.place + self.velocity * time + 0.5 * time * time * self.acceleration,
            self.velocity + time * self.acceleration,
        )
    }
}

impl Gap for Round {
    fn at(&self, time: f64) -> (f64, f64) {
        let (place, velocity) = self.path(time);
        let beyond = (place.length_squared() - self.contact * self.contact) / (2.0 * self.contact);
        let rate = place.dot(velocity) / self.contact;
        if self.inside {
            (-beyond, -rate)
        } else {
            (beyond, rate)
        }
    }

    fn bend(&self, from: f64, to: f64) -> f64 {
        let (place, velocity) = self.path(from);
        let push = self.acceleration.length();
        let fastest = velocity.length() + push * (to - from);
        let farthest = place.length() + fastest * (to - from);
        (fastest * fastest + farthest * push) / self.contact
    }
}

/// When a gap first closes within `end`, s from now; infinite if it does not.
fn first_closing(gap: &impl Gap, end: f64) -> f64 {
    let (size, rate) = gap.at(0.0);
    if rate < 0.0 && size <= 0.0 {
        return 0.0;
    }
    // A gap that is opening stays open for twice this time: rounding may say that it is not open yet.
    let start = if rate > 0.0 {
        (rate / gap.bend(0.0, end)).min(end)
    } else {
        0.0
    };
    first_closing_between(gap, start, end).unwrap_or(f64::INFINITY)
}

/// The same between two times, the first of which has an open gap.
fn first_closing_between(gap: &impl Gap, from: f64, to: f64) -> Option<f64> {
    let least = gap.at(from).0.min(gap.at(to).0);
    let width = to - from;
    // A curve is nowhere farther below its chord.
    if least > gap.bend(from, to) * width * width / 8.0 {
        return None;
    }
    let middle = 0.5 * (from + to);
    if middle <= from || middle >= to {
        return (least <= 0.0).then_some(to);
    }
    first_closing_between(gap, from, middle).or_else(|| first_closing_between(gap, middle, to))
}

fn id(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
