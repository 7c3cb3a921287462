//! Layer 5 and what the page and the headless example share: laws and comparisons.

mod behind;
mod cross;
mod diff;
mod energy;
mod everyday;
mod headless;
mod lane_view;
mod lanes;
mod loops;
mod memory;
mod pyramid;
mod session;
mod strips;
mod summary;
mod sweep;
mod undoing;
mod why;
