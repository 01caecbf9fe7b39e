//! Walls: how far a grain is from a surface, and in which direction.
//!
//! A wall shape of the scene becomes one or more faces; each face is its own partner in contacts,
//! with its own tangential spring. Distances start from a reference point that is stored exactly, so
//! a grain meets a wall in the same bits wherever in the domain the two are.

use super::bodies::Body;
use crate::position::{Grid, round_to_unit};
use crate::scene::{Scene, Side, Wall, WallShape};
use glam::DVec3;

/// One smooth surface that grains can touch.
#[derive(Debug, Clone)]
pub(crate) struct Face {
    /// Index of its material.
    pub(crate) material: usize,
    /// Reference point in units.
    reference: [f64; 3],
    /// What rounding the reference point left over, in units.
    remainder: DVec3,
    surface: Surface,
}

/// A surface in coordinates relative to the reference point, m.
#[derive(Debug, Clone, Copy)]
enum Surface {
    /// Through the origin, particles where `normal` points.
    Plane { normal: DVec3 },
    /// Around the origin.
    Sphere { radius: f64, side: Side },
    /// The segment from `(radii[0], 0)` to `(radii[1], length)` turned about `axis`; a cylinder has
    /// equal radii, and an infinite one no ends.
    Revolution {
        axis: DVec3,
        length: f64,
        radii: [f64; 2],
        infinite: bool,
        side: Side,
    },
}

/// Where a surface is, seen from the centre of a grain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Approach {
    /// Distance of the centre from the surface, m; negative behind it.
    pub(crate) distance: f64,
    /// Unit vector from the centre towards the surface.
    pub(crate) normal: DVec3,
}

/// Bit k: within `reach` metres of the periodic sides along axis k walls are not the same on both of them.
pub(crate) fn walls_end(faces: &[Face], grid: &Grid, reach: f64) -> u32 {
    let ends = |axis: usize| {
        let goes_on = |face: &Face| face.repeats(axis) || face.is_far_from_sides(grid, axis, reach);
        grid.periodic[axis] && !faces.iter().all(goes_on)
    };
    (0..3).fold(0, |bits, axis| bits | u32::from(ends(axis)) << axis)
}

impl Face {
    /// All faces of a scene, in the order of its walls.
    pub(crate) fn all(scene: &Scene, grid: &Grid) -> Vec<Self> {
        scene
            .walls
            .iter()
            .flat_map(|wall| Self::of_wall(wall, grid))
            .collect()
    }

    #[allow(
        clippy::cast_precision_loss,
        reason = "positions stay below 2^42 units"
    )]
    fn new(wall: &Wall, grid: &Grid, point: DVec3, surface: Surface) -> Self {
        // Not wrapped: a wall has no images.
        let exact = (point - grid.origin) / grid.unit;
        let rounded = exact.map(round_to_unit);
        Self {
            material: wall.material,
            reference: rounded.to_array(),
            remainder: exact - rounded,
            surface,
        }
    }

    /// Whether the surface is the same however far one goes along an axis.
    fn repeats(&self, axis: usize) -> bool {
        match self.surface {
            Surface::Plane { normal } => normal[axis] == 0.0,
            Surface::Sphere { .. } => false,
            Surface::Revolution {
                axis: own,
                infinite,
                ..
            } => infinite && own.abs() == DVec3::AXES[axis],
        }
    }

    /// Whether the surface is further than `reach` metres from both sides of the domain along an axis.
    fn is_far_from_sides(&self, grid: &Grid, axis: usize, reach: f64) -> bool {
        let radius = match self.surface {
            Surface::Sphere { radius, .. } => radius,
            Surface::Revolution {
                infinite: false,
                length,
                radii,
                ..
            } => length + radii[0].max(radii[1]),
            Surface::Plane { .. } | Surface::Revolution { .. } => return false,
        };
        let place = (self.reference[axis] + self.remainder[axis]) * grid.unit;
        let size = grid.extent()[axis] as f64 * grid.unit;
        place - radius > reach && size - place - radius > reach
    }

    fn of_wall(wall: &Wall, grid: &Grid) -> Vec<Self> {
        let single = |point, surface| vec![Self::new(wall, grid, point, surface)];
        match wall.shape {
            WallShape::Plane { point, normal } => single(point, Surface::Plane { normal }),
            WallShape::Sphere {
                center,
                radius,
                side,
            } => single(center, Surface::Sphere { radius, side }),
            WallShape::Cylinder {
                point,
                axis,
                length,
                radius,
                side,
            } => single(
                point,
                Surface::Revolution {
                    axis,
                    length: length.unwrap_or(1.0),
                    radii: [radius; 2],
                    infinite: length.is_none(),
                    side,
                },
            ),
            WallShape::Cone {
                point,
                axis,
                length,
                radii,
                side,
            } => single(
                point,
                Surface::Revolution {
                    axis,
                    length,
                    radii,
                    infinite: false,
                    side,
                },
            ),
            WallShape::Box {
                lower,
                upper,
                faces,
            } => {
                let sides = [
                    (lower, DVec3::X),
                    (upper, DVec3::NEG_X),
                    (lower, DVec3::Y),
                    (upper, DVec3::NEG_Y),
                    (lower, DVec3::Z),
                    (upper, DVec3::NEG_Z),
                ];
                sides
                    .into_iter()
                    .zip(faces)
                    .filter(|(_, present)| *present)
                    .map(|((point, normal), _)| {
                        Self::new(wall, grid, point, Surface::Plane { normal })
                    })
                    .collect()
            }
        }
    }

    /// Distance and direction of the surface for a grain.
    pub(crate) fn approach(&self, grid: &Grid, body: &Body) -> Approach {
        self.approach_from(grid, DVec3::from_array(body.position()), body.remainder())
    }

    /// The same from a centre in whole units and what rounding left of it.
    pub(crate) fn approach_from(&self, grid: &Grid, units: DVec3, remainder: DVec3) -> Approach {
        let whole = units - DVec3::from_array(self.reference);
        let local = (whole + (remainder - self.remainder)) * grid.unit;
        self.surface.approach(local)
    }
}

impl Surface {
    fn approach(&self, local: DVec3) -> Approach {
        match *self {
            Self::Plane { normal } => Approach {
                distance: local.dot(normal),
                normal: -normal,
            },
            Self::Sphere { radius, side } => {
                let distance = local.length();
                // At the very centre every direction is as good as another.
                let outward = local.try_normalize().unwrap_or(DVec3::Z);
                match side {
                    Side::Inside => Approach {
                        distance: radius - distance,
                        normal: outward,
                    },
                    Side::Outside => Approach {
                        distance: distance - radius,
                        normal: -outward,
                    },
                }
            }
            Self::Revolution {
                axis,
                length,
                radii,
                infinite,
                side,
            } => revolution(local, axis, length, radii, infinite, side),
        }
    }
}

/// Closest point on a segment turned about an axis, found in the half-plane (ρ, z) of the grain.
fn revolution(
    local: DVec3,
    axis: DVec3,
    length: f64,
    radii: [f64; 2],
    infinite: bool,
    side: Side,
) -> Approach {
    let z = local.dot(axis);
    let radial = local - z * axis;
    let rho = radial.length();
    let outward = radial
        .try_normalize()
        .unwrap_or_else(|| axis.any_orthonormal_vector());
    // Along the segment: (d_rho, d_z), normalised by its length.
    let d_rho = radii[1] - radii[0];
    let slant = d_rho.hypot(length);
    let (t_rho, t_z) = (d_rho / slant, length / slant);
    let along = (rho - radii[0]) * t_rho + z * t_z;
    // The segment's normal that points away from the axis.
    let (n_rho, n_z) = (t_z, -t_rho);
    let height = (rho - radii[0]) * n_rho + z * n_z;
    let towards = |sign: f64| sign * (n_rho * outward + n_z * axis);
    if (0.0..=slant).contains(&along) && !infinite {
        // A piece is a thin sheet: felt from both sides, or its far side would be a catapult.
        return Approach {
            distance: height.abs(),
            normal: towards(if height < 0.0 { 1.0 } else { -1.0 }),
        };
    }
    if infinite {
        return match side {
            Side::Inside => Approach {
                distance: -height,
                normal: towards(1.0),
            },
            Side::Outside => Approach {
                distance: height,
                normal: towards(-1.0),
            },
        };
    }
    // Beyond an end: the rim is the closest part.
    let (rim_rho, rim_z) = if along < 0.0 {
        (radii[0], 0.0)
    } else {
        (radii[1], length)
    };
    let to_rim = (rim_rho - rho) * outward + (rim_z - z) * axis;
    let distance = to_rim.length();
    Approach {
        distance,
        normal: to_rim.try_normalize().unwrap_or(axis),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cone() -> Surface {
        Surface::Revolution {
            axis: DVec3::Z,
            length: 1.0,
            radii: [0.0, 1.0],
            infinite: false,
            side: Side::Inside,
        }
    }

    #[test]
    fn a_grain_inside_a_cone_sees_its_flank() {
        let seen = cone().approach(DVec3::new(0.0, 0.0, 0.5));
        assert!((seen.distance - 0.5 / 2f64.sqrt()).abs() < 1e-15);
        assert!((seen.normal.z + 0.5f64.sqrt()).abs() < 1e-15, "{seen:?}");
    }

    #[test]
    fn beyond_its_end_a_cone_is_its_rim() {
        let seen = cone().approach(DVec3::new(1.0, 0.0, 1.25));
        assert!((seen.distance - 0.25).abs() < 1e-15);
        assert!((seen.normal - DVec3::NEG_Z).length() < 1e-15);
    }

    /// In a box of 10 m that repeats along x and y, for grains that act within 1 m.
    #[test]
    fn walls_end_at_sides_unless_they_go_on_there_or_are_far_from_them() {
        let grid = Grid::new(DVec3::ZERO, DVec3::splat(10.0), [true, true, false], 1.0);
        let pipe = |axis: DVec3, infinite: bool, length: f64| Surface::Revolution {
            axis,
            length,
            radii: [1.0, 1.0],
            infinite,
            side: Side::Inside,
        };
        let ball = Surface::Sphere {
            radius: 2.0,
            side: Side::Outside,
        };
        let tilted = DVec3::new(0.0, 0.6, 0.8);
        for (surface, at, ends) in [
            (Surface::Plane { normal: DVec3::Z }, DVec3::ZERO, 0),
            (Surface::Plane { normal: tilted }, DVec3::ZERO, 0b10),
            (pipe(DVec3::X, true, 1.0), DVec3::splat(5.0), 0b10),
            (pipe(DVec3::NEG_X, true, 1.0), DVec3::splat(5.0), 0b10),
            (pipe(tilted, true, 1.0), DVec3::splat(5.0), 0b11),
            (pipe(DVec3::X, false, 2.0), DVec3::splat(5.0), 0),
            (pipe(DVec3::X, false, 4.0), DVec3::splat(5.0), 0b11),
            (ball, DVec3::splat(5.0), 0),
            (ball, DVec3::new(7.5, 5.0, 9.0), 0b1),
            (ball, DVec3::new(5.0, 2.5, 9.0), 0b10),
        ] {
            let face = Face {
                material: 0,
                reference: (at / grid.unit).to_array(),
                remainder: DVec3::ZERO,
                surface,
            };
            assert_eq!(
                walls_end(std::slice::from_ref(&face), &grid, 1.0),
                ends,
                "{face:?}"
            );
        }
    }

    #[test]
    fn sides_of_a_cylinder_mirror_each_other() {
        let wall = |side| Surface::Revolution {
            axis: DVec3::Y,
            length: 1.0,
            radii: [2.0; 2],
            infinite: true,
            side,
        };
        let grain = DVec3::new(1.5, -40.0, 0.0);
        let inside = wall(Side::Inside).approach(grain);
        let outside = wall(Side::Outside).approach(grain);
        assert_eq!(inside.distance, 0.5);
        assert_eq!(inside.normal, DVec3::X);
        assert_eq!(outside.distance, -0.5);
        assert_eq!(outside.normal, DVec3::NEG_X);
    }

    #[test]
    fn a_sphere_is_seen_from_both_sides() {
        let wall = |side| Surface::Sphere { radius: 2.0, side };
        let inside = wall(Side::Inside).approach(DVec3::new(0.0, 1.5, 0.0));
        assert_eq!((inside.distance, inside.normal), (0.5, DVec3::Y));
        let outside = wall(Side::Outside).approach(DVec3::new(0.0, 2.5, 0.0));
        assert_eq!((outside.distance, outside.normal), (0.5, DVec3::NEG_Y));
    }
}
