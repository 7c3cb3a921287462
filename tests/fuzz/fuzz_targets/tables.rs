//! Any bytes through the readers of idle-state tables and counters, the machine made of them, and the table of
//! counters that is printed: read or refused, in bounded memory, in lines that mail bears.

#![no_main]

use idlescope::page::counters::{self, Counters};
use idlescope::page::sheets::{self, Reading};
use idlescope::page::words::number::Style;
use idlescope::trace::tables;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(tables) = tables::read(bytes) else { return };
    assert!(tables.sheets.iter().all(|sheet| !sheet.cpus.is_empty()));
    let _ = sheets::machine("fuzz", &tables);
    let reading = Reading {
        name: "fuzz".to_owned(),
        tables,
        done: Vec::new(),
    };
    let _ = sheets::report(&reading, Style::Page);
    let text = counters::text(&Counters::of(&[reading]), true);
    assert!(text.is_ascii() && text.lines().all(|line| line.len() <= 72));
});
