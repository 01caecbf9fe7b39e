//! Room for large arrays.

/// Room for so many values, to be filled by the caller; on large pages where the system has them.
///
/// Grains are read in an order that jumps about in memory. Where a million of them lie on pages of 4 KiB, a processor
/// looks up the place of a page more often than it finds the place in its own table: with large ones a million grains are
/// 5 % faster (`lahar bench --backend cpu --threads 1 --particles 1e6`). Systems give large pages only to those who ask before they fill the memory.
pub(crate) fn room_for<T>(count: usize) -> Vec<T> {
    let mut room = Vec::with_capacity(count);
    ask_for_large_pages(room.spare_capacity_mut());
    room
}

/// All values of an iterator, in [`room_for`] them.
pub(crate) fn collected<T>(values: impl ExactSizeIterator<Item = T>) -> Vec<T> {
    let mut room = room_for(values.len());
    room.extend(values);
    room
}

/// Asks for large pages, unless the array is small. A system that declines does no harm.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn ask_for_large_pages<T>(room: &mut [std::mem::MaybeUninit<T>]) {
    const PAGE: usize = 4096;
    const WORTH_IT: usize = 4 << 20;
    let bytes = size_of_val(room);
    if bytes < WORTH_IT {
        return;
    }
    let start = room.as_mut_ptr().cast::<u8>();
    let unaligned = start.addr().next_multiple_of(PAGE) - start.addr();
    // SAFETY: whole pages within memory that is exclusively ours, which is longer than a page; the advice changes nothing
    // but how it is mapped. Where pages are larger than that, it is refused.
    unsafe {
        libc::madvise(
            start.add(unaligned).cast(),
            (bytes - unaligned) / PAGE * PAGE,
            libc::MADV_HUGEPAGE,
        );
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn ask_for_large_pages<T>(_: &mut [std::mem::MaybeUninit<T>]) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_as_good_as_any() {
        for count in [0_u32, 1, 1000, 5_000_000] {
            let mut room = room_for(count as usize);
            assert!(room.is_empty() && room.capacity() >= count as usize);
            room.extend(0..count);
            assert!(room.iter().copied().eq(0..count));
        }
    }
}
