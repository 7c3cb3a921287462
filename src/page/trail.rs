//! What the browser's own history holds: one entry for each question, so that Back and Forward lead from
//! one completed edit to the next (ui.md §7).
//!
//! ```text
//!  look around     drag   release      look around     Back
//!  replace ...     replace  push        replace ...    (the browser moves)
//!  |--- entry of the old question ---|--- entry of the new question ---|
//! ```
//!
//! While a handle is dragged the address follows in place. When it is released, the entry that is left gets
//! back what it said before the drag, so that Back shows what was there and not the middle of a drag.

use std::rc::Rc;

use super::Page;
use super::doc::Doc;

/// What is to be done to the address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The question is the entry's own, or is being dragged: the entry says the new fragment.
    Replace,
    /// Another question was completed: the present entry says `left`, a new one the new fragment.
    Push {
        /// What the entry that is left said last about its own question.
        left: String,
    },
}

/// Where the browser's history stands: the question of its present entry.
#[derive(Clone, Debug, Default)]
pub struct Trail {
    /// None before the page was first shown.
    question: Option<Rc<Doc>>,
    /// The newest fragment of that question, without drags.
    entry: String,
}

impl Trail {
    /// The browser went to an entry with this question by itself: back, forward, or to a link typed in.
    pub fn visited(&mut self, question: &Doc, fragment: &str) {
        self.question = Some(Rc::new(question.clone()));
        fragment.clone_into(&mut self.entry);
    }

    /// What the address needs now that the page is this one and its link ends in `fragment`.
    pub fn follow(&mut self, page: &Page, fragment: &str) -> Step {
        let question = page.history.current();
        if *page.doc != **question {
            return Step::Replace;
        }
        let before = std::mem::replace(&mut self.entry, fragment.to_owned());
        match self.question.replace(Rc::clone(question)) {
            Some(old) if old != *question => Step::Push { left: before },
            _ => Step::Replace,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::action::{Action, Setting};
    use crate::page::doc::{SampleId, StateField, Workload};
    use crate::page::link::{self, Extent};
    use crate::page::reduce::reduce;
    use crate::units::{CpuId, Ns, Time};

    /// A browser: its entries and where it stands.
    struct Browser {
        page: Page,
        trail: Trail,
        entries: Vec<String>,
        at: usize,
    }

    impl Browser {
        fn open(fragment: &str) -> Self {
            let (link, issues) = link::parse(fragment);
            let page = reduce(&Page::default(), Action::LinkOpened(Box::new(link), issues));
            let mut browser = Self {
                page,
                trail: Trail::default(),
                entries: vec![fragment.to_owned()],
                at: 0,
            };
            browser.follow();
            browser
        }

        fn follow(&mut self) {
            let fragment = link::fragment(&self.page.doc, &self.page.view, Extent::Everything);
            if let Step::Push { left } = self.trail.follow(&self.page, &fragment) {
                self.entries.truncate(self.at + 1);
                self.entries[self.at] = left;
                self.entries.push(String::new());
                self.at += 1;
            }
            self.entries[self.at] = fragment;
        }

        fn act(&mut self, action: Action) {
            self.page = reduce(&self.page, action);
            self.follow();
        }

        fn go(&mut self, to: usize) {
            self.at = to;
            let (link, issues) = link::parse(&self.entries[to]);
            self.trail.visited(&link.doc, &self.entries[to]);
            self.page = reduce(&self.page, Action::LinkVisited(Box::new(link), issues));
            self.follow();
        }
    }

    #[track_caller]
    fn check(browser: &Browser, at: usize, entries: &[&str]) {
        let found: Vec<&str> = browser.entries.iter().map(String::as_str).collect();
        assert_eq!((browser.at, found.as_slice()), (at, entries));
    }

    const START: &str = "w=arm64-menu&a=teo-6.5";

    fn hz(hz: u32) -> Action {
        Action::SettingEdited(None, Setting::Hz(hz))
    }

    fn drag(us: i64) -> Action {
        let value = Ns::from_us(us).as_ns();
        Action::StateDragged("C1".to_owned(), StateField::TargetResidency, value)
    }

    #[test]
    fn each_completed_edit_is_an_entry_and_looking_around_is_none() {
        let mut browser = Browser::open(START);
        browser.act(Action::CpuFocused(CpuId::new(2)));
        browser.act(hz(1_000));
        browser.act(Action::CursorMoved(Time::from_ns(5_000)));
        browser.act(hz(100));
        check(
            &browser,
            2,
            &[
                "w=arm64-menu&a=teo-6.5&cpu=2",
                "w=arm64-menu&a=teo-6.5&hz=1000&cpu=2&at=5us",
                "w=arm64-menu&a=teo-6.5&hz=100&cpu=2&at=5us",
            ],
        );
    }

    #[test]
    fn a_drag_is_one_entry_and_leaves_the_one_before_as_it_was() {
        let mut browser = Browser::open(START);
        for us in [410, 420, 430] {
            browser.act(drag(us));
        }
        check(&browser, 0, &["w=arm64-menu&st=C1.tr430us&a=teo-6.5"]);
        browser.act(Action::DragReleased);
        check(&browser, 1, &[START, "w=arm64-menu&st=C1.tr430us&a=teo-6.5"]);
    }

    #[test]
    fn a_drag_given_up_is_no_entry() {
        let mut browser = Browser::open(START);
        browser.act(drag(410));
        browser.act(Action::DragCancelled);
        check(&browser, 0, &[START]);
    }

    #[test]
    fn back_and_forward_restore_the_questions_and_make_no_entry() {
        let mut browser = Browser::open(START);
        browser.act(hz(1_000));
        browser.act(hz(100));
        browser.go(1);
        assert_eq!(browser.page.doc.settings.hz, 1_000);
        browser.go(0);
        assert_eq!(browser.page.doc.settings.hz, 250);
        assert_eq!((browser.at, browser.entries.len()), (0, 3));
        browser.go(2);
        assert_eq!(browser.page.doc.settings.hz, 100);
        // Undo after Back is an edit like any other: it can be gone back from.
        browser.act(Action::Undo);
        assert_eq!((browser.at, browser.entries.len()), (3, 4));
        assert_eq!(browser.page.doc.settings.hz, 1_000);
    }

    #[test]
    fn the_start_page_is_an_entry_of_its_own() {
        let mut browser = Browser::open("");
        browser.act(Action::WorkloadChosen(Workload::Sample(SampleId::Arm64Ftrace)));
        assert_eq!((browser.at, browser.entries.len()), (1, 2));
    }
}
