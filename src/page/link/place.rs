//! Whether a link's place exists in its workload, which is known only when that has been run.

use std::fmt;

use crate::page::view::{LaneId, Selection, View, Window};
use crate::page::words::number::{Style, count, duration};
use crate::units::{CpuId, Ns, Time};

/// Where there is something to look at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// Length of the record, ns.
    pub len: Ns,
    /// CPUs that were seen idle, ascending.
    pub cpus: Vec<CpuId>,
    /// How many decisions there are on each CPU of each lane, 0 included.
    pub decisions: Vec<(LaneId, CpuId, u32)>,
}

/// A place that a link names and that its workload does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// What was asked, as the link writes it.
    pub asked: String,
    /// What there is.
    pub there_is: String,
    /// What is shown instead.
    pub shown: String,
}

impl fmt::Display for Misfit {
    /// `cpu=77: there are cpu0 to cpu3; cpu0 is shown`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.asked, self.there_is, self.shown)
    }
}

impl Reach {
    fn whole(&self) -> Window {
        Window::new(Time::ZERO, Time::ZERO.saturating_add(self.len))
    }

    /// Decisions of one lane on one CPU; none when there is no such lane.
    fn decisions(&self, lane: LaneId, cpu: CpuId) -> Option<u32> {
        self.decisions
            .iter()
            .find(|(of, on, _)| *of == lane && *on == cpu)
            .map(|(.., count)| *count)
    }

    fn has_lane(&self, lane: LaneId) -> bool {
        self.decisions.iter().any(|(of, ..)| *of == lane)
    }

    fn length(&self) -> String {
        format!("the record is {} long", duration(self.len, Style::Page))
    }

    fn cpus(&self) -> String {
        match self.cpus.as_slice() {
            [] => "no CPU was seen idle".to_owned(),
            [one] => format!("there is {one} only"),
            [first, .., last] if self.cpus.len() == usize::from(last.number() - first.number()) + 1 => {
                format!("there are {first} to {last}")
            }
            all => {
                let names: Vec<String> = all.iter().map(ToString::to_string).collect();
                format!("there are {}", names.join(", "))
            }
        }
    }

    fn lanes(&self) -> String {
        let lanes: Vec<&str> = LaneId::ALL
            .into_iter()
            .filter(|lane| self.has_lane(*lane))
            .map(LaneId::letter)
            .collect();
        match lanes.as_slice() {
            [one] => format!("there is lane {one} only"),
            all => format!("there are lanes {}", all.join(", ")),
        }
    }

    /// Decisions of a lane in words, numbered as links number them.
    fn numbers(lane: LaneId, cpu: CpuId, last: u32) -> String {
        format!(
            "{cpu} has decisions 1 to {} in lane {}",
            count(u64::from(last), Style::Page),
            lane.letter()
        )
    }
}

/// Moves a view that came from a link to where there is something to look at, and says what of the
/// link could not be shown.
#[must_use]
pub fn settle(view: &mut View, reach: &Reach) -> Vec<Misfit> {
    let mut misfits = Vec::new();
    let mut misfit = |asked: String, there_is: String, shown: String| {
        misfits.push(Misfit {
            asked,
            there_is,
            shown,
        });
    };
    let Some(first) = reach.cpus.first().copied() else {
        return misfits;
    };
    let lead = [LaneId::A, LaneId::B, LaneId::Recorded]
        .into_iter()
        .find(|lane| reach.has_lane(*lane));
    if let Some(lead) = lead.filter(|_| !reach.has_lane(view.lane)) {
        // A is what a link without `lane` means: then nothing was asked.
        if view.lane != LaneId::default() {
            let shown = format!("lane {} is taken", lead.letter());
            misfit(format!("lane={}", view.lane.letter()), reach.lanes(), shown);
        }
        view.lane = lead;
        view.decision = None;
    }
    if !reach.cpus.contains(&view.cpu) {
        if view.cpu != CpuId::default() || view.decision.is_some() {
            let shown = if view.decision.is_some() {
                format!("{first} is shown, no decision is selected")
            } else {
                format!("{first} is shown")
            };
            misfit(format!("cpu={}", view.cpu.number()), reach.cpus(), shown);
        }
        view.cpu = first;
        view.decision = None;
    }
    if let Some(n) = view.decision {
        let last = reach.decisions(view.lane, view.cpu).unwrap_or(0);
        if n >= last {
            let there_is = Reach::numbers(view.lane, view.cpu, last);
            view.decision = last.checked_sub(1);
            let shown = match view.decision {
                Some(_) => "the last one is shown",
                None => "none is selected",
            };
            misfit(format!("d={}", u64::from(n) + 1), there_is, shown.to_owned());
        }
    }
    if let Some(Selection { lane, cpu, n }) = view.pin
        && reach.decisions(lane, cpu).is_none_or(|last| n >= last)
    {
        let there_is = match reach.decisions(lane, cpu) {
            Some(last) => Reach::numbers(lane, cpu, last),
            None if reach.has_lane(lane) => reach.cpus(),
            None => reach.lanes(),
        };
        let asked = format!("pin={}.{}.{}", lane.letter(), cpu.number(), u64::from(n) + 1);
        misfit(asked, there_is, "no decision is kept".to_owned());
        view.pin = None;
    }
    let whole = reach.whole();
    let stamp = |t: Time| crate::page::duration::to_link(t.saturating_since(Time::ZERO));
    if view.cursor > whole.to() {
        let asked = format!("at={}", stamp(view.cursor));
        misfit(asked, reach.length(), "its end is shown".to_owned());
        view.cursor = whole.to();
    }
    // Edges are rounded outwards when a link is written: they may lie a little behind the end.
    let outside = |window: Window| window.from() >= whole.to();
    for (key, window) in [("win", &mut view.window), ("range", &mut view.range)] {
        if let Some(asked) = window.filter(|window| outside(*window)) {
            let asked = format!("{key}={}~{}", stamp(asked.from()), stamp(asked.to()));
            misfit(asked, reach.length(), "the whole record is shown".to_owned());
            *window = None;
        }
    }
    let there = |cpu: &CpuId| reach.cpus.contains(cpu);
    if let Some(cpu) = view.open_cpus.iter().find(|cpu| !there(cpu)) {
        let asked = format!("open={}", cpu.number());
        misfit(asked, reach.cpus(), "it is left out".to_owned());
        view.open_cpus.retain(there);
    }
    misfits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::link::parse;

    /// Four CPUs with ten decisions each in A and the recording, 1.554 s long.
    fn reach() -> Reach {
        let cpus: Vec<CpuId> = (0..4).map(CpuId::new).collect();
        let on_all = |lane| cpus.iter().map(move |cpu| (lane, *cpu, 10));
        Reach {
            len: Ns::from_us(1_554_000),
            decisions: on_all(LaneId::A).chain(on_all(LaneId::Recorded)).collect(),
            cpus,
        }
    }

    #[track_caller]
    fn check(link: &str, expect: &[&str]) -> View {
        let (link, issues) = parse(link);
        assert_eq!(issues, []);
        let mut view = link.view;
        let said: Vec<String> = settle(&mut view, &reach())
            .iter()
            .map(|misfit| misfit.to_string().replace('\u{202f}', " "))
            .collect();
        assert_eq!(said, expect);
        assert_eq!(settle(&mut view, &reach()), [], "a settled view stays");
        view
    }

    #[test]
    fn a_place_that_is_there_is_left_alone() {
        let text = "w=doorbell&cpu=3&lane=R&d=10&pin=A.0.1&win=1s~1555ms&range=0~1s";
        let (link, _) = parse(text);
        assert_eq!(check(text, &[]), link.view);
    }

    #[test]
    fn a_cpu_that_is_not_there_is_named_and_its_decision_is_dropped() {
        let view = check(
            "w=doorbell&cpu=77&d=999999",
            &["cpu=77: there are cpu0 to cpu3; cpu0 is shown, no decision is selected"],
        );
        assert_eq!((view.cpu, view.decision), (CpuId::new(0), None));
        check(
            "w=doorbell&cpu=77",
            &["cpu=77: there are cpu0 to cpu3; cpu0 is shown"],
        );
    }

    #[test]
    fn a_decision_beyond_the_last_one_becomes_the_last_one() {
        let view = check(
            "w=doorbell&cpu=2&d=11",
            &["d=11: cpu2 has decisions 1 to 10 in lane A; the last one is shown"],
        );
        assert_eq!(view.decision, Some(9));
    }

    #[test]
    fn times_beyond_the_end_are_named_with_the_length() {
        let view = check(
            "w=doorbell&at=99s",
            &["at=99s: the record is 1.554 s long; its end is shown"],
        );
        assert_eq!(view.cursor, Time::from_ns(1_554_000_000));
        let view = check(
            "w=doorbell&win=2s~3s&range=5s~6s",
            &[
                "win=2s~3s: the record is 1.554 s long; the whole record is shown",
                "range=5s~6s: the record is 1.554 s long; the whole record is shown",
            ],
        );
        assert_eq!((view.window, view.range), (None, None));
    }

    #[test]
    fn lanes_and_kept_decisions_that_are_not_there_are_named() {
        let view = check(
            "w=doorbell&lane=B&pin=A.9.1",
            &[
                "lane=B: there are lanes R, A; lane A is taken",
                "pin=A.9.1: there are cpu0 to cpu3; no decision is kept",
            ],
        );
        assert_eq!((view.lane, view.pin), (LaneId::A, None));
    }

    #[test]
    fn what_was_not_asked_is_no_misfit() {
        let mut view = View::default();
        let only = Reach {
            cpus: vec![CpuId::new(5)],
            decisions: vec![(LaneId::Recorded, CpuId::new(5), 3)],
            len: Ns::from_ms(1),
        };
        assert_eq!(settle(&mut view, &only), []);
        assert_eq!((view.cpu, view.lane), (CpuId::new(5), LaneId::Recorded));
    }
}
