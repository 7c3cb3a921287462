//! A machine that the user gave, as text in a link.
//!
//! ```text
//! mt=table~20of~20sysfs;WFI,1us,1us;cpu-sleep-0,1.5ms,2ms,stop;2-3;WFI,1us,1us
//!    name               state: name, exit latency, target residency, marks    CPUs that differ, their states
//! ```

use super::pairs::{escape, unescape};
use crate::cpuidle::IdleState;
use crate::page::duration;
use crate::page::given::{Given, GivenCluster, GivenState};

/// Marks of a state: switched off, polls, stops the CPU's own timer.
const OFF: &str = "off";
const POLLS: &str = "poll";
const STOPS: &str = "stop";

/// The largest CPU number.
const LAST_CPU: u16 = 4_095;

pub(super) fn to_link(given: &Given) -> String {
    let mut parts = vec![escape(given.name())];
    for (n, cluster) in given.clusters().iter().enumerate() {
        if n > 0 {
            parts.push(ranges(&cluster.cpus));
        }
        parts.extend(cluster.states.iter().map(state_text));
    }
    parts.join(";")
}

fn state_text(given: &GivenState) -> String {
    let state = &given.state;
    let mut fields = vec![
        escape(&state.name),
        duration::to_link(state.exit_latency),
        duration::to_link(state.target_residency),
    ];
    let marks = [
        (given.off, OFF),
        (state.polling, POLLS),
        (state.timer_stop, STOPS),
    ];
    fields.extend(
        marks
            .iter()
            .filter(|(on, _)| *on)
            .map(|(_, mark)| (*mark).to_owned()),
    );
    fields.join(",")
}

/// `0-3.6`: ascending numbers, as first and last of each run.
fn ranges(cpus: &[u16]) -> String {
    let mut runs: Vec<(u16, u16)> = Vec::new();
    for cpu in cpus {
        match runs.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(*cpu) => *last = *cpu,
            _ => runs.push((*cpu, *cpu)),
        }
    }
    let run = |(first, last): &(u16, u16)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    };
    runs.iter().map(run).collect::<Vec<_>>().join(".")
}

/// # Errors
/// What was expected and found.
pub(super) fn from_link(text: &str) -> Result<Given, String> {
    let mut parts = text.split(';');
    let name = parts
        .next()
        .and_then(unescape)
        .ok_or("must begin with the name of the machine")?;
    let mut clusters = vec![GivenCluster {
        cpus: Vec::new(),
        states: Vec::new(),
    }];
    for part in parts {
        if part.contains(',') {
            let state = state(part).ok_or_else(|| {
                format!("{part} must be name, exit latency and target residency, such as C6,104us,345us")
            })?;
            if let Some(cluster) = clusters.last_mut() {
                cluster.states.push(state);
            }
        } else {
            let cpus = cpus(part).ok_or_else(|| format!("{part} must be CPUs, such as 4-7.9"))?;
            clusters.push(GivenCluster {
                cpus,
                states: Vec::new(),
            });
        }
    }
    Given::new(&name, clusters).map_err(|error| error.to_string())
}

fn state(part: &str) -> Option<GivenState> {
    let mut fields = part.split(',');
    let mut given = GivenState {
        state: IdleState {
            name: unescape(fields.next()?)?,
            exit_latency: duration::from_link(fields.next()?).ok()?,
            target_residency: duration::from_link(fields.next()?).ok()?,
            polling: false,
            timer_stop: false,
        },
        off: false,
    };
    for mark in fields {
        match mark {
            OFF => given.off = true,
            POLLS => given.state.polling = true,
            STOPS => given.state.timer_stop = true,
            _ => return None,
        }
    }
    Some(given)
}

fn cpus(part: &str) -> Option<Vec<u16>> {
    let number = |text: &str| text.parse::<u16>().ok().filter(|cpu| *cpu <= LAST_CPU);
    let mut cpus = Vec::new();
    for run in part.split('.') {
        let (first, last) = run.split_once('-').unwrap_or((run, run));
        cpus.extend(number(first)?..=number(last)?);
        // No more numbers than there can be CPUs, however often a run is written.
        if cpus.len() > usize::from(LAST_CPU) + 1 {
            return None;
        }
    }
    (!cpus.is_empty()).then_some(cpus)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str) {
        let given = from_link(text).expect("a machine");
        assert_eq!(to_link(&given), text);
    }

    #[test]
    fn a_machine_survives_in_a_link() {
        check("table~20of~20sysfs;WFI,1us,1us;cpu-sleep-0,1.5ms,2ms,off,stop");
        check("x;POLL,0,0,poll;C1,1001ns,2us;2-3.7;POLL,0,0,poll;1.4095;C1,3us,3us");
        let (long, given) = ("ü".repeat(200), from_link("x;C1,1us,1us").expect("a machine"));
        let long = Given::new(&long, given.clusters().to_vec()).expect("the same");
        assert_eq!(from_link(&to_link(&long)), Ok(long));
    }

    #[test]
    fn what_is_no_machine_says_what_was_expected() {
        for (text, part) in [
            ("", "must begin with the name"),
            ("x", "at least one idle state"),
            ("x;C1", "C1 must be CPUs"),
            ("x;C1,1us", "C1,1us must be name"),
            ("x;C1,1us,2us,loud", "must be name"),
            ("x;C1,1us,2us;9-4096;C1,1us,2us", "9-4096 must be CPUs"),
            ("x;C1,1us,2us;0-4095.0-4095;C1,1us,2us", "must be CPUs"),
            ("x;C1,9000s,2us", "between 0 and 3 600 s"),
            ("x;C1,1us,2us;4", "at least one idle state"),
        ] {
            let error = from_link(text).expect_err("no machine");
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
