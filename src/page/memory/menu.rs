//! menu's eight intervals: which look left which of them out, and why.

use super::{Drawing, Scene, candidates, changed, finished, table};
use crate::cpuidle;
use crate::cpuidle::menu::{self, Snapshot, Verdict};
use crate::page::plot::bins::{Bins, LookAt};
use crate::page::words::{Style, number};
use crate::sim::{Explained, Step};
use crate::units::{Ns, Us};

/// One look at the intervals, whatever it was bounded by.
struct Seen {
    /// Those up to it were left out before; none for no bound.
    above: Option<Us>,
    /// Those beyond it were left out before.
    upto: Us,
    shortest: Us,
    longest: Us,
    /// None when it was not computed.
    average: Option<Us>,
    /// µs².
    variance: u64,
    count: u32,
    verdict: Verdict,
}

impl Seen {
    fn of(step: &Step) -> Option<Self> {
        let Step::Governor(cpuidle::Step::Menu(step)) = step else {
            return None;
        };
        match *step {
            menu::Step::Intervals {
                threshold,
                count,
                shortest,
                longest,
                average,
                variance,
                verdict,
                ..
            } => Some(Self {
                above: None,
                upto: threshold,
                shortest,
                longest,
                average: (!matches!(verdict, Verdict::BeyondTimer | Verdict::NoInformation))
                    .then_some(average),
                variance,
                count,
                verdict,
            }),
            menu::Step::IntervalsBetween {
                above,
                below,
                count,
                shortest,
                longest,
                average,
                variance,
                verdict,
                ..
            } => Some(Self {
                above,
                upto: Us::new(below.as_us().saturating_sub(1)),
                shortest,
                longest,
                average: (verdict != Verdict::NoInformation).then_some(average),
                variance,
                count,
                verdict,
            }),
            _ => None,
        }
    }

    fn sees(&self, interval: Us) -> bool {
        interval != Us::MAX && self.above.is_none_or(|above| interval > above) && interval <= self.upto
    }

    fn drops(&self, interval: Us) -> bool {
        let end = match self.verdict {
            Verdict::DropLongest => self.longest,
            Verdict::DropShortest => self.shortest,
            Verdict::BeyondTimer
            | Verdict::NoInformation
            | Verdict::Steady
            | Verdict::TooFew
            | Verdict::LongestOfFew => return false,
        };
        self.sees(interval) && interval == end
    }

    /// What follows, in words.
    fn says(&self, scene: &Scene<'_>) -> String {
        let of = |us: Us| scene.speaker().time(time(us));
        match self.verdict {
            Verdict::BeyondTimer => "none is below the timer's prediction, they add nothing".to_owned(),
            Verdict::NoInformation => "nothing but zeroes, they say nothing".to_owned(),
            Verdict::Steady => format!("steady, {} is typical", of(self.average.unwrap_or_default())),
            Verdict::TooFew => "they vary, and too few are left: nothing is typical".to_owned(),
            Verdict::DropLongest => "they vary, the longest are left out".to_owned(),
            Verdict::DropShortest => "they vary, the shortest are left out".to_owned(),
            Verdict::LongestOfFew => format!("they vary, the longest, {}, bounds the stay", of(self.longest)),
        }
    }

    fn end(&self) -> &'static str {
        if self.verdict == Verdict::DropShortest {
            "shortest"
        } else {
            "longest"
        }
    }
}

fn time(us: Us) -> Ns {
    Ns::from_us(i64::from(us.as_us()))
}

pub(super) fn drawing(
    explained: &Explained,
    scene: &Scene<'_>,
    before: &Snapshot,
    now: &Snapshot,
) -> Drawing {
    let seen: Vec<Seen> = explained.steps.iter().filter_map(Seen::of).collect();
    let known = || {
        now.intervals
            .as_slice()
            .iter()
            .copied()
            .filter(|us| *us != Us::MAX)
    };
    let mut looks: Vec<LookAt> = seen
        .iter()
        .map(|look| LookAt {
            says: format!(
                "{} of {}: {}",
                look.count,
                now.intervals.as_slice().len(),
                look.says(scene)
            ),
            kept: known()
                .filter(|us| look.sees(*us) && !look.drops(*us))
                .map(time)
                .collect(),
            dropped: known().filter(|us| look.drops(*us)).map(time).collect(),
            average: look.average.map(time),
        })
        .collect();
    let answer = match seen.last() {
        Some(last) => {
            let out = known().filter(|us| !last.sees(*us)).count();
            let looked = match seen.len() {
                1 => "One look".to_owned(),
                n => format!("{n} looks"),
            };
            let left_out = if out == 0 {
                String::new()
            } else {
                format!(", {out} left out")
            };
            format!("{looked} at the last intervals{left_out}: {}", last.says(scene))
        }
        None => "The last intervals were not looked at".to_owned(),
    };
    if looks.is_empty() {
        looks.push(LookAt {
            says: "not looked at".to_owned(),
            kept: known().map(time).collect(),
            ..LookAt::default()
        });
    }
    let numbers = numbers(scene, before, now, &seen);
    let bins = Bins {
        width: scene.width,
        states: scene.chips(),
        looks,
        candidates: candidates(explained),
        tick: scene.tick,
        pointers: scene.pointers.clone(),
        ..Bins::default()
    };
    finished(answer, bins.plot(), numbers)
}

/// The intervals from the oldest on with what became of each, then the looks, then the factor.
fn numbers(scene: &Scene<'_>, before: &Snapshot, now: &Snapshot, seen: &[Seen]) -> super::Table {
    let said = |us: Us| match us {
        Us::MAX => "none".to_owned(),
        us => scene.speaker().time(time(us)),
    };
    let fate = |us: Us| {
        if us == Us::MAX {
            return "no interval".to_owned();
        }
        if let Some(n) = seen.iter().position(|look| look.drops(us)) {
            let end = seen.get(n).map_or("", Seen::end);
            return format!("left out by look {}: the {end}", n + 1);
        }
        match seen.first() {
            None => "not looked at".to_owned(),
            Some(first) if !first.sees(us) => "too long to count".to_owned(),
            Some(_) => "kept".to_owned(),
        }
    };
    let count = now.intervals.as_slice().len();
    let mut rows: Vec<[String; 3]> = Vec::new();
    for age in 0..count {
        let slot = (usize::from(now.next) + age) % count;
        let (Some(own), Some(was)) = (
            now.intervals.as_slice().get(slot),
            before.intervals.as_slice().get(slot),
        ) else {
            continue;
        };
        let name = match age {
            0 => "oldest interval".to_owned(),
            age if age + 1 == count => "newest interval".to_owned(),
            age => format!("interval {}", age + 1),
        };
        rows.push([name, changed(said(*was), said(*own)), fate(*own)]);
    }
    for (n, look) in seen.iter().enumerate() {
        let average = look.average.map_or_else(
            || "none".to_owned(),
            |average| format!("average {}", said(average)),
        );
        let variance = look.average.map_or_else(String::new, |_| {
            format!(
                ", variance {}\u{202f}µs²",
                number::count(look.variance, Style::Page)
            )
        });
        rows.push([
            format!("look {}", n + 1),
            average,
            format!("{} of {count}{variance}: {}", look.count, look.says(scene)),
        ]);
    }
    let bucket = usize::from(now.bucket);
    let factor = |snapshot: &Snapshot| snapshot.factors.get(bucket).copied().unwrap_or_default();
    rows.push([
        format!("factor of bucket {bucket}"),
        changed(factor(before), factor(now)),
        "in 1/8192 of the timer's distance".to_owned(),
    ]);
    table(["what", "value", "what became of it"], rows)
}
