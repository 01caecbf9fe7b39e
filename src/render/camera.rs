//! Where the picture is taken from.

#![allow(
    clippy::cast_possible_truncation,
    reason = "what the camera sees is drawn in single precision"
)]

use crate::output::surface::Bounds;
use glam::{DVec3, Vec3};

/// Half the angle that the height of the image takes up. Small: parallel edges stay almost parallel,
/// and the scale bar holds nearly everywhere.
const HALF_ANGLE: f64 = 0.19;

/// A camera. Its own coordinates are x to the right, y up, z forward from the eye, in units of
/// [`Camera::scale`], so that single precision is enough whatever the size of the scene.
#[derive(Debug, Clone, Copy)]
pub(super) struct Camera {
    eye: DVec3,
    right: DVec3,
    up: DVec3,
    forward: DVec3,
    /// Metres per unit of camera coordinates.
    pub(super) scale: f64,
    /// Pixels per unit of x / z.
    pub(super) focal: f64,
    /// The pixel straight ahead.
    pub(super) middle: [f64; 2],
    /// Distance from the eye to the middle of what it looks at, camera units.
    pub(super) distance: f64,
}

/// The part of the image that is kept free for the scene: lower and upper corner, pixels.
pub(super) type Viewport = [[f64; 2]; 2];

impl Camera {
    /// Looks at spheres (centre and radius, m) so that they fill the viewport.
    ///
    /// `azimuth` turns the eye around the vertical `up` (0: on the side of the first horizontal
    /// axis), `elevation` lifts it above the horizon; both in degrees.
    pub(super) fn looking_at(
        spheres: &[(DVec3, f64)],
        vertical: DVec3,
        [azimuth, elevation]: [f64; 2],
        viewport: Viewport,
        image_height: f64,
    ) -> Self {
        let [first, second] = horizontal_axes(vertical);
        let (sin, cos) = azimuth.to_radians().sin_cos();
        let (rise, away) = elevation.to_radians().sin_cos();
        let back = vertical * rise + (first * cos + second * sin) * away;
        // From straight above the vertical says nothing about what is up on the image.
        let sideways = vertical.cross(first * cos + second * sin);
        let right = sideways.normalize_or(first);
        let mut bounds = Bounds::EMPTY;
        for &(center, radius) in spheres {
            bounds.include(center - radius);
            bounds.include(center + radius);
        }
        let scale = (0.5 * bounds.size().length()).max(f64::MIN_POSITIVE);
        let mut camera = Self {
            eye: DVec3::ZERO,
            right,
            up: back.cross(right),
            forward: -back,
            scale,
            focal: 0.5 * image_height / HALF_ANGLE.tan(),
            middle: [
                0.5 * (viewport[0][0] + viewport[1][0]),
                0.5 * (viewport[0][1] + viewport[1][1]),
            ],
            distance: 2.0 / HALF_ANGLE.tan(),
        };
        camera.fit(spheres, bounds.center(), viewport);
        camera
    }

    /// Moves the eye until the spheres, at first around `target`, fill the viewport.
    fn fit(&mut self, spheres: &[(DVec3, f64)], mut target: DVec3, viewport: Viewport) {
        // Each round corrects the size and the middle of their common image; with so little
        // perspective a few rounds settle both to a fraction of a pixel.
        for _ in 0..8 {
            self.eye = target - self.forward * (self.distance * self.scale);
            let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
            for &(center, radius) in spheres {
                let radius = (radius / self.scale) as f32;
                let Some(frame) = self.frame_of_sphere(self.to_camera(center), radius) else {
                    continue;
                };
                for axis in 0..2 {
                    low[axis] = low[axis].min(frame[axis]);
                    high[axis] = high[axis].max(frame[axis + 2]);
                }
            }
            let fill = [0, 1].map(|axis| {
                (high[axis] - low[axis]) / (viewport[1][axis] - viewport[0][axis]).max(1.0)
            });
            let off = [0, 1].map(|axis| 0.5 * (low[axis] + high[axis]) - self.middle[axis]);
            let metres_per_pixel = self.distance * self.scale / self.focal;
            target += (self.right * off[0] - self.up * off[1]) * metres_per_pixel;
            // Never so near that anything reaches the eye.
            self.distance = (self.distance * fill[0].max(fill[1])).max(2.0);
        }
        self.eye = target - self.forward * (self.distance * self.scale);
    }

    /// A point in camera coordinates.
    pub(super) fn to_camera(self, point: DVec3) -> Vec3 {
        let offset = (point - self.eye) / self.scale;
        self.turned(offset)
    }

    /// A direction in camera coordinates.
    pub(super) fn turned(self, direction: DVec3) -> Vec3 {
        DVec3::new(
            direction.dot(self.right),
            direction.dot(self.up),
            direction.dot(self.forward),
        )
        .as_vec3()
    }

    /// A point in metres from its camera coordinates.
    pub(super) fn to_world(self, point: Vec3) -> DVec3 {
        let p = point.as_dvec3() * self.scale;
        self.eye + self.right * p.x + self.up * p.y + self.forward * p.z
    }

    /// The eye, m.
    pub(super) fn eye(&self) -> DVec3 {
        self.eye
    }

    /// The pixel of a point in camera coordinates, and its depth.
    pub(super) fn project(&self, point: Vec3) -> ([f64; 2], f64) {
        let p = point.as_dvec3();
        let x = self.middle[0] + self.focal * p.x / p.z;
        let y = self.middle[1] - self.focal * p.y / p.z;
        ([x, y], p.z)
    }

    /// The pixels that a sphere can touch: left, top, right, bottom; `None` around or behind the eye.
    pub(super) fn frame_of_sphere(&self, center: Vec3, radius: f32) -> Option<[f64; 4]> {
        let (c, r) = (center.as_dvec3(), f64::from(radius));
        if c.z <= 1.001 * r {
            return None;
        }
        // Slopes of the two rays in the plane (x, z) that touch the circle.
        let slopes = |x: f64| {
            let square = (x * x + c.z * c.z - r * r).max(0.0).sqrt();
            let below = c.z * c.z - r * r;
            [
                (x * c.z - r * square) / below,
                (x * c.z + r * square) / below,
            ]
        };
        let ([x0, x1], [y0, y1]) = (slopes(c.x), slopes(c.y));
        Some([
            self.middle[0] + self.focal * x0,
            self.middle[1] - self.focal * y1,
            self.middle[0] + self.focal * x1,
            self.middle[1] - self.focal * y0,
        ])
    }
}

/// Two horizontal axes; x and y when z is up.
fn horizontal_axes(vertical: DVec3) -> [DVec3; 2] {
    let candidates = [DVec3::X, DVec3::Y, DVec3::Z];
    let first = candidates
        .into_iter()
        .find(|axis| axis.dot(vertical).abs() < 0.8)
        .unwrap_or(DVec3::X);
    let first = first.reject_from(vertical).normalize_or(DVec3::X);
    [first, vertical.cross(first)]
}
