//! LAYER 3: the engine for N CPUs and the columns it records.

mod record;

pub use record::{Cause, Flags, Lane, Record, Row};
