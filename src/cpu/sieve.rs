//! Eight spheres at a time: which of them may be close to a grain.
//!
//! A sieve lets through everything that is close and little else. It works in `f32`, with more reach than a grain has by
//! all that rounding can do; whoever uses it looks again at what it lets through. All kinds let through the same.

use super::processor::Processor;
use std::ops::Range;

/// Spheres that are looked at together.
pub(crate) const TOGETHER: usize = 8;

/// Spheres in a row, one array for each quantity, with [`TOGETHER`] of no meaning behind the last.
#[derive(Debug, Clone, Default)]
pub(crate) struct Spheres {
    pub(crate) x: Vec<f32>,
    pub(crate) y: Vec<f32>,
    pub(crate) z: Vec<f32>,
    /// Radius, with what rounding can do to it.
    pub(crate) radius: Vec<f32>,
    /// Index of the grain.
    pub(crate) grain: Vec<u32>,
}

/// What spheres may be close to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Probe {
    pub(crate) centre: [f32; 3],
    /// How far from the surface of a sphere the centre may be, with what rounding can do to it.
    pub(crate) reach: f32,
    /// Only grains with an index above this are wanted.
    pub(crate) above: i32,
}

/// Grains that the sieve has let through.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Room for more than there are.
    grain: Vec<u32>,
    count: usize,
}

impl Found {
    pub(crate) fn clear(&mut self) {
        self.count = 0;
    }

    pub(crate) fn grains(&self) -> &[u32] {
        &self.grain[..self.count]
    }

    /// Leaves each grain once.
    pub(crate) fn sort_and_unite(&mut self) {
        self.grain.truncate(self.count);
        self.grain.sort_unstable();
        self.grain.dedup();
        self.count = self.grain.len();
    }

    /// Makes room for so many more, whichever come through.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of the sieve's loop")]
    fn make_room(&mut self, more: usize) {
        let needed = self.count + more + TOGETHER;
        if self.grain.len() < needed {
            self.grain.resize(2 * needed, 0);
        }
    }
}

/// Adds the spheres at these places that may be close.
pub(crate) fn sieve(
    processor: Processor,
    spheres: &Spheres,
    probe: &Probe,
    places: &[Range<usize>],
    found: &mut Found,
) {
    match processor {
        // SAFETY: the processor has these instructions.
        #[cfg(target_arch = "x86_64")]
        Processor::Avx512 => unsafe { sieve_avx512(spheres, probe, places, found) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Processor::Avx2 => unsafe { sieve_avx2(spheres, probe, places, found) },
        Processor::Any => sieve_any::<Any>(spheres, probe, places, found),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx2,fma,popcnt,bmi1,bmi2")]
fn sieve_avx512(spheres: &Spheres, probe: &Probe, places: &[Range<usize>], found: &mut Found) {
    sieve_any::<avx512::Avx512>(spheres, probe, places, found);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,popcnt,bmi1,bmi2")]
fn sieve_avx2(spheres: &Spheres, probe: &Probe, places: &[Range<usize>], found: &mut Found) {
    sieve_any::<avx2::Avx2>(spheres, probe, places, found);
}

#[inline(always)]
#[allow(
    clippy::inline_always,
    reason = "compiled once per instruction set of its callers"
)]
fn sieve_any<S: Sieve>(
    spheres: &Spheres,
    probe: &Probe,
    places: &[Range<usize>],
    found: &mut Found,
) {
    // All of one length: one look whether there are eight more is enough.
    let length = spheres.grain.len();
    let [xs, ys, zs, radii] =
        [&spheres.x, &spheres.y, &spheres.z, &spheres.radius].map(|values| &values[..length]);
    found.make_room(places.iter().map(Range::len).sum());
    for &Range { start, end } in places {
        let mut place = start;
        // Tested at its end, as rows seldom hold more than eight: rows without any are looked at, too.
        loop {
            let grain = eight(&spheres.grain, place);
            let spheres = Eight {
                x: eight(xs, place),
                y: eight(ys, place),
                z: eight(zs, place),
                radius: eight(radii, place),
                grain,
            };
            // Those behind the last are not of these places.
            let taken = (1 << (end - place).min(TOGETHER)) - 1;
            let close = S::close(&spheres, probe) & taken;
            if let Some(room) = found.grain[found.count..].first_chunk_mut() {
                S::keep(grain, close, room);
            }
            found.count += close.count_ones() as usize;
            place += TOGETHER;
            if place >= end {
                break;
            }
        }
    }
}

/// Eight spheres.
struct Eight<'a> {
    x: &'a [f32; TOGETHER],
    y: &'a [f32; TOGETHER],
    z: &'a [f32; TOGETHER],
    radius: &'a [f32; TOGETHER],
    grain: &'a [u32; TOGETHER],
}

#[inline(always)]
#[allow(clippy::inline_always, reason = "part of the sieve's loop")]
fn eight<T>(values: &[T], place: usize) -> &[T; TOGETHER] {
    let eight = values[place..].first_chunk();
    eight.unwrap_or_else(|| unreachable!("there is room behind the last sphere"))
}

/// A sieve for one kind of processor.
trait Sieve {
    /// Bit l: whether sphere l may be close.
    fn close(spheres: &Eight<'_>, probe: &Probe) -> u32;

    /// Puts the grains whose bit is set first, in their order; what follows them is of no meaning.
    fn keep(grain: &[u32; TOGETHER], bits: u32, kept: &mut [u32; TOGETHER]);
}

/// With any processor.
struct Any;

impl Sieve for Any {
    #[inline(always)]
    #[allow(clippy::cast_possible_wrap, reason = "particle counts fit i32")]
    fn close(spheres: &Eight<'_>, probe: &Probe) -> u32 {
        let [x, y, z] = probe.centre;
        (0..TOGETHER).fold(0, |bits, l| {
            let [dx, dy, dz] = [spheres.x[l] - x, spheres.y[l] - y, spheres.z[l] - z];
            let apart = spheres.radius[l] + probe.reach;
            let close = dx * dx + dy * dy + dz * dz < apart * apart;
            let wanted = spheres.grain[l] as i32 > probe.above;
            bits | u32::from(close & wanted) << l
        })
    }

    #[inline(always)]
    fn keep(grain: &[u32; TOGETHER], bits: u32, kept: &mut [u32; TOGETHER]) {
        let mut count = 0;
        for (l, &grain) in grain.iter().enumerate() {
            // Written in any case, kept only if it counts: cheaper than a wrong guess.
            kept[count] = grain;
            count += (bits >> l & 1) as usize;
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{Eight, Probe, Sieve, TOGETHER};
    use std::arch::x86_64::{
        __m256i, _CMP_LT_OQ, _mm_cvtsi64_si128, _mm256_add_ps, _mm256_and_ps, _mm256_castsi256_ps,
        _mm256_cmp_ps, _mm256_cmpgt_epi32, _mm256_cvtepu8_epi32, _mm256_loadu_ps,
        _mm256_loadu_si256, _mm256_movemask_ps, _mm256_mul_ps, _mm256_permutevar8x32_epi32,
        _mm256_set1_epi32, _mm256_set1_ps, _mm256_storeu_si256, _mm256_sub_ps,
    };

    /// With a processor that has AVX2: only code that runs on one may use this.
    pub(super) struct Avx2;

    /// For each set of bits, the places of those that are set, one byte each, the first lowest.
    static PLACES: [u64; 1 << TOGETHER] = {
        let mut places = [0; 1 << TOGETHER];
        let mut bits = 0;
        while bits < places.len() {
            let (mut l, mut count) = (0, 0);
            while l < TOGETHER {
                if bits >> l & 1 == 1 {
                    places[bits] |= (l as u64) << (8 * count);
                    count += 1;
                }
                l += 1;
            }
            bits += 1;
        }
        places
    };

    // SAFETY, for all that follows: used only by what runs on processors with AVX2 (see `Processor`); every pointer is that
    // of an array of eight numbers.

    impl Sieve for Avx2 {
        #[inline(always)]
        fn close(spheres: &Eight<'_>, probe: &Probe) -> u32 {
            // SAFETY: see above.
            unsafe {
                let [x, y, z] = probe.centre.map(|x| _mm256_set1_ps(x));
                let dx = _mm256_sub_ps(_mm256_loadu_ps(spheres.x.as_ptr()), x);
                let dy = _mm256_sub_ps(_mm256_loadu_ps(spheres.y.as_ptr()), y);
                let dz = _mm256_sub_ps(_mm256_loadu_ps(spheres.z.as_ptr()), z);
                let radius = _mm256_loadu_ps(spheres.radius.as_ptr());
                let apart = _mm256_add_ps(radius, _mm256_set1_ps(probe.reach));
                let [xx, yy, zz, most] = [dx, dy, dz, apart].map(|x| _mm256_mul_ps(x, x));
                let distance = _mm256_add_ps(_mm256_add_ps(xx, yy), zz);
                let close = _mm256_cmp_ps::<_CMP_LT_OQ>(distance, most);
                let grain = _mm256_loadu_si256(spheres.grain.as_ptr().cast::<__m256i>());
                let wanted = _mm256_cmpgt_epi32(grain, _mm256_set1_epi32(probe.above));
                let both = _mm256_and_ps(close, _mm256_castsi256_ps(wanted));
                _mm256_movemask_ps(both).cast_unsigned()
            }
        }

        #[inline(always)]
        fn keep(grain: &[u32; TOGETHER], bits: u32, kept: &mut [u32; TOGETHER]) {
            let places = PLACES[bits as usize & 0xff].cast_signed();
            // SAFETY: see above.
            unsafe {
                let grain = _mm256_loadu_si256(grain.as_ptr().cast::<__m256i>());
                let places = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(places));
                let first = _mm256_permutevar8x32_epi32(grain, places);
                _mm256_storeu_si256(kept.as_mut_ptr().cast::<__m256i>(), first);
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use super::{Eight, Probe, Sieve, TOGETHER};
    use std::arch::x86_64::{
        __m256i, _CMP_LT_OQ, _mm256_add_ps, _mm256_cmp_ps_mask, _mm256_loadu_ps,
        _mm256_loadu_si256, _mm256_mask_cmpgt_epi32_mask, _mm256_maskz_compress_epi32,
        _mm256_mul_ps, _mm256_set1_epi32, _mm256_set1_ps, _mm256_storeu_si256, _mm256_sub_ps,
    };

    /// With a processor that has AVX-512: only code that runs on one may use this.
    pub(super) struct Avx512;

    // SAFETY, for all that follows: used only by what runs on processors with AVX-512 (see `Processor`); every pointer is that
    // of an array of eight numbers.

    impl Sieve for Avx512 {
        #[inline(always)]
        fn close(spheres: &Eight<'_>, probe: &Probe) -> u32 {
            // SAFETY: see above.
            unsafe {
                let [x, y, z] = probe.centre.map(|x| _mm256_set1_ps(x));
                let dx = _mm256_sub_ps(_mm256_loadu_ps(spheres.x.as_ptr()), x);
                let dy = _mm256_sub_ps(_mm256_loadu_ps(spheres.y.as_ptr()), y);
                let dz = _mm256_sub_ps(_mm256_loadu_ps(spheres.z.as_ptr()), z);
                let radius = _mm256_loadu_ps(spheres.radius.as_ptr());
                let apart = _mm256_add_ps(radius, _mm256_set1_ps(probe.reach));
                let [xx, yy, zz, most] = [dx, dy, dz, apart].map(|x| _mm256_mul_ps(x, x));
                let distance = _mm256_add_ps(_mm256_add_ps(xx, yy), zz);
                let close = _mm256_cmp_ps_mask::<_CMP_LT_OQ>(distance, most);
                let grain = _mm256_loadu_si256(spheres.grain.as_ptr().cast::<__m256i>());
                let above = _mm256_set1_epi32(probe.above);
                _mm256_mask_cmpgt_epi32_mask(close, grain, above).into()
            }
        }

        #[inline(always)]
        #[allow(clippy::cast_possible_truncation, reason = "a bit for each of eight")]
        fn keep(grain: &[u32; TOGETHER], bits: u32, kept: &mut [u32; TOGETHER]) {
            // SAFETY: see above.
            unsafe {
                let grain = _mm256_loadu_si256(grain.as_ptr().cast::<__m256i>());
                let first = _mm256_maskz_compress_epi32(bits as u8, grain);
                _mm256_storeu_si256(kept.as_mut_ptr().cast::<__m256i>(), first);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Spheres strewn about the origin, some of them at the very edge of what is close.
    fn spheres(count: u32) -> Spheres {
        let strewn = |factor: u32| (0..count).map(move |k| (k * factor % 17) as f32 - 8.0);
        let mut spheres = Spheres {
            x: strewn(5).collect(),
            y: strewn(7).collect(),
            z: strewn(11).collect(),
            radius: (0..count).map(|k| (k % 3) as f32).collect(),
            grain: (0..count).rev().collect(),
        };
        for values in [
            &mut spheres.x,
            &mut spheres.y,
            &mut spheres.z,
            &mut spheres.radius,
        ] {
            values.extend([0.0; TOGETHER]);
        }
        spheres.grain.extend([u32::MAX >> 1; TOGETHER]);
        spheres
    }

    #[test]
    fn every_sieve_lets_the_same_through() {
        let spheres = spheres(1000);
        let mut probe = Probe {
            centre: [1.0, -2.0, 0.5],
            reach: 5.0,
            above: -1,
        };
        let ranges = [0..3, 10..10, 11..19, 100..163, 980..1000];
        let is_close = |&place: &usize| {
            let [x, y, z] = probe.centre;
            let [dx, dy, dz] = [
                spheres.x[place] - x,
                spheres.y[place] - y,
                spheres.z[place] - z,
            ];
            let apart = spheres.radius[place] + probe.reach;
            dx * dx + dy * dy + dz * dz < apart * apart
        };
        let places = ranges.iter().cloned().flatten().filter(is_close);
        let mut wanted: Vec<u32> = places.map(|place| spheres.grain[place]).collect();
        assert!(wanted.len() > 10, "{wanted:?}");
        // Grains come backwards here: the last of them, and one more, are too low.
        let lowest = wanted.split_off(wanted.len() - 2);
        probe.above = lowest[0].cast_signed();
        for processor in Processor::those_here() {
            let mut found = Found::default();
            sieve(processor, &spheres, &probe, &ranges, &mut found);
            assert_eq!(found.grains(), wanted, "{processor:?}");
        }
    }
}
