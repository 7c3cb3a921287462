//! What holds for every input, found by searching for a counterexample.

mod catalog;
mod closed;
mod engine;
mod every_scenario;
mod governors;
mod tick;
mod words;
