//! What a processor has: vector instructions, caches.

use std::sync::LazyLock;

/// What a processor can do. Whatever it is, results have the same bits.
///
/// Only [`here`](Self::here) and, in tests, `those_here` make one that is more than `Any`: what is compiled for such
/// instructions may be run wherever there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Processor {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    Any,
}

impl Processor {
    /// The most that this one can do.
    #[inline]
    pub(crate) fn here() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected as has;
            // Hardly a processor has AVX2 without the others.
            let bits = has!("bmi1") && has!("bmi2") && has!("lzcnt") && has!("popcnt");
            if has!("avx2") && has!("fma") && bits {
                let wide = has!("avx512f") && has!("avx512dq") && has!("avx512vl");
                return if wide { Self::Avx512 } else { Self::Avx2 };
            }
        }
        Self::Any
    }

    /// All that this one can do, the least first.
    #[cfg(test)]
    pub(crate) fn those_here() -> Vec<Self> {
        let mut those = vec![Self::Any];
        #[cfg(target_arch = "x86_64")]
        {
            if Self::here() != Self::Any {
                those.push(Self::Avx2);
            }
            if Self::here() == Self::Avx512 {
                those.push(Self::Avx512);
            }
        }
        those
    }
}

/// Bytes of the last cache that this processor says it has; others may use it too.
pub(crate) fn last_cache() -> usize {
    /// Asking takes long where a processor is not a real one.
    static BYTES: LazyLock<usize> = LazyLock::new(ask_for_last_cache);
    *BYTES
}

/// What is assumed of processors that do not say.
const USUAL_CACHE: usize = 32 << 20;

#[cfg(target_arch = "x86_64")]
fn ask_for_last_cache() -> usize {
    use std::arch::x86_64::{__cpuid, __cpuid_count};
    /// Numbers of the answers that list caches, Intel's and then AMD's, and of the one that says how many there are like it.
    const LISTS: [(u32, u32); 2] = [(4, 0), (0x8000_001d, 0x8000_0000)];
    const MOST_CACHES: u32 = 8;
    let size = |list: u32, number: u32| {
        let answer = __cpuid_count(list, number);
        let bits = |from: u32, count: u32| (answer.ebx >> from & ((1 << count) - 1)) as usize + 1;
        let (line, parts, ways) = (bits(0, 12), bits(12, 10), bits(22, 10));
        // Kinds of caches, of which 0 is none.
        let exists = answer.eax & 0x1f != 0;
        exists.then(|| line * parts * ways * (answer.ecx as usize + 1))
    };
    let largest = LISTS
        .into_iter()
        .filter(|&(list, first)| __cpuid(first).eax >= list)
        .flat_map(|(list, _)| (0..MOST_CACHES).map_while(move |number| size(list, number)))
        .max();
    largest.unwrap_or(USUAL_CACHE)
}

#[cfg(not(target_arch = "x86_64"))]
fn ask_for_last_cache() -> usize {
    USUAL_CACHE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_last_cache_has_a_size_that_there_is() {
        let bytes = last_cache();
        assert!((1 << 18..=1 << 31).contains(&bytes), "{bytes}");
        assert_eq!(bytes % 4096, 0, "{bytes}");
    }
}
