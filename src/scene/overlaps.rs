//! Overlaps at the start.

use super::grid::SphereGrid;
use super::validate::{Check, Place, complain_at, vector_text};
use super::{Scene, names, walls};
use std::ops::ControlFlow;

/// Deepest overlap of two grains, or of a grain and a wall, at the start, as a fraction of the smaller
/// radius. A deeper one would release more energy than any collision.
pub const START_OVERLAP_LIMIT: f64 = 0.05;

/// The same for hard grains: rounding of the numbers in a file.
const HARD_OVERLAP_LIMIT: f64 = 1e-10;

fn limit(scene: &Scene) -> f64 {
    if scene.hard.is_some() {
        HARD_OVERLAP_LIMIT
    } else {
        START_OVERLAP_LIMIT
    }
}

/// No two grains, one of which can move, overlap deeply.
pub(super) fn check_overlaps(scene: &Scene) -> Check {
    let particles = &scene.particles;
    let deepest = limit(scene);
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
            let limit = deepest * particle.radius.min(other.radius);
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
                    "{}, overlapping particle {j} by {:.3} of the smaller radius",
                    vector_text(particles[i].position),
                    overlap / radius
                ),
                format!("an overlap of at most {deepest} of the smaller radius at the start"),
            );
        }
        grid.insert(particle.position, particle.radius);
    }
    Ok(())
}

/// No grain that can move reaches deeply into a wall.
pub(super) fn check_wall_overlaps(scene: &Scene) -> Check {
    let deepest = limit(scene);
    for wall in &scene.walls {
        for (index, particle) in scene.particles.iter().enumerate() {
            let radius = particle.radius;
            let Some(overlap) = walls::overlap(&wall.shape, particle.position, radius) else {
                continue;
            };
            if overlap > deepest * radius && !particle.fixed {
                return complain_at(
                    Place::Particle {
                        index,
                        field: "position",
                    },
                    format!(
                        "{}, overlapping wall {} by {:.3} of its radius",
                        vector_text(particle.position),
                        names::quoted(&wall.name),
                        overlap / radius
                    ),
                    format!(
                        "an overlap of at most {deepest} of the radius at the start, on the \
                         side that the normal points to"
                    ),
                );
            }
        }
    }
    Ok(())
}
