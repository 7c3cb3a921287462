//! The page as Yew's reducer: `page::reduce` does the work, this only wraps it.

use std::rc::Rc;

use yew::Reducible;

use crate::page::Page;
use crate::page::action::Action;
use crate::page::reduce::reduce;

/// The page behind Yew's reducer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Store {
    /// The page.
    pub page: Page,
}

impl Reducible for Store {
    type Action = Action;

    fn reduce(self: Rc<Self>, action: Action) -> Rc<Self> {
        Rc::new(Self {
            page: reduce(&self.page, action),
        })
    }
}
