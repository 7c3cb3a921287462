//! What stands around a trace within the same text: a page of systrace, atrace's chatter, idlestat's table.
//!
//! Spec trace-text-formats.md, D6: a page has several blocks of data, of which only those with ftrace's header hold
//! events. Lines around them are counted as the page, not as defects.

use memchr::memmem;

use super::Format;
use super::report::Reason;

/// Where in a page a line stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Block {
    /// Nothing says that this is a page.
    #[default]
    NoPage,
    Outside,
    /// In a block of data; whether it is one of ftrace.
    Inside {
        ftrace: bool,
    },
}

/// What was seen of it so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Around {
    /// The tool that it tells.
    pub(super) origin: Option<Format>,
    block: Block,
}

/// What a line is that is no event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Odd {
    /// Counted for this reason.
    As(Reason),
    /// The page's own, and so were the lines above that nobody could read.
    PageFromStart,
}

impl Around {
    /// A header or comment.
    pub(super) fn header(&mut self, line: &[u8]) {
        let line = line.trim_ascii();
        if let Block::Inside { ftrace } = &mut self.block {
            *ftrace |= line.starts_with(b"# tracer:") || has(line, b"TASK-PID");
        }
        if line == b"TRACE:" {
            self.origin.get_or_insert(Format::Atrace);
        }
    }

    /// A line that nobody could read.
    pub(super) fn odd(&mut self, line: &[u8], reason: Reason) -> Odd {
        let page = Odd::As(Reason::Page);
        match self.block {
            Block::NoPage | Block::Outside if begins_data(line) => {
                let first = self.block == Block::NoPage;
                self.origin = Some(Format::SystraceHtml);
                // The header may follow in the same line.
                let ftrace = has(line, b"# tracer:");
                self.block = Block::Inside { ftrace };
                if first { Odd::PageFromStart } else { page }
            }
            Block::NoPage => {
                if line.trim_ascii().starts_with(b"idlestat version") {
                    self.origin.get_or_insert(Format::Idlestat);
                }
                Odd::As(reason)
            }
            Block::Outside => page,
            Block::Inside { .. } if has(line, b"</script") => {
                self.block = Block::Outside;
                page
            }
            Block::Inside { ftrace: false } => page,
            Block::Inside { ftrace: true } => Odd::As(reason),
        }
    }
}

/// Only what systrace itself writes into a page tells its pages from others.
fn begins_data(line: &[u8]) -> bool {
    has(line, b"<script") && (has(line, b"trace-data") || has(line, b"linuxPerfData"))
}

fn has(text: &[u8], needle: &[u8]) -> bool {
    memmem::find(text, needle).is_some()
}
