//! LAYER 2: the tick of an idle CPU: next event, stop or retain.
//!
//! Follows spec idle-loop-and-tick.md: §4 is the state ([`Tick`], [`Timekeeping`]), §5 the operations,
//! §6 the keep reasons, §7 the tick that decides before the governor, §8 the timer wheel. Kernels differ by [`Rules`],
//! named in [`catalog`].
//! Utilisation, which some governors read, is [`pelt`] by [`pelt_clock`] (spec pelt-schedutil.md).
//! Knows neither governors nor the engine; a probe is told each step of a decision.

pub mod avg_idle;
mod before_governor;
pub mod catalog;
mod config;
pub mod irq_timings;
mod nohz;
pub mod pelt;
pub mod pelt_clock;
mod rules;
mod step;
mod timekeeping;
pub mod timer_wheel;

pub use avg_idle::RateLimit;
pub use config::{Config, Hz, HzError, Nohz, Skew};
pub use nohz::{Advice, Keep, Lengths, Pending, Tick};
pub use rules::{Change, InterruptEntry, Order, Rules, SingleState, Ungoverned};
pub use step::{Settled, Step, StepKind};
pub use timekeeping::Timekeeping;
