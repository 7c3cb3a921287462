//! "Which entry is my kernel?": kernels that people run and the catalogue entries that behave like
//! them (spec teo.md §13.2, menu.md §14).
//!
//! Distributions patch their kernels, so many rows are general knowledge, a good guess, and say so.

use crate::cpuidle::catalog::Choice;

/// How a row is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sure {
    /// That series' governor was run against, or compared with, the entry.
    Checked,
    /// Taken from a changelog or an announcement, not run.
    Log,
    /// What the distribution is based on; a good guess.
    General,
}

impl Sure {
    /// One word for it.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Checked => "checked",
            Self::Log => "by changelog",
            Self::General => "general knowledge",
        }
    }
}

/// The entry that behaves like one governor of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// This one of the catalogue.
    Is(&'static str),
    /// None is exact.
    NoneExact,
}

impl Entry {
    /// The catalogue's choice, if it has it.
    #[must_use]
    pub fn choice(self) -> Option<Choice> {
        match self {
            Self::Is(name) => name.parse().ok(),
            Self::NoneExact => None,
        }
    }
}

/// A kernel that people run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Distribution or series, with its versions.
    pub name: &'static str,
    /// Its menu.
    pub menu: Entry,
    /// Its teo.
    pub teo: Entry,
    /// How this is known.
    pub sure: Sure,
    /// What else to know; may be empty.
    pub note: &'static str,
}

const fn row(name: &'static str, menu: Entry, teo: Entry, sure: Sure, note: &'static str) -> Kernel {
    Kernel {
        name,
        menu,
        teo,
        sure,
        note,
    }
}

use Entry::{Is, NoneExact};
use Sure::{Checked, General, Log};

/// The kernels, the usual ones first.
pub static KERNELS: &[Kernel] = &[
    row(
        "Debian 12, 6.1.158 and later",
        Is("menu-6.1.192"),
        Is("teo-5.15"),
        Checked,
        "teo is not built in; HZ 250",
    ),
    row(
        "Debian 12, up to 6.1.140",
        Is("menu-6.5"),
        Is("teo-5.15"),
        Log,
        "",
    ),
    row(
        "Debian 12, 6.1.141 to 6.1.157",
        NoneExact,
        Is("teo-5.15"),
        Log,
        "menu: 6.5, where few intervals vary the longest bounds the stay",
    ),
    row(
        "Debian 13, 6.12.85 and later",
        Is("menu-6.12.117"),
        Is("teo-6.12.117"),
        Checked,
        "teo is not built in; HZ 250",
    ),
    row(
        "Debian 13, 6.12.31 to 6.12.63",
        NoneExact,
        Is("teo-6.12"),
        Log,
        "menu took the changes of 6.12.117 one after the other",
    ),
    row(
        "Debian 13, 6.12.64 to 6.12.74",
        NoneExact,
        Is("teo-6.12.117"),
        Log,
        "menu: 6.12.117 but for the timer with the tick stopped",
    ),
    row(
        "Debian 13, up to 6.12.30",
        Is("menu-6.6"),
        Is("teo-6.12"),
        Log,
        "",
    ),
    row(
        "Debian 11, 5.10",
        Is("menu-6.5"),
        NoneExact,
        Checked,
        "menu differs for negative timer distances only; teo is near 5.1",
    ),
    row(
        "Debian 10 and upstream 4.19",
        Is("menu-4.19"),
        NoneExact,
        Checked,
        "menu but for one rule on polling that ran into its limit; teo came with 5.1",
    ),
    row(
        "Ubuntu 24.04, 6.8",
        Is("menu-6.6"),
        Is("teo-6.6"),
        General,
        "later updates may carry changes of 2025",
    ),
    row(
        "Ubuntu 24.04 HWE, 6.11",
        Is("menu-6.6"),
        Is("teo-6.12"),
        General,
        "",
    ),
    row(
        "Ubuntu 24.04 HWE, 6.14",
        Is("menu-6.13"),
        Is("teo-6.14"),
        General,
        "",
    ),
    row(
        "Ubuntu 22.04, 5.15",
        Is("menu-6.5"),
        Is("teo-5.15"),
        General,
        "5.15 got menu changes in 2025",
    ),
    row(
        "upstream 6.6 long-term, before mid-2025",
        Is("menu-6.6"),
        Is("teo-6.6"),
        Log,
        "teo changed with 6.6.120",
    ),
    row(
        "upstream 6.6 long-term, 6.6.103 and later",
        NoneExact,
        NoneExact,
        Log,
        "menu lies between 6.6 and 6.12.117; teo is 6.6 up to 6.6.119",
    ),
    row(
        "upstream 6.18 long-term",
        NoneExact,
        Is("teo-6.14"),
        Log,
        "menu is near 6.19, with later fixes near 7.0; later teo has the fix of 6.12.64",
    ),
    row("upstream 6.3 to 6.5", Is("menu-6.5"), Is("teo-6.5"), Checked, ""),
    row(
        "upstream 7.2 (rolling distributions)",
        Is("menu-7.1"),
        Is("teo-7.1"),
        Checked,
        "",
    ),
    row(
        "RHEL 10 and rebuilds, 6.12",
        NoneExact,
        Is("teo-6.12"),
        General,
        "menu lies between menu-6.6 and 6.12.117; teo may have the fix of 6.12.64",
    ),
    row(
        "RHEL 9 and rebuilds, 5.14",
        NoneExact,
        NoneExact,
        General,
        "many changes taken over; try menu-6.5 and menu-6.6",
    ),
    row(
        "RHEL 8 and rebuilds, 4.18",
        NoneExact,
        NoneExact,
        General,
        "menu is near 4.19; there is no teo",
    ),
    row(
        "Android GKI 5.10",
        Is("menu-6.5"),
        NoneExact,
        General,
        "devices usually select teo or a vendor's governor",
    ),
    row(
        "Android GKI 5.15 and 6.1",
        Is("menu-6.5"),
        Is("teo-5.15"),
        General,
        "late releases: menu-6.1.192",
    ),
    row(
        "Android GKI 6.6",
        Is("menu-6.6"),
        Is("teo-6.6"),
        General,
        "follows the long-term series",
    ),
    row(
        "Android GKI 6.12",
        Is("menu-6.6"),
        Is("teo-6.12"),
        General,
        "late releases changed both",
    ),
];

/// Where to look on a machine of one's own.
pub const WHERE: &str =
    "/sys/devices/system/cpu/cpuidle/current_governor says who decides, /proc/version which kernel it is";

/// The kernels in whose name every word of `text` occurs, case ignored.
pub fn search(text: &str) -> impl Iterator<Item = &'static Kernel> {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    KERNELS.iter().filter(move |kernel| {
        let name = kernel.name.to_lowercase();
        words.iter().all(|word| name.contains(word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_has_every_entry_named() {
        for kernel in KERNELS {
            for entry in [kernel.menu, kernel.teo] {
                match entry {
                    Is(name) => assert!(entry.choice().is_some(), "{}: {name}", kernel.name),
                    NoneExact => {}
                }
            }
        }
    }

    #[test]
    fn search_takes_words_in_any_order() {
        let names: Vec<&str> = search("6.12 debian").map(|kernel| kernel.name).collect();
        assert_eq!(
            names,
            [
                "Debian 13, 6.12.85 and later",
                "Debian 13, 6.12.31 to 6.12.63",
                "Debian 13, 6.12.64 to 6.12.74",
                "Debian 13, up to 6.12.30"
            ]
        );
        assert_eq!(search("").count(), KERNELS.len());
    }
}
