//! LAYER 5: pure functions over recorded columns.
//!
//! Everything here works on any [`Record`](crate::sim::Record): a simulated
//! variant and what a trace says the real kernel did are the same columns.
//!
//! * [`summary`]: usage, time, misses, ticks, causes, delays and energy, of a lane or a range of it;
//! * [`durations`]: how long idle periods lasted, in bins of the one ruler that all charts share;
//! * [`ideal`]: what a governor that knows the future would have chosen;
//! * [`diff`]: where two records decide differently, aligned by idle period and lap;
//! * [`undone`]: what one difference between two variants did;
//! * [`why`]: for which reasons states were not chosen;
//! * [`seek`]: the next or previous decision of a kind;
//! * [`pyramid`]: what a lane looks like at any zoom.
//!
//! Invariants: integers throughout; decisions flagged as uncounted are never
//! counted; a decision belongs to the range in which it was taken.

pub mod diff;
pub mod durations;
pub mod ideal;
pub mod pyramid;
pub mod seek;
pub mod summary;
pub mod tick_stops;
pub mod together;
pub mod undone;
pub mod why;
