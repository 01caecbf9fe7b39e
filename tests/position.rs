//! Exact positions: differences, images, overlaps and moves against integers of any size.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a test says what it expects; numbers are bounded by the strategies"
)]

use glam::DVec3;
use lahar::position::{Grid, overlap};
use proptest::prelude::*;

/// Domains from a few to 1e5 radii, periodic or not, anywhere in space.
fn grids() -> impl Strategy<Value = Grid> {
    let length = (4.2f64.ln()..1e5f64.ln()).prop_map(f64::exp);
    (
        prop::array::uniform3(length),
        prop::array::uniform3(any::<bool>()),
        prop::array::uniform3(-1e3..1e3f64),
        1e-4..1.0f64,
    )
        .prop_map(|(size, periodic, lower, radius)| {
            let lower = DVec3::from_array(lower);
            let size = radius * DVec3::from_array(size);
            Grid::new(lower, lower + size, periodic, 2.0 * radius)
        })
}

/// A position inside the grid, from three fractions of its extent.
fn place(grid: &Grid, fraction: [f64; 3]) -> [i64; 3] {
    let extent = grid.extent();
    std::array::from_fn(|axis| {
        ((fraction[axis] * extent[axis] as f64) as i64).min(extent[axis] - 1)
    })
}

fn fractions() -> impl Strategy<Value = [f64; 3]> {
    prop::array::uniform3(0.0..1.0f64)
}

/// ⌊√n⌋, exactly.
fn root(n: i128) -> i128 {
    let mut x = (n as f64).sqrt() as i128;
    while x * x > n {
        x -= 1;
    }
    while (x + 1) * (x + 1) <= n {
        x += 1;
    }
    x
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    /// The difference is the exact one, to the nearest image, and flips its sign with its ends.
    #[test]
    fn differences_are_exact_and_antisymmetric(grid in grids(), a in fractions(), b in fractions()) {
        let (a, b) = (place(&grid, a), place(&grid, b));
        let d = grid.difference(a, b);
        let extent = grid.extent();
        for axis in 0..3 {
            let plain = b[axis] - a[axis];
            if grid.periodic[axis] {
                prop_assert_eq!((d[axis] - plain).rem_euclid(extent[axis]), 0);
                prop_assert!(2 * d[axis].abs() <= extent[axis]);
            } else {
                prop_assert_eq!(d[axis], plain);
            }
            if 2 * d[axis].abs() != extent[axis] {
                prop_assert_eq!(grid.difference(b, a)[axis], -d[axis]);
            }
        }
    }

    /// Positions a whole number of periods apart are the same position.
    #[test]
    fn periodic_images_are_exact(grid in grids(), a in fractions(), b in fractions(), n in prop::array::uniform3(-3i64..=3)) {
        let (a, b) = (place(&grid, a), place(&grid, b));
        let extent = grid.extent();
        let image = std::array::from_fn(|axis| {
            a[axis] + if grid.periodic[axis] { n[axis] * extent[axis] } else { 0 }
        });
        prop_assert_eq!(grid.wrap(image), a);
        prop_assert_eq!(grid.difference(grid.wrap(image), b), grid.difference(a, b));
        prop_assert_eq!(grid.wrap(grid.wrap(image)), grid.wrap(image));
        let wrapped = grid.wrap(image);
        for axis in (0..3).filter(|&axis| grid.periodic[axis]) {
            prop_assert!((0..extent[axis]).contains(&wrapped[axis]));
        }
    }

    #[test]
    fn packing_loses_nothing(grid in grids(), a in fractions()) {
        let a = place(&grid, a);
        let packed = grid.pack(a).expect("a position inside");
        prop_assert_eq!(grid.unpack(packed), a);
        for axis in 0..3 {
            prop_assert!(packed.fraction[axis] < grid.cell_units[axis]);
        }
        let mut outside = a;
        outside[0] = grid.extent()[0];
        prop_assert_eq!(grid.pack(outside), None);
        outside[0] = -1;
        prop_assert_eq!(grid.pack(outside), None);
    }

    /// A period in metres is that of the domain to one unit per cell.
    #[test]
    fn metres_and_back(grid in grids(), a in fractions()) {
        let a = place(&grid, a);
        let (again, rest) = grid.from_metres(grid.to_metres(a, DVec3::ZERO));
        // Metres as f64 resolve 1e-16 of the largest coordinate, here up to 1e5 radii or 1e3 m.
        let far = grid.to_metres(a, DVec3::ZERO).abs().max_element() + grid.origin.abs().max_element();
        let bound = 1.0 + 4.0 * f64::EPSILON * far / grid.unit;
        let d = grid.difference(a, again);
        for axis in 0..3 {
            prop_assert!((d[axis] as f64 + rest[axis]).abs() <= bound, "{:?} {:?}", d, rest);
        }
    }

    /// δ = s/(r + |d|) against √ taken in 128-bit integers, 2⁻⁶⁰ units fine, for δ from a unit to
    /// 0.2 of the radius and any direction.
    #[test]
    fn overlaps_keep_their_digits(
        touching in (1u32 << 28)..(1 << 31),
        depth in 1e-8f64.ln()..0.2f64.ln(),
        direction in prop::array::uniform3(-1.0..1.0f64),
    ) {
        // s is exact; it, |d|² and the sum are each rounded once and the root is: 4 · ½ ulp.
        const BOUND: f64 = 4.0 * f64::EPSILON;
        let reach = f64::from(touching);
        let direction = DVec3::from_array(direction);
        prop_assume!(direction.length() > 0.1);
        let d = direction.normalize() * reach * (1.0 - 0.5 * depth.exp());
        let d = d.to_array().map(|x| x.round() as i64);
        let squared: i128 = d.iter().map(|&x| i128::from(x) * i128::from(x)).sum();
        // |d| in units of 2⁻³⁰: the root of |d|² · 2⁶⁰ < 2¹²⁴.
        let distance = root(squared << 60);
        let exact = ((i128::from(touching) << 30) - distance) as f64 / (1u64 << 30) as f64;
        prop_assume!(exact > 1.0);
        let got = overlap(touching, d);
        let resolved = 2f64.powi(-30) / exact;
        prop_assert!((got / exact - 1.0).abs() <= BOUND + resolved, "{got} {exact}");
    }

    /// Overlap and difference know nothing of where in the domain the pair is.
    #[test]
    fn the_place_of_a_pair_does_not_matter(grid in grids(), a in fractions(), b in fractions(), d in prop::array::uniform3(-(1i64 << 28)..(1 << 28))) {
        let (a, b) = (place(&grid, a), place(&grid, b));
        let shift = |p: [i64; 3]| grid.wrap(std::array::from_fn(|axis| p[axis] + d[axis]));
        prop_assert_eq!(grid.difference(a, shift(a)), grid.difference(b, shift(b)));
        prop_assert_eq!(
            overlap(1 << 30, grid.difference(a, shift(a))).to_bits(),
            overlap(1 << 30, grid.difference(b, shift(b))).to_bits()
        );
    }

    /// However a way is cut into moves, units and remainder together cover it.
    #[test]
    fn moves_add_up(grid in grids(), a in fractions(), steps in prop::collection::vec(prop::array::uniform3(-10.0..10.0f64), 1..40)) {
        let start = place(&grid, a);
        let (mut units, mut rest) = (start, DVec3::ZERO);
        let mut way = DVec3::ZERO;
        let mut walked = [0i64; 3];
        for step in steps {
            let step = DVec3::from_array(step) * grid.unit;
            let before = units;
            (units, rest) = grid.displace(units, rest, step);
            let moved = grid.difference(before, units);
            for axis in 0..3 {
                walked[axis] += moved[axis];
                prop_assert!(rest[axis].abs() <= 0.5);
            }
            way += step / grid.unit;
        }
        for axis in 0..3 {
            // 40 sums of numbers of at most 400 units round by 5e-14 each.
            prop_assert!((walked[axis] as f64 + rest[axis] - way[axis]).abs() < 1e-11);
        }
    }
}

/// 1e7 steps of 1e-11 radii, two hundred times less than a unit, arrive.
#[test]
fn creep_is_not_lost() {
    let radius = 0.01;
    let grid = Grid::new(DVec3::ZERO, DVec3::ONE, [false; 3], 2.0 * radius);
    let step = DVec3::new(1e-11, -1e-11, 0.5e-11) * radius;
    assert!(step.x < 0.01 * grid.unit);
    let (start, mut rest) = grid.from_metres(DVec3::splat(0.5));
    let began = rest;
    let mut units = start;
    const STEPS: u32 = 10_000_000;
    for _ in 0..STEPS {
        (units, rest) = grid.displace(units, rest, step);
    }
    let moved = DVec3::from_array(grid.difference(start, units).map(|x| x as f64)) + rest - began;
    let want = f64::from(STEPS) * step / grid.unit;
    // Asked for: 1e-3 of the way. Each remainder, below ½, rounds by 3e-17; all to one side: 3e-10
    // of 5e4 units.
    for axis in 0..3 {
        assert!(
            (moved[axis] / want[axis] - 1.0).abs() < 1e-9,
            "axis {axis}: {} of {}",
            moved[axis],
            want[axis]
        );
    }
}
