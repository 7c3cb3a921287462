//! Closed-loop workloads: tasks that wake each other, so that a slow wakeup delays all that follows (spec
//! closed-loop-model.md §3, design.md §3.3). They run on a [`MachineModel`](crate::sim::machine::MachineModel), on
//! which kernel code takes time.
//!
//! Work is given in cycles, written as nanoseconds at 1 GHz. Every source of randomness has a stream of its own for
//! each CPU, so that another decision of a governor moves no load that it does not cause (there, §8.1).

mod exchange;
pub mod loads;
mod machines;
mod phone;
mod queue;
mod server;

pub use exchange::{Bursts, Exchange, ExchangeWorkload, Placement};
pub use machines::{PhoneLoad, haswell, pixel6, sandy_bridge, server as busy_server};
pub use phone::{Background, ClusterLoad, Foreground, Phone, PhoneWorkload};
pub use queue::{Dispatch, Queue, QueueWorkload};
pub use server::{Server, ServerWorkload};

use crate::units::Ns;

/// A piece of work that varies by up to `per_mille` either way.
fn jittered(rng: &mut super::rng::Rng, work: Ns, per_mille: i64) -> Ns {
    if per_mille == 0 {
        return work;
    }
    let off = work * per_mille / 1_000;
    rng.uniform(work - off, work + off)
}
