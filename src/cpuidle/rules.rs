//! How a generation states where its versions differ.

/// `Rules` with one field per rule; `Change`, one rule of two versions that is not the same; `Rule`, the name of one.
/// A rule's field, its type and its variants are listed once, so none can be forgotten where versions are compared.
macro_rules! rules {
    (
        $(#[$of_rules:meta])*
        struct Rules {
            $($(#[$doc:meta])* $field:ident: $kind:ident,)+
        }
    ) => {
        $(#[$of_rules])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Rules {
            $($(#[$doc])* pub $field: $kind,)+
        }

        /// One rule that differs between two versions: as in the first, as in the second.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Change {
            $($(#[$doc])* $kind($kind, $kind),)+
        }

        /// The name of a rule.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Rule {
            $($(#[$doc])* $kind,)+
        }

        impl Rules {
            /// Every rule in which `b` differs from `a`, as (of `a`, of `b`).
            #[must_use]
            pub fn changes(a: Self, b: Self) -> Vec<Change> {
                let mut changes = Vec::new();
                $(if a.$field != b.$field {
                    changes.push(Change::$kind(a.$field, b.$field));
                })+
                changes
            }

            /// With one rule as it was before the change.
            #[must_use]
            pub const fn undone(mut self, change: Change) -> Self {
                match change {
                    $(Change::$kind(before, _) => self.$field = before,)+
                }
                self
            }
        }

        impl Change {
            /// The rule that it is about.
            #[must_use]
            pub const fn rule(self) -> Rule {
                match self {
                    $(Self::$kind(..) => Rule::$kind,)+
                }
            }
        }
    };
}
pub(super) use rules;
