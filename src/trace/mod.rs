//! LAYER 6: readers, from bytes to typed events.
//!
//! Imports nothing but `units`. One file per format; unknown events are counted,
//! nothing is dropped without being reported (spec trace-text-formats.md).

pub mod event;

pub use event::{Event, Kind};
