//! Distance of a grain from a wall.

use crate::position::Grid;
use crate::scene::{Scene, Side, WallShape};
use glam::{DVec2, DVec3};

/// One wall face: a surface and the point that its coordinates start from.
#[derive(Debug, Clone)]
pub(super) struct Surface {
    pub(super) material: usize,
    /// In units, whole and rest: differences to a grain are exact wherever the wall is.
    whole: DVec3,
    rest: DVec3,
    shape: WallShape,
}

/// The faces of a scene's walls, in their order; a box has one for each side that exists.
pub(super) fn surfaces_of(scene: &Scene, grid: &Grid) -> Vec<Surface> {
    let mut surfaces = Vec::new();
    for wall in &scene.walls {
        let mut push = |point: DVec3, shape: WallShape| {
            let exact = (point - grid.origin) / grid.unit;
            let whole = exact.round();
            surfaces.push(Surface {
                material: wall.material,
                whole,
                rest: exact - whole,
                shape,
            });
        };
        match wall.shape {
            WallShape::Plane { point, .. }
            | WallShape::Cylinder { point, .. }
            | WallShape::Cone { point, .. } => push(point, wall.shape),
            WallShape::Sphere { center, .. } => push(center, wall.shape),
            WallShape::Box {
                lower,
                upper,
                faces,
            } => {
                for (side, _) in faces.iter().enumerate().filter(|(_, exists)| **exists) {
                    let inward = if side % 2 == 0 { 1.0 } else { -1.0 };
                    let normal = inward * DVec3::AXES[side / 2];
                    let point = if side % 2 == 0 { lower } else { upper };
                    push(point, WallShape::Plane { point, normal });
                }
            }
        }
    }
    surfaces
}

impl Surface {
    /// Distance of a centre from the surface, m (negative behind it), and the unit vector towards it.
    #[allow(
        clippy::cast_precision_loss,
        reason = "positions stay below 2^42 units"
    )]
    pub(super) fn distance(&self, grid: &Grid, units: [i64; 3], remainder: DVec3) -> (f64, DVec3) {
        let units = DVec3::from_array(units.map(|x| x as f64));
        let from = ((units - self.whole) + (remainder - self.rest)) * grid.unit;
        match self.shape {
            WallShape::Plane { normal, .. } => (from.dot(normal), -normal),
            WallShape::Sphere { radius, side, .. } => {
                let outward = from.try_normalize().unwrap_or(DVec3::Z);
                signed(radius - from.length(), outward, side)
            }
            WallShape::Cylinder {
                axis,
                length,
                radius,
                side,
                ..
            } => match length {
                None => {
                    let radial = from - from.dot(axis) * axis;
                    let outward = direction(radial, axis);
                    signed(radius - radial.length(), outward, side)
                }
                Some(length) => turned(from, axis, length, [radius; 2]),
            },
            WallShape::Cone {
                axis,
                length,
                radii,
                ..
            } => turned(from, axis, length, radii),
            // Its faces are planes of their own.
            WallShape::Box { .. } => (f64::INFINITY, DVec3::Z),
        }
    }
}

/// A depth inside the hollow and the direction out of it, as seen from `side`.
fn signed(depth: f64, outward: DVec3, side: Side) -> (f64, DVec3) {
    match side {
        Side::Inside => (depth, outward),
        Side::Outside => (-depth, -outward),
    }
}

/// Away from the axis; any such direction on the axis itself.
fn direction(radial: DVec3, axis: DVec3) -> DVec3 {
    radial
        .try_normalize()
        .unwrap_or_else(|| axis.any_orthonormal_vector())
}

/// A segment from (radii\[0\], 0) to (radii\[1\], length) in the plane (ρ, z), turned about the axis.
fn turned(from: DVec3, axis: DVec3, length: f64, radii: [f64; 2]) -> (f64, DVec3) {
    let z = from.dot(axis);
    let radial = from - z * axis;
    let outward = direction(radial, axis);
    let centre = DVec2::new(radial.length(), z);
    let start = DVec2::new(radii[0], 0.0);
    let span = DVec2::new(radii[1], length) - start;
    let along = (centre - start).dot(span) / span.length_squared();
    let nearest = start + along.clamp(0.0, 1.0) * span;
    let in_space = |v: DVec2| v.x * outward + v.y * axis;
    if (0.0..=1.0).contains(&along) {
        // Right of the segment, away from the axis. A piece is a thin sheet, felt from both sides.
        let out = DVec2::new(span.y, -span.x).normalize();
        let beyond = (centre - start).dot(out);
        let towards = if beyond < 0.0 { 1.0 } else { -1.0 };
        (beyond.abs(), towards * in_space(out))
    } else {
        let to_rim = nearest - centre;
        let normal = in_space(to_rim).try_normalize().unwrap_or(axis);
        (to_rim.length(), normal)
    }
}
