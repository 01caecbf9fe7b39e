//! Faces of walls: when a grain hits one, and where.

use super::cells::Cells;
use super::roots::{Closing, closing_time, first_closing};
use glam::DVec3;
use std::f64::consts::TAU;

/// Number of a face.
pub(super) type FaceIndex = u16;

/// Gaps below this fraction of a radius are closed.
const CLOSED: f64 = 1e-14;

/// How a plane moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WallMotion {
    /// Constant velocity, m/s.
    pub velocity: DVec3,
    /// Amplitude of a sinusoidal motion, m.
    pub amplitude: DVec3,
    /// Its frequency, Hz.
    pub frequency: f64,
    /// Its phase at the start, rad.
    pub phase: f64,
}

impl WallMotion {
    fn angular_frequency(&self) -> f64 {
        TAU * self.frequency
    }

    /// Displacement and velocity at a time since the start, s.
    fn at(&self, time: f64) -> (DVec3, DVec3) {
        let (sin, cos) = (self.angular_frequency() * time + self.phase).sin_cos();
        (
            self.velocity * time + self.amplitude * sin,
            self.velocity + self.amplitude * (self.angular_frequency() * cos),
        )
    }

    /// Acceleration at a time since the start, m/s².
    fn acceleration(&self, time: f64) -> DVec3 {
        let angular = self.angular_frequency();
        self.amplitude * (-angular * angular * (angular * time + self.phase).sin())
    }
}

/// The surface of a face.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FaceShape {
    /// A plane; grains are where `normal` points to.
    Plane {
        /// A point of it at the start, m.
        point: DVec3,
        /// Unit normal.
        normal: DVec3,
        /// How it moves; `None`: not.
        motion: Option<WallMotion>,
    },
    /// A cylinder without ends.
    Cylinder {
        /// A point of the axis, m.
        point: DVec3,
        /// Unit vector along the axis.
        axis: DVec3,
        /// Radius, m.
        radius: f64,
        /// Whether the grains are in it.
        inside: bool,
    },
    /// A sphere.
    Sphere {
        /// Centre, m.
        center: DVec3,
        /// Radius, m.
        radius: f64,
        /// Whether the grains are in it.
        inside: bool,
    },
}

/// A face of a wall.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Face {
    /// Its surface.
    pub shape: FaceShape,
    /// Number of its material.
    pub material: u16,
}

/// A grain in flight, in the coordinates of the domain.
#[derive(Debug, Clone, Copy)]
pub(super) struct Flight {
    pub(super) position: DVec3,
    pub(super) velocity: DVec3,
    pub(super) acceleration: DVec3,
    pub(super) radius: f64,
}

/// Where a grain meets a face.
#[derive(Debug, Clone, Copy)]
pub(super) struct Meeting {
    /// From the grain to the wall.
    pub(super) normal: DVec3,
    /// Distance of the surfaces, m.
    pub(super) gap: f64,
    /// Of the wall, m/s.
    pub(super) velocity: DVec3,
}

impl Face {
    /// When a grain hits the face within `end`, s from now.
    ///
    /// * `touches` — whether it has just hit the face: then the gap is 0 and not what rounding left of
    ///   it, which would keep a grain bouncing that comes to rest
    /// * `now` — s since the start, for faces that move
    pub(super) fn time_to_contact(
        &self,
        flight: &Flight,
        touches: bool,
        now: f64,
        end: f64,
    ) -> Closing {
        match self.shape {
            FaceShape::Plane {
                point,
                normal,
                motion,
            } => {
                let gap = (flight.position - point).dot(normal) - flight.radius;
                let rate = flight.velocity.dot(normal);
                let acceleration = flight.acceleration.dot(normal);
                match motion {
                    None if touches => Closing::At(closing_time(0.0, rate, acceleration)),
                    None => Closing::At(closing_time(gap, rate, acceleration)),
                    Some(motion) => {
                        let line = [gap, rate, acceleration];
                        moving_plane(line, flight.radius, normal, &motion, now, end)
                    }
                }
            }
            FaceShape::Cylinder {
                point,
                axis,
                radius,
                inside,
            } => {
                let across = |v: DVec3| v - v.dot(axis) * axis;
                let flight = Flight {
                    position: across(flight.position - point),
                    velocity: across(flight.velocity),
                    acceleration: across(flight.acceleration),
                    radius: flight.radius,
                };
                round(&flight, radius, inside, end)
            }
            FaceShape::Sphere {
                center,
                radius,
                inside,
            } => {
                let flight = Flight {
                    position: flight.position - center,
                    ..*flight
                };
                round(&flight, radius, inside, end)
            }
        }
    }

    /// Where a grain at `position` is nearest to the face, `time` s after the start.
    pub(super) fn meeting(&self, position: DVec3, radius: f64, time: f64) -> Meeting {
        let curved = |way: DVec3, wall_radius: f64, inside: bool| {
            let distance = way.length();
            let outwards = way / distance;
            Meeting {
                normal: if inside { outwards } else { -outwards },
                gap: if inside {
                    wall_radius - radius - distance
                } else {
                    distance - wall_radius - radius
                },
                velocity: DVec3::ZERO,
            }
        };
        match self.shape {
            FaceShape::Plane {
                point,
                normal,
                motion,
            } => {
                let (displacement, velocity) =
                    motion.map_or((DVec3::ZERO, DVec3::ZERO), |motion| motion.at(time));
                Meeting {
                    normal: -normal,
                    gap: (position - point - displacement).dot(normal) - radius,
                    velocity,
                }
            }
            FaceShape::Cylinder {
                point,
                axis,
                radius: wall_radius,
                inside,
            } => {
                let way = position - point;
                curved(way - way.dot(axis) * axis, wall_radius, inside)
            }
            FaceShape::Sphere {
                center,
                radius: wall_radius,
                inside,
            } => curved(position - center, wall_radius, inside),
        }
    }

    /// Acceleration of the face, m/s², `time` s after the start.
    pub(super) fn acceleration(&self, time: f64) -> DVec3 {
        match self.shape {
            FaceShape::Plane {
                motion: Some(motion),
                ..
            } => motion.acceleration(time),
            _ => DVec3::ZERO,
        }
    }

    /// Whether a grain in a box could touch the face.
    pub(super) fn reaches(&self, centre: DVec3, cell: DVec3, largest_radius: f64) -> bool {
        let reach = 0.5 * cell.length() + largest_radius;
        let from_surface = |distance: f64, radius: f64| (distance - radius).abs() <= reach;
        match self.shape {
            FaceShape::Plane {
                point,
                normal,
                motion,
            } => {
                let motion = motion.unwrap_or(WallMotion {
                    velocity: DVec3::ZERO,
                    amplitude: DVec3::ZERO,
                    frequency: 0.0,
                    phase: 0.0,
                });
                let swing = motion.amplitude.dot(normal).abs();
                motion.velocity.dot(normal) != 0.0
                    || (centre - point).dot(normal).abs() <= reach + swing
            }
            FaceShape::Cylinder {
                point,
                axis,
                radius,
                ..
            } => {
                let way = centre - point;
                from_surface((way - way.dot(axis) * axis).length(), radius)
            }
            FaceShape::Sphere { center, radius, .. } => {
                from_surface((centre - center).length(), radius)
            }
        }
    }
}

/// Contact with a plane that moves; `line` is the gap to its place at the start, its rate and
/// acceleration.
fn moving_plane(
    line: [f64; 3],
    radius: f64,
    normal: DVec3,
    motion: &WallMotion,
    now: f64,
    end: f64,
) -> Closing {
    let [gap, rate, acceleration] = line;
    let drift = motion.velocity.dot(normal);
    let swing = motion.amplitude.dot(normal);
    let angular = motion.angular_frequency();
    let gap = gap - drift * now;
    let rate = rate - drift;
    // Nothing happens above the highest place of the plane.
    let start = if gap > swing.abs() {
        closing_time(gap - swing.abs(), rate, acceleration)
    } else {
        0.0
    };
    if start > end {
        return Closing::At(f64::INFINITY);
    }
    let phase = angular * now + motion.phase;
    let distance = |t: f64| {
        let (sin, cos) = (angular * t + phase).sin_cos();
        (
            gap + (rate + 0.5 * acceleration * t) * t - swing * sin,
            rate + acceleration * t - swing * angular * cos,
        )
    };
    let bend = acceleration.abs() + swing.abs() * angular * angular;
    first_closing(distance, bend, CLOSED * radius, start, end)
}

/// Contact with a circle or a sphere around the origin.
fn round(flight: &Flight, wall_radius: f64, inside: bool, end: f64) -> Closing {
    let Flight {
        position,
        velocity,
        acceleration,
        radius,
    } = *flight;
    let contact = if inside {
        wall_radius - radius
    } else {
        wall_radius + radius
    };
    let (b, speed) = (position.dot(velocity), velocity.length_squared());
    let c = (position.length() - contact) * (position.length() + contact);
    if acceleration == DVec3::ZERO {
        return Closing::At(if inside {
            leaving_time(b, speed, c)
        } else {
            approach_time(b, speed, contact * contact, c)
        });
    }
    // The gap times (distance + contact)/(2 contact), which is smooth.
    let sign = if inside { -1.0 } else { 1.0 };
    let gap = |t: f64| {
        let place = position + (velocity + 0.5 * acceleration * t) * t;
        let speed = velocity + acceleration * t;
        let squared = (place.length() - contact) * (place.length() + contact);
        (
            sign * 0.5 * squared / contact,
            sign * place.dot(speed) / contact,
        )
    };
    let fastest = velocity.length() + acceleration.length() * end;
    let farthest = position.length() + fastest * end;
    let bend = (fastest * fastest + farthest * acceleration.length()) / contact;
    first_closing(gap, bend, CLOSED * radius, 0.0, end)
}

/// When two bodies on straight lines touch, s from now; infinite if they do not.
///
/// * `b` — separation times relative velocity, negative if they approach
/// * `speed` — relative speed squared
/// * `contact` — contact distance squared
/// * `c` — separation squared less that; what is below 0 is rounding
#[inline]
pub(super) fn approach_time(b: f64, speed: f64, contact: f64, c: f64) -> f64 {
    // All is worked out and then chosen from, so that many can be at once.
    let discriminant = b * b - speed * c;
    let meeting = c / (discriminant.sqrt() - b);
    // What slides past without approaching, up to rounding, exchanges nothing.
    let slides = b * b <= GRAZING * speed * contact;
    let touches = c <= 0.0;
    // What only just touches exchanges nothing.
    let passes = discriminant <= 0.0;
    let never = (b >= 0.0) | if touches { slides } else { passes };
    let time = if touches { 0.0 } else { meeting };
    if never { f64::INFINITY } else { time }
}

/// Square of the angle to the tangent, rad², below which the sign of an approach is rounding.
pub(super) const GRAZING: f64 = 1e-31;

/// When a point on a straight line leaves a circle or a sphere.
fn leaving_time(b: f64, speed: f64, c: f64) -> f64 {
    if speed == 0.0 {
        return f64::INFINITY;
    }
    if c >= 0.0 && b > 0.0 {
        return 0.0;
    }
    let root = (b * b - speed * c.min(0.0)).sqrt();
    if b > 0.0 {
        -c.min(0.0) / (b + root)
    } else {
        (root - b) / speed
    }
}

/// Which faces a grain in each cell could touch.
#[derive(Debug, Clone)]
pub(super) struct FacesOfCells {
    starts: Vec<u32>,
    faces: Vec<FaceIndex>,
}

impl FacesOfCells {
    #[allow(
        clippy::cast_possible_truncation,
        reason = "cells and faces are numbered in 32 and 16 bits"
    )]
    pub(super) fn new(faces: &[Face], cells: &Cells, largest_radius: f64) -> Self {
        let mut of_cells = Self {
            starts: Vec::new(),
            faces: Vec::new(),
        };
        if faces.is_empty() {
            return of_cells;
        }
        of_cells.starts.push(0);
        let [nx, ny, nz] = cells.counts;
        let room = cells.size + 2.0 * cells.margin;
        for z in 0..nz {
            for y in 0..ny {
                for x in 0..nx {
                    let centre = cells.centre([x as u16, y as u16, z as u16]);
                    for (index, face) in faces.iter().enumerate() {
                        if face.reaches(centre, room, largest_radius) {
                            of_cells.faces.push(index as FaceIndex);
                        }
                    }
                    of_cells.starts.push(of_cells.faces.len() as u32);
                }
            }
        }
        of_cells
    }

    #[inline]
    pub(super) fn of(&self, cell: usize) -> &[FaceIndex] {
        if self.starts.is_empty() {
            return &[];
        }
        &self.faces[self.starts[cell] as usize..self.starts[cell + 1] as usize]
    }

    pub(super) fn bytes(&self) -> usize {
        self.starts.capacity() * size_of::<u32>() + self.faces.capacity() * size_of::<FaceIndex>()
    }
}
