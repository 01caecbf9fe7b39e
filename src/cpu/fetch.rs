//! Asking for memory before it is needed.

/// Asks for every cache line of a value, without waiting for it.
#[inline(always)]
#[allow(
    clippy::inline_always,
    reason = "a few instructions inside the hot loops"
)]
pub(crate) fn fetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        const LINE: usize = 64;
        let start = std::ptr::from_ref(value).cast::<i8>();
        for offset in (0..size_of::<T>()).step_by(LINE) {
            // SAFETY: a prefetch touches nothing but the caches, and the address is in the value.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(start.add(offset)) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
