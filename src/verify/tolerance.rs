//! How far a result may be off, and why.

/// A tolerance with its reason.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerance {
    /// Amount relative to the expected value.
    pub relative: f64,
    /// Amount in the unit of the quantity.
    pub absolute: f64,
    /// Why so much.
    pub reason: &'static str,
}

impl Tolerance {
    /// `f32` velocities and forces on exact positions.
    pub const DEVICE: Self = Self {
        relative: 2e-6,
        absolute: 0.0,
        reason: "f32 velocities and forces on exact positions, rounded at each of some 500 steps",
    };

    /// Sums of a few `f64` operations.
    pub const ROUNDING: Self = Self::relative(1e-12, "rounding of f64");

    /// Nothing but the exact number will do.
    pub const EXACT: Self = Self::absolute(0.0, "exact by construction");

    /// Restitution, contact time or largest overlap of a collision at 500 steps per contact.
    pub const STEPPED: Self =
        Self::relative(1e-5, "second order in the step, 500 steps in the contact");

    /// As [`STEPPED`](Self::STEPPED), for Tsuji's damper.
    pub const STEPPED_TSUJI: Self = Self::relative(
        1e-4,
        "500 steps in the contact; a damper that begins like δ^¼ costs some of the second order",
    );

    /// Relative to the expected value.
    pub const fn relative(relative: f64, reason: &'static str) -> Self {
        Self {
            relative,
            absolute: 0.0,
            reason,
        }
    }

    /// In the unit of the quantity.
    pub const fn absolute(absolute: f64, reason: &'static str) -> Self {
        Self {
            relative: 0.0,
            absolute,
            reason,
        }
    }

    /// How far off a result that should be `expected` may be.
    pub fn amount(&self, expected: f64) -> f64 {
        self.relative * expected.abs() + self.absolute
    }
}
