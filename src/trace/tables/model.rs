//! Energy models of idlestat: powers of clusters and cores by state, in a unit that the file does not name
//! (spec energy.md §2).

use super::{Attr, Desk, Form, Place};

/// Which section a line stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    None,
    Performance,
    Idle,
}

fn plain(line: &str) -> &str {
    line.split_once('#').map_or(line, |(before, _)| before).trim()
}

pub(super) fn is_model(lines: &[String]) -> bool {
    let has = |wanted: fn(&str) -> bool| lines.iter().any(|line| wanted(plain(line)));
    has(|line| {
        line.strip_prefix("clusters")
            .is_some_and(|rest| rest.trim().parse::<u16>().is_ok())
    }) && has(|line| line.eq_ignore_ascii_case("c-states:"))
}

pub(super) fn read(lines: &[String], desk: &mut Desk) {
    let mut section = Section::None;
    for (at, line) in lines.iter().enumerate() {
        let text = plain(line);
        let words: Vec<&str> = text.split_whitespace().collect();
        let understood = if text.is_empty() || text.starts_with("clusters") {
            true
        } else if text.eq_ignore_ascii_case("p-states:") {
            section = Section::Performance;
            true
        } else if text.eq_ignore_ascii_case("c-states:") {
            section = Section::Idle;
            true
        } else if let Some(name) = text
            .split_once(':')
            .and_then(|(name, _)| name.trim().strip_prefix("cluster"))
        {
            section = Section::None;
            let begun = desk.begin(Form::EnergyModel);
            if let Some(sheet) = desk.sheets.last_mut().filter(|_| begun) {
                sheet.cluster = Some(name.trim().to_owned());
            }
            begun
        } else {
            match (section, words.as_slice()) {
                // What a wakeup costs, and the clocks: known, and of no use here.
                (_, ["wakeup", _, _]) => true,
                (Section::Performance, [_, _, _]) => words.iter().all(|word| word.parse::<u64>().is_ok()),
                (Section::Idle, [name, cluster, core]) => state(desk, name, cluster, core),
                _ => false,
            }
        };
        if !understood {
            desk.unread(at);
        }
    }
}

fn state(desk: &mut Desk, name: &str, cluster: &str, core: &str) -> bool {
    let (Ok(cluster), Ok(core)) = (cluster.parse::<u32>(), core.parse::<u32>()) else {
        return false;
    };
    let taken = desk.sheets.last().and_then(|sheet| sheet.cpus.get(&None));
    let Ok(next) = u8::try_from(taken.map_or(0, |states| states.len())) else {
        return false;
    };
    let place = Place {
        cpu: None,
        state: next,
    };
    let Some(state) = desk.state(Form::EnergyModel, place) else {
        return false;
    };
    state.name = Some(name.to_owned());
    state.numbers.insert(Attr::ClusterPower, u64::from(cluster));
    state.numbers.insert(Attr::CorePower, u64::from(core));
    true
}
