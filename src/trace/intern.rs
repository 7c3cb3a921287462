//! Small integers for texts and addresses, each held once.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::{NameId, TimerId};

/// Multiplies and folds: quick, and good enough for addresses and short names that nobody can
/// use against us for long, since the number of keys is bounded.
#[derive(Default)]
pub(super) struct Quick(u64);

impl Hasher for Quick {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            for (to, from) in word.iter_mut().zip(chunk) {
                *to = *from;
            }
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

type Map<K, V> = HashMap<K, V, BuildHasherDefault<Quick>>;

/// Function and interrupt names of one trace.
#[derive(Default)]
pub(super) struct Names {
    ids: Map<Box<[u8]>, NameId>,
    texts: Vec<String>,
}

/// Longer names are cut to this many bytes.
const NAME_BYTES: usize = 128;

impl Names {
    /// The id of a text; none when it is empty or all 65,535 ids are given away.
    pub(super) fn id(&mut self, text: &[u8]) -> Option<NameId> {
        let text = text.get(..NAME_BYTES).unwrap_or(text);
        if text.is_empty() {
            return None;
        }
        if let Some(id) = self.ids.get(text) {
            return Some(*id);
        }
        let id = NameId(u16::try_from(self.texts.len()).ok().filter(|id| *id < u16::MAX)?);
        self.ids.insert(text.into(), id);
        self.texts.push(String::from_utf8_lossy(text).into_owned());
        Some(id)
    }

    pub(super) fn into_texts(self) -> Vec<String> {
        self.texts
    }
}

/// Timer addresses of one trace.
#[derive(Default)]
pub(super) struct Timers {
    ids: Map<u64, TimerId>,
    addresses: Vec<u64>,
}

impl Timers {
    pub(super) fn id(&mut self, address: u64) -> TimerId {
        let next = TimerId(u32::try_from(self.addresses.len()).unwrap_or(u32::MAX));
        let addresses = &mut self.addresses;
        *self.ids.entry(address).or_insert_with(|| {
            addresses.push(address);
            next
        })
    }

    pub(super) fn into_addresses(self) -> Vec<u64> {
        self.addresses
    }
}
