//! LAYER 5: energy of idle periods, estimated (spec energy.md).
//!
//! The kernel knows no energies. Target residencies fix the transition energies
//! once the powers are known, and no machine publishes those. So every figure
//! here is an estimate, and [`Assumptions`] travels with it: which powers were
//! given, which are illustrative, which are the default of energy.md §3.
//!
//! Invariants: integers only (µW × ns = fJ), so equal behaviour gives equal
//! energy; the parts of [`Parts`] sum to its total; the model is derived once
//! from the whole table, disabled states included, because a transition costs
//! the same whether or not its neighbours may be used.

mod account;
mod assumptions;
mod cheapest;
mod model;
pub mod package;
mod shared;

pub use account::{Account, Parts, account, busy_spans};
pub use assumptions::{
    Assumptions, DEFAULT_ACTIVE, DEFAULT_RATIO_PER_MILLE, DEFAULT_TICK_HANDLER, DEFAULT_TICK_STOP, Power,
};
pub use cheapest::Cheapest;
pub use model::{Model, Warning, allowed};
pub use shared::{SharedState, SharedUse};
