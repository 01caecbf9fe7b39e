//! Colours: sRGB bytes for drawing, linear light for shading, a perceptual map for values.

/// An sRGB colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Colour {
    /// Red.
    pub r: u8,
    /// Green.
    pub g: u8,
    /// Blue.
    pub b: u8,
}

impl Colour {
    /// White.
    pub const WHITE: Self = Self::new(255, 255, 255);
    /// The colour of text and axes: not quite black.
    pub const INK: Self = Self::new(34, 40, 49);

    /// A colour from its sRGB bytes.
    pub const fn new(r: u8, g: u8, b: u8) -> Self {
        Self { r, g, b }
    }

    /// This colour mixed with `other`: 0 is this one, 1 the other.
    #[must_use]
    pub fn mix(self, other: Self, amount: f32) -> Self {
        let mix = |a: u8, b: u8| {
            let (a, b) = (f32::from(a), f32::from(b));
            to_byte((a + (b - a) * amount) / 255.0)
        };
        Self::new(
            mix(self.r, other.r),
            mix(self.g, other.g),
            mix(self.b, other.b),
        )
    }

    /// The amounts of light, 0 … 1.
    pub(crate) fn to_linear(self) -> [f32; 3] {
        [self.r, self.g, self.b].map(|byte| {
            let x = f32::from(byte) / 255.0;
            if x <= 0.040_45 {
                x / 12.92
            } else {
                ((x + 0.055) / 1.055).powf(2.4)
            }
        })
    }

    /// The colour of these amounts of light.
    pub(crate) fn from_linear(light: [f32; 3]) -> Self {
        let [r, g, b] = light.map(|x| {
            to_byte(if x <= 0.003_130_8 {
                12.92 * x
            } else {
                1.055 * x.powf(1.0 / 2.4) - 0.055
            })
        });
        Self::new(r, g, b)
    }

    /// A colour by how it is perceived (Oklch): lightness 0 … 1, chroma, hue in degrees.
    fn from_perceived(lightness: f32, chroma: f32, hue: f32) -> Self {
        // B. Ottosson, "A perceptual color space for image processing" (2020).
        let (sin, cos) = hue.to_radians().sin_cos();
        let (a, b) = (chroma * cos, chroma * sin);
        let l = (lightness + 0.396_337_78 * a + 0.215_803_76 * b).powi(3);
        let m = (lightness - 0.105_561_346 * a - 0.063_854_17 * b).powi(3);
        let s = (lightness - 0.089_484_18 * a - 1.291_485_5 * b).powi(3);
        Self::from_linear([
            4.076_741_7 * l - 3.307_711_6 * m + 0.230_969_94 * s,
            -1.268_438 * l + 2.609_757_4 * m - 0.341_319_4 * s,
            -0.004_196_086_3 * l - 0.703_418_6 * m + 1.707_614_7 * s,
        ])
    }

    /// The colour of a value between 0 and 1: dark violet, blue, green, bright yellow.
    ///
    /// Lightness rises evenly, so equal steps of the value look equal, and the order survives a
    /// grey printer and colour blindness. Values outside take the nearest end.
    pub fn of_value(value: f64) -> Self {
        /// Oklch at equal steps. Lightness is a straight line; chroma stays just inside sRGB.
        const STOPS: [[f32; 3]; 9] = [
            [0.345, 0.130, 300.0],
            [0.417, 0.142, 287.0],
            [0.489, 0.135, 268.0],
            [0.561, 0.112, 243.0],
            [0.633, 0.103, 208.0],
            [0.704, 0.122, 176.0],
            [0.776, 0.150, 150.0],
            [0.848, 0.172, 125.0],
            [0.920, 0.170, 105.0],
        ];
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "clamped to 0 … 8"
        )]
        let (index, rest) = {
            // What is not a number takes the lower end.
            let x = if value.is_nan() {
                0.0
            } else {
                value.clamp(0.0, 1.0) as f32 * 8.0
            };
            let index = (x as usize).min(7);
            (index, x - index as f32)
        };
        let (low, high) = (STOPS[index], STOPS[index + 1]);
        let at = |i: usize| low[i] + (high[i] - low[i]) * rest;
        Self::from_perceived(at(0), at(1), at(2))
    }

    /// Colour number `index` of a set that is easy to tell apart, repeating after eight.
    pub fn of_category(index: usize) -> Self {
        const PALETTE: [Colour; 8] = [
            Colour::new(38, 103, 176),
            Colour::new(222, 120, 31),
            Colour::new(36, 144, 98),
            Colour::new(196, 58, 64),
            Colour::new(128, 92, 186),
            Colour::new(140, 99, 70),
            Colour::new(22, 158, 178),
            Colour::new(214, 116, 172),
        ];
        PALETTE[index % PALETTE.len()]
    }
}

/// 0 … 1 as a byte; what lies outside is cut off, and a number that is none gives 0.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float to integer cast saturates"
)]
pub(crate) fn to_byte(x: f32) -> u8 {
    (x * 255.0 + 0.5) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_light_and_back_is_the_same_byte() {
        for byte in 0..=255 {
            let colour = Colour::new(byte, byte, byte);
            assert_eq!(Colour::from_linear(colour.to_linear()), colour);
        }
    }

    #[test]
    fn the_map_grows_lighter_all_the_way() {
        let luminance = |colour: Colour| {
            let [r, g, b] = colour.to_linear();
            0.2126 * r + 0.7152 * g + 0.0722 * b
        };
        let light: Vec<f32> = (0..=100)
            .map(|i| luminance(Colour::of_value(f64::from(i) / 100.0)))
            .collect();
        assert!(light.windows(2).all(|pair| pair[0] < pair[1]), "{light:?}");
    }

    #[test]
    fn values_outside_take_the_ends() {
        assert_eq!(Colour::of_value(-1.0), Colour::of_value(0.0));
        assert_eq!(Colour::of_value(2.0), Colour::of_value(1.0));
        assert_eq!(Colour::of_value(f64::NAN), Colour::of_value(0.0));
    }
}
