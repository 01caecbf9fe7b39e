//! What eight numbers do, they do as eight times one number would.

use super::*;
#[cfg(target_arch = "x86_64")]
use crate::cpu::processor::Processor;
use crate::laws::number::Truth;

/// Numbers whose roots lie as close to the middle between two others as roots can: m² + m + c, which is
/// (m + ½)² but for c − ¼, where that is a multiple of 2⁵³ or 2⁵⁴ and so a number. With s = 2m + 1 that is
/// s² ≡ 1 − 4c, solved bit by bit.
fn near_the_middle() -> impl Iterator<Item = f64> {
    let of = |(bits, c): (u32, i128)| {
        let modulus = 1_i128 << (bits + 2);
        let square = (1 - 4 * c).rem_euclid(modulus);
        let mut s = 1_i128;
        for bit in 3..bits + 2 {
            if (s * s - square).rem_euclid(1 << (bit + 1)) != 0 {
                s += 1 << (bit - 1);
            }
        }
        let roots = [s, -s, s + modulus / 2, modulus / 2 - s];
        roots.into_iter().filter_map(move |s| {
            let m = ((s.rem_euclid(modulus) - 1) / 2 % (1 << 53)) | (1 << 52);
            let x = m * m + m + c;
            #[allow(clippy::cast_precision_loss, reason = "only if there is none")]
            let number = x as f64;
            #[allow(clippy::cast_possible_truncation, reason = "it is whole")]
            (number as i128 == x).then_some(number)
        })
    };
    let all = [53, 54].into_iter();
    all.flat_map(|bits| (-400..=400).step_by(2).map(move |c| (bits, c)))
        .flat_map(of)
}

/// Numbers of all sizes, squares of whole numbers and their neighbours, where rounding is hardest.
fn numbers() -> impl Iterator<Item = f64> {
    let odd = [
        0.0,
        -0.0,
        -5e-324,
        -1.0,
        f64::NEG_INFINITY,
        f64::MIN_POSITIVE,
        5e-324,
        1e-300,
        1e-281,
        1e-280,
        f64::MAX,
        f64::INFINITY,
        f64::NAN,
    ];
    let mut state = 1_u64;
    let random = std::iter::repeat_with(move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        f64::from_bits(state >> 1)
    });
    let square = |n: u32| f64::from(n) * f64::from(n);
    let squares = (0..400_000).flat_map(move |k| {
        let x = square(k * 10_007);
        [x.next_down().max(0.0), x, x.next_up()]
    });
    let scaled = (1..400_000).map(|k| 1.0 + f64::from(k) * f64::EPSILON);
    let quarters = (1..400_000).map(|k| 4.0 - f64::from(k) * 2.0 * f64::EPSILON);
    let hard: Vec<f64> = near_the_middle().collect();
    assert!(hard.len() > 500, "only {} hard numbers", hard.len());
    odd.into_iter()
        .chain(hard.clone())
        .chain(hard.into_iter().map(|x| x * 2.0))
        .chain(random.take(2_000_000))
        .chain(squares)
        .chain(scaled)
        .chain(quarters)
}

fn roots_are_rounded_correctly<N: Eight>() {
    let mut eight = [0.0; WIDTH];
    let mut filled = 0;
    for x in numbers() {
        eight[filled] = x;
        filled += 1;
        if filled == WIDTH {
            let roots = N::new(&eight).root().to_array();
            for (x, root) in eight.into_iter().zip(roots) {
                let same = root.to_bits() == x.sqrt().to_bits() || x.is_nan() && root.is_nan();
                assert!(same, "root of {x:e}: {root:e} instead of {:e}", x.sqrt());
            }
            filled = 0;
        }
    }
}

fn rows_are_turned<N: Eight>() {
    let rows: [[f64; WIDTH]; WIDTH] =
        std::array::from_fn(|l| std::array::from_fn(|k| (10 * l + k) as f64));
    let turned = N::turn(rows.each_ref().map(N::new)).map(N::to_array);
    for (k, row) in turned.iter().enumerate() {
        for (l, &x) in row.iter().enumerate() {
            assert_eq!(x, rows[l][k], "number {k} of row {l}");
        }
    }
    let factors = [1.5, -2.0, 0.1, 1e17, -0.3, 7.0, 1e-9, 3.0];
    let addends = rows.map(|row| row.map(|x| 0.7 - x * x));
    let others = factors.map(|x| 0.3 - x);
    let one: [_; WIDTH] = std::array::from_fn(|l| [rows[l], addends[l]]);
    let other: [_; WIDTH] = std::array::from_fn(|l| [addends[l], rows[l]]);
    let pairs = std::array::from_fn(|l| [&one[l], &other[l]]);
    let sums = N::turn_pairs([N::new(&factors), N::new(&others)], pairs);
    for (half, factors) in [factors, others].into_iter().enumerate() {
        for (k, row) in sums[half].map(N::to_array).iter().enumerate() {
            for (l, &x) in row.iter().enumerate() {
                let want = factors[k].mul_add(rows[l][k], addends[l][k]);
                assert_eq!(x, want, "sum {k} of row {l} of half {half}");
            }
        }
    }
}

fn highest_bits_are_read_and_set<N: Eight>() {
    for bits in 0..=u8::MAX {
        let words: [u32; WIDTH] = std::array::from_fn(|l| {
            let index = 0x7fff_fff0 | u32::try_from(l).unwrap_or(0);
            index | u32::from(bits >> l & 1) << 31
        });
        assert_eq!(N::bits(N::highest_bits(&words)), bits);
        let mut set = words.map(|word| word & !(1 << 31));
        N::set_highest_bits(N::truth(bits), &mut set);
        assert_eq!(set, words);
    }
}

/// What a register holds, added up.
fn total<N: Part>(register: N) -> f64 {
    let mut numbers = [0.0; WIDTH];
    register.put(&mut numbers, 0);
    numbers.iter().sum()
}

fn sums_of_all_eight_are_kept<N: Eight>() {
    let numbers = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0];
    assert_eq!(total(N::new(&numbers).summed()), 255.0);
}

fn parts_make_up_the_whole<N: Eight>() {
    let numbers = [1.0, -2.0, 4.0, -8.0, 16.0, 32.0, 64.0, 128.0];
    let truth = N::new(&numbers).exceeds(N::all(0.0));
    let rows: [[f64; 6]; WIDTH] =
        std::array::from_fn(|l| std::array::from_fn(|k| (10 * l + k) as f64));
    let columns: [[f64; WIDTH]; 6] = std::array::from_fn(|k| rows.map(|row| row[k]));
    let mut put = [0.0; WIDTH];
    let mut positive = [0.0; WIDTH];
    let mut turned = [[0.0; 6]; WIDTH];
    let count = N::Register::COUNT;
    for k in 0..WIDTH / count {
        let (register, first) = (N::new(&numbers).register(k), k * count);
        register.put(&mut put, first);
        N::Register::only(N::register_of_truth(truth, k), register).put(&mut positive, first);
        let columns = std::array::from_fn(|k| N::Register::part_of(&columns[k], first));
        N::Register::turn_into(columns, &mut turned[first..first + count]);
    }
    assert_eq!(put, numbers);
    assert_eq!(positive, numbers.map(|x| x.max(0.0)));
    assert_eq!(turned, rows);
    let columns: [N; 6] = std::array::from_fn(|k| N::new(&columns[k]));
    let mut all_turned = [[0.0; 6]; WIDTH];
    N::turn_into(columns, &mut all_turned);
    assert_eq!(all_turned, rows);
    // In whole lines, and half a line off.
    for first in [0, 6] {
        let mut lines = WholeLines([[0.0; 6]; 2 * WIDTH]);
        let place = first..first + WIDTH;
        N::turn_past_caches(columns, &mut lines.0[place.clone()]);
        have_written();
        for (l, row) in lines.0.iter().enumerate() {
            let want = if place.contains(&l) {
                rows[l - first]
            } else {
                [0.0; 6]
            };
            assert_eq!(*row, want, "row {l} from {first} on");
        }
    }
}

/// Rows that begin where a cache line does.
#[repr(align(64))]
struct WholeLines([[f64; 6]; 2 * WIDTH]);

fn does_as_eight_numbers_would<N: Eight>() {
    let a = [1.5, -2.0, 0.0, 1e300, 0.1, -0.0, f64::INFINITY, f64::NAN];
    let b = [0.1, 7.0, -0.0, 4.0, 0.1, 0.0, 2.0, 1.0];
    let same = |what: &str, got: N, want: fn(f64, f64) -> f64| {
        for (l, got) in got.to_array().into_iter().enumerate() {
            let want = want(a[l], b[l]);
            let same = got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
            assert!(
                same,
                "{what} of {:e} and {:e}: {got:e}, not {want:e}",
                a[l], b[l]
            );
        }
    };
    let (p, q) = (N::new(&a), N::new(&b));
    same("sum", p + q, |a, b| a + b);
    same("difference", p - q, |a, b| a - b);
    same("product", p * q, |a, b| a * b);
    same("ratio", p / q, |a, b| a / b);
    same("negative", -p, |a, _| -a);
    same("larger", p.or_more(q), f64::or_more);
    same("larger", q.or_more(p), |a, b| b.or_more(a));
    same("all", N::all(2.5), |_, _| 2.5);
    same(
        "product and sum, rounded once",
        p.times_plus(q, p),
        |a, b| a.mul_add(b, a),
    );
    same("pick", N::pick(p.exceeds(q), p, q), |a, b| {
        if a > b { a } else { b }
    });
    same("only", N::only(p.exceeds(q), p), |a, b| {
        if a > b { a } else { 0.0 }
    });
    let near_ties = [0.5, 1.5, -2.5, 0.49, -0.2, 7.0, 4e14 + 0.5, -0.75];
    let whole = N::new(&near_ties).to_whole().to_array();
    assert_eq!(whole, [0.0, 2.0, -2.0, 0.0, 0.0, 7.0, 4e14, -1.0]);
    let periods = N::new(&[0.0, 1.0, -1.0, 2.0, 0.0, -2.0, 1.0, -1.0]);
    let less = N::new(&near_ties).plus_exactly(N::all(-8.0), periods);
    let want = [0.5, -6.5, 5.5, -15.51, -0.2, 23.0, 4e14 - 7.5, 7.25];
    assert_eq!(less.to_array(), want);
    assert_eq!(N::bits(p.exceeds(q)), 0b0100_1001);
    assert_eq!(N::bits(p.differs(q)), 0b1100_1011);
    for bits in 0..=u8::MAX {
        let truth = N::truth(bits);
        assert_eq!(N::bits(truth), bits);
        assert_eq!(N::bits(!truth), !bits);
        assert_eq!(truth.any(), bits != 0);
        for other in [0, 0b1010_0110, 0b0101_1001, u8::MAX] {
            assert_eq!(N::bits(truth & N::truth(other)), bits & other);
            assert_eq!(N::bits(truth | N::truth(other)), bits | other);
        }
    }
}

/// Rows of pairs of two blocks.
struct TwoBlocks([[[[f64; WIDTH]; 2]; 2 * WIDTH]; 2]);

impl PairsOfBlocks for TwoBlocks {
    fn of(&self, b: usize) -> [Pair<'_>; WIDTH] {
        std::array::from_fn(|l| [&self.0[b][l], &self.0[b][WIDTH + l]])
    }
}

/// What a lot does with its blocks, each does alone.
fn lots_do_as_their_blocks_would<M: Lot>() {
    let mut next = 0.0;
    let mut some = || {
        next += 1.25;
        next
    };
    let rows: [[f64; WIDTH]; 2] = std::array::from_fn(|_| std::array::from_fn(|_| some()));
    let words: [[u32; WIDTH]; 2] =
        std::array::from_fn(|b| std::array::from_fn(|l| (0x9d6e_27c1_u32 << (8 * b)) << l));
    let pairs = TwoBlocks(std::array::from_fn(|_| {
        std::array::from_fn(|_| std::array::from_fn(|_| std::array::from_fn(|_| some())))
    }));
    let factors = rows.each_ref().map(M::Block::new);
    let lot = M::of_blocks(|b| &rows[b]);
    let bits = M::highest_bits_of(|b| &words[b]);
    let turned = M::turn_pairs_of(factors, &pairs);
    let repeated = M::repeated(factors[0]);
    assert!(!M::nowhere().any());
    let mut sum = 0.0;
    for b in 0..M::BLOCKS {
        assert_eq!(lot.block(b).to_array(), rows[b]);
        assert_eq!(lot.root().block(b).to_array(), rows[b].map(f64::sqrt));
        assert_eq!(repeated.block(b).to_array(), rows[0]);
        let alone = M::Block::bits(M::Block::highest_bits(&words[b]));
        assert_eq!(M::Block::bits(M::block_of_truth(bits, b)), alone);
        let alone = M::Block::turn_pairs(factors, pairs.of(b));
        for (turned, alone) in turned.iter().flatten().zip(alone.iter().flatten()) {
            assert_eq!(turned.block(b).to_array(), alone.to_array());
        }
        sum += rows[b].iter().sum::<f64>();
    }
    assert_eq!(total(lot.summed()), sum);
    let mut put = [[0.0; WIDTH]; 2];
    let count = M::Register::COUNT;
    for k in 0..M::BLOCKS * WIDTH / count {
        lot.register(k)
            .put(&mut put[k * count / WIDTH], k * count % WIDTH);
    }
    assert_eq!(put[..M::BLOCKS], rows[..M::BLOCKS]);
}

fn does_all<N: Eight>() {
    lots_do_as_their_blocks_would::<N>();
    does_as_eight_numbers_would::<N>();
    rows_are_turned::<N>();
    highest_bits_are_read_and_set::<N>();
    sums_of_all_eight_are_kept::<N>();
    parts_make_up_the_whole::<N>();
    roots_are_rounded_correctly::<N>();
}

#[test]
fn any_processor_does() {
    does_all::<AnyEight>();
}

#[cfg(target_arch = "x86_64")]
#[test]
fn avx2_does() {
    if Processor::those_here().contains(&Processor::Avx2) {
        does_all::<Avx2Eight>();
    } else {
        eprintln!("not run: this processor has no AVX2");
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn avx512_does() {
    if Processor::those_here().contains(&Processor::Avx512) {
        does_all::<Avx512Eight>();
        lots_do_as_their_blocks_would::<Avx512Sixteen>();
    } else {
        eprintln!("not run: this processor has no AVX-512");
    }
}
