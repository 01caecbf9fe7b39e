//! What is written for a processor by name, because compilers do not find it.
//!
//! All of them give the same bits.

use super::roots::Roots;
use super::turn::Turn;

/// All that is written for a processor by name.
pub(super) trait Processor: Turn + Roots {}

impl<P: Turn + Roots> Processor for P {}

/// Any processor.
pub(super) struct AnyProcessor;

/// A processor that has AVX2: only code that is compiled for it may name this.
#[cfg(target_arch = "x86_64")]
pub(super) struct Avx2;

/// A processor that has AVX-512: only code that is compiled for it may name this.
#[cfg(target_arch = "x86_64")]
pub(super) struct Avx512;
