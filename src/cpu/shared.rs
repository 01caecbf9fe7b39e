//! Rows of values that one thread looks at while others change some of them.

use super::fetch::fetch_lines;
use std::marker::PhantomData;
use std::ops::Index;

/// A row of values that may change while it is held, but for those that are asked for.
///
/// A slice would say that none of them changes, whether anybody looks or not.
#[derive(Debug)]
pub(crate) struct Shared<'a, T> {
    first: *const T,
    count: usize,
    life: PhantomData<&'a [T]>,
}

impl<T> Clone for Shared<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Shared<'_, T> {}

// SAFETY: it lends values out as slices do.
unsafe impl<T: Sync> Send for Shared<'_, T> {}

// SAFETY: as above.
unsafe impl<T: Sync> Sync for Shared<'_, T> {}

impl<'a, T> Shared<'a, T> {
    /// Values that nobody changes.
    pub(crate) fn of(values: &'a [T]) -> Self {
        Self {
            first: values.as_ptr(),
            count: values.len(),
            life: PhantomData,
        }
    }

    /// So many values in a row.
    ///
    /// # Safety
    /// They are there as long as this or a copy of it, and nobody changes one that has been asked for as long as it is held.
    pub(crate) unsafe fn new(first: *const T, count: usize) -> Self {
        Self {
            first,
            count,
            life: PhantomData,
        }
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of the hot loops")]
    pub(crate) fn len(self) -> usize {
        self.count
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of the hot loops")]
    pub(crate) fn get(self, index: usize) -> Option<&'a T> {
        // SAFETY: there are so many.
        (index < self.count).then(|| unsafe { self.get_unchecked(index) })
    }

    /// # Safety
    /// There is a value with this index.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of the hot loops")]
    pub(crate) unsafe fn get_unchecked(self, index: usize) -> &'a T {
        // SAFETY: as the caller promises, and whoever made this.
        unsafe { &*self.first.add(index) }
    }

    /// Asks for every cache line of a value, without waiting for it. Where there is none, nothing happens.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of the hot loops")]
    pub(crate) fn fetch(self, index: usize) {
        fetch_lines(self.first.wrapping_add(index));
    }

    /// Where they are.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "part of the hot loops")]
    pub(crate) fn as_ptr(self) -> *const T {
        self.first
    }
}

impl<T> Index<usize> for Shared<'_, T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, index: usize) -> &T {
        let value = self.get(index);
        #[allow(clippy::panic, reason = "as slices do")]
        value.unwrap_or_else(|| panic!("index {index} of {}", self.count))
    }
}
