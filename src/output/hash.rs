//! A number that tells whether two runs came to the same state, to the bit.

use super::checkpoint::write_sections;
use crate::hard::HardEngine;
use crate::state::StateSource;
use std::io::{self, Write};

/// FNV-1a with 64 bits (Fowler, Noll & Vo): each byte is combined by exclusive or, then the sum is
/// multiplied by a prime.
///
/// It guards against mistakes, not against malice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fnv1a(pub(super) u64);

impl Default for Fnv1a {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv1a {
    pub(super) fn update(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
    }
}

impl Write for Fnv1a {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Hash of everything that decides the future of a run: 64-bit FNV-1a of the sections of its
/// [checkpoint](super::checkpoint), from the tag `RUN ` to the last contact.
///
/// Those hold step, time step, grid, energies, forces on walls, and by id positions with their
/// remainders, velocities, spins, accelerations, radii, materials, and the contacts with all that they
/// remember. Grains and contacts come in the order of their ids, so the order in memory does not
/// matter, nor does the number of threads; one bit that differs anywhere does.
pub fn state_hash(state: &impl StateSource) -> u64 {
    let mut hash = Fnv1a::default();
    // A hash takes every byte: there is nothing that could fail.
    let written = write_sections(&mut hash, state);
    debug_assert!(written.is_ok());
    hash.0
}

/// As [`state_hash`], of hard grains: all that their checkpoint holds of the engine.
pub fn hard_state_hash(engine: &HardEngine) -> u64 {
    let mut hash = Fnv1a::default();
    let written = engine.save(&mut hash);
    debug_assert!(written.is_ok());
    hash.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Test vectors of the draft RFC (draft-eastlake-fnv).
    #[test]
    fn published_values() {
        for (text, want) in [
            ("", 0xcbf2_9ce4_8422_2325),
            ("a", 0xaf63_dc4c_8601_ec8c),
            ("foobar", 0x8594_4171_f739_67e8),
        ] {
            let mut hash = Fnv1a::default();
            hash.update(text.as_bytes());
            assert_eq!(hash.0, want, "{text}");
        }
    }
}
