//! Every governor, on any table and any input: explaining changes nothing, a clone is a
//! checkpoint, nothing overflows, and the choice is a state of the table.

use idlescope::cpuidle::accounting::{Miss, miss};
use idlescope::cpuidle::{
    Choice, Decision, Device, Governor, IdleState, Kernel, SleepLength, StateMask, StateTable, Step, Wakeup,
};
use idlescope::probe::{Off, Steps};
use idlescope::units::{Energy, Microwatts, Ns, StateIdx, Time};
use proptest::prelude::*;

/// All that one period can bring.
#[derive(Clone, Debug)]
pub(super) struct Period {
    now: i64,
    clock: i64,
    sleep_length: i64,
    delta_tick: i64,
    tick_stopped: bool,
    nr_iowait: u32,
    load: u64,
    utilization: u64,
    disabled: u16,
    latency_req: i64,
    time_to_wakeup: Option<i64>,
    next_interrupt: Option<i64>,
    jiffies: u64,
    need_resched: bool,
    /// None when the entry fails.
    entered: Option<u8>,
    residency: i64,
    got_tick: bool,
    poll_timed_out: bool,
}

struct Moment<'a> {
    period: &'a Period,
    now: i64,
    queries: u32,
}

impl Kernel for Moment<'_> {
    fn now(&self) -> Time {
        Time::from_ns(self.now)
    }
    fn latency_req(&self) -> Ns {
        Ns::new(self.period.latency_req)
    }
    fn disabled(&self) -> StateMask {
        StateMask::from_bits(self.period.disabled)
    }
    fn tick_stopped(&self) -> bool {
        self.period.tick_stopped
    }
    fn sleep_length(&mut self) -> SleepLength {
        self.queries += 1;
        SleepLength {
            to_event: Ns::new(self.period.sleep_length),
            to_event_or_tick: Ns::new(self.period.delta_tick),
        }
    }
    fn nr_iowait(&self) -> u32 {
        self.period.nr_iowait
    }
    fn load(&self) -> u64 {
        self.period.load
    }
    fn utilization(&self) -> u64 {
        self.period.utilization
    }
    fn next_interrupt(&mut self) -> Option<Time> {
        self.period.next_interrupt.map(Time::from_ns)
    }
    fn jiffies(&self) -> u64 {
        self.period.jiffies
    }
    fn need_resched(&self) -> bool {
        self.period.need_resched
    }
    fn time_to_wakeup(&self) -> Option<Ns> {
        self.period.time_to_wakeup.map(Ns::new)
    }
    fn energy(&self, state: StateIdx, stay: Ns) -> Option<Energy> {
        let power = Microwatts::new(u32::from(10 - state.number().min(9)) * 1_000);
        Some(power * stay + Microwatts::new(1_000) * Ns::from_us(i64::from(state.number())))
    }
}

/// Every choice of the catalogue, and each with each of its numbers as small and as large as may be.
pub(super) fn choices() -> impl Iterator<Item = Choice> {
    let tuned = Choice::all().flat_map(|choice| {
        choice.knobs().flat_map(move |(knob, ..)| {
            let spec = knob.spec();
            [spec.min, spec.max]
                .into_iter()
                .filter_map(move |value| choice.with_knob(knob, value))
        })
    });
    Choice::all_patched().chain(tuned)
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cpu {
    governor: Governor,
    device: Device,
}

impl Cpu {
    pub(super) fn new(choice: Choice, capacity: u64) -> Self {
        Self {
            governor: choice.build(capacity),
            device: Device::default(),
        }
    }

    /// One period; with `steps`, told to it. Returns the decision and the looks at the timer.
    pub(super) fn run(
        &mut self,
        world: &World,
        period: &Period,
        steps: Option<&mut Steps<Step>>,
    ) -> (Decision, u32) {
        let mut kernel = Moment {
            period,
            now: period.now,
            queries: 0,
        };
        let (table, tick, device) = (&world.table, world.tick, &mut self.device);
        let decision = match steps {
            None => self.governor.select(table, tick, device, &mut kernel, &mut Off),
            Some(steps) => self.governor.select(table, tick, device, &mut kernel, steps),
        };
        kernel.now = period.clock;
        self.device.last_residency = Ns::new(period.residency);
        self.device.poll_timed_out = period.poll_timed_out;
        if let Some(entered) = period.entered {
            let wakeup = Wakeup {
                entered: StateIdx::new(entered),
                got_tick: period.got_tick,
            };
            self.governor
                .reflect(&world.table, world.tick, &mut self.device, &kernel, wakeup);
        }
        (decision, kernel.queries)
    }
}

#[derive(Clone, Debug)]
pub(super) struct World {
    pub(super) table: StateTable,
    tick: Ns,
    pub(super) capacity: u64,
}

/// Durations at the edges of what is representable and around what matters.
fn duration() -> impl Strategy<Value = i64> {
    prop_oneof![
        Just(0),
        Just(i64::MAX),
        Just(i64::MIN),
        Just(-1),
        -50_000_000..50_000_000_i64,
        0..200_000_i64,
        (0_u32..63).prop_map(|shift| 1 << shift),
        any::<i64>(),
    ]
}

pub(super) fn world() -> impl Strategy<Value = World> {
    let time = || prop_oneof![Just(0), Just(3_600_000_000_000), 0..5_000_000_i64, 0..50_000_i64];
    let state = (time(), time(), prop::bool::weighted(0.2));
    let states = prop::collection::vec(state, 1..=10);
    let tick = prop::sample::select(vec![10_000_000_i64, 4_000_000, 3_333_333, 1_000_000]);
    (states, any::<bool>(), tick, 0..4096_u64).prop_map(|(mut states, ascending, tick, capacity)| {
        if ascending {
            states.sort_unstable();
        }
        let states = states
            .into_iter()
            .map(|(target_residency, exit_latency, polling)| IdleState {
                name: String::new(),
                exit_latency: Ns::new(exit_latency),
                target_residency: Ns::new(target_residency),
                polling,
                timer_stop: false,
            })
            .collect();
        World {
            table: StateTable::new(states).expect("within the limits"),
            tick: Ns::new(tick),
            capacity,
        }
    })
}

pub(super) fn period() -> impl Strategy<Value = Period> {
    let clocks = (duration(), duration());
    let timer = (
        duration(),
        duration(),
        any::<bool>(),
        prop::option::of(duration()),
    );
    let load = (
        prop_oneof![Just(0), Just(u32::MAX), 0..5_u32],
        prop_oneof![Just(0), Just(u64::MAX), 0..100_u64],
        prop_oneof![Just(0), Just(u64::MAX), 0..10_000_u64],
    );
    let limits = (prop_oneof![Just(0_u16), any::<u16>()], duration());
    let others = (
        prop::option::of(duration()),
        prop_oneof![Just(0), Just(u64::MAX), 0..1_000_u64, any::<u64>()],
        any::<bool>(),
    );
    let wake = (
        prop::option::weighted(0.9, 0..12_u8),
        duration(),
        any::<bool>(),
        any::<bool>(),
    );
    (clocks, timer, load, limits, others, wake).prop_map(
        |(
            (now, clock),
            (sleep_length, delta_tick, tick_stopped, time_to_wakeup),
            (nr_iowait, utilization, load),
            (disabled, latency_req),
            (next_interrupt, jiffies, need_resched),
            (entered, residency, got_tick, poll_timed_out),
        )| Period {
            now,
            clock,
            sleep_length,
            delta_tick,
            tick_stopped,
            nr_iowait,
            load,
            utilization,
            disabled,
            latency_req,
            time_to_wakeup,
            next_interrupt,
            jiffies,
            need_resched,
            entered,
            residency,
            got_tick,
            poll_timed_out,
        },
    )
}

proptest! {
    #[test]
    fn explaining_changes_neither_decision_nor_memory(
        world in world(),
        periods in prop::collection::vec(period(), 1..40),
    ) {
        for choice in choices() {
            let mut silent = Cpu::new(choice, world.capacity);
            let mut telling = silent.clone();
            for period in &periods {
                let mut steps = Steps::default();
                let decision = silent.run(&world, period, None);
                prop_assert_eq!(decision, telling.run(&world, period, Some(&mut steps)), "{}", choice);
                prop_assert_eq!(&silent, &telling, "{}", choice);
                let disabled = StateMask::from_bits(period.disabled);
                let any_enabled = world.table.indices().any(|idx| !disabled.contains(idx));
                prop_assert!(!any_enabled || !steps.0.is_empty(), "{} explains nothing", choice);
                prop_assert!(decision.0.state <= world.table.last(), "{}", choice);
            }
        }
    }

    #[test]
    fn running_on_from_a_clone_equals_the_run(
        world in world(),
        before in prop::collection::vec(period(), 0..20),
        after in prop::collection::vec(period(), 1..20),
    ) {
        for choice in choices() {
            let mut run = Cpu::new(choice, world.capacity);
            for period in &before {
                run.run(&world, period, None);
            }
            let mut from_clone = run.clone();
            let decisions: Vec<_> = after.iter().map(|period| run.run(&world, period, None)).collect();
            for (period, decision) in after.iter().zip(decisions) {
                prop_assert_eq!(from_clone.run(&world, period, None), decision, "{}", choice);
            }
            prop_assert_eq!(run, from_clone, "{}", choice);
        }
    }

    /// Without a latency limit, a stay of the foreseen length, exit included, in the ideal state
    /// is neither too deep nor too shallow.
    #[test]
    fn ideal_never_misses(world in world(), mut period in period(), stay in 0..100_000_000_i64) {
        period.time_to_wakeup = Some(stay);
        period.latency_req = i64::MAX;
        let ideal: Choice = "ideal".parse().expect("in the catalogue");
        let state = Cpu::new(ideal, 1024).run(&world, &period, None).0.state;
        let residency = Ns::new(stay) + world.table.exit_latency(state);
        prop_assert_eq!(miss(&world.table, StateMask::from_bits(period.disabled), state, residency), None);
    }
}

fn decision(choice: &str, world: &World, period: &Period) -> Decision {
    let choice: Choice = choice.parse().expect("in the catalogue");
    Cpu::new(choice, 1024).run(world, period, None).0
}

proptest! {
    #[test]
    fn the_fixed_baseline_takes_its_state_or_the_next_above_it(
        world in world(),
        period in period(),
        wanted in 0..10_u8,
    ) {
        let decision = decision(&format!("fixed~state{wanted}"), &world, &period);
        let disabled = StateMask::from_bits(period.disabled);
        let enabled = |idx: &StateIdx| !disabled.contains(*idx);
        let below: Vec<StateIdx> = world.table.indices().filter(enabled).collect();
        let expected = below.iter().rev().find(|idx| idx.number() <= wanted).or(below.first());
        prop_assert_eq!(decision.state, expected.copied().unwrap_or_default());
    }

    #[test]
    fn ideal_by_energy_is_never_dearer_than_ideal_by_residency(
        world in world(),
        mut period in period(),
        stay in 0..100_000_000_i64,
    ) {
        period.time_to_wakeup = Some(stay);
        let moment = Moment { period: &period, now: 0, queries: 0 };
        let cost = |name: &str| moment.energy(decision(name, &world, &period).state, Ns::new(stay));
        prop_assert!(cost("ideal-energy") <= cost("ideal"));
    }
}

/// `entered at residency in µs, disabled states: verdict`, on the table of spec
/// idle-loop-and-tick.md §2.4.
#[track_caller]
fn check(entered: u8, residency_ns: i64, disabled: u16, expected: Option<Miss>) {
    let state = |name: &str, exit_us, target_us, polling| IdleState {
        name: name.to_owned(),
        exit_latency: Ns::from_us(exit_us),
        target_residency: Ns::from_us(target_us),
        polling,
        timer_stop: false,
    };
    let table = StateTable::new(vec![
        state("POLL", 0, 0, true),
        state("C1", 2, 2, false),
        state("C1E", 10, 20, false),
        state("C3", 80, 211, false),
        state("C6", 104, 345, false),
    ])
    .expect("within the limits");
    let found = miss(
        &table,
        StateMask::from_bits(disabled),
        StateIdx::new(entered),
        Ns::new(residency_ns),
    );
    assert_eq!(found, expected);
}

#[test]
fn misses_follow_the_kernels_rule() {
    let (deep, shallow) = (Some(Miss::TooDeep), Some(Miss::TooShallow));
    check(3, 210_999, 0, deep);
    check(3, 211_000, 0, None);
    check(3, 424_999, 0, None);
    check(3, 425_000, 0, shallow);
    check(3, 425_000, 0b1_0000, None);
    check(2, 221_000, 0, shallow);
    check(2, 355_000, 0b0_1000, shallow);
    check(2, 300_000, 0b0_1000, None);
    check(1, 1_900, 0b0_0001, None);
    check(0, 2_000, 0, shallow);
    check(0, 0, 0, None);
    check(4, 1_000_000_000, 0, None);
}
