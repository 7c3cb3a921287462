//! Layer 5 and what the page and the headless example share: laws and comparisons.

mod diff;
mod energy;
mod lanes;
mod pyramid;
mod summary;
