//! The numbers by which shaders know the laws of a scene.
//!
//! A pipeline is built for the laws of one scene: `override` constants of `shaders/lib/contact.wgsl`
//! take these numbers, and the compiler drops what is not chosen. There is none for the iterative
//! [`AdaptiveInverse`](crate::scene::AdaptiveInverse): it differs from the direct one by less than a rounding
//! of `f32`, so a device takes that.

use crate::laws::ContactEnd;
use crate::scene::{CohesionLaw, ContactLaws, NormalLaw, RollingLaw, TangentialLaw};

/// Gives each law its number, and lists the constants by which shaders call them.
macro_rules! numbered {
    ($(#[$doc:meta])* $list:ident: $choice:ident { $($law:ident = $number:literal $name:literal,)* }) => {
        $(#[$doc])*
        pub const $list: &[($choice, &str)] = &[$(($choice::$law, $name)),*];

        impl From<$choice> for u32 {
            fn from(law: $choice) -> Self {
                match law {
                    $($choice::$law => $number,)*
                }
            }
        }
    };
}

numbered! {
    /// Normal laws and their names in WGSL.
    NORMAL_LAWS: NormalLaw {
        Linear = 0 "NORMAL_LINEAR",
        LinearStretched = 1 "NORMAL_LINEAR_STRETCHED",
        HertzViscous = 2 "NORMAL_HERTZ_VISCOUS",
        HertzTsuji = 3 "NORMAL_HERTZ_TSUJI",
        HertzKuwabaraKono = 4 "NORMAL_HERTZ_KUWABARA_KONO",
        HertzAdaptive = 5 "NORMAL_HERTZ_ADAPTIVE",
    }
}

numbered! {
    /// Tangential laws and their names in WGSL.
    TANGENTIAL_LAWS: TangentialLaw {
        None = 0 "TANGENTIAL_NONE",
        Coulomb = 1 "TANGENTIAL_COULOMB",
        Linear = 2 "TANGENTIAL_LINEAR",
        Mindlin = 3 "TANGENTIAL_MINDLIN",
        Impulse = 4 "TANGENTIAL_IMPULSE",
    }
}

numbered! {
    /// Laws of rolling resistance and their names in WGSL.
    ROLLING_LAWS: RollingLaw {
        None = 0 "ROLLING_NONE",
        Constant = 1 "ROLLING_CONSTANT",
        Spring = 2 "ROLLING_SPRING",
    }
}

numbered! {
    /// Laws of cohesion and their names in WGSL.
    COHESION_LAWS: CohesionLaw {
        None = 0 "COHESION_NONE",
        Sjkr = 1 "COHESION_SJKR",
        Jkr = 2 "COHESION_JKR",
        Dmt = 3 "COHESION_DMT",
    }
}

numbered! {
    /// Ends of a contact and their names in WGSL.
    CONTACT_ENDS: ContactEnd {
        Overlap = 0 "CONTACT_END_OVERLAP",
        Force = 1 "CONTACT_END_FORCE",
    }
}

/// Values of the `override` constants that choose the laws of a scene, for
/// [`Kernel::new`](super::Kernel::new).
pub fn override_constants(laws: &ContactLaws) -> [(&'static str, f64); 6] {
    [
        ("NORMAL_LAW", u32::from(laws.normal)),
        ("TANGENTIAL_LAW", u32::from(laws.tangential)),
        ("ROLLING_LAW", u32::from(laws.rolling)),
        ("COHESION_LAW", u32::from(laws.cohesion)),
        ("CONTACT_END", u32::from(laws.end)),
        ("ADAPTIVE_TABULATED", u32::from(laws.tabulates_inverse())),
    ]
    .map(|(name, number)| (name, f64::from(number)))
}
