//! LAYER 7: the page without a browser.
//!
//! [`Doc`](doc::Doc) is the question, [`View`](view::View) where one looks,
//! [`Live`](live::Live) what has arrived. [`reduce`](reduce::reduce) is the only way from one
//! page to the next. Links, words, tables and plots are functions of these.
//!
//! Invariants: nothing here knows a browser; nothing that can be derived is stored; the link is
//! always made from `Doc` and `View`.

use std::rc::Rc;

pub mod action;
pub mod beside;
pub mod changes;
pub mod costs;
pub mod counters;
pub mod doc;
pub mod duration;
pub mod extras;
pub mod field;
pub mod figures;
pub mod generated;
pub mod given;
pub mod history;
pub mod kernels;
pub mod knobs;
pub mod link;
pub mod live;
pub mod loops;
pub mod machines;
pub mod mail;
pub mod memory;
pub mod plot;
pub mod published;
pub mod recipes;
pub mod recording;
pub mod reduce;
pub mod scenarios;
pub mod session;
pub mod sheets;
pub mod spread;
pub mod sweep;
pub mod table;
pub mod table_text;
pub mod touch;
pub mod trail;
pub mod typeahead;
pub mod validation;
pub mod view;
pub mod words;

use doc::Doc;
use history::History;
use live::Live;
use view::View;

/// The whole state of the page; cheap to clone.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// The question.
    pub doc: Rc<Doc>,
    /// Where one looks.
    pub view: Rc<View>,
    /// What has arrived.
    pub live: Rc<Live>,
    /// The questions before and after this one.
    pub history: Rc<History>,
}

impl Default for Page {
    fn default() -> Self {
        let doc = Rc::new(Doc::default());
        Self {
            history: Rc::new(History::new(Rc::clone(&doc))),
            doc,
            view: Rc::default(),
            live: Rc::default(),
        }
    }
}
