//! What holds for every input, found by searching for a counterexample.

mod catalog;
mod governors;
mod words;
