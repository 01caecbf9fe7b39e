//! Which vector instructions there are.

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
