//! Asking for memory before it is needed.

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
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        const LINE: usize = 64;
        let start = values.as_ptr().wrapping_add(index).cast::<i8>();
        for offset in (0..size_of::<T>()).step_by(LINE) {
            // SAFETY: a prefetch touches nothing but the caches, whatever the address.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(offset)) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (values, index);
}
