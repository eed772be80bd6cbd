//! Variants chosen at run time.

use std::fmt;
use std::str::FromStr;

use super::types::{RuleSet, Rules};

/// Lists all variants once: the enum, the rules of each, and the switch from a value to a type.
macro_rules! variants {
    ($($(#[$about:meta])* $name:ident),+ $(,)?) => {
        /// A draughts variant, for callers who learn at run time which one they want.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Variant {
            $($(#[$about])* $name,)+
        }

        impl Variant {
            /// All variants.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// The rules as data. What is in them may change with any version.
            pub const fn rules(self) -> &'static Rules {
                match self {
                    $(Self::$name => &super::$name::RULES,)+
                }
            }
        }

        /// Runs an expression with a type alias for the rule set of a [`Variant`]: the one
        /// switch from a value to a type.
        #[doc(hidden)]
        #[macro_export]
        macro_rules! with_rule_set {
            ($variant:expr, $alias:ident => $body:expr) => {
                match $variant {
                    $($crate::rules::Variant::$name => {
                        type $alias = $crate::rules::$name;
                        $body
                    })+
                    // Outside this crate, there may be more.
                    #[allow(unreachable_patterns)]
                    _ => unreachable!("every variant is listed"),
                }
            };
        }
    };
}

variants! {
    /// Russian draughts, 8x8.
    Russian,
    /// Russian draughts played to lose.
    RussianGiveaway,
    /// Brazilian draughts, 8x8.
    Brazilian,
    /// Brazilian draughts played to lose.
    BrazilianGiveaway,
    /// American pool checkers, 8x8.
    Pool,
    /// English draughts, 8x8.
    English,
    /// English draughts played to lose.
    EnglishGiveaway,
    /// Italian draughts, 8x8.
    Italian,
    /// Spanish draughts, 8x8.
    Spanish,
    /// Portuguese draughts, 8x8.
    Portuguese,
    /// Czech draughts, 8x8.
    Czech,
    /// Thai draughts, 8x8.
    Thai,
    /// Turkish draughts, 8x8, all squares.
    Turkish,
    /// Russian draughts with majority capture, 8x8.
    RussianMajority,
    /// International draughts, 10x10.
    International,
    /// International draughts played to lose.
    InternationalGiveaway,
    /// Killer draughts, 10x10.
    Killer,
    /// Frisian draughts, 10x10.
    Frisian,
    /// Canadian draughts, 12x12.
    Canadian,
    /// Alquerque, 5x5 points.
    Alquerque,
}
pub(crate) use with_rule_set;

/// [`with_rule_set!`] around a solver.
#[cfg(not(test))]
macro_rules! with_rule_set_to_solve {
    ($variant:expr, $alias:ident => $body:expr) => {
        $crate::rules::with_rule_set!($variant, $alias => $body)
    };
}
/// Solvers are most of what there is to compile: one variant is enough for the tests inside the library.
#[cfg(test)]
macro_rules! with_rule_set_to_solve {
    ($variant:expr, $alias:ident => $body:expr) => {
        match $variant {
            $crate::rules::Variant::Russian => {
                type $alias = $crate::rules::Russian;
                $body
            }
            other => unreachable!("tests inside the library solve no {other}"),
        }
    };
}
pub(crate) use with_rule_set_to_solve;

impl Variant {
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
