//! Memory before it is needed, and past the caches.

use bytemuck::Pod;
#[cfg(target_arch = "x86_64")]
use bytemuck::{cast_slice, cast_slice_mut};

/// Asks for every cache line of a value, without waiting for it.
#[inline(always)]
#[allow(
    clippy::inline_always,
    reason = "a few instructions inside the hot loops"
)]
pub(crate) fn fetch<T>(value: &T) {
    fetch_at(std::slice::from_ref(value), 0);
}

/// Asks for every cache line of a value in a row, without waiting for it. Where there is none, nothing happens.
#[inline(always)]
#[allow(
    clippy::inline_always,
    reason = "a few instructions inside the hot loops"
)]
pub(crate) fn fetch_at<T>(values: &[T], index: usize) {
    fetch_lines(values.as_ptr().wrapping_add(index));
}

/// Asks for every cache line of a value, without waiting for it, wherever that is.
#[inline(always)]
#[allow(
    clippy::inline_always,
    reason = "a few instructions inside the hot loops"
)]
pub(crate) fn fetch_lines<T>(start: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        const LINE: usize = 64;
        let start = start.cast::<i8>();
        for offset in (0..size_of::<T>()).step_by(LINE) {
            // SAFETY: a prefetch touches nothing but the caches, whatever the address.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(offset)) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = start;
}

/// Copies values to where nobody looks soon: caches keep what they have.
pub(crate) fn copy_past_caches<T: Pod>(from: &[T], to: &mut [T]) {
    assert_eq!(from.len(), to.len(), "rows of one length");
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128};
        let (from, to): (&[u8], &mut [u8]) = (cast_slice(from), cast_slice_mut(to));
        // SAFETY: any bytes are such a number; reads need not be aligned, and there are as many bytes; all processors of this kind have
        // these instructions, and the last one has others see what was written.
        unsafe {
            let (head, middle, tail) = to.align_to_mut::<__m128i>();
            let (of_head, rest) = from.split_at(head.len());
            let (of_middle, of_tail) = rest.split_at(size_of_val(middle));
            head.copy_from_slice(of_head);
            let (values, _) = of_middle.as_chunks::<{ size_of::<__m128i>() }>();
            for (to, from) in middle.iter_mut().zip(values) {
                _mm_stream_si128(to, _mm_loadu_si128(from.as_ptr().cast()));
            }
            tail.copy_from_slice(of_tail);
            _mm_sfence();
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    to.copy_from_slice(from);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_whole_wherever_they_begin() {
        let from: Vec<u8> = (0..=255).collect();
        for first in 0..40 {
            for count in 0..100 {
                let mut to = vec![0; 256];
                copy_past_caches(&from[first..first + count], &mut to[40 - first..][..count]);
                let (before, rest) = to.split_at(40 - first);
                assert_eq!(rest[..count], from[first..first + count]);
                assert!(before.iter().chain(&rest[count..]).all(|&byte| byte == 0));
            }
        }
    }
}
