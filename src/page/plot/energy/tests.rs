//! The chart of the machine in mockup b.

use super::super::is_inside;
use super::*;

fn state(name: &str, latency: i64, residency: i64, mw: u32) -> State {
    State {
        name: name.to_owned(),
        target_residency: Ns::from_us(residency),
        exit_latency: Ns::from_us(latency),
        power: Microwatts::new(mw * 1_000),
        on: true,
    }
}

fn chart() -> Chart {
    let mut durations = vec![0; crate::analysis::durations::BINS];
    for (bin, count) in [(3, 640), (17, 158), (24, 202)] {
        durations[bin] = count;
    }
    Chart {
        width: 960.0,
        height: 560.0,
        states: vec![
            state("POLL", 0, 0, 4_000),
            state("C1", 1, 1, 1_500),
            state("C2", 120, 360, 600),
            state("C3", 1_034, 3_102, 80),
        ],
        before: Vec::new(),
        durations,
        rows: true,
        measure: Measure::Energy,
    }
}

#[test]
fn neighbours_meet_at_the_target_residency() {
    let chart = chart();
    let lines = lines(&chart.states);
    for (n, state) in chart.states.iter().enumerate().skip(1) {
        let ns = state.target_residency.as_ns() as f64;
        let (one, other) = (at(lines[n - 1], ns), at(lines[n], ns));
        assert!(
            (one - other).abs() < 1e-3 * other,
            "{}: {one} and {other}",
            state.name
        );
    }
}

#[test]
fn the_cheapest_state_is_the_deepest_that_pays_off() {
    let chart = chart();
    let layout = chart.layout();
    let order: Vec<usize> = chart
        .stretches(&layout, &lines(&chart.states))
        .into_iter()
        .map(|(.., n)| n)
        .collect();
    assert_eq!(order, [0, 1, 2, 3]);
    assert_eq!(chart.best_counts(), [0, 640, 158, 202]);
}

#[test]
fn a_state_that_is_off_is_never_the_cheapest() {
    let mut chart = chart();
    chart.states[2].on = false;
    assert_eq!(chart.best_counts()[2], 0);
}

#[test]
fn the_band_counts_the_idles_between_old_and_new() {
    let chart = chart();
    let edges = Histogram::edges();
    let bin_17 = (Ns::new(edges[16]), Ns::new(edges[17]));
    assert_eq!(chart.between(bin_17.0, bin_17.1), 158);
    assert_eq!(chart.between(bin_17.1, bin_17.0), 158);
    assert_eq!(chart.between(Ns::from_us(1), Ns::from_us(1)), 0);
}

#[test]
fn every_shape_lies_in_the_picture() {
    let mut chart = chart();
    chart.before = chart.states.clone();
    chart.states[2].target_residency = Ns::from_us(640);
    for (width, height, rows) in [(960.0, 560.0, true), (264.0, 170.0, false), (200.0, 90.0, true)] {
        let plot = Chart {
            width,
            height,
            rows,
            ..chart.clone()
        }
        .plot();
        assert!(plot.shapes.len() > 20);
        for shape in &plot.shapes {
            let tall = Plot {
                height: height.max(200.0),
                ..plot.clone()
            };
            assert!(is_inside(shape, &tall), "{width}: {shape:?}");
        }
    }
}

#[test]
fn every_handle_is_seen_where_it_is_taken() {
    let chart = chart();
    let plot = chart.plot();
    for handle in chart.handles() {
        let seen = plot.shapes.iter().any(|shape| match shape {
            Shape::Mark { x, y, .. } => (*x, *y) == (handle.x, handle.y),
            Shape::Rect {
                x, y, width, height, ..
            } => (x + width / 2.0, y + height / 2.0) == (handle.x, handle.y),
            Shape::Path { .. } | Shape::Text { .. } => false,
        });
        assert!(seen, "{handle:?}");
    }
}

#[test]
fn odd_tables_are_drawn_too() {
    let odd = [
        vec![],
        vec![state("WFI", 1, 1, 100)],
        vec![
            state("A", 5, 10, 100),
            state("B", 1, 2, 200),
            state("C", 9, 2, 200),
        ],
        vec![state("A", 0, 0, 0), state("B", 0, 0, 0)],
        vec![state("A", 0, 0, 1), state("B", 3_600_000_000, 3_600_000_000, 0)],
    ];
    for states in odd {
        let plot = Chart {
            states: states.clone(),
            ..chart()
        }
        .plot();
        for shape in &plot.shapes {
            assert!(is_inside(shape, &plot), "{states:?}: {shape:?}");
        }
    }
}

#[test]
fn the_name_says_where_each_state_begins_to_pay_off() {
    assert_eq!(
        chart().plot().name.replace('\u{202f}', "_"),
        "Energy by idle duration, estimate: POLL from 0_ns, best for about 0.0_%; \
         C1 from 1_µs, best for about 64.0_%; C2 from 360_µs, best for about 15.8_%; \
         C3 from 3.102_ms, best for about 20.2_%"
    );
}

#[test]
fn what_is_out_of_order_is_told_in_its_row() {
    let texts = |chart: &Chart| -> Vec<String> {
        let warns = chart.plot().shapes.into_iter().filter_map(|shape| match shape {
            Shape::Text {
                text, ink: Ink::WARN, ..
            } => Some(text),
            _ => None,
        });
        warns.collect()
    };
    let mut chart = chart();
    assert_eq!(texts(&chart), Vec::<String>::new());
    chart.states[2].exit_latency = Ns::from_us(400);
    assert_eq!(texts(&chart), ["exit above residency"]);
    chart.width = 288.0;
    assert_eq!(texts(&chart), ["exit above residency"]);
    chart.states[3].target_residency = Ns::from_us(10);
    assert_eq!(
        texts(&chart),
        ["exit above residency", "exit above residency, residency below C2"]
    );
    chart.states[3].name = "cluster-sleep-0".to_owned();
    assert_eq!(texts(&chart)[1], "exit above residency, …");
}

#[test]
fn a_ring_under_another_is_seen_around_it() {
    let mut chart = chart();
    chart.states[3].target_residency = chart.states[2].target_residency;
    let radii: Vec<f64> = chart
        .plot()
        .shapes
        .into_iter()
        .filter_map(|shape| match shape {
            Shape::Mark {
                x,
                r,
                diamond: false,
                y,
                ..
            } if y < chart.layout().bottom && x > 300.0 => Some(r),
            _ => None,
        })
        .collect();
    assert_eq!(radii, [8.0, 5.0]);
}

#[test]
fn a_mean_power_is_the_energy_over_its_time_and_grips_still_hold_the_power() {
    let mut chart = chart();
    chart.measure = Measure::MeanPower;
    let layout = chart.layout();
    let plot = chart.plot();
    for shape in &plot.shapes {
        assert!(is_inside(shape, &plot), "{shape:?}");
    }
    assert!(plot.name.starts_with("Mean power by idle duration"));
    for handle in chart
        .handles()
        .into_iter()
        .filter(|handle| handle.part == Part::Power)
    {
        let power = f64::from(chart.states[handle.state].power.as_uw());
        let back = chart.power_at(handle.state, handle.y);
        assert!((back - power).abs() < 1e-3 * power, "{back} and {power}");
    }
    // Both lines of a ring have the same mean power there.
    let lines = lines(&chart.states);
    let ns = chart.states[3].target_residency.as_ns() as f64;
    let mean = |n: usize| Measure::MeanPower.of(lines[n], ns);
    assert!((mean(2) - mean(3)).abs() < 1e-6 * mean(2));
    assert!(layout.y(mean(3)) < layout.bottom && layout.y(mean(3)) > layout.top);
}

#[test]
fn every_ring_of_a_narrow_chart_has_its_name() {
    let mut chart = chart();
    chart.width = 288.0;
    let names = |chart: &Chart| -> Vec<String> {
        let bottom = chart.layout().bottom;
        let strong = chart.plot().shapes.into_iter().filter_map(|shape| match shape {
            Shape::Text {
                text,
                strong: true,
                y,
                ..
            } if y < bottom => Some(text),
            _ => None,
        });
        strong.collect()
    };
    assert_eq!(names(&chart), ["C1", "C2", "C3"]);
    chart.states[3].target_residency = Ns::from_us(500);
    assert_eq!(names(&chart), ["C1", "C2", "C3"], "one under its ring");
    chart.states[3].target_residency = Ns::from_us(360);
    assert_eq!(names(&chart), ["C1", "C2 C3"]);
}
