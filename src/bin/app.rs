//! Starts the page.

fn main() {
    idlescope::app::start();
}
