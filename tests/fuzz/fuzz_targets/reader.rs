//! Any bytes through the reader, which tells formats by their first bytes: one target for all of them, since the
//! corpus has a file of each. Read or refused, in bounded memory, whatever way they are cut.

#![no_main]

use idlescope::trace::{Limits, Reader, Trace, TraceError};
use libfuzzer_sys::fuzz_target;

fn read(parts: &[&[u8]]) -> Result<Trace, TraceError> {
    let mut reader = Reader::new(Limits {
        max_events: 1 << 16,
        max_text_bytes: 1 << 24,
        max_whole_bytes: 1 << 24,
        ..Limits::default()
    });
    for part in parts {
        reader.feed(part)?;
    }
    reader.finish()
}

fuzz_target!(|bytes: &[u8]| {
    let (left, right) = bytes.split_at(bytes.len() / 3);
    let whole = read(&[bytes]);
    assert_eq!(read(&[left, right]), whole);
    if let Ok(trace) = whole {
        assert!(trace.events.is_sorted_by_key(|event| event.time));
    }
});
