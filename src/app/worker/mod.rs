//! The worker and the page's end of it.
//!
//! The worker owns the trace, the runs and their columns; the page asks for views of them.
//! Invariant: nothing that takes more than 8 ms runs outside the worker.

mod answers;
pub mod client;
mod explain;
mod file;
pub mod host;
mod inquiry;
mod pause;
pub mod protocol;
mod sentences;
mod wire;
