//! The traces that come with the page: where they lie and what they are good for.
//!
//! The files are those of the project's trace collection, recorded for it on a small virtual
//! machine; `static/samples/README.md` says how.

use crate::page::doc::SampleId;

/// What is known of a sample before it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleFacts {
    /// Path beside the page.
    pub path: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Its format.
    pub format: &'static str,
    /// CPUs and length.
    pub extent: &'static str,
    /// What it shows.
    pub good_for: &'static str,
}

/// The facts of one sample.
#[must_use]
pub const fn sample_facts(sample: SampleId) -> SampleFacts {
    match sample {
        SampleId::Arm64Ftrace => SampleFacts {
            path: "samples/arm64-menu.txt.gz",
            name: "arm64, menu",
            format: "ftrace text",
            extent: "4 CPUs, 1.6\u{202f}s",
            good_for: "First look: four CPUs under menu of Linux 6.1, timers recorded",
        },
        SampleId::Arm64Report => SampleFacts {
            path: "samples/arm64-menu-ns.txt.gz",
            name: "arm64, menu, nanoseconds",
            format: "trace-cmd report -t",
            extent: "4 CPUs, 3.2\u{202f}s",
            good_for: "The same machine, stamps in nanoseconds, twice as long",
        },
        SampleId::Arm64Loss => SampleFacts {
            path: "samples/arm64-loss.txt.gz",
            name: "arm64, events lost",
            format: "ftrace text",
            extent: "4 CPUs, 0.6\u{202f}s",
            good_for: "What a lossy trace does: events lost while CPUs slept",
        },
    }
}
