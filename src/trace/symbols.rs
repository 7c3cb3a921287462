//! Functions by address, from the symbol table that a recording carries.

use super::NameId;
use super::args::Interned;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use super::intern::Quick;

/// Addresses whose name is remembered; more are looked up each time.
const REMEMBERED: usize = 4096;

/// Looks functions up; the table is sorted at the first question.
pub(super) struct Symbols<'a> {
    text: &'a [u8],
    /// Address, and where its name begins in the text; ascending.
    sorted: Option<Vec<(u64, usize)>>,
    found: HashMap<u64, Option<NameId>, BuildHasherDefault<Quick>>,
}

impl<'a> Symbols<'a> {
    /// From lines `ffffdd65c9e10000 t function [module]`.
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self {
            text,
            sorted: None,
            found: HashMap::default(),
        }
    }

    /// The function that an address is in; none when there is no table.
    pub(super) fn name(&mut self, address: u64, interned: &mut Interned) -> Option<NameId> {
        if let Some(known) = self.found.get(&address) {
            return *known;
        }
        let name = self.look_up(address).and_then(|name| interned.names.id(name));
        if self.found.len() < REMEMBERED {
            self.found.insert(address, name);
        }
        name
    }

    fn look_up(&mut self, address: u64) -> Option<&'a [u8]> {
        let text = self.text;
        let sorted = self.sorted.get_or_insert_with(|| table(text));
        let after = sorted.partition_point(|(start, _)| *start <= address);
        let (start, _) = sorted.get(after.checked_sub(1)?)?;
        // Of several names for one address the first.
        let first = sorted.partition_point(|(other, _)| other < start);
        let (_, at) = sorted.get(first)?;
        word(text.get(*at..)?)
    }
}

/// Up to the next blank.
fn word(text: &[u8]) -> Option<&[u8]> {
    let end = text
        .iter()
        .position(u8::is_ascii_whitespace)
        .unwrap_or(text.len());
    text.get(..end).filter(|word| !word.is_empty())
}

fn table(text: &[u8]) -> Vec<(u64, usize)> {
    let mut table = Vec::new();
    let mut at = 0;
    for line in text.split(|byte| *byte == b'\n') {
        if let Some(address) = word(line)
            && let Some(value) = super::args::hex(address)
            // The address, a blank, the kind of symbol, a blank.
            && let Some(name) = line.get(address.len() + 3..)
            // Marks of the assembler, no functions.
            && !name.starts_with(b"$")
            && value != 0
        {
            table.push((value, at + address.len() + 3));
        }
        at += line.len() + 1;
    }
    // Stable: of several names for one address the first of the file stays first.
    table.sort_by_key(|(address, _)| *address);
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_of_the_function_that_begins_before_it() {
        let mut symbols =
            Symbols::new(b"00000020 t b\n00000010 T a\t[mod]\n00000020 t c\n00000018 t $x\nzz\n\n");
        let mut check = |address, expect: Option<&[u8]>| {
            assert_eq!(symbols.look_up(address), expect, "{address:#x}");
        };
        check(0xf, None);
        check(0x10, Some(b"a"));
        check(0x1f, Some(b"a"));
        check(0x20, Some(b"b"));
        check(u64::MAX, Some(b"b"));
        assert_eq!(Symbols::new(b"").look_up(1), None);
    }
}
