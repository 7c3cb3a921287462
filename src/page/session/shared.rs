//! The state that CPUs share: who votes for it, when all did, and what came of that.

use super::Session;
use super::rig::{Rig, RigCpu};
use crate::analysis::together::{Voter, together};
use crate::energy::{SharedState, SharedUse};
use crate::page::view::LaneId;
use crate::units::{CpuId, Microwatts, Ns, Time};

/// CPUs that share a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Domain {
    /// Which.
    pub cpus: Vec<CpuId>,
    /// They are all there are: what they share is the package's.
    pub is_package: bool,
    /// From how long on their state pays off.
    pub target_residency: Ns,
}

impl Domain {
    /// What it is.
    #[must_use]
    pub const fn noun(&self) -> &'static str {
        if self.is_package { "package" } else { "cluster" }
    }
}

impl Rig {
    /// The CPUs with which one shares a state; none where it is alone.
    #[must_use]
    pub fn domain(&self, cpu: CpuId) -> Option<Domain> {
        let own = self.cpu(cpu)?;
        let numbered = (0..).map(CpuId::new).zip(&self.cpus);
        let cpus: Vec<CpuId> = numbered
            .filter(|(_, other)| other.domain == own.domain)
            .map(|(cpu, _)| cpu)
            .collect();
        (cpus.len() > 1).then(|| Domain {
            is_package: cpus.len() == self.cpus.len(),
            target_residency: break_even(own),
            cpus,
        })
    }

    /// Each of them once, by their first CPU.
    pub fn domains(&self) -> impl Iterator<Item = Domain> + '_ {
        let cpus = (0..).map(CpuId::new).zip(&self.cpus);
        cpus.filter_map(|(cpu, _)| {
            self.domain(cpu)
                .filter(|domain| domain.cpus.first() == Some(&cpu))
        })
    }
}

/// From how long on the state that CPUs share pays off: what was asked for, what the machine says of it, else as their
/// deepest one.
fn break_even(cpu: &RigCpu) -> Ns {
    cpu.shared
        .unwrap_or_else(|| cpu.table.target_residency(cpu.table.last()))
}

impl Session {
    /// The stretches within `from` to `to` (of the record's clock) in which all CPUs of a domain slept in the deepest
    /// state that each of them has; a CPU without any state never gives its vote.
    #[must_use]
    pub fn votes(&self, lane: LaneId, domain: &Domain, (from, to): (Time, Time)) -> Vec<(Time, Time)> {
        let rig = self
            .results
            .as_ref()
            .and_then(|results| results.plan.rig.as_ref());
        let (Some(rig), Some(record)) = (rig, self.record(lane)) else {
            return Vec::new();
        };
        let voter = |cpu: &CpuId| {
            let own = rig.cpu(*cpu)?;
            let mut deepest = own.table.indices().rev();
            let deepest = deepest.find(|idx| !own.disabled.contains(*idx))?;
            Some(Voter::from_state(record.lane(*cpu)?, deepest))
        };
        let voters: Option<Vec<Voter<'_>>> = domain.cpus.iter().map(voter).collect();
        voters.map_or_else(Vec::new, |voters| together(&voters, from, to))
    }

    /// What became of each state that CPUs share, in one lane, in the whole record or within a range counted from its
    /// start.
    #[must_use]
    pub fn shared(&self, lane: LaneId, range: Option<(Time, Time)>) -> Vec<(Domain, SharedUse)> {
        let results = self.results.as_ref();
        let (Some(results), Some(record)) = (results, self.record(lane)) else {
            return Vec::new();
        };
        let whole = (record.start, record.end);
        let within = range.map_or(Some(whole), |(from, to)| {
            Some((self.absolute(from)?, self.absolute(to)?))
        });
        let (Some(rig), Some((from, to))) = (&results.plan.rig, within) else {
            return Vec::new();
        };
        let used = |domain: Domain| {
            let state = SharedState {
                target_residency: domain.target_residency,
                power: results.plan.shared_power.unwrap_or(Microwatts::new(0)),
            };
            let votes = self.votes(lane, &domain, (from, to));
            let found = SharedUse::of(&votes, state, to.saturating_since(from));
            (domain, found)
        };
        rig.domains().map(used).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::energy::Assumptions;
    use crate::page::doc::Edits;
    use crate::page::link::parse;
    use crate::page::machines::Machine;
    use crate::page::session::Progress;

    #[track_caller]
    fn check(machine: &str, cpus: usize, expect: &[(&str, &[u16])]) {
        let machine = Machine::find(machine).unwrap();
        let (rig, _) = Rig::new(machine, cpus, &Edits::default(), &Assumptions::default()).unwrap();
        let found: Vec<(&str, Vec<u16>)> = rig
            .domains()
            .map(|domain| {
                (
                    domain.noun(),
                    domain.cpus.iter().map(|cpu| cpu.number()).collect(),
                )
            })
            .collect();
        let expect: Vec<(&str, Vec<u16>)> =
            expect.iter().map(|(noun, cpus)| (*noun, cpus.to_vec())).collect();
        assert_eq!(found, expect);
    }

    #[test]
    fn cpus_of_one_place_share_a_state_and_one_alone_shares_none() {
        check("snb", 4, &[("package", &[0, 1, 2, 3])]);
        check("snb", 1, &[]);
        let clusters: [(&str, &[u16]); 3] = [
            ("cluster", &[0, 1, 2, 3]),
            ("cluster", &[4, 5]),
            ("cluster", &[6, 7]),
        ];
        check("pixel6", 8, &clusters);
        check("pixel6", 5, &clusters[..1]);
    }

    /// What the package did under the question of a link.
    fn package(fragment: &str) -> SharedUse {
        let mut session = Session::new();
        session.ask(&parse(fragment).0.doc);
        while session.step(u64::MAX) != Progress::Finished {}
        let found = session.shared(LaneId::A, None);
        assert_eq!(found.len(), 1, "{fragment}");
        found[0].1
    }

    #[test]
    fn a_break_even_of_the_question_goes_before_the_machines() {
        let load = "w=idle-desktop&dur=1s&a=teo-6.12&sp=100";
        let (always, never) = (
            package(&format!("{load}&sr=0us")),
            package(&format!("{load}&sr=10s")),
        );
        assert!(always.entered > 0, "all of them sleep at times");
        assert_eq!((always.entered, always.asleep), (never.entered, never.asleep));
        assert_eq!((always.short, never.short), (0, never.entered));
        assert_eq!(always.spent, always.best);
        assert_eq!(never.best, never.never);
        assert!(never.spent > never.never, "each entry costs");
    }

    #[test]
    fn a_cpu_that_has_no_state_left_keeps_the_package_awake() {
        let off = "POLL.off,C1.off,C1E.off,C3.off,C6.off";
        let found = package(&format!("w=idle-desktop&dur=200ms&a=teo-6.12&m=snb&st={off}"));
        assert_eq!((found.entered, found.asleep), (0, Ns::ZERO));
    }
}
