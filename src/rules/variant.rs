//! Variants chosen at run time.

use std::fmt;
use std::str::FromStr;

use super::russian::Russian;
use super::types::{RuleSet, Rules};

/// A draughts variant, for callers who learn at run time which one they want.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Variant {
    /// Russian draughts, 8x8.
    Russian,
}

/// Runs an expression with a type alias for the rule set of a [`Variant`]: the one
/// switch from a value to a type.
macro_rules! with_rule_set {
    ($variant:expr, $alias:ident => $body:expr) => {
        match $variant {
            $crate::rules::Variant::Russian => {
                type $alias = $crate::rules::Russian;
                $body
            }
        }
    };
}
pub(crate) use with_rule_set;

impl Variant {
    /// All variants.
    pub const ALL: &'static [Self] = &[Self::Russian];

    /// The rules as data.
    pub const fn rules(self) -> &'static Rules {
        match self {
            Self::Russian => &Russian::RULES,
        }
    }

    /// Name on the command line and of the folder of tables.
    pub const fn name(self) -> &'static str {
        self.rules().name
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The name is not that of a variant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown variant '{name}' (known: {})", known())]
pub struct UnknownVariant {
    /// What was asked for.
    pub name: String,
}

fn known() -> String {
    let names: Vec<_> = Variant::ALL.iter().map(|variant| variant.name()).collect();
    names.join(", ")
}

impl FromStr for Variant {
    type Err = UnknownVariant;

    fn from_str(name: &str) -> Result<Self, UnknownVariant> {
        Self::ALL
            .iter()
            .copied()
            .find(|variant| variant.name() == name)
            .ok_or_else(|| UnknownVariant { name: name.to_owned() })
    }
}
