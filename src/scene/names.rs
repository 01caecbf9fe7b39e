//! Names of laws and options in scene files and on the command line.

use super::{
    AdaptiveInverse, CohesionLaw, DragLaw, Leaving, NormalLaw, RollingLaw, Side, TangentialLaw,
};
use crate::laws::ContactEnd;
use std::fmt;
use std::str::FromStr;

/// A name that is not one of those possible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownName {
    /// The name that was given.
    pub found: String,
    /// The names there are.
    pub allowed: &'static [&'static str],
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "found {}; allowed: {}",
            quoted(&self.found),
            alternatives(&self.found, self.allowed)
        )
    }
}

impl std::error::Error for UnknownName {}

/// A choice among names.
pub(super) trait Named: Copy + 'static {
    /// Every name with its meaning.
    const CHOICES: &'static [(&'static str, Self)];
    /// The names alone.
    const NAMES: &'static [&'static str];

    fn from_name(name: &str) -> Result<Self, UnknownName> {
        Self::CHOICES
            .iter()
            .find(|(known, _)| *known == name)
            .map(|&(_, value)| value)
            .ok_or_else(|| UnknownName {
                found: name.to_owned(),
                allowed: Self::NAMES,
            })
    }
}

macro_rules! named {
    ($type:ident { $($name:literal => $variant:ident),+ $(,)? }) => {
        impl Named for $type {
            const CHOICES: &'static [(&'static str, Self)] = &[$(($name, Self::$variant)),+];
            const NAMES: &'static [&'static str] = &[$($name),+];
        }
    };
}

/// As `named!`, with the public face: `name`, `NAMES`, `Display`, `FromStr`.
macro_rules! publicly_named {
    ($type:ident { $($name:literal => $variant:ident),+ $(,)? }) => {
        named!($type { $($name => $variant),+ });

        impl $type {
            /// Every name, in the order of the documentation.
            pub const NAMES: &'static [&'static str] = &[$($name),+];

            /// Its name in scene files and on the command line.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),+
                }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }

        impl FromStr for $type {
            type Err = UnknownName;

            fn from_str(name: &str) -> Result<Self, UnknownName> {
                Self::from_name(name)
            }
        }
    };
}

publicly_named!(NormalLaw {
    "linear" => Linear,
    "linear-stretched" => LinearStretched,
    "hertz-viscous" => HertzViscous,
    "hertz-tsuji" => HertzTsuji,
    "hertz-kuwabara-kono" => HertzKuwabaraKono,
    "hertz-adaptive" => HertzAdaptive,
});
publicly_named!(TangentialLaw {
    "none" => None,
    "coulomb" => Coulomb,
    "linear" => Linear,
    "mindlin" => Mindlin,
    "impulse" => Impulse,
});
publicly_named!(RollingLaw {
    "none" => None,
    "constant" => Constant,
    "spring" => Spring,
});
publicly_named!(CohesionLaw {
    "none" => None,
    "sjkr" => Sjkr,
    "jkr" => Jkr,
    "dmt" => Dmt,
});
publicly_named!(DragLaw {
    "none" => None,
    "stokes" => Stokes,
    "schiller-naumann" => SchillerNaumann,
});
publicly_named!(AdaptiveInverse {
    "direct" => Direct,
    "direct-paper" => DirectPaper,
    "iterative" => Iterative,
});
publicly_named!(Leaving {
    "stop" => Stop,
    "remove" => Remove,
});
publicly_named!(Side {
    "inside" => Inside,
    "outside" => Outside,
});
named!(ContactEnd {
    "overlap" => Overlap,
    "force" => Force,
});

/// The name of a rule for the end of a contact: `overlap` or `force`.
pub fn contact_end_name(end: ContactEnd) -> &'static str {
    match end {
        ContactEnd::Overlap => "overlap",
        ContactEnd::Force => "force",
    }
}

/// The rule for the end of a contact with that name.
///
/// # Errors
/// If the name is neither `overlap` nor `force`.
pub fn contact_end_from_name(name: &str) -> Result<ContactEnd, UnknownName> {
    ContactEnd::from_name(name)
}

/// The allowed names in quotes, preceded by the one that was probably meant.
pub(super) fn alternatives(found: &str, allowed: &[&str]) -> String {
    let all = allowed
        .iter()
        .map(|name| format!("\"{name}\""))
        .collect::<Vec<_>>()
        .join(", ");
    match nearest(found, allowed) {
        Some(name) => format!("did you mean \"{name}\"? All: {all}"),
        None => all,
    }
}

/// The allowed name at most two edits away, if any.
pub(super) fn nearest<'a>(found: &str, allowed: &[&'a str]) -> Option<&'a str> {
    let found = found.get(..64.min(found.len()))?.to_lowercase();
    allowed
        .iter()
        .map(|name| (edit_distance(&found, name), *name))
        .filter(|&(distance, name)| distance <= 2 && 2 * distance < name.len())
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, name)| name)
}

/// Levenshtein's distance: the fewest insertions, deletions and replacements from one to the other.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}

/// A text as the reader of an error sees it: in quotes, control characters escaped, long ones cut.
pub(super) fn quoted(text: &str) -> String {
    const LONGEST: usize = 60;
    if text.chars().count() <= LONGEST {
        format!("{text:?}")
    } else {
        let start: String = text.chars().take(LONGEST).collect();
        format!("{start:?} …")
    }
}

/// A list as the reader of an error sees it, long ones cut.
pub(super) fn list_text(items: &[impl fmt::Display]) -> String {
    const LONGEST: usize = 8;
    let mut shown: Vec<String> = items
        .iter()
        .take(LONGEST)
        .map(ToString::to_string)
        .collect();
    if items.len() > LONGEST {
        shown.push(format!("… {} in all", items.len()));
    }
    format!("[{}]", shown.join(", "))
}

/// A number as the reader of an error expects it: very large and very small ones with an exponent.
pub(super) fn number_text(number: f64) -> String {
    let size = number.abs();
    if size == 0.0 || (1e-4..1e7).contains(&size) || !size.is_finite() {
        number.to_string()
    } else {
        format!("{number:e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edit_distance_counts_edits() {
        assert_eq!(edit_distance("poisson", "poisson"), 0);
        assert_eq!(edit_distance("poison", "poisson"), 1);
        assert_eq!(edit_distance("kitten", "sitting"), 3);
        assert_eq!(edit_distance("", "abc"), 3);
    }

    #[test]
    fn nearest_ignores_strangers_and_case() {
        assert_eq!(nearest("Densty", &["density", "name"]), Some("density"));
        assert_eq!(nearest("colour", &["density", "name"]), None);
        assert_eq!(nearest("ü".repeat(80).as_str(), &["density"]), None);
    }
}
