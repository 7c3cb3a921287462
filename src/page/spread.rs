//! Figures over several seeds in words: the least, the one in the middle, the most, of A and of B and of their ratio
//! seed by seed.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::figures::{FIGURES, Unit, digits, fitting, unit_name};
use super::session::Seeded;
use super::words::number::{self, Style};

/// How many seeds one press runs.
pub const SEEDS: u32 = 8;

/// What ratios are counted in.
const MILLION: u128 = 1_000_000;

/// The ends and the middle of some numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ends {
    /// The least.
    pub least: u128,
    /// The one in the middle; of an even count the mean of the two there, rounded down.
    pub median: u128,
    /// The largest.
    pub most: u128,
}

impl Ends {
    /// Of some numbers; none of none.
    #[must_use]
    pub fn of(mut all: Vec<u128>) -> Option<Self> {
        all.sort_unstable();
        let (least, most) = (*all.first()?, *all.last()?);
        let upper = *all.get(all.len() / 2)?;
        let lower = *all.get((all.len() - 1) / 2)?;
        Some(Self {
            least,
            median: lower.midpoint(upper),
            most,
        })
    }
}

/// One figure over all seeds, as text: the middle with its unit, and the ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// What it is.
    pub label: String,
    /// Of A and of B: the middle, and the ends; none where there is no such figure.
    pub sides: [Option<(String, String)>; 2],
    /// B's as a multiple of A's, seed by seed: the middle, and the ends.
    pub change: Option<(String, String)>,
}

/// The value of a figure in each seed that has it, for one side.
fn values(seeds: &[Seeded], figure: usize, side: usize) -> Vec<u128> {
    let of = |seeded: &Seeded| *seeded.sides.get(side)?.as_ref()?.get(figure)?;
    seeds.iter().filter_map(of).collect()
}

/// B's as a multiple of A's in each seed that has both, in millionths: so few that are written are not rounded twice.
fn ratios(seeds: &[Seeded], figure: usize) -> Vec<u128> {
    let of = |seeded: &Seeded| {
        let [a, b] = seeded.sides.each_ref().map(|side| *side.as_ref()?.get(figure)?);
        let (a, b) = (a?, b?);
        (a > 0).then(|| b * MILLION / a)
    };
    seeds.iter().filter_map(of).collect()
}

/// The rows, top to bottom; a figure that no seed has is left out, as is one that is nothing everywhere.
#[must_use]
pub fn rows(seeds: &[Seeded], style: Style) -> Vec<Row> {
    let row = |(n, figure): (usize, &super::figures::Figure)| {
        let all = [0, 1].map(|side| values(seeds, n, side));
        let every: Vec<u128> = all.iter().flatten().copied().collect();
        if every.iter().all(|value| *value == 0) {
            return None;
        }
        let unit = fitting(&every, figure.units);
        let sides = all.map(|values| Ends::of(values).map(|ends| told(ends, unit, style)));
        let [a, b] = [0, 1].map(|side| values(seeds, n, side).len());
        // How many times as large a share is says little where it is next to nothing.
        let is_share = figure.units.iter().all(|unit| unit.2 == "%");
        let change = Ends::of(ratios(seeds, n)).filter(|_| a == b && !is_share);
        let times = match style {
            Style::Page => "×",
            Style::Ascii => "x",
        };
        let decimals = |ends: &Ends| if ends.most >= 100 * MILLION { 0 } else { 2 };
        Some(Row {
            label: figure.label.to_owned(),
            sides,
            change: change.map(|ends| {
                let text = |value| number::fixed(value, MILLION, decimals(&ends));
                (
                    format!("{times}{}", text(ends.median)),
                    between(text(ends.least), text(ends.most)),
                )
            }),
        })
    };
    FIGURES.iter().enumerate().filter_map(row).collect()
}

fn told(ends: Ends, unit: Unit, style: Style) -> (String, String) {
    let middle = format!(
        "{}{}{}",
        digits(ends.median, unit),
        style.gap(),
        unit_name(unit, style)
    );
    (middle, between(digits(ends.least, unit), digits(ends.most, unit)))
}

/// `4.86 to 4.88`, or `all` where both are the same.
fn between(least: String, most: String) -> String {
    if least == most {
        "all".to_owned()
    } else {
        format!("{least} to {most}")
    }
}

/// The rows as text, ASCII, at most 72 columns; empty where nothing has figures.
#[must_use]
pub fn lines(seeds: &[Seeded]) -> Vec<String> {
    let rows = rows(seeds, Style::Ascii);
    let (Some(first), Some(last), false) = (seeds.first(), seeds.last(), rows.is_empty()) else {
        return Vec::new();
    };
    let head = format!(
        "seeds {} to {}: the middle, and from least to most",
        first.seed, last.seed
    );
    let mut lines = vec![head];
    for row in rows {
        let mut label = row.label.as_str();
        let [a, b] = row.sides;
        for (name, told) in [("A", a), ("B", b), ("B/A", row.change)] {
            if let Some((middle, ends)) = told {
                lines.push(format!("{label:<32} {name:<3} {middle:>11}  {ends}"));
                label = "";
            }
        }
    }
    lines
}

/// The same for scripts: by variant and figure the least, the middle, the most, and what each seed gave.
#[must_use]
pub fn to_json(seeds: &[Seeded]) -> Value {
    let side = |n: usize| {
        let figure = |(m, figure): (usize, &super::figures::Figure)| {
            let found = values(seeds, m, n);
            let ends = Ends::of(found.clone())?;
            let value = json!({
                "min": small(ends.least),
                "median": small(ends.median),
                "max": small(ends.most),
                "values": found.into_iter().map(small).collect::<Vec<_>>(),
            });
            Some((figure.key.to_owned(), value))
        };
        FIGURES
            .iter()
            .enumerate()
            .filter_map(figure)
            .collect::<Map<String, Value>>()
    };
    json!({
        "seeds": seeds.iter().map(|seeded| seeded.seed).collect::<Vec<_>>(),
        "a": side(0),
        "b": side(1),
    })
}

/// JSON has no larger whole numbers than these.
fn small(value: u128) -> u64 {
    u64::try_from(value).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seeded(seed: u64, loop_ns: [Option<u128>; 2]) -> Seeded {
        let side = |value: Option<u128>| {
            let mut figures = vec![None; FIGURES.len()];
            figures[0] = value;
            Some(figures)
        };
        Seeded {
            seed,
            sides: loop_ns.map(side),
        }
    }

    #[test]
    fn the_middle_of_an_even_count_lies_between_the_two_there() {
        let check = |all: &[u128], expect: [u128; 3]| {
            let ends = Ends::of(all.to_vec()).expect("some");
            assert_eq!([ends.least, ends.median, ends.most], expect, "{all:?}");
        };
        check(&[7], [7, 7, 7]);
        check(&[9, 1, 5], [1, 5, 9]);
        check(&[9, 1, 4, 5], [1, 4, 9]);
        assert_eq!(Ends::of(Vec::new()), None);
    }

    #[test]
    fn a_row_has_the_middle_the_ends_and_the_ratio_of_each_seed() {
        let seeds = [
            seeded(1, [Some(4_870), Some(19_690)]),
            seeded(2, [Some(4_860), Some(19_700)]),
            seeded(3, [Some(4_880), Some(19_690)]),
        ];
        let rows = rows(&seeds, Style::Ascii);
        let text = |one: &str, other: &str| Some((one.to_owned(), other.to_owned()));
        assert_eq!(
            rows,
            [Row {
                label: "time per loop".to_owned(),
                sides: [
                    text("4.87 us", "4.86 to 4.88"),
                    text("19.69 us", "19.69 to 19.70")
                ],
                change: text("x4.04", "4.03 to 4.05"),
            }]
        );
        assert_eq!(
            lines(&seeds),
            [
                "seeds 1 to 3: the middle, and from least to most",
                "time per loop                    A       4.87 us  4.86 to 4.88",
                "                                 B      19.69 us  19.69 to 19.70",
                "                                 B/A       x4.04  4.03 to 4.05",
            ]
        );
        let json = to_json(&seeds);
        assert_eq!(json["seeds"], json!([1, 2, 3]));
        assert_eq!(json["a"]["loop_ns"]["median"], 4_870);
        assert_eq!(json["b"]["loop_ns"]["values"], json!([19_690, 19_700, 19_690]));
        assert_eq!(
            json["b"].as_object().map(Map::len),
            Some(1),
            "what nobody has is not there"
        );
    }

    #[test]
    fn a_side_that_is_off_has_no_figures_and_no_ratio() {
        let seeds = [seeded(1, [Some(4_870), None]), seeded(2, [Some(4_870), None])];
        let rows = rows(&seeds, Style::Ascii);
        let all = Some(("4.87 us".to_owned(), "all".to_owned()));
        assert_eq!(
            (rows[0].sides.clone(), rows[0].change.clone()),
            ([all, None], None)
        );
    }
}
