//! Faces of walls as shaders read them: `Face` of `shaders/lib/walls.wgsl`.

use super::layout::single;
use crate::position::{Grid, round_to_unit};
use crate::scene::{Scene, Side, Wall, WallShape};
use glam::DVec3;

/// Vectors that a face takes in the tables: `FACE_VECTORS` in `shaders/lib/walls.wgsl`.
pub const FACE_VECTORS: usize = 8;

const PLANE: u32 = 0;
const SPHERE: u32 = 1;
const CYLINDER: u32 = 2;
const REVOLUTION: u32 = 3;

/// One in 30 binary places.
const ONE: f64 = (1u32 << 30) as f64;

/// A face before it is cut into words; lengths in m.
struct Face {
    kind: u32,
    material: usize,
    side: Side,
    reference: DVec3,
    direction: DVec3,
    radii: [f64; 2],
    length: f64,
}

/// All faces of a scene, in the order of its walls: [`FACE_VECTORS`] vectors each.
pub(crate) fn face_tables(scene: &Scene, grid: &Grid) -> Vec<[u32; 4]> {
    scene
        .walls
        .iter()
        .flat_map(faces_of)
        .flat_map(|face| face.words(grid))
        .collect()
}

/// Bit k: the scene has faces of kind k.
pub(crate) fn face_kinds(scene: &Scene) -> u32 {
    let faces = scene.walls.iter().flat_map(faces_of);
    faces.fold(0, |kinds, face| kinds | 1 << face.kind)
}

fn faces_of(wall: &Wall) -> Vec<Face> {
    let plane = |point: DVec3, normal: DVec3| Face {
        kind: PLANE,
        material: wall.material,
        side: Side::Inside,
        reference: point,
        direction: normal,
        radii: [0.0; 2],
        length: 0.0,
    };
    match wall.shape {
        WallShape::Plane { point, normal } => vec![plane(point, normal)],
        WallShape::Sphere {
            center,
            radius,
            side,
        } => vec![Face {
            kind: SPHERE,
            side,
            radii: [radius; 2],
            ..plane(center, DVec3::Z)
        }],
        WallShape::Cylinder {
            point,
            axis,
            length,
            radius,
            side,
        } => vec![Face {
            kind: if length.is_some() {
                REVOLUTION
            } else {
                CYLINDER
            },
            side,
            radii: [radius; 2],
            length: length.unwrap_or(0.0),
            ..plane(point, axis)
        }],
        WallShape::Cone {
            point,
            axis,
            length,
            radii,
            side,
        } => vec![Face {
            kind: REVOLUTION,
            side,
            radii,
            length,
            ..plane(point, axis)
        }],
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
            let present = sides.into_iter().zip(faces).filter(|(_, present)| *present);
            present
                .map(|((point, normal), _)| plane(point, normal))
                .collect()
        }
    }
}

impl Face {
    fn words(&self, grid: &Grid) -> [[u32; 4]; FACE_VECTORS] {
        let exact = (self.reference - grid.origin) / grid.unit;
        let rounded = exact.map(round_to_unit);
        let [x, y, z] = rounded.to_array().map(long);
        let [rest_x, rest_y, rest_z] = (exact - rounded).to_array().map(float);
        let [along_x, along_y, along_z] = self.direction.to_array().map(fixed);
        let [across_x, across_y, across_z] = self
            .direction
            .any_orthonormal_vector()
            .to_array()
            .map(float);
        let [start, end] = self.radii.map(|radius| long(radius / grid.unit));
        let length = long(self.length / grid.unit);
        let rise = self.radii[1] - self.radii[0];
        let slant = rise.hypot(self.length).max(f64::MIN_POSITIVE);
        let side = match self.side {
            Side::Inside => 0,
            Side::Outside => 1,
        };
        [
            [self.kind, material_word(self.material), side, 0],
            [x[0], x[1], y[0], y[1]],
            [z[0], z[1], 0, 0],
            [rest_x, rest_y, rest_z, 0],
            [along_x, along_y, along_z, 0],
            [across_x, across_y, across_z, 0],
            [start[0], start[1], end[0], end[1]],
            [
                length[0],
                length[1],
                fixed(rise / slant),
                fixed(self.length / slant),
            ],
        ]
    }
}

#[allow(
    clippy::cast_possible_truncation,
    reason = "materials are counted in u16"
)]
fn material_word(material: usize) -> u32 {
    material as u32
}

/// A whole number of units in 64 bits, two's complement, low word first.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "cut into words; saturates for walls 2^63 units away, which no grain reaches"
)]
fn long(units: f64) -> [u32; 2] {
    let whole = units.round() as i64 as u64;
    [whole as u32, (whole >> 32) as u32]
}

/// A number of at most 1 in 30 binary places.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "at most 2^30"
)]
fn fixed(x: f64) -> u32 {
    (x * ONE).round() as i32 as u32
}

fn float(x: f64) -> u32 {
    single(x).to_bits()
}
