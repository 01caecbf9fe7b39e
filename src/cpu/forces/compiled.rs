//! What is compiled for each kind of processor, with all that is inlined into it.

use super::contacts::Unsteady;
use super::meeting::Kinds;
use super::pairing::Pairing;
use super::sums::{LaneSums, Sums};
use super::{ALIKE, ForceContext, Laws, WALLS, evaluate_pairs, evaluate_walls};
use crate::cpu::bodies::Body;
use crate::cpu::eight::{AnyEight, Eight, Lot, Several};
#[cfg(target_arch = "x86_64")]
use crate::cpu::eight::{Avx2Eight, Avx512Eight, Avx512Sixteen};
use crate::cpu::shared::Shared;
use crate::cpu::tasks::SlotsMut;

/// Numbers of a kind of processor, and functions for it.
///
/// What is rare has functions of its own: inside the loop it would take registers from what is not.
pub(super) trait Compiled: Eight {
    /// What goes side by side where all pairs have the same coefficients.
    type Alike: Lot<Block = Self, Register = Self::Register>;

    /// [`evaluate_pairs`] or [`evaluate_walls`].
    fn evaluate<L: Laws, const WITH: u8>(
        context: &ForceContext<'_>,
        body: Shared<'_, Body>,
        slots: SlotsMut<'_>,
    ) -> Sums;

    /// [`Unsteady::act`].
    fn act_unsteadily(
        contacts: Unsteady<'_, Self>,
        totals: &mut LaneSums<Self::Register>,
        one_by_one: &mut Sums,
    );

    /// [`Pairing::of`].
    fn pair(context: &ForceContext<'_>, kinds: Kinds<Self>, pairing: &mut Pairing<Self>);
}

macro_rules! compiled {
    ($numbers:ident, $alike:ident $(, $instructions:literal)?) => {
        impl Compiled for $numbers {
            type Alike = $alike;

            #[inline]
            fn evaluate<L: Laws, const WITH: u8>(
                context: &ForceContext<'_>,
                body: Shared<'_, Body>,
                slots: SlotsMut<'_>,
            ) -> Sums {
                $(#[target_feature(enable = $instructions)])?
                fn compiled<L: Laws, const WITH: u8>(
                    context: &ForceContext<'_>,
                    body: Shared<'_, Body>,
                    slots: SlotsMut<'_>,
                ) -> Sums {
                    match WITH {
                        ALIKE => evaluate_pairs::<$numbers, $alike, L, true>(context, body, slots),
                        WALLS => evaluate_walls::<$numbers>(context, body, slots),
                        _ => evaluate_pairs::<$numbers, $numbers, L, false>(context, body, slots),
                    }
                }
                // SAFETY: what has these numbers runs on processors with these instructions (see `Processor`).
                #[allow(unused_unsafe, reason = "not all need instructions")]
                unsafe {
                    compiled::<L, WITH>(context, body, slots)
                }
            }

            #[inline]
            fn act_unsteadily(
                contacts: Unsteady<'_, Self>,
                totals: &mut LaneSums<Self::Register>,
                one_by_one: &mut Sums,
            ) {
                #[inline(never)]
                $(#[target_feature(enable = $instructions)])?
                fn compiled(
                    contacts: Unsteady<'_, $numbers>,
                    totals: &mut LaneSums<<$numbers as Several>::Register>,
                    one_by_one: &mut Sums,
                ) {
                    contacts.act(totals, one_by_one);
                }
                // SAFETY: as above.
                #[allow(unused_unsafe, reason = "not all need instructions")]
                unsafe {
                    compiled(contacts, totals, one_by_one);
                }
            }

            #[inline]
            fn pair(context: &ForceContext<'_>, kinds: Kinds<Self>, pairing: &mut Pairing<Self>) {
                #[inline(never)]
                $(#[target_feature(enable = $instructions)])?
                fn compiled(
                    context: &ForceContext<'_>,
                    kinds: Kinds<$numbers>,
                    pairing: &mut Pairing<$numbers>,
                ) {
                    *pairing = Pairing::of(context, &kinds);
                }
                // SAFETY: as above.
                #[allow(unused_unsafe, reason = "not all need instructions")]
                unsafe {
                    compiled(context, kinds, pairing);
                }
            }
        }
    };
}

compiled!(AnyEight, AnyEight);
#[cfg(target_arch = "x86_64")]
compiled!(Avx2Eight, Avx2Eight, "avx2,fma");
#[cfg(target_arch = "x86_64")]
compiled!(Avx512Eight, Avx512Sixteen, "avx512f,avx512vl,avx512dq");
