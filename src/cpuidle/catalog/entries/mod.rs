//! The list: every behaviour that some kernel had, with what it changed.

mod menu;
mod others;
mod teo;

use super::Entry;

/// Every entry, grouped by family, oldest first.
pub static ENTRIES: &[Entry] = &all();

const LISTS: [&[Entry]; 3] = [teo::TEO, menu::MENU, others::OTHERS];

const COUNT: usize = LISTS[0].len() + LISTS[1].len() + LISTS[2].len();

const fn all() -> [Entry; COUNT] {
    let mut all = [LISTS[0][0]; COUNT];
    let (mut to, mut list) = (0, 0);
    while list < LISTS.len() {
        let mut from = 0;
        while from < LISTS[list].len() {
            all[to] = LISTS[list][from];
            (to, from) = (to + 1, from + 1);
        }
        list += 1;
    }
    all
}
