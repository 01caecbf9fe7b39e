//! Exact positions: integers in one length unit, the same resolution everywhere.
//!
//! A contact lives on an overlap of 10⁻³ … 10⁻⁶ radii. A floating-point coordinate loses it far from
//! the origin; an integer does not. lahar therefore divides the domain into contact cells (at least
//! one grain diameter wide) and a cell into 2³⁰ … 2³¹ units, about 2·10⁻⁹ radii each:
//!
//! ```text
//! x = lower + (cell · M + fraction) · u        0 ≤ fraction < M ≤ 2³¹
//! ```
//!
//! One unit `u` serves all axes; `M` differs from axis to axis so that a periodic length is exactly
//! `n · M` units. Differences of positions are then exact and antisymmetric, an image across a
//! periodic side is exact, and the overlap comes out of exact integers without cancellation
//! ([`overlap`]). Moves are rounded to units and the rest is carried to the next move
//! ([`Grid::displace`]), so that creep slower than a unit per step is not lost.
//!
//! The CPU engine holds `cell · M + fraction` as one integer below 2⁴², which `f64` represents
//! exactly; [`Position`] is the packed form of 16 bytes.

use crate::laws::number::Number;
use glam::DVec3;

/// Most cells along x, y and z: 11 + 11 + 10 bits fill one `u32`.
const MOST_CELLS: [u32; 3] = [1 << 11, 1 << 11, 1 << 10];

/// Units in the narrowest cell; a periodic axis stretches its cells to less than twice this.
const UNITS_PER_CELL: f64 = (1u64 << 30) as f64;

/// How metres become units, cell by cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grid {
    /// Lower corner of the domain, m.
    pub origin: DVec3,
    /// Length of one unit, m.
    pub unit: f64,
    /// Number of cells along each axis.
    pub cells: [u32; 3],
    /// Units per cell along each axis, M ≤ 2³¹.
    pub cell_units: [u32; 3],
    /// Axes along which the domain repeats.
    pub periodic: [bool; 3],
    /// Size of the domain in units; along periodic axes that of all cells.
    pub size: [i64; 3],
}

/// A position packed into 16 bytes: what a neighbour on the device reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// Cell indices, 11 + 11 + 10 bits from the lowest: x, y, z.
    pub cell: u32,
    /// Units from the lower side of the cell, per axis.
    pub fraction: [u32; 3],
}

impl Grid {
    /// Divides the box from `lower` to `upper` into cells at least `diameter` wide.
    ///
    /// `diameter` is the largest distance at which two grains can touch, m. A domain of more than
    /// 2048 × 2048 × 1024 such cells gets wider cells, and with them a proportionally longer unit.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "counts are clamped to 1 … 2048, units per cell to 1 … 2^31"
    )]
    pub fn new(lower: DVec3, upper: DVec3, periodic: [bool; 3], diameter: f64) -> Self {
        let size = (upper - lower).to_array();
        let mut narrowest = diameter;
        for axis in 0..3 {
            narrowest = narrowest.max(size[axis] / f64::from(MOST_CELLS[axis]));
        }
        let unit = narrowest / UNITS_PER_CELL;
        let mut cells = [1; 3];
        let mut cell_units = [1 << 30; 3];
        let mut size_units = [0; 3];
        for axis in 0..3 {
            let most = f64::from(MOST_CELLS[axis]);
            if periodic[axis] {
                // A whole number of cells, each stretched to fill the period exactly.
                let count = (size[axis] / narrowest).floor().clamp(1.0, most);
                let units = (size[axis] / (count * unit)).round();
                cells[axis] = count as u32;
                cell_units[axis] = units.clamp(1.0, 2.0 * UNITS_PER_CELL) as u32;
                size_units[axis] = i64::from(cells[axis]) * i64::from(cell_units[axis]);
            } else {
                // Both sides belong to the domain, so the upper one gets a cell beyond it if it can.
                let count = ((size[axis] / narrowest).floor() + 1.0).clamp(1.0, most);
                cells[axis] = count as u32;
                size_units[axis] = (size[axis] / unit).round() as i64;
            }
        }
        Self {
            origin: lower,
            unit,
            cells,
            cell_units,
            periodic,
            size: size_units,
        }
    }

    /// Units in all cells along each axis: the exact period of a periodic one.
    pub fn extent(&self) -> [i64; 3] {
        std::array::from_fn(|axis| i64::from(self.cells[axis]) * i64::from(self.cell_units[axis]))
    }

    /// The units nearest to a point given in metres, and what rounding left over (in units).
    #[allow(
        clippy::cast_possible_truncation,
        reason = "saturates for points 2^63 units away, which no domain contains"
    )]
    pub fn from_metres(&self, point: DVec3) -> ([i64; 3], DVec3) {
        let exact = (point - self.origin) / self.unit;
        let rounded = exact.map(round_to_unit);
        let units = rounded.to_array().map(|x| x as i64);
        (self.wrap(units), exact - rounded)
    }

    /// Coordinates in metres.
    #[allow(
        clippy::cast_precision_loss,
        reason = "positions stay below 2^42 units"
    )]
    pub fn to_metres(&self, units: [i64; 3], remainder: DVec3) -> DVec3 {
        let units = DVec3::from_array(units.map(|x| x as f64));
        self.origin + (units + remainder) * self.unit
    }

    /// Brings a position back into the domain along periodic axes.
    pub fn wrap(&self, mut units: [i64; 3]) -> [i64; 3] {
        let extent = self.extent();
        for axis in 0..3 {
            if self.periodic[axis] {
                units[axis] = units[axis].rem_euclid(extent[axis]);
            }
        }
        units
    }

    /// Whether a position lies inside the domain, its sides included.
    pub fn contains(&self, units: [i64; 3]) -> bool {
        (0..3).all(|axis| (0..=self.size[axis]).contains(&units[axis]))
    }

    /// The exact vector from `a` to the nearest image of `b`, in units.
    ///
    /// Antisymmetric: exchanging `a` and `b` flips every sign (except at exactly half a period,
    /// where both images are equally near and far beyond touching).
    pub fn difference(&self, a: [i64; 3], b: [i64; 3]) -> [i64; 3] {
        let extent = self.extent();
        std::array::from_fn(|axis| {
            let d = b[axis] - a[axis];
            let period = extent[axis];
            if !self.periodic[axis] {
                d
            } else if 2 * d > period {
                d - period
            } else if 2 * d < -period {
                d + period
            } else {
                d
            }
        })
    }

    /// Moves a position by `step` metres; what is less than a unit is carried in `remainder`.
    #[allow(
        clippy::cast_possible_truncation,
        reason = "a step of 2^63 units is caught as a non-finite position first"
    )]
    pub fn displace(&self, units: [i64; 3], remainder: DVec3, step: DVec3) -> ([i64; 3], DVec3) {
        let moved = remainder + step * (1.0 / self.unit);
        let whole = moved.map(round_to_unit);
        let whole_units = whole.to_array().map(|x| x as i64);
        let units = std::array::from_fn(|axis| units[axis] + whole_units[axis]);
        (self.wrap(units), moved - whole)
    }

    /// Packs a position; `None` for one outside the cells.
    pub fn pack(&self, units: [i64; 3]) -> Option<Position> {
        let mut cell = [0; 3];
        let mut fraction = [0; 3];
        for axis in 0..3 {
            let width = i64::from(self.cell_units[axis]);
            cell[axis] = u32::try_from(units[axis].div_euclid(width))
                .ok()
                .filter(|&c| c < self.cells[axis])?;
            fraction[axis] = u32::try_from(units[axis].rem_euclid(width)).ok()?;
        }
        Some(Position {
            cell: cell[0] | cell[1] << 11 | cell[2] << 22,
            fraction,
        })
    }

    /// Unpacks a position.
    pub fn unpack(&self, position: Position) -> [i64; 3] {
        let cell = [
            position.cell & 0x7ff,
            position.cell >> 11 & 0x7ff,
            position.cell >> 22,
        ];
        std::array::from_fn(|axis| {
            i64::from(cell[axis]) * i64::from(self.cell_units[axis])
                + i64::from(position.fraction[axis])
        })
    }
}

/// Rounds to the nearest whole number, ties to even, for |x| < 2⁵¹ (no position is that large).
pub fn round_to_unit(x: f64) -> f64 {
    x.to_whole()
}

/// Overlap of two spheres, in units: positive when they touch.
///
/// ```text
/// s = (r_i + r_j)² − |d|²        exact, in integers
/// δ = s / (r_i + r_j + |d|)
/// ```
///
/// `touching` is `r_i` + `r_j` in units (below 2³¹), `d` the exact difference of the positions. The
/// textbook form `r_i` + `r_j` − |d| cancels; this one keeps full relative accuracy however small δ is.
/// Spheres further apart than `touching` along any axis are reported as −∞: they cannot touch.
#[allow(
    clippy::cast_precision_loss,
    reason = "s is exact; rounding it once to f64 costs half an ulp"
)]
pub fn overlap(touching: u32, d: [i64; 3]) -> f64 {
    let reach = i64::from(touching);
    if d.iter().any(|x| x.abs() > reach) {
        return f64::NEG_INFINITY;
    }
    // |d| ≤ 2³¹ per axis: three squares reach 3·2⁶², too much for i64 and at home in i128.
    let square = |x: i64| i128::from(x) * i128::from(x);
    let distance_squared = square(d[0]) + square(d[1]) + square(d[2]);
    let s = square(reach) - distance_squared;
    s as f64 / (f64::from(touching) + (distance_squared as f64).sqrt())
}
