//! Starts the page, or the worker where the page started this module as one.

fn main() {
    idlescope::app::start();
}
