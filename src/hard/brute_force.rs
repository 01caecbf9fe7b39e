//! The same physics without cells, queues or clocks of grains: all pairs, at every event.
//!
//! Slow and plain; what the engine is tested against. It shares the rules of collision with it and
//! nothing else: positions are absolute, everything moves at every event, and walls are planes that do
//! not move.

use super::{Face, FaceShape, Happened, HardModel, Hit, StartingGrain};
use crate::laws::hard_sphere::{Body, GrainShape, collide};
use crate::laws::tc::Dimensions;
use glam::DVec3;

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
        };
        for i in 0..self.grains.len() {
            for j in i + 1..self.grains.len() {
                consider(self.pair_time(i, j), i, Hit::Grain(id(j)));
            }
            for (index, face) in self.model.faces.iter().enumerate() {
                consider(self.face_time(i, face), i, Hit::Face(id(index)));
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
        assert!(
            self.model.gravity == DVec3::ZERO || a.fixed == b.fixed,
            "no parabolas here"
        );
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

    fn face_time(&self, i: usize, face: &Face) -> f64 {
        let FaceShape::Plane {
            point,
            normal,
            motion: None,
        } = face.shape
        else {
            panic!("only planes that do not move");
        };
        let grain = &self.grains[i];
        if grain.fixed {
            return f64::INFINITY;
        }
        let gap = ((grain.position - point).dot(normal) - grain.radius).max(0.0);
        let (speed, push) = (grain.velocity.dot(normal), self.model.gravity.dot(normal));
        if push == 0.0 {
            return if speed < 0.0 {
                -gap / speed
            } else {
                f64::INFINITY
            };
        }
        let discriminant = speed * speed - 2.0 * push * gap;
        if discriminant < 0.0 {
            return f64::INFINITY;
        }
        // The later root where the plane is below, the earlier where the grain is thrown at it.
        let root = discriminant.sqrt();
        let times = [(-speed - root) / push, (-speed + root) / push];
        let falling = |time: f64| speed + push * time < 0.0;
        times
            .into_iter()
            .filter(|&time| time >= 0.0 && falling(time))
            .fold(f64::INFINITY, f64::min)
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
        let FaceShape::Plane { normal, .. } = face.shape else {
            panic!("only planes");
        };
        let pair = usize::from(self.grains[i].material) * self.model.materials
            + usize::from(face.material);
        let rule = self.model.rules[pair];
        let wall = Body::wall(DVec3::ZERO);
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

fn id(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
