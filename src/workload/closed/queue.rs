//! A server with one queue: requests arrive at random, and each is served by one CPU from beginning to end.
//!
//! ```text
//!   arrival --> an idle CPU, woken for it       |wake latency|== service ==|
//!           \-> else the queue, first in, first out          |-- wait --|== service ==|
//! ```
//!
//! A slow wakeup delays its own request and, when all CPUs are taken, every one behind it. Requests and their sizes come
//! from streams of their own: they are the same whoever decides.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::sim::{Cause, CpuEvent, Effects, Environment, Interrupt, Timers, Workload};
use crate::units::{CpuId, Ns, Time};
use crate::workload::rng::Rng;

/// Which idle CPU serves a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dispatch {
    /// The next one in turn: all sleep about as long.
    InTurn,
    /// The first one: the last ones sleep long.
    Packed,
}

/// The parameters; times in ns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queue {
    /// Number of CPUs.
    pub cpus: u16,
    /// Mean distance of requests, exponentially distributed.
    pub every: Ns,
    /// Mean work of a request, exponentially distributed, cycles as ns at 1 GHz.
    pub service: Ns,
    /// Who serves it.
    pub dispatch: Dispatch,
}

impl Queue {
    /// The workload.
    #[must_use]
    pub fn workload(self, seed: u64) -> QueueWorkload {
        let mut arrivals = Rng::stream(seed, 0);
        QueueWorkload {
            next: Time::ZERO.saturating_add(arrivals.exponential(self.every)),
            arrivals,
            sizes: Rng::stream(seed, 1),
            serving: vec![None; usize::from(self.cpus)],
            queue: VecDeque::new(),
            last: usize::from(self.cpus).saturating_sub(1),
            served: 0,
            response: Ns::ZERO,
            parameters: Arc::new(self),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Request {
    arrived: Time,
    work: Ns,
}

/// See [`Queue`].
#[derive(Clone, Debug)]
pub struct QueueWorkload {
    parameters: Arc<Queue>,
    arrivals: Rng,
    sizes: Rng,
    next: Time,
    /// By CPU: the request that it serves.
    serving: Vec<Option<Request>>,
    queue: VecDeque<Request>,
    /// The CPU that was woken last.
    last: usize,
    served: u64,
    response: Ns,
}

impl QueueWorkload {
    /// Requests served so far, and the sum of the times from their arrival to their end, ns.
    #[must_use]
    pub const fn served(&self) -> (u64, Ns) {
        (self.served, self.response)
    }

    fn idle(&self) -> Option<usize> {
        let count = self.serving.len();
        let first = match self.parameters.dispatch {
            Dispatch::InTurn => self.last + 1,
            Dispatch::Packed => 0,
        };
        (first..first + count)
            .map(|n| n % count.max(1))
            .find(|n| self.serving.get(*n).is_some_and(Option::is_none))
    }
}

impl Workload for QueueWorkload {
    fn first_busy(&self, _: CpuId) -> Ns {
        Ns::ZERO
    }

    fn peek(&self) -> Time {
        self.next
    }

    fn advance(&mut self, now: Time, out: &mut Effects) {
        self.next = now.saturating_add(self.arrivals.exponential(self.parameters.every));
        let request = Request {
            arrived: now,
            work: self.sizes.exponential(self.parameters.service),
        };
        let Some(n) = self.idle() else {
            self.queue.push_back(request);
            return;
        };
        self.last = n;
        if let Some(serving) = self.serving.get_mut(n) {
            *serving = Some(request);
        }
        out.interrupt(Interrupt {
            cpu: CpuId::new(u16::try_from(n).unwrap_or(u16::MAX)),
            cause: Cause::Interrupt,
            line: 1,
            run: Some(request.work),
        });
    }

    fn on_cpu(&mut self, _: Time, _: CpuId, _: CpuEvent, _: &mut Effects) {}

    fn next_work(&mut self, now: Time, cpu: CpuId, _: &mut Effects) -> Option<Ns> {
        let serving = self.serving.get_mut(cpu.index())?;
        let done = serving.take()?;
        self.served += 1;
        self.response = self.response.saturating_add(now.saturating_since(done.arrived));
        *serving = self.queue.pop_front();
        serving.map(|request| request.work)
    }

    fn timers(&self, _: Time, _: CpuId) -> Timers {
        Timers::NONE
    }

    fn environment(&mut self, _: Time, _: CpuId) -> Environment {
        Environment::default()
    }

    fn wakeup(&self, _: Time, _: CpuId) -> Option<Time> {
        // Which CPU serves the next request depends on what is decided now.
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(dispatch: Dispatch) -> QueueWorkload {
        let us = Ns::from_us;
        Queue {
            cpus: 2,
            every: us(100),
            service: us(50),
            dispatch,
        }
        .workload(1)
    }

    /// Whom `count` requests wake, without any of them ending.
    fn woken(work: &mut QueueWorkload, count: usize) -> Vec<u16> {
        let mut out = Effects::default();
        for _ in 0..count {
            work.advance(work.peek(), &mut out);
        }
        out.drain().map(|interrupt| interrupt.cpu.number()).collect()
    }

    #[test]
    fn a_request_waits_when_all_cpus_are_taken_and_is_served_by_the_first_that_is_free() {
        let mut work = queue(Dispatch::InTurn);
        assert_eq!(woken(&mut work, 3), [0, 1]);
        let cpu = CpuId::new(1);
        let mut out = Effects::default();
        let now = work.peek();
        assert!(
            work.next_work(now, cpu, &mut out).is_some(),
            "the one that waited"
        );
        assert_eq!(work.next_work(now, cpu, &mut out), None);
        let (served, response) = work.served();
        assert_eq!(served, 2);
        assert!(response > Ns::ZERO);
    }

    #[test]
    fn packed_requests_go_to_the_first_cpu_and_others_in_turn() {
        let mut out = Effects::default();
        for (dispatch, expected) in [(Dispatch::Packed, [0, 0, 0]), (Dispatch::InTurn, [0, 1, 0])] {
            let mut work = queue(dispatch);
            let found = [0; 3].map(|_| {
                let cpu = woken(&mut work, 1)[0];
                work.next_work(work.peek(), CpuId::new(cpu), &mut out);
                cpu
            });
            assert_eq!(found, expected);
        }
    }
}
