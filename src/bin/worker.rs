//! Starts the worker.

fn main() {
    idlescope::app::worker::host::start();
}
