//! Walls as far as a scene needs their geometry: ranges, unit directions, the distance of a centre.

use super::validate::{
    Check, LARGEST, SMALLEST, complain, finite_vector, positive, unit, vector_text,
};
use super::{Side, WallShape};
use glam::DVec3;

/// The vector with length 1; `None` if it has no direction.
pub(super) fn normalised(vector: DVec3) -> Option<DVec3> {
    // Dividing a unit vector again could change its last bit.
    if (vector.length_squared() - 1.0).abs() <= 4.0 * f64::EPSILON {
        return Some(vector);
    }
    // Scaled first, so that squares neither overflow nor vanish.
    let largest = vector.abs().max_element();
    if largest > 0.0 && largest.is_finite() {
        Some((vector / largest).normalize())
    } else {
        None
    }
}

impl WallShape {
    /// The word for it in scene files.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Plane { .. } => "plane",
            Self::Box { .. } => "box",
            Self::Cylinder { .. } => "cylinder",
            Self::Sphere { .. } => "sphere",
            Self::Cone { .. } => "cone",
        }
    }

    /// The same wall with its normal or axis at length 1; a direction of length 0 stays.
    pub(super) fn with_unit_directions(mut self) -> Self {
        match &mut self {
            Self::Plane { normal: vector, .. }
            | Self::Cylinder { axis: vector, .. }
            | Self::Cone { axis: vector, .. } => {
                *vector = normalised(*vector).unwrap_or(*vector);
            }
            Self::Box { .. } | Self::Sphere { .. } => {}
        }
        self
    }
}

/// By how much a sphere overlaps a wall at the start, m; `None` for no overlap, and for cones, which
/// are not checked here.
pub(super) fn overlap(shape: &WallShape, center: DVec3, radius: f64) -> Option<f64> {
    let gap = match *shape {
        WallShape::Plane { point, normal } => Some((center - point).dot(normal)),
        WallShape::Box {
            lower,
            upper,
            faces,
        } => box_gap(lower, upper, faces, center, radius),
        WallShape::Sphere {
            center: middle,
            radius: wall,
            side,
        } => Some(side_gap(side, wall, (center - middle).length())),
        WallShape::Cylinder {
            point,
            axis,
            length,
            radius: wall,
            side,
        } => {
            let along = (center - point).dot(axis);
            let distance = (center - point - along * axis).length();
            match length {
                None => Some(side_gap(side, wall, distance)),
                // A piece is a sheet that is felt from both sides.
                Some(length) => (0.0..=length)
                    .contains(&along)
                    .then(|| (wall - distance).abs()),
            }
        }
        WallShape::Cone { .. } => None,
    }?;
    (gap < radius).then_some(radius - gap)
}

/// Distance from a curved wall of radius `wall` at `distance` from its middle, on its side.
fn side_gap(side: Side, wall: f64, distance: f64) -> f64 {
    match side {
        Side::Inside => wall - distance,
        Side::Outside => distance - wall,
    }
}

/// Signed distance to the nearest face that a sphere is in front of or cuts.
fn box_gap(
    lower: DVec3,
    upper: DVec3,
    faces: [bool; 6],
    center: DVec3,
    radius: f64,
) -> Option<f64> {
    let within = |axis: usize| lower[axis] <= center[axis] && center[axis] <= upper[axis];
    let mut nearest: Option<f64> = None;
    for (face, _) in faces.iter().enumerate().filter(|&(_, &exists)| exists) {
        let axis = face / 2;
        let gap = if face % 2 == 0 {
            center[axis] - lower[axis]
        } else {
            upper[axis] - center[axis]
        };
        let beside = within((axis + 1) % 3) && within((axis + 2) % 3);
        if beside && gap > -radius {
            nearest = Some(nearest.map_or(gap, |other| other.min(gap)));
        }
    }
    nearest
}

/// Whether lengths, corners and directions are possible.
pub(super) fn check_shape(key: &dyn Fn(&str) -> String, shape: &WallShape) -> Check {
    match *shape {
        WallShape::Plane { point, normal } => {
            finite_vector(&key("point"), point, "m")?;
            unit(&key("normal"), normal)
        }
        WallShape::Box {
            lower,
            upper,
            faces,
        } => {
            finite_vector(&key("lower"), lower, "m")?;
            finite_vector(&key("upper"), upper, "m")?;
            if (upper - lower).min_element() < SMALLEST {
                return complain(
                    key("upper"),
                    vector_text(upper),
                    format!("more than lower, {} m, along each axis", vector_text(lower)),
                );
            }
            if !faces.contains(&true) {
                return complain(key("open"), "all six faces", "at most five open faces");
            }
            Ok(())
        }
        WallShape::Cylinder {
            point,
            axis,
            length,
            radius,
            ..
        } => {
            finite_vector(&key("point"), point, "m")?;
            unit(&key("axis"), axis)?;
            if let Some(length) = length {
                positive(&key("length"), length, "m")?;
            }
            positive(&key("radius"), radius, "m")
        }
        WallShape::Sphere { center, radius, .. } => {
            finite_vector(&key("center"), center, "m")?;
            positive(&key("radius"), radius, "m")
        }
        WallShape::Cone {
            point,
            axis,
            length,
            radii,
            ..
        } => {
            finite_vector(&key("point"), point, "m")?;
            unit(&key("axis"), axis)?;
            positive(&key("length"), length, "m")?;
            let good = radii.iter().all(|radius| (0.0..=LARGEST).contains(radius));
            if !good || radii[0].max(radii[1]) < SMALLEST {
                return complain(
                    key("radii"),
                    format!("[{}, {}]", radii[0], radii[1]),
                    "two radii in m, not negative and not both 0",
                );
            }
            Ok(())
        }
    }
}
