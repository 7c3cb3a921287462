//! Undo and redo: documents with a cursor.

use std::rc::Rc;

use super::doc::Doc;

/// How many documents are kept beside the present one.
pub const DEPTH: usize = 100;

/// The documents that were, in order, and the ones taken back.
///
/// Never empty; the document at the cursor is the last one that was committed. A drag shows
/// documents that are not in here until it ends.
#[derive(Clone, Debug, PartialEq)]
pub struct History {
    docs: Vec<Rc<Doc>>,
    at: usize,
}

impl History {
    /// A history that starts here.
    #[must_use]
    pub fn new(doc: Rc<Doc>) -> Self {
        Self {
            docs: vec![doc],
            at: 0,
        }
    }

    /// The last committed document.
    #[must_use]
    pub fn current(&self) -> &Rc<Doc> {
        &self.docs[self.at]
    }

    /// Commits a document; equal to the current one, it changes nothing. What was taken back is
    /// forgotten.
    pub fn push(&mut self, doc: Rc<Doc>) {
        if **self.current() == *doc {
            return;
        }
        self.docs.truncate(self.at + 1);
        self.docs.push(doc);
        if self.docs.len() > DEPTH + 1 {
            self.docs.remove(0);
        }
        self.at = self.docs.len() - 1;
    }

    /// Puts a document in the place of the present one: a part of it turned out to mean nothing.
    pub fn amend(&mut self, doc: Rc<Doc>) {
        if let Some(present) = self.docs.get_mut(self.at) {
            *present = doc;
        }
    }

    /// Stands where this document is, the nearest step from the present one; one that never was is a new step.
    pub fn visit(&mut self, doc: Rc<Doc>) {
        let known = self.docs.iter().enumerate().filter(|(_, known)| **known == doc);
        match known.min_by_key(|(n, _)| n.abs_diff(self.at)) {
            Some((n, _)) => self.at = n,
            None => self.push(doc),
        }
    }

    /// Whether there is something to take back.
    #[must_use]
    pub const fn can_undo(&self) -> bool {
        self.at > 0
    }

    /// Whether there is something to bring back.
    #[must_use]
    pub const fn can_redo(&self) -> bool {
        self.at + 1 < self.docs.len()
    }

    /// One step back; the document there, if any.
    pub fn undo(&mut self) -> Option<Rc<Doc>> {
        self.at = self.at.checked_sub(1)?;
        Some(Rc::clone(self.current()))
    }

    /// One step forward; the document there, if any.
    pub fn redo(&mut self) -> Option<Rc<Doc>> {
        if !self.can_redo() {
            return None;
        }
        self.at += 1;
        Some(Rc::clone(self.current()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doc(hz: u32) -> Rc<Doc> {
        let mut doc = Doc::default();
        doc.settings.hz = hz;
        Rc::new(doc)
    }

    #[test]
    fn a_hundred_steps_can_be_taken_back_and_no_more() {
        let mut history = History::new(doc(20));
        for hz in 21..=200 {
            history.push(doc(hz));
        }
        let mut steps = 0;
        while history.undo().is_some() {
            steps += 1;
        }
        assert_eq!((steps, history.current().settings.hz), (100, 100));
    }

    #[test]
    fn a_new_step_forgets_what_was_taken_back() {
        let mut history = History::new(doc(100));
        history.push(doc(250));
        history.undo();
        history.push(doc(300));
        assert!(!history.can_redo());
        assert_eq!(history.current().settings.hz, 300);
    }

    #[test]
    fn a_visit_forgets_nothing_that_it_can_come_back_to() {
        let mut history = History::new(doc(100));
        for hz in [250, 300, 250] {
            history.push(doc(hz));
        }
        history.visit(doc(100));
        assert!(!history.can_undo() && history.can_redo());
        history.visit(doc(250));
        assert_eq!(history.redo().map(|doc| doc.settings.hz), Some(300));
        history.visit(doc(1_000));
        assert_eq!(history.undo().map(|doc| doc.settings.hz), Some(300));
    }

    #[test]
    fn the_same_document_is_no_step() {
        let mut history = History::new(doc(100));
        history.push(doc(100));
        assert!(!history.can_undo());
    }
}
