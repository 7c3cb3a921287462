//! What holds for every input, found by searching for a counterexample.

mod catalog;
mod closed;
mod engine;
mod governors;
mod tick;
mod words;
