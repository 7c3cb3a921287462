use std::rc::Rc;

use super::*;
use crate::page::extras::Extra;
use crate::page::plot::{Anchor, Dash};
use crate::page::session::{Shape as Kind, Strip, WHOLE};
use crate::sim::{Cause, Flags};

/// A colour for everything, none twice.
fn palette() -> Palette {
    let of = |n: u8| [n, 0, 0, 255];
    Palette {
        depth: std::array::from_fn(|n| of(100 + n as u8)),
        on_depth: std::array::from_fn(|n| of(120 + n as u8)),
        floor: of(1),
        busy: of(2),
        surface: of(3),
        line: of(4),
        line_strong: of(5),
        running: of(6),
        stopped: of(7),
        accent: of(8),
        unknown: of(9),
        wash: of(10),
        hatch: of(11),
    }
}

/// One decision, ns and state; the tick keeps running unless `flags` say otherwise.
#[derive(Clone, Copy)]
struct Idle {
    entry: u32,
    exit: u32,
    state: u32,
    cause: Cause,
    flags: Flags,
}

fn idle(entry: u32, exit: u32, state: u32) -> Idle {
    Idle {
        entry,
        exit,
        state,
        cause: Cause::Timer,
        flags: Flags::NONE,
    }
}

fn rows(idles: &[Idle]) -> LaneView {
    let data = (0..).zip(idles).flat_map(|(n, idle)| {
        let cause = Cause::ALL.iter().position(|cause| *cause == idle.cause);
        let what = idle.state | idle.state << 8 | (cause.unwrap_or(0) as u32) << 16;
        let Idle { entry, exit, .. } = *idle;
        [
            n,
            entry,
            0,
            exit,
            0,
            exit,
            0,
            what,
            u32::from(idle.flags.bits()),
            n,
        ]
    });
    LaneView {
        shape: Kind::Rows,
        data: data.collect(),
    }
}

/// Columns 1 024 ns wide: busy share, stopped share, then the shares of the states.
fn columns(shares: &[(u32, u32, [u32; 3])]) -> LaneView {
    let data = shares.iter().flat_map(|(busy, stopped, states)| {
        let [a, b, c] = *states;
        [*busy, *stopped, 1, 0, 0, 0, a, b, c]
    });
    LaneView {
        shape: Kind::Columns {
            shift: 10,
            first: 0,
            states: 3,
        },
        data: data.collect(),
    }
}

/// A timeline of CPU 0, 10 000 ns on 1 000 px right of 100.
struct Stage {
    view: View,
    layout: Rc<Layout>,
    pieces: Pieces,
    tables: Vec<CpuStates>,
    chosen: Vec<Chosen>,
}

const CPU: CpuId = CpuId::new(0);

impl Stage {
    fn new(lanes: Vec<(LaneId, LaneView)>) -> Self {
        let shown: Vec<LaneId> = lanes.iter().map(|(lane, _)| *lane).collect();
        Self {
            view: View::default(),
            layout: Rc::new(Layout::new(&Contents {
                cpus: &[CPU],
                open: &[CPU],
                lanes: &shown,
                extras: &[],
                phone: false,
            })),
            pieces: Pieces {
                from: Time::ZERO,
                to: Time::from_ns(10_000),
                lanes: lanes.into_iter().map(|(lane, view)| (CPU, lane, view)).collect(),
                differs: Vec::new(),
                strips: Vec::new(),
            },
            tables: vec![CpuStates {
                cpus: vec![CPU],
                names: ["WFI", "cpu-sleep-0", "cluster-sleep-0"]
                    .map(str::to_owned)
                    .to_vec(),
            }],
            chosen: Vec::new(),
        }
    }

    fn scene(&self) -> Scene<'_> {
        Scene {
            view: &self.view,
            layout: &self.layout,
            scale: Scale {
                window: Window::new(Time::ZERO, Time::from_ns(10_000)),
                left: 100.0,
                width: 1_000.0,
            },
            scroll: 0.0,
            width: 1_108.0,
            height: 300.0,
            pieces: Some(&self.pieces),
            tables: &self.tables,
            start: Time::from_ns(69_000_000_000),
            tick: Ns::from_ms(4),
            cpu: CPU,
            chosen: &self.chosen,
            sent: None,
        }
    }

    fn place(&self, lane: LaneId) -> Place {
        let row = self.layout.rows.first().expect("one CPU");
        let place = row.lanes.iter().find(|place| place.lane == lane);
        self.scene().placed(place.expect("the lane is laid out"))
    }

    fn texts(&self) -> Vec<(f64, f64, String)> {
        let marks = self.scene().marks();
        marks
            .into_iter()
            .filter_map(|shape| match shape {
                Shape::Text { x, y, text, .. } => Some((x, y, text)),
                _ => None,
            })
            .collect()
    }
}

/// Device pixels of one column that have this colour, from top to bottom.
fn run(raster: &Raster, x: usize, colour: Rgba) -> Vec<usize> {
    (0..raster.height)
        .filter(|y| raster.pixel(x, *y) == Some(colour))
        .collect()
}

#[test]
fn the_deeper_the_state_the_lower_its_floor() {
    for ratio in [1.0, 2.0] {
        let stage = Stage::new(vec![(
            LaneId::A,
            rows(&[
                idle(1_000, 3_000, 0),
                idle(4_000, 6_000, 1),
                idle(7_000, 9_000, 2),
            ]),
        )]);
        let place = stage.place(LaneId::A);
        let palette = palette();
        let raster = stage.scene().raster(ratio, &palette);
        for (state, ns) in [(0, 2_000), (1, 5_000), (2, 8_000)] {
            let x = ((100.0 + f64::from(ns) / 10.0) * ratio) as usize;
            let floor = run(&raster, x, palette.floor);
            let depth = place.waterline() + place.depth * f64::from(state + 1) / 3.0;
            let lowest = floor.last().copied().expect("each block has a floor");
            let expect = depth * ratio;
            assert!(
                (lowest as f64 + 1.0 - expect).abs() <= 1.0,
                "state {state}: floor ends at {lowest}, expected {expect}"
            );
            let block = run(&raster, x, palette.state(state as usize, 3));
            assert!(block.len() as f64 >= (place.depth * f64::from(state + 1) / 3.0 - 3.0) * ratio);
        }
    }
}

#[test]
fn a_block_has_depth_and_colour_by_its_place_in_the_table_of_its_own_cpu() {
    let little = CpuId::new(CPU.number() + 1);
    let mut stage = Stage::new(vec![(LaneId::A, rows(&[idle(1_000, 9_000, 1)]))]);
    stage.layout = Rc::new(Layout::new(&Contents {
        cpus: &[CPU, little],
        open: &[CPU, little],
        lanes: &[LaneId::A],
        extras: &[],
        phone: false,
    }));
    let view = rows(&[idle(1_000, 9_000, 1)]);
    stage.pieces.lanes.push((little, LaneId::A, view));
    stage.tables.push(CpuStates {
        cpus: vec![little],
        names: ["WFI", "cpu-sleep-0"].map(str::to_owned).to_vec(),
    });
    let (scene, palette) = (stage.scene(), palette());
    let raster = scene.raster(1.0, &palette);
    for (row, states) in [(0, 3), (1, 2)] {
        let place = scene.placed(&stage.layout.rows[row].lanes[0]);
        let (top, floor) = (place.waterline(), block_height(&place, 1, states));
        let at = |share: f64| raster.pixel(613, (top + floor * share) as usize);
        assert_eq!(at(0.5), Some(palette.state(1, states)), "of {states}");
        assert_eq!(
            at(1.2),
            Some(palette.surface),
            "of {states}: nothing under the floor"
        );
    }
}

#[test]
fn between_two_blocks_the_cpu_is_busy_above_the_waterline() {
    let stage = Stage::new(vec![(
        LaneId::A,
        rows(&[idle(1_000, 3_000, 0), idle(4_000, 6_000, 1)]),
    )]);
    let (place, palette) = (stage.place(LaneId::A), palette());
    let raster = stage.scene().raster(1.0, &palette);
    let busy = run(&raster, 450, palette.busy);
    assert_eq!(busy.first().copied(), Some(place.top as usize));
    assert!(busy.iter().all(|y| (*y as f64) < place.waterline()), "{busy:?}");
    assert!(run(&raster, 300, palette.busy).is_empty());
}

#[test]
fn what_is_before_the_first_decision_is_unknown_not_busy() {
    let stage = Stage::new(vec![(LaneId::A, rows(&[idle(5_000, 6_000, 0)]))]);
    let (palette, raster) = (palette(), stage.scene().raster(1.0, &palette()));
    assert!((100..600).all(|x| run(&raster, x, palette.busy).is_empty()));
    assert!((100..600).any(|x| !run(&raster, x, palette.unknown).is_empty()));
}

#[test]
fn shares_of_the_states_stack_to_the_idle_share() {
    let quarter = WHOLE / 4;
    let stage = Stage::new(vec![(
        LaneId::A,
        columns(&[
            (quarter, 0, [quarter, quarter, quarter]),
            (WHOLE / 2, 0, [0, quarter, quarter]),
        ]),
    )]);
    let (place, palette) = (stage.place(LaneId::A), palette());
    let raster = stage.scene().raster(4.0, &palette);
    for (x, idle) in [(600, 0.75), (1_000, 0.5)] {
        let drawn: usize = (0..3)
            .map(|state| run(&raster, x, palette.state(state, 3)).len())
            .sum::<usize>()
            + run(&raster, x, palette.floor).len();
        let expect = place.depth * idle * 4.0;
        assert!(
            (drawn as f64 - expect).abs() <= 3.0,
            "{drawn} device pixels, expected {expect}"
        );
        let shallow = run(&raster, x, palette.state(1, 3));
        let deep = run(&raster, x, palette.state(2, 3));
        assert!(shallow.last() < deep.first(), "shallow above deep");
    }
}

#[test]
fn misses_stand_at_the_lower_right_corner_of_their_block() {
    let deep = Idle {
        flags: Flags::TOO_DEEP,
        ..idle(1_000, 3_000, 1)
    };
    let shallow = Idle {
        flags: Flags::TOO_SHALLOW,
        ..idle(4_000, 6_000, 0)
    };
    let stage = Stage::new(vec![(LaneId::A, rows(&[deep, shallow]))]);
    let place = stage.place(LaneId::A);
    let marks = stage.scene().marks();
    let triangle = |ink: Ink| {
        marks.iter().find_map(|shape| match shape {
            Shape::Path {
                points, fill, stroke, ..
            } if *fill == ink || (*stroke == ink && points.len() == 4) => Some(points.clone()),
            _ => None,
        })
    };
    let bounds = |points: &[(f64, f64)]| {
        let over = |pick: fn(&(f64, f64)) -> f64, best: fn(f64, f64) -> f64, start: f64| {
            points.iter().map(pick).fold(start, best)
        };
        (
            over(|p| p.0, f64::max, f64::MIN),
            over(|p| p.1, f64::min, f64::MAX),
            over(|p| p.1, f64::max, f64::MIN),
        )
    };
    let deep = bounds(&triangle(Ink::TOO_DEEP).expect("a filled triangle"));
    let floor = place.waterline() + block_height(&place, 1, 3);
    assert!(deep.0 <= 400.0 && deep.0 > 390.0, "right edge {}", deep.0);
    assert!(
        deep.2 < floor && deep.1 > floor - 12.0,
        "above the floor: {deep:?}"
    );
    let shallow = bounds(&triangle(Ink::TOO_SHALLOW).expect("a hollow triangle"));
    let floor = place.waterline() + block_height(&place, 0, 3);
    assert!(
        shallow.0 <= 700.0 && shallow.0 > 690.0,
        "right edge {}",
        shallow.0
    );
    assert!(shallow.1 > floor, "under the floor: {shallow:?}");
}

#[test]
fn a_name_that_does_not_fit_becomes_its_number() {
    let stage = Stage::new(vec![(
        LaneId::A,
        rows(&[
            idle(1_000, 3_000, 1),
            idle(4_000, 4_300, 2),
            idle(5_000, 5_050, 1),
        ]),
    )]);
    let names: Vec<String> = stage.texts().into_iter().map(|(.., text)| text).collect();
    assert!(names.iter().any(|name| name == "1 cpu-sleep-0"), "{names:?}");
    assert!(names.iter().any(|name| name == "2"), "{names:?}");
    assert!(!names.iter().any(|name| name == "1"), "{names:?}");
}

fn chosen(lane: LaneId, estimate: i64, timer: i64) -> Chosen {
    Chosen {
        lane,
        n: 0,
        entry: Time::from_ns(2_000),
        exit: Time::from_ns(6_000),
        state: 1,
        estimate: Some(Ns::new(estimate)),
        timer: Some(Ns::new(timer)),
    }
}

fn selected() -> Stage {
    let mut stage = Stage::new(vec![
        (LaneId::A, rows(&[idle(2_000, 6_000, 1)])),
        (LaneId::B, rows(&[idle(2_000, 6_000, 1)])),
    ]);
    stage.view.decision = Some(0);
    stage.chosen = vec![chosen(LaneId::A, 3_000, 5_000), chosen(LaneId::B, 1_000, 5_000)];
    stage
}

#[test]
fn the_estimate_is_a_bracket_from_entry_to_its_end_in_the_lanes_colour() {
    let stage = selected();
    let marks = stage.scene().marks();
    for (lane, ink, end) in [(LaneId::A, Ink::A, 600.0), (LaneId::B, Ink::B, 400.0)] {
        let place = stage.place(lane);
        let found = marks.iter().any(|shape| match shape {
            Shape::Path { points, stroke, .. } => {
                *stroke == ink
                    && matches!(points[..], [(from, y), (to, z)]
                        if from == 300.0 && to == end && y == z && y < place.top && y > place.top - 12.0)
            }
            _ => false,
        });
        assert!(found, "{lane:?}");
    }
    let texts = stage.texts();
    for estimate in ["estimate 3 µs", "estimate 1 µs"] {
        assert!(
            texts
                .iter()
                .any(|(.., text)| text.replace('\u{202f}', " ") == estimate),
            "{estimate}: {texts:?}"
        );
    }
}

#[test]
fn no_pin_strikes_an_estimate_through() {
    for (estimate, timer) in [
        (3_000, 3_400),
        (1_000, 1_900),
        (7_500, 7_000),
        (6_000, 6_600),
        (500, 40_000),
    ] {
        let mut stage = selected();
        stage.chosen = vec![chosen(LaneId::A, estimate, timer)];
        let texts = stage.texts();
        let (left, _, text) = texts
            .iter()
            .find(|(.., text)| text.starts_with("estimate"))
            .expect("it is labelled");
        let right = left + crate::page::plot::label::width(text, 10.0);
        let pin = stage.scene().marks().into_iter().find_map(|shape| match shape {
            Shape::Mark { x, fill, stroke, .. } if fill == Ink::SURFACE && stroke == Ink::INK => Some(x),
            _ => None,
        });
        assert!(
            pin.is_none_or(|pin| pin < left - 2.8 || pin > right + 2.8),
            "{estimate} {timer}: {pin:?} in {left} to {right}"
        );
        assert!(*left >= 0.0 && right <= 1_100.0);
    }
}

#[test]
fn the_next_timer_is_a_pin_with_a_hollow_head() {
    let stage = selected();
    let heads = stage.scene().marks().into_iter().filter(|shape| {
        matches!(shape, Shape::Mark { x, fill, stroke, .. }
            if *x == 800.0 && *fill == Ink::SURFACE && *stroke == Ink::INK)
    });
    assert_eq!(heads.count(), 2);
}

#[test]
fn nothing_is_expected_of_a_decision_that_is_not_the_selected_one() {
    let mut stage = selected();
    stage.view.decision = Some(1);
    assert!(!stage.texts().iter().any(|(.., text)| text.contains("estimate")));
}

#[test]
fn both_variants_blocks_of_the_selected_decision_are_framed() {
    let stage = selected();
    let frames = stage.scene().marks().into_iter().filter(|shape| {
        matches!(shape, Shape::Path { points, stroke, width, .. }
            if points.len() == 5 && *stroke == Ink::ACCENT && *width == 2.0)
    });
    assert_eq!(frames.count(), 2);
    let (palette, raster) = (palette(), stage.scene().raster(1.0, &palette()));
    assert!(!run(&raster, 450, palette.wash).is_empty());
    assert!(run(&raster, 750, palette.wash).is_empty());
}

#[test]
fn labels_of_the_ruler_keep_off_the_edges_the_flag_and_each_other() {
    let mut stage = selected();
    stage.view.cursor = Time::from_ns(4_200);
    for len in [700_i64, 10_000, 123_456, 9_000_000, 1_500_000_000] {
        let scene = stage.scene();
        let scene = Scene {
            scale: Scale {
                window: Window::new(Time::ZERO, Time::from_ns(len)),
                ..scene.scale
            },
            ..scene
        };
        let marks = scene.marks();
        let mut labels: Vec<(f64, f64)> = Vec::new();
        for shape in &marks {
            if let Shape::Text {
                x,
                y,
                text,
                anchor: Anchor::Middle,
                size,
                ..
            } = shape
                && *y < RULER
            {
                let half = crate::page::plot::label::width(text, *size) / 2.0;
                labels.push((x - half, x + half));
            }
        }
        labels.sort_by(|one, other| one.0.total_cmp(&other.0));
        assert!(labels.len() > 2, "{len}: {labels:?}");
        assert!(
            labels.iter().all(|(_, right)| *right <= scene.width),
            "{labels:?}"
        );
        assert!(
            labels.windows(2).all(|pair| pair[0].1 < pair[1].0),
            "{len}: {labels:?}"
        );
    }
}

#[test]
fn a_range_is_hatched_and_says_its_length() {
    let mut stage = selected();
    stage.view.decision = None;
    stage.view.range = Some(Window::new(Time::from_ns(1_000), Time::from_ns(9_000)));
    let texts = stage.texts();
    assert!(
        texts.iter().any(|(.., text)| text == "range 8\u{202f}µs"),
        "{texts:?}"
    );
    let (palette, raster) = (palette(), stage.scene().raster(1.0, &palette()));
    assert!(!run(&raster, 530, palette.hatch).is_empty());
    assert!(run(&raster, 150, palette.hatch).is_empty());
}

#[test]
fn the_overview_speaks_the_traces_own_time() {
    let start = Time::from_ns(69_039_000_000);
    let end = Time::from_ns(70_593_000_000);
    let stamps = stamps(start, end, (88.0, 752.0));
    let texts: Vec<String> = stamps
        .iter()
        .map(|(_, text)| text.replace('\u{202f}', " "))
        .collect();
    assert_eq!(
        texts,
        [
            "69.2 s", "69.4 s", "69.6 s", "69.8 s", "70.0 s", "70.2 s", "70.4 s"
        ]
    );
    assert!(
        stamps.iter().all(|(x, _)| (88.0..752.0).contains(x)),
        "{stamps:?}"
    );
}

#[test]
fn many_misses_become_counts_that_lose_none() {
    let short = |n: u32| Idle {
        flags: if n.is_multiple_of(3) {
            Flags::TOO_DEEP
        } else {
            Flags::TOO_SHALLOW
        },
        ..idle(n * 100, n * 100 + 80, 0)
    };
    let stage = Stage::new(vec![(LaneId::A, rows(&(0..90).map(short).collect::<Vec<_>>()))]);
    let marks = stage.scene().marks();
    let sum = |wanted: Ink| -> u32 {
        let counts = marks.iter().filter_map(|shape| match shape {
            Shape::Text { text, ink, .. } if *ink == wanted => text.parse::<u32>().ok(),
            _ => None,
        });
        counts.sum()
    };
    assert_eq!((sum(Ink::TOO_DEEP), sum(Ink::TOO_SHALLOW)), (30, 60));
    let triangles = marks
        .iter()
        .filter(|shape| matches!(shape, Shape::Path { fill, .. } if *fill == Ink::TOO_DEEP));
    assert_eq!(triangles.count(), 0);
    let clocks = marks
        .iter()
        .filter(|shape| matches!(shape, Shape::Mark { fill, .. } if *fill == Ink::NONE));
    assert_eq!(clocks.count(), 0, "causes give way to counts");
}

#[test]
fn a_single_miss_is_seen_when_blocks_are_columns() {
    let quarter = WHOLE / 4;
    let mut view = columns(&[(quarter, 0, [quarter, quarter, quarter]); 8]);
    // The fourth number of a column counts the too deep.
    view.data[3 + 9 * 4] = 1;
    let stage = Stage::new(vec![(LaneId::A, view)]);
    let place = stage.place(LaneId::A);
    let seen = stage.scene().marks().into_iter().any(|shape| {
        matches!(shape, Shape::Path { points, fill: Ink::TOO_DEEP, .. }
            if points.iter().all(|(x, y)| (540.0..580.0).contains(x) && *y < place.top))
    });
    assert!(seen, "the column from 4 096 ns on");
}

#[test]
fn differences_are_strips_and_equal_stretches_stay_blank() {
    let mut stage = selected();
    stage.pieces.differs = vec![(CPU, vec![(Time::from_ns(2_000), Time::from_ns(3_000))])];
    let strips: Vec<(f64, f64)> = stage
        .scene()
        .marks()
        .into_iter()
        .filter_map(|shape| match shape {
            Shape::Rect {
                x,
                width,
                height: 4.0,
                fill: Ink::ACCENT,
                ..
            } => Some((x, width)),
            _ => None,
        })
        .collect();
    assert_eq!(strips, [(300.0, 100.0)]);
}

#[test]
fn what_is_not_known_says_so() {
    let stage = Stage::new(vec![(LaneId::A, rows(&[idle(5_000, 6_000, 0)]))]);
    assert!(stage.texts().iter().any(|(.., text)| text == "unknown"));
    let known = Stage::new(vec![(LaneId::A, rows(&[idle(0, 6_000, 0)]))]);
    assert!(!known.texts().iter().any(|(.., text)| text == "unknown"));
}

#[test]
fn an_interrupt_is_drawn_from_its_sender_to_the_block_that_it_ended() {
    let other = CpuId::new(3);
    let stage = Stage::new(vec![(LaneId::A, rows(&[idle(1_000, 5_000, 0)]))]);
    let layout = Layout::new(&Contents {
        cpus: &[CPU, other],
        open: &[CPU],
        lanes: &[LaneId::A],
        extras: &[],
        phone: false,
    });
    let drawn = |at: i64, woke: i64| {
        let scene = Scene {
            layout: &layout,
            sent: Some(Sent {
                from: other,
                at: Time::from_ns(at),
                to: CPU,
                lane: LaneId::A,
                woke: Time::from_ns(woke),
            }),
            ..stage.scene()
        };
        let place = |row: usize| scene.placed(&layout.rows[row].lanes[0]);
        let ends = (place(1).waterline(), place(0).top - 6.0);
        let marks = scene.marks();
        let line = marks.iter().find_map(|shape| match shape {
            Shape::Path { points, stroke, .. } if *stroke == Ink::ACCENT && points.len() == 2 => {
                Some((points[0], points[1]))
            }
            _ => None,
        });
        let named = marks
            .iter()
            .any(|shape| matches!(shape, Shape::Text { text, .. } if text == "IPI of cpu3"));
        (line, named, ends)
    };
    let (line, named, (start, tip)) = drawn(4_000, 5_000);
    assert_eq!(line, Some(((500.0, start), (600.0, tip))));
    assert!(named && tip < start);
    let (line, named, _) = drawn(-1, 5_000);
    assert!(line.is_none() && !named, "a sender out of sight is not drawn");
}

#[test]
fn a_strip_draws_what_each_variant_read_and_the_height_that_matters() {
    let mut stage = Stage::new(vec![(LaneId::A, rows(&[idle(1_000, 5_000, 0)]))]);
    stage.layout = Rc::new(Layout::new(&Contents {
        cpus: &[CPU],
        open: &[CPU],
        lanes: &[LaneId::A],
        extras: &[Extra::Utilization],
        phone: false,
    }));
    stage.pieces.strips = vec![(
        CPU,
        Strip {
            extra: Extra::Utilization,
            series: vec![(
                LaneId::A,
                vec![
                    (Time::from_ns(1_000), Time::from_ns(5_000), 0.75),
                    (Time::from_ns(20_000), Time::from_ns(21_000), 0.5),
                ],
            )],
            mark: Some(0.5),
            note: String::new(),
        },
    )];
    let (_, top) = stage.layout.rows[0].strips[0];
    let top = stage.scene().y(top);
    let marks = stage.scene().marks();
    let rects: Vec<_> = marks
        .iter()
        .filter_map(|shape| match shape {
            Shape::Rect {
                x, y, width, fill, ..
            } if *fill == Ink::A => Some((*x, *y, *width)),
            _ => None,
        })
        .collect();
    // One value, three quarters up; the other one lies outside the window.
    assert_eq!(rects, [(200.0, top + 4.0 - 0.8, 400.0)]);
    let labels: Vec<String> = stage.texts().into_iter().map(|(.., text)| text).collect();
    assert!(labels.contains(&"util.".to_owned()), "{labels:?}");
    let dotted = marks.iter().any(|shape| {
        matches!(shape, Shape::Path { points, dash: Dash::Dotted, .. } if points[0] == (100.0, top + 8.0))
    });
    assert!(dotted, "the threshold");
}
