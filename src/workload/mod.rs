//! LAYER 4: what makes CPUs busy and wakes them.

pub mod closed;
pub mod replay;
pub mod rng;
pub mod scenario;
pub mod sources;
