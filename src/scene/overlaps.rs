//! Overlaps at the start.

use super::grid::SphereGrid;
use super::validate::{Check, Place, complain_at, vector_text};
use super::{Scene, names, walls};
use std::ops::ControlFlow;

/// Deepest overlap of two grains, or of a grain and a wall, at the start, as a fraction of the smaller
/// radius. A deeper one would release more energy than any collision.
pub const START_OVERLAP_LIMIT: f64 = 0.05;

/// The same for hard grains: 10⁻¹² of the diameter, which is what runs keep to.
const HARD_OVERLAP_LIMIT: f64 = 2e-12;

/// Roundings of a coordinate that an overlap of hard grains may come from besides.
const ROUNDINGS: f64 = 4.0;

/// How deep grains may overlap at the start.
struct Limit {
    /// As a fraction of the smaller radius.
    part: f64,
    /// And by rounding of coordinates, m.
    rounding: f64,
}

impl Limit {
    fn new(scene: &Scene) -> Self {
        if scene.hard.is_none() {
            return Self {
                part: START_OVERLAP_LIMIT,
                rounding: 0.0,
            };
        }
        let farthest = scene.domain.lower.abs().max(scene.domain.upper.abs());
        Self {
            part: HARD_OVERLAP_LIMIT,
            rounding: ROUNDINGS * f64::EPSILON * farthest.max_element(),
        }
    }

    fn of(&self, radius: f64) -> f64 {
        self.part * radius + self.rounding
    }
}

/// A part of a radius, however small.
fn part_text(part: f64) -> String {
    if part < 1e-3 {
        format!("{part:.1e}")
    } else {
        format!("{part:.3}")
    }
}

/// No two grains, one of which can move, overlap deeply.
pub(super) fn check_overlaps(scene: &Scene) -> Check {
    let particles = &scene.particles;
    let deepest = Limit::new(scene);
    // The largest first: then no sphere ever looks for smaller ones, and the search stays linear.
    let mut order: Vec<usize> = (0..particles.len()).collect();
    order.sort_by(|&a, &b| particles[b].radius.total_cmp(&particles[a].radius));
    let Some(&first) = order.first() else {
        return Ok(());
    };
    let mut grid = SphereGrid::new(&scene.domain, particles[first].radius, particles.len());
    for &index in &order {
        let particle = &particles[index];
        let mut deep = None;
        let _ = grid.visit(particle.position, particle.radius, |number, overlap| {
            let other = &particles[order[number]];
            let limit = deepest.of(particle.radius.min(other.radius));
            if overlap > limit && !(particle.fixed && other.fixed) {
                deep = Some((order[number], overlap));
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        if let Some((other, overlap)) = deep {
            let (i, j) = (index.max(other), index.min(other));
            let radius = particle.radius.min(particles[other].radius);
            return complain_at(
                Place::Particle {
                    index: i,
                    field: "position",
                },
                format!(
                    "{}, overlapping particle {j} by {} of the smaller radius",
                    vector_text(particles[i].position),
                    part_text(overlap / radius)
                ),
                format!(
                    "an overlap of at most {} of the smaller radius at the start",
                    names::number_text(deepest.part)
                ),
            );
        }
        grid.insert(particle.position, particle.radius);
    }
    Ok(())
}

/// No grain that can move reaches deeply into a wall.
pub(super) fn check_wall_overlaps(scene: &Scene) -> Check {
    let deepest = Limit::new(scene);
    for wall in &scene.walls {
        for (index, particle) in scene.particles.iter().enumerate() {
            let radius = particle.radius;
            let Some(overlap) = walls::overlap(&wall.shape, particle.position, radius) else {
                continue;
            };
            if overlap > deepest.of(radius) && !particle.fixed {
                return complain_at(
                    Place::Particle {
                        index,
                        field: "position",
                    },
                    format!(
                        "{}, overlapping wall {} by {} of its radius",
                        vector_text(particle.position),
                        names::quoted(&wall.name),
                        part_text(overlap / radius)
                    ),
                    format!(
                        "an overlap of at most {} of the radius at the start, on the side that the \
                         normal points to",
                        names::number_text(deepest.part)
                    ),
                );
            }
        }
    }
    Ok(())
}
