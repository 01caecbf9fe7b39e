//! What is compiled for each kind of processor, with all that is inlined into it.

use super::contacts::Unsteady;
use super::meeting::Kinds;
use super::pairing::Pairing;
use super::sums::{LaneSums, Sums};
use super::{ForceContext, Laws, evaluate_blocks};
use crate::cpu::bodies::Body;
use crate::cpu::eight::{AnyEight, Eight};
#[cfg(target_arch = "x86_64")]
use crate::cpu::eight::{Avx2Eight, Avx512Eight};
use crate::cpu::tasks::SlotsMut;

/// Numbers of a kind of processor, and functions for it.
///
/// What is rare has functions of its own: inside the loop it would take registers from what is not.
pub(super) trait Compiled: Eight {
    /// [`evaluate_blocks`].
    fn evaluate<L: Laws, const WITH: u8>(
        context: &ForceContext<'_>,
        body: &[Body],
        slots: SlotsMut<'_>,
    ) -> Sums;

    /// [`Unsteady::act`].
    fn act_unsteadily(
        contacts: Unsteady<'_, Self>,
        totals: &mut LaneSums<Self>,
        one_by_one: &mut Sums,
    );

    /// [`Pairing::of`].
    fn pair(context: &ForceContext<'_>, kinds: Kinds<Self>, pairing: &mut Pairing<Self>);
}

macro_rules! compiled {
    ($numbers:ident $(, $instructions:literal)?) => {
        impl Compiled for $numbers {
            #[inline]
            fn evaluate<L: Laws, const WITH: u8>(
                context: &ForceContext<'_>,
                body: &[Body],
                slots: SlotsMut<'_>,
            ) -> Sums {
                $(#[target_feature(enable = $instructions)])?
                fn compiled<L: Laws, const WITH: u8>(
                    context: &ForceContext<'_>,
                    body: &[Body],
                    slots: SlotsMut<'_>,
                ) -> Sums {
                    evaluate_blocks::<$numbers, L, WITH>(context, body, slots)
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
                totals: &mut LaneSums<Self>,
                one_by_one: &mut Sums,
            ) {
                #[inline(never)]
                $(#[target_feature(enable = $instructions)])?
                fn compiled(
                    contacts: Unsteady<'_, $numbers>,
                    totals: &mut LaneSums<$numbers>,
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

compiled!(AnyEight);
#[cfg(target_arch = "x86_64")]
compiled!(Avx2Eight, "avx2,fma");
#[cfg(target_arch = "x86_64")]
compiled!(Avx512Eight, "avx512f,avx512vl,avx512dq");
