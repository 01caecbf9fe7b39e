//! Walls as polygons, for eyes only: the engines use the exact surfaces.

use crate::scene::{Scene, WallShape};
use glam::DVec3;
use std::f64::consts::{PI, TAU};

/// Pieces around a circle: 96 leave a gap of 5·10⁻⁴ radii between chord and arc.
const AROUND: usize = 96;
/// Rings from pole to pole of a sphere.
const RINGS: usize = 48;

/// An axis-aligned box, m.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bounds {
    pub(crate) lower: DVec3,
    pub(crate) upper: DVec3,
}

impl Bounds {
    /// The box without points.
    pub(crate) const EMPTY: Self = Self {
        lower: DVec3::INFINITY,
        upper: DVec3::NEG_INFINITY,
    };

    pub(crate) fn is_empty(&self) -> bool {
        !self.lower.cmple(self.upper).all()
    }

    pub(crate) fn include(&mut self, point: DVec3) {
        self.lower = self.lower.min(point);
        self.upper = self.upper.max(point);
    }

    pub(crate) fn size(&self) -> DVec3 {
        self.upper - self.lower
    }

    pub(crate) fn center(&self) -> DVec3 {
        0.5 * (self.lower + self.upper)
    }

    pub(crate) fn grown(&self, by: f64) -> Self {
        Self {
            lower: self.lower - by,
            upper: self.upper + by,
        }
    }

    pub(crate) fn corners(&self) -> [DVec3; 8] {
        std::array::from_fn(|corner| {
            let pick = |bit: usize, lower: f64, upper: f64| {
                if corner & bit == 0 { lower } else { upper }
            };
            DVec3::new(
                pick(1, self.lower.x, self.upper.x),
                pick(2, self.lower.y, self.upper.y),
                pick(4, self.lower.z, self.upper.z),
            )
        })
    }

    /// The part of a convex polygon inside the box; empty if there is none.
    ///
    /// Sutherland & Hodgman, one side of the box after another. What lies in a side, up to rounding,
    /// is kept: floors usually coincide with the bottom of the domain.
    pub(crate) fn clip(&self, polygon: &[DVec3]) -> Vec<DVec3> {
        let tolerance = 1e-9 * self.size().max_element();
        let mut polygon = polygon.to_vec();
        for axis in 0..3 {
            for (limit, sign) in [(self.lower[axis], 1.0), (self.upper[axis], -1.0)] {
                let inside = |p: DVec3| sign * (p[axis] - limit);
                let keep = |distance: f64| distance >= -tolerance;
                let mut kept = Vec::with_capacity(polygon.len() + 1);
                for (index, &from) in polygon.iter().enumerate() {
                    let to = polygon[(index + 1) % polygon.len()];
                    let (a, b) = (inside(from), inside(to));
                    if keep(a) {
                        kept.push(from);
                    }
                    if keep(a) != keep(b) {
                        kept.push(from.lerp(to, (a / (a - b)).clamp(0.0, 1.0)));
                    }
                }
                polygon = kept;
            }
        }
        if polygon.len() < 3 {
            polygon.clear();
        }
        polygon
    }

    /// The part of a segment inside the box.
    pub(crate) fn clip_segment(&self, [from, to]: [DVec3; 2]) -> Option<[DVec3; 2]> {
        let tolerance = 1e-9 * self.size().max_element();
        let (mut start, mut end) = (0.0_f64, 1.0_f64);
        for axis in 0..3 {
            for (limit, sign) in [(self.lower[axis], 1.0), (self.upper[axis], -1.0)] {
                let a = sign * (from[axis] - limit);
                let b = sign * (to[axis] - limit);
                match (a >= -tolerance, b >= -tolerance) {
                    (true, true) => {}
                    (false, false) => return None,
                    (false, true) => start = start.max(a / (a - b)),
                    (true, false) => end = end.min(a / (a - b)),
                }
            }
        }
        (start < end).then(|| [from.lerp(to, start), from.lerp(to, end)])
    }
}

/// The surface that one wall face shows.
#[derive(Debug, Clone)]
pub(crate) struct Surface {
    /// Material of the wall.
    pub(crate) material: usize,
    /// Convex polygons.
    pub(crate) polygons: Vec<Vec<DVec3>>,
    /// Edges where the surface ends.
    pub(crate) rims: Vec<[DVec3; 2]>,
    /// Edges within a curved surface, each with the two polygons that meet there. Where one of them
    /// is seen from the front and the other from behind, the edge is part of the outline.
    pub(crate) creases: Vec<([DVec3; 2], [usize; 2])>,
    /// Whether it really ends where its polygons do; a plane is only cut at the domain.
    pub(crate) bounded: bool,
    shape: WallShape,
}

impl Surface {
    /// Unit normal at a point of the surface, towards the particles.
    pub(crate) fn normal(&self, point: DVec3) -> DVec3 {
        use crate::scene::Side;
        let signed = |outward: DVec3, side: Side| match side {
            Side::Inside => -outward,
            Side::Outside => outward,
        };
        match self.shape {
            WallShape::Plane { normal, .. } => normal,
            // Box faces are turned into planes below.
            WallShape::Box { .. } => DVec3::Z,
            WallShape::Cylinder {
                point: start,
                axis,
                side,
                ..
            } => signed((point - start).reject_from(axis).normalize_or_zero(), side),
            WallShape::Sphere { center, side, .. } => {
                signed((point - center).normalize_or_zero(), side)
            }
            WallShape::Cone {
                point: start,
                axis,
                length,
                radii,
                side,
            } => {
                let radial = (point - start).reject_from(axis).normalize_or_zero();
                let outward = (radial * length - axis * (radii[1] - radii[0])).normalize_or_zero();
                signed(outward, side)
            }
        }
    }

    fn flat(
        material: usize,
        point: DVec3,
        normal: DVec3,
        polygon: Vec<DVec3>,
        bounded: bool,
    ) -> Self {
        let rims = (0..polygon.len())
            .map(|i| [polygon[i], polygon[(i + 1) % polygon.len()]])
            .collect();
        Self {
            material,
            rims,
            polygons: if polygon.is_empty() {
                Vec::new()
            } else {
                vec![polygon]
            },
            creases: Vec::new(),
            bounded,
            shape: WallShape::Plane { point, normal },
        }
    }
}

/// The surfaces of all wall faces, in the order of [`super::wall_face_names`].
///
/// Planes and infinite cylinders end at the domain; a surface wholly outside has no polygons.
pub(crate) fn surfaces(scene: &Scene) -> Vec<Surface> {
    let domain = Bounds {
        lower: scene.domain.lower,
        upper: scene.domain.upper,
    };
    let mut all = Vec::new();
    for wall in &scene.walls {
        match wall.shape {
            WallShape::Plane { point, normal } => {
                let polygon = plane_within(&domain, point, normal);
                all.push(Surface::flat(wall.material, point, normal, polygon, false));
            }
            WallShape::Box {
                lower,
                upper,
                faces,
            } => all.extend(box_faces(wall.material, lower, upper, faces)),
            shape @ (WallShape::Cylinder { .. }
            | WallShape::Sphere { .. }
            | WallShape::Cone { .. }) => all.push(curved(wall.material, shape, &domain)),
        }
    }
    all
}

/// The part of an infinite plane that lies in the domain, or just outside it.
fn plane_within(domain: &Bounds, point: DVec3, normal: DVec3) -> Vec<DVec3> {
    let (u, v) = normal.any_orthonormal_pair();
    let center = point + (domain.center() - point).reject_from(normal);
    let reach = 2.0 * domain.size().length();
    let square = [
        center - reach * (u + v),
        center + reach * (u - v),
        center + reach * (u + v),
        center - reach * (u - v),
    ];
    let polygon = domain.clip(&square);
    if !polygon.is_empty() {
        return polygon;
    }
    // A wall may stand up to a grain radius outside: centres stay in the domain, surfaces need not.
    domain
        .grown(0.1 * domain.size().max_element())
        .clip(&square)
}

fn box_faces(
    material: usize,
    lower: DVec3,
    upper: DVec3,
    faces: [bool; 6],
) -> impl Iterator<Item = Surface> {
    let corners = Bounds { lower, upper }.corners();
    (0..6).filter(move |&face| faces[face]).map(move |face| {
        let axis = face / 2;
        let on_upper = face % 2 == 1;
        let (u, v) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
        let base = if on_upper { 1 << axis } else { 0 };
        // Counter-clockwise seen from inside the box.
        let order = if on_upper {
            [base, base | v, base | u | v, base | u]
        } else {
            [base, base | u, base | u | v, base | v]
        };
        let normal = if on_upper {
            -DVec3::AXES[axis]
        } else {
            DVec3::AXES[axis]
        };
        Surface::flat(
            material,
            corners[base],
            normal,
            order.map(|corner| corners[corner]).to_vec(),
            true,
        )
    })
}

/// Cylinder, cone or sphere as a grid of quadrilaterals: rings along the axis, pieces around it.
fn curved(material: usize, shape: WallShape, domain: &Bounds) -> Surface {
    // Rings as (centre, radius), and the axis they are strung on.
    let (axis, rings, endless) = match shape {
        WallShape::Cylinder {
            point,
            axis,
            length,
            radius,
            ..
        } => {
            let (from, to) = match length {
                Some(length) => (0.0, length),
                None => {
                    let along = domain.corners().map(|corner| (corner - point).dot(axis));
                    (
                        along.iter().copied().fold(f64::INFINITY, f64::min),
                        along.iter().copied().fold(f64::NEG_INFINITY, f64::max),
                    )
                }
            };
            let rings = vec![(point + axis * from, radius), (point + axis * to, radius)];
            (axis, rings, length.is_none())
        }
        WallShape::Cone {
            point,
            axis,
            length,
            radii,
            ..
        } => (
            axis,
            vec![(point, radii[0]), (point + axis * length, radii[1])],
            false,
        ),
        WallShape::Sphere { center, radius, .. } => {
            #[allow(clippy::cast_precision_loss, reason = "a few dozen rings")]
            let rings = (0..=RINGS)
                .map(|ring| {
                    let polar = PI * ring as f64 / RINGS as f64;
                    (
                        center - DVec3::Z * (radius * polar.cos()),
                        // Exactly zero at the poles, where rounding would leave 10⁻¹⁶.
                        if ring % RINGS == 0 {
                            0.0
                        } else {
                            radius * polar.sin()
                        },
                    )
                })
                .collect();
            (DVec3::Z, rings, false)
        }
        WallShape::Plane { .. } | WallShape::Box { .. } => unreachable!("flat walls have no rings"),
    };
    let (u, v) = axis.any_orthonormal_pair();
    #[allow(clippy::cast_precision_loss, reason = "a few dozen pieces")]
    let around: Vec<DVec3> = (0..AROUND)
        .map(|piece| {
            let (sin, cos) = (TAU * piece as f64 / AROUND as f64).sin_cos();
            u * cos + v * sin
        })
        .collect();
    let corner = |ring: usize, piece: usize| {
        let (center, radius) = rings[ring];
        center + around[piece % AROUND] * radius
    };
    let mut surface = Surface {
        material,
        polygons: Vec::new(),
        rims: Vec::new(),
        creases: Vec::new(),
        bounded: !endless,
        shape,
    };
    for ring in 0..rings.len() - 1 {
        for piece in 0..AROUND {
            let (here, next) = (ring * AROUND + piece, ring * AROUND + (piece + 1) % AROUND);
            let mut polygon = vec![
                corner(ring, piece),
                corner(ring, piece + 1),
                corner(ring + 1, piece + 1),
                corner(ring + 1, piece),
            ];
            polygon.dedup();
            surface.polygons.push(polygon);
            let along = [corner(ring, piece + 1), corner(ring + 1, piece + 1)];
            surface.creases.push((along, [here, next]));
            if ring > 0 {
                let across = [corner(ring, piece), corner(ring, piece + 1)];
                surface.creases.push((across, [here - AROUND, here]));
            }
        }
    }
    for ring in [0, rings.len() - 1] {
        if rings[ring].1 > 0.0 {
            surface
                .rims
                .extend((0..AROUND).map(|piece| [corner(ring, piece), corner(ring, piece + 1)]));
        }
    }
    if endless {
        clip_to(&mut surface, domain);
    }
    surface
}

fn clip_to(surface: &mut Surface, bounds: &Bounds) {
    for polygon in &mut surface.polygons {
        *polygon = bounds.clip(polygon);
    }
    surface.rims = surface
        .rims
        .iter()
        .filter_map(|&rim| bounds.clip_segment(rim))
        .collect();
    surface.creases = surface
        .creases
        .iter()
        .filter_map(|&(edge, between)| Some((bounds.clip_segment(edge)?, between)))
        .collect();
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: Bounds = Bounds {
        lower: DVec3::ZERO,
        upper: DVec3::ONE,
    };

    fn area(polygon: &[DVec3]) -> f64 {
        let doubled: DVec3 = (0..polygon.len())
            .map(|i| polygon[i].cross(polygon[(i + 1) % polygon.len()]))
            .sum();
        0.5 * doubled.length()
    }

    #[test]
    fn a_plane_is_cut_to_the_section_of_the_box() {
        // The diagonal section x + y + z = 3/2 of a cube is a regular hexagon of side 1/√2.
        let normal = DVec3::ONE.normalize();
        let section = plane_within(&UNIT, DVec3::splat(0.5), normal);
        assert_eq!(section.len(), 6);
        let hexagon = 1.5 * 3.0_f64.sqrt() * 0.5;
        assert!((area(&section) - hexagon).abs() < 1e-12);
    }

    #[test]
    fn a_floor_in_the_side_of_the_box_is_kept_whole() {
        for z in [0.0, 1e-12, -1e-12] {
            let floor = plane_within(&UNIT, DVec3::new(7.0, -3.0, z), DVec3::Z);
            assert!((area(&floor) - 1.0).abs() < 1e-9, "z = {z}: {floor:?}");
        }
    }

    #[test]
    fn segments_are_cut_at_the_sides() {
        let cut = UNIT.clip_segment([DVec3::new(-1.0, 0.5, 0.5), DVec3::new(3.0, 0.5, 0.5)]);
        assert_eq!(
            cut,
            Some([DVec3::new(0.0, 0.5, 0.5), DVec3::new(1.0, 0.5, 0.5)])
        );
        assert_eq!(
            UNIT.clip_segment([DVec3::splat(2.0), DVec3::splat(3.0)]),
            None
        );
    }
}
