//! The right part of an event line: the arguments of the events that are used.
//!
//! Fields are found by name wherever they stand, since their order and number differ between
//! kernels and between the kernel's own text and that of trace-cmd's plugins (spec
//! trace-text-formats.md, D3 and D11). A value must end where its field ends: `1]x` or `3D1`
//! is no number.

use memchr::memmem;

use super::dump;
use super::event::{Kind, Miss, TimerId};
use super::head::{is_blank, trim_end};
use super::intern::{Names, Timers};
use super::names::{self, Known};
use super::report::Reason;
use crate::units::{CpuId, StateIdx};

/// What the arguments lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lack {
    /// This field is absent or is no number.
    Field(&'static str),
    /// A CPU number beyond the limit.
    CpuOutOfRange,
    /// A state index that no table can have: [`MOST_STATES`] or more.
    StateOutOfRange,
    /// `(ptrval)`: the kernel hid the address, so timers cannot be told apart.
    HiddenAddress,
    /// A governor's own numbers, but not as expected.
    Dump(dump::Fault),
}

impl From<Lack> for Reason {
    fn from(lack: Lack) -> Self {
        match lack {
            Lack::Field(field) => Self::Field(field),
            Lack::CpuOutOfRange | Lack::Dump(dump::Fault::Cpu) => Self::CpuOutOfRange,
            Lack::StateOutOfRange => Self::StateOutOfRange,
            Lack::HiddenAddress => Self::HiddenAddress,
            Lack::Dump(dump::Fault::NoKey) => Self::DumpWithoutKey,
            Lack::Dump(dump::Fault::Value(key)) => Self::DumpValue(key),
            Lack::Dump(dump::Fault::Long) => Self::DumpTooLong,
            Lack::Dump(dump::Fault::Full) => Self::DumpBeyondLimit,
        }
    }
}

/// Idle states of a CPU at most, as the kernel's tables hold (spec plugin-abi.md, `CPUIDLE_STATE_MAX`).
pub(super) const MOST_STATES: u8 = 10;

/// Where texts and addresses become numbers.
#[derive(Default)]
pub(super) struct Interned {
    pub(super) names: Names,
    pub(super) timers: Timers,
    /// CPUs from this number on are out of range.
    pub(super) max_cpus: u32,
    /// `timer_start` lines whose flags a user-space tool printed by name: not to be trusted
    /// (spec replay-inputs.md §2.3).
    pub(super) untrusted_flags: u64,
}

/// Reads the arguments of one event, recorded on CPU `here`.
#[inline]
pub(super) fn parse(event: Known, here: CpuId, args: &[u8], interned: &mut Interned) -> Result<Kind, Lack> {
    match event {
        Known::CpuIdle => cpu_idle(args, interned),
        other => others(other, here, args, interned),
    }
}

#[inline]
fn cpu_idle(args: &[u8], interned: &Interned) -> Result<Kind, Lack> {
    let (state, cpu) = match in_order(args) {
        Some(both) => both,
        None => (signed(args, "state")?, number(args, "cpu_id")?),
    };
    let cpu = checked_cpu(cpu, interned)?;
    if state == -1 || state == i64::from(u32::MAX) {
        return Ok(Kind::IdleExit { cpu });
    }
    let state = u64::try_from(state)
        .map_err(|_| Lack::StateOutOfRange)
        .and_then(checked_state)?;
    Ok(Kind::IdleEnter { cpu, state })
}

/// `state=N cpu_id=M` and nothing else, as nearly all lines have it.
#[inline]
fn in_order(args: &[u8]) -> Option<(i64, u64)> {
    let (state, rest) = decimal(args.strip_prefix(b"state=")?)?;
    let (cpu, rest) = decimal(rest.strip_prefix(b" cpu_id=")?)?;
    rest.is_empty().then_some((i64::try_from(state).ok()?, cpu))
}

fn others(event: Known, here: CpuId, args: &[u8], interned: &mut Interned) -> Result<Kind, Lack> {
    Ok(match event {
        Known::CpuIdle => return cpu_idle(args, interned),
        Known::CpuIdleMiss => Kind::IdleMiss {
            cpu: checked_cpu(number(args, "cpu_id")?, interned)?,
            state: checked_state(number(args, "state")?)?,
            miss: match (field(args, "type"), field(args, "below")) {
                (Some(b"above"), _) | (None, Some(b"0")) => Miss::Above,
                (Some(b"below"), _) | (None, Some(b"1")) => Miss::Below,
                _ => return Err(Lack::Field("type")),
            },
        },
        Known::TickStop => Kind::TickStop {
            success: number(args, "success")? != 0,
        },
        Known::HrtimerInit => Kind::HrtimerInit {
            timer: timer(args, "hrtimer", interned)?,
            wall_clock: is_wall_clock(args).ok_or(Lack::Field("clockid"))?,
        },
        Known::HrtimerStart => Kind::HrtimerStart {
            timer: timer(args, "hrtimer", interned)?,
            function: function(args).and_then(|name| interned.names.id(name)),
            expires_ns: signed(args, "expires")?,
        },
        Known::HrtimerCancel => Kind::HrtimerCancel {
            timer: timer(args, "hrtimer", interned)?,
        },
        Known::HrtimerExpireEntry => Kind::HrtimerExpireEntry {
            timer: timer(args, "hrtimer", interned)?,
            function: function(args).and_then(|name| interned.names.id(name)),
            now_ns: signed(args, "now")?,
        },
        Known::HrtimerExpireExit => Kind::HrtimerExpireExit {
            timer: timer(args, "hrtimer", interned)?,
        },
        Known::TimerStart => timer_start(here, args, interned)?,
        Known::TimerCancel => Kind::TimerCancel {
            timer: timer(args, "timer", interned)?,
        },
        Known::TimerExpireEntry => Kind::TimerExpireEntry {
            timer: timer(args, "timer", interned)?,
            now_jiffies: number(args, "now")?,
            bucket_jiffies: number(args, "baseclk").ok(),
        },
        Known::IrqEntry => Kind::IrqEntry {
            irq: irq(args)?,
            name: memmem::find(args, b"name=")
                .and_then(|at| args.get(at + 5..))
                .and_then(|name| interned.names.id(trim_end(name))),
        },
        Known::IrqExit => Kind::IrqExit { irq: irq(args)? },
        Known::VectorEntry(vector) => Kind::VectorEntry { vector },
        Known::VectorExit(vector) => Kind::VectorExit { vector },
        Known::IpiRaise => Kind::IpiRaise {
            targets: field(args, "target_mask")
                .and_then(mask)
                .ok_or(Lack::Field("target_mask"))?,
        },
        Known::IpiSendCpu => {
            let cpu = checked_cpu(number(args, "cpu")?, interned)?;
            Kind::IpiRaise {
                targets: 1_u64.checked_shl(u32::from(cpu.number())).unwrap_or(0),
            }
        }
        Known::IpiSendCpumask => Kind::IpiRaise {
            targets: field(args, "cpumask")
                .and_then(mask)
                .ok_or(Lack::Field("cpumask"))?,
        },
        Known::IpiEntry => Kind::IpiEntry,
        Known::IpiExit => Kind::IpiExit,
        Known::SoftirqRaise => Kind::SoftirqRaise { vec: softirq(args)? },
        Known::SoftirqEntry => Kind::SoftirqEntry { vec: softirq(args)? },
        Known::SoftirqExit => Kind::SoftirqExit { vec: softirq(args)? },
        Known::SchedSwitch => {
            let (prev_pid, next_pid) = sched_switch(args).ok_or(Lack::Field("next_pid"))?;
            Kind::SchedSwitch { prev_pid, next_pid }
        }
        Known::SchedWakeup => {
            let (pid, target) = sched_wakeup(args).ok_or(Lack::Field("target_cpu"))?;
            Kind::SchedWakeup {
                pid,
                target: checked_cpu(target, interned)?,
            }
        }
        // These become no event: `dump` reads them.
        Known::Dump | Known::Printk => return Err(Lack::Dump(dump::Fault::NoKey)),
    })
}

/// `expires=4294909453 [timeout=1] bucket_expiry=.. cpu=3 idx=14 flags=D|P|I`, with numeric flags
/// (bit 19 deferrable, low 18 bits CPU, idx from bit 22), or `expires=.. now=.. flags=..` when raw.
fn timer_start(here: CpuId, args: &[u8], interned: &mut Interned) -> Result<Kind, Lack> {
    let address = field(args, "timer");
    let timer = timer(args, "timer", interned)?;
    let expires_jiffies = number(args, "expires")?;
    let flags = field(args, "flags");
    let numeric = flags
        .and_then(any_number)
        .and_then(|flags| u32::try_from(flags).ok());
    let (on, idx, deferrable) = match numeric {
        Some(bits) => (
            Some(u64::from(bits & 0x3_ffff)),
            Some(u64::from(bits >> 22)),
            bits & (1 << 19) != 0,
        ),
        None => {
            let printed = flags.unwrap_or_default();
            let by_tool = printed == b"D|P|I" && address.is_some_and(|text| text.starts_with(b"0x"));
            interned.untrusted_flags += u64::from(by_tool);
            let deferrable = !by_tool && printed.split(|byte| *byte == b'|').any(|flag| flag == b"D");
            (number(args, "cpu").ok(), number(args, "idx").ok(), deferrable)
        }
    };
    let timeout = match signed(args, "timeout") {
        Ok(timeout) => Some(timeout),
        Err(_) => number(args, "now")
            .ok()
            .map(|now| expires_jiffies.wrapping_sub(now).cast_signed()),
    };
    let bucket = number(args, "bucket_expiry").ok().or_else(|| {
        let shift = u32::try_from(idx? / 64).ok()?.checked_mul(3)?;
        (expires_jiffies.checked_shr(shift)? + 1).checked_shl(shift)
    });
    Ok(Kind::TimerStart {
        timer,
        on: on.map_or(Ok(here), |cpu| checked_cpu(cpu, interned))?,
        expires_jiffies,
        timeout_jiffies: timeout,
        bucket_jiffies: bucket,
        deferrable,
    })
}

/// The kernel's text, or that of trace-cmd's plugin: `swapper/2:0 [120] R ==> worker:512 [120]`.
fn sched_switch(args: &[u8]) -> Option<(i32, i32)> {
    if let Some(at) = memmem::rfind(args, b" next_pid=") {
        let (next, _) = pid(args.get(at + 10..)?)?;
        let left = args.get(..at)?;
        let prio = memmem::find(left, b" prev_prio=").unwrap_or(left.len());
        let prev = memmem::rfind(left.get(..prio)?, b"prev_pid=")?;
        return Some((pid(left.get(prev + 9..)?)?.0, next));
    }
    let arrow = memmem::find(args, b" ==> ")?;
    Some((
        plugin_pid(args.get(..arrow)?)?,
        plugin_pid(args.get(arrow + 5..)?)?,
    ))
}

/// `comm=.. pid=.. prio=.. [success=1] target_cpu=002`, or `worker:512 [120] CPU:002`.
fn sched_wakeup(args: &[u8]) -> Option<(i32, u64)> {
    if let Some(at) = memmem::rfind(args, b" target_cpu=") {
        let left = args.get(..at)?;
        let prio = memmem::rfind(left, b" prio=").unwrap_or(left.len());
        let start = memmem::rfind(left.get(..prio)?, b" pid=")?;
        let (target, rest) = decimal(args.get(at + 12..)?)?;
        return ends(rest).then_some((pid(left.get(start + 5..)?)?.0, target));
    }
    let at = memmem::rfind(args, b" CPU:")?;
    let (target, rest) = decimal(args.get(at + 5..)?)?;
    ends(rest).then_some((plugin_pid(args.get(..at)?)?, target))
}

/// A pid, which may end the text.
fn pid(text: &[u8]) -> Option<(i32, &[u8])> {
    let (pid, rest) = decimal(text)?;
    ends(rest).then_some((i32::try_from(pid).ok()?, rest))
}

/// The number in `name:512 [120]`; the name may hold colons and brackets.
fn plugin_pid(text: &[u8]) -> Option<i32> {
    let bracket = memmem::rfind(text, b" [")?;
    let left = text.get(..bracket)?;
    let colon = left.iter().rposition(|byte| *byte == b':')?;
    let (pid, rest) = decimal(left.get(colon + 1..)?)?;
    rest.is_empty().then_some(i32::try_from(pid).ok()?)
}

/// On the wall clock and absolute. Numbers as in the kernel's user interface: clock 0 is
/// CLOCK_REALTIME, 11 CLOCK_TAI; bit 0 of the mode is "relative".
fn is_wall_clock(args: &[u8]) -> Option<bool> {
    let clock = field(args, "clockid")?;
    let wall = match any_number(clock) {
        Some(number) => matches!(number, 0 | 11),
        None => clock == b"CLOCK_REALTIME" || clock == b"CLOCK_TAI",
    };
    let mode = field(args, "mode").unwrap_or_default();
    let relative = match any_number(mode) {
        Some(bits) => bits & 1 == 1,
        None => mode.split(|byte| *byte == b'|').any(|word| word == b"REL"),
    };
    Some(wall && !relative)
}

/// A function's name without module offset; none for a bare address.
fn function(args: &[u8]) -> Option<&[u8]> {
    let name = field(args, "function")?;
    let end = name
        .iter()
        .position(|byte| matches!(byte, b'/' | b'+'))
        .unwrap_or(name.len());
    name.get(..end).filter(|name| !name.starts_with(b"0x"))
}

fn softirq(args: &[u8]) -> Result<super::event::Softirq, Lack> {
    Ok(names::softirq(field(args, "action"), number(args, "vec")?))
}

fn irq(args: &[u8]) -> Result<u32, Lack> {
    u32::try_from(number(args, "irq")?).map_err(|_| Lack::Field("irq"))
}

fn timer(args: &[u8], key: &'static str, interned: &mut Interned) -> Result<TimerId, Lack> {
    let text = field(args, key).ok_or(Lack::Field(key))?;
    if text.first() == Some(&b'(') {
        return Err(Lack::HiddenAddress);
    }
    let address = hex(text.strip_prefix(b"0x").unwrap_or(text)).ok_or(Lack::Field(key))?;
    Ok(interned.timers.id(address))
}

pub(super) fn checked_cpu(cpu: u64, interned: &Interned) -> Result<CpuId, Lack> {
    if cpu >= u64::from(interned.max_cpus) {
        return Err(Lack::CpuOutOfRange);
    }
    u16::try_from(cpu)
        .map(CpuId::new)
        .map_err(|_| Lack::CpuOutOfRange)
}

pub(super) fn checked_state(state: u64) -> Result<StateIdx, Lack> {
    match u8::try_from(state) {
        Ok(idx) if idx < MOST_STATES => Ok(StateIdx::new(idx)),
        _ => Err(Lack::StateOutOfRange),
    }
}

/// A CPU mask: hex words with the lowest last, or a list `0-3,8`. CPUs from 64 on are left out.
fn mask(text: &[u8]) -> Option<u64> {
    if text.contains(&b'-') {
        return list(text);
    }
    let digits = || text.iter().rev().filter(|byte| **byte != b',');
    if text.is_empty() || digits().any(|byte| !byte.is_ascii_hexdigit()) {
        return None;
    }
    let nibbles = digits().take(16).enumerate();
    Some(nibbles.fold(0, |bits, (at, byte)| bits | u64::from(nibble(*byte)) << (4 * at)))
}

fn list(text: &[u8]) -> Option<u64> {
    let mut bits = 0;
    for part in text.split(|byte| *byte == b',') {
        let (first, rest) = decimal(part)?;
        let last = match rest.strip_prefix(b"-") {
            Some(last) => decimal(last).filter(|(_, rest)| rest.is_empty())?.0,
            None => first,
        };
        bits = (first..=last.min(63)).fold(bits, |bits, cpu| bits | 1 << cpu);
    }
    Some(bits)
}

/// The value of a field: up to the next blank, comma or closing bracket.
#[inline]
fn field<'a>(args: &'a [u8], key: &str) -> Option<&'a [u8]> {
    let key = key.as_bytes();
    let mut tail = args;
    loop {
        let inner = tail.strip_prefix(b"[").unwrap_or(tail);
        if let Some(value) = inner.strip_prefix(key).and_then(|rest| rest.strip_prefix(b"=")) {
            // A mask has commas inside; a list of fields has them before a blank.
            let end = value
                .iter()
                .position(|byte| is_blank(byte) || *byte == b']')
                .unwrap_or(value.len());
            let value = value.get(..end)?;
            return Some(value.strip_suffix(b",").unwrap_or(value));
        }
        let next = tail.iter().position(is_blank)?;
        tail = tail.get(next + 1..)?;
    }
}

fn number(args: &[u8], key: &'static str) -> Result<u64, Lack> {
    field(args, key).and_then(any_number).ok_or(Lack::Field(key))
}

fn signed(args: &[u8], key: &'static str) -> Result<i64, Lack> {
    let value = field(args, key).ok_or(Lack::Field(key))?;
    let number = match value.strip_prefix(b"-") {
        Some(magnitude) => any_number(magnitude)
            .and_then(|n| i64::try_from(n).ok())
            .map(|n| -n),
        None => any_number(value).map(|n| i64::try_from(n).unwrap_or(i64::MAX)),
    };
    number.ok_or(Lack::Field(key))
}

/// Decimal, or hex with `0x`; the whole text.
pub(super) fn any_number(text: &[u8]) -> Option<u64> {
    if let Some(digits) = text.strip_prefix(b"0x") {
        return hex(digits);
    }
    let (value, rest) = decimal(text)?;
    rest.is_empty().then_some(value)
}

pub(super) fn hex(text: &[u8]) -> Option<u64> {
    if text.is_empty() || text.len() > 16 || !text.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    Some(
        text.iter()
            .fold(0, |value, byte| value << 4 | u64::from(nibble(*byte))),
    )
}

fn nibble(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' => byte - b'0',
        b'a'..=b'f' => byte - b'a' + 10,
        b'A'..=b'F' => byte - b'A' + 10,
        _ => 0,
    }
}

/// Decimal digits at the start, and what follows.
#[inline]
fn decimal(text: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = 0_u64;
    let mut at = 0;
    for byte in text {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        value = value.checked_mul(10)?.checked_add(u64::from(digit))?;
        at += 1;
    }
    (at > 0).then_some((value, text.get(at..)?))
}

fn ends(rest: &[u8]) -> bool {
    rest.first().is_none_or(is_blank)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, args: &str, expect: &str) {
        let mut interned = Interned {
            max_cpus: 1024,
            ..Interned::default()
        };
        let event = names::known(name.as_bytes()).expect("the test names a known event");
        let got = match parse(event, CpuId::new(9), args.as_bytes(), &mut interned) {
            Ok(kind) => format!("{kind:?}"),
            Err(lack) => format!("{lack:?}"),
        };
        let texts = interned.names.into_texts().join(",");
        let got = if texts.is_empty() {
            got
        } else {
            format!("{got} {texts}")
        };
        assert_eq!(got, expect, "{name}: {args}");
    }

    #[test]
    fn cpu_idle_in_every_spelling() {
        let enter = "IdleEnter { cpu: CpuId(2), state: StateIdx(1) }";
        let exit = "IdleExit { cpu: CpuId(2) }";
        check("cpu_idle", "state=1 cpu_id=2", enter);
        check("cpu_idle", "state=0x1 cpu_id=0x2", enter);
        check("cpu_idle", "cpu_id=2 state=1", enter);
        check("cpu_idle", "state=1, cpu_id=2", enter);
        check("cpu_idle", "state=4294967295 cpu_id=2", exit);
        check("cpu_idle", "state=0xffffffff cpu_id=2", exit);
        check("cpu_idle", "state=-1 cpu_id=2", exit);
        check("cpu_idle", "state=1 cpu_id=", r#"Field("cpu_id")"#);
        check("cpu_idle", "state=1", r#"Field("cpu_id")"#);
        check("cpu_idle", "state=3D1 cpu_id=3D2", r#"Field("state")"#);
        check("cpu_idle", "state=42949 cpu_id=2", "StateOutOfRange");
        check(
            "cpu_idle",
            "state=9 cpu_id=2",
            "IdleEnter { cpu: CpuId(2), state: StateIdx(9) }",
        );
        check("cpu_idle", "state=10 cpu_id=2", "StateOutOfRange");
        check("cpu_idle", "state=-2 cpu_id=2", "StateOutOfRange");
        check("cpu_idle", "state=1 cpu_id=70000", "CpuOutOfRange");
    }

    #[test]
    fn misses_have_their_fields_in_any_order() {
        let above = "IdleMiss { cpu: CpuId(2), state: StateIdx(1), miss: Above }";
        check("cpu_idle_miss", "cpu_id=2 state=1 type=above", above);
        check("cpu_idle_miss", "type=above state=1 cpu_id=2", above);
        check("cpu_idle_miss", "cpu_id=2 state=1 below=0", above);
        check("cpu_idle_miss", "cpu_id=2 state=1 type=be", r#"Field("type")"#);
    }

    #[test]
    fn hrtimers_of_kernel_and_plugin() {
        let start =
            "HrtimerStart { timer: TimerId(0), function: Some(NameId(0)), expires_ns: 42 } tick_nohz_handler";
        let args = "hrtimer=00000000abc function=tick_nohz_handler expires=42 softexpires=42 mode=ABS|PINNED was_armed=0";
        check("hrtimer_start", args, start);
        check(
            "hrtimer_start",
            "hrtimer=0xabc function=tick_nohz_handler/0x0 expires=42",
            start,
        );
        let raw = "HrtimerStart { timer: TimerId(0), function: None, expires_ns: 42 }";
        check(
            "hrtimer_start",
            "hrtimer=0xffff15041fc70a18 function=0xffffdd65 expires=42",
            raw,
        );
        let expire = "HrtimerExpireEntry { timer: TimerId(0), function: Some(NameId(0)), now_ns: 7 } f";
        check(
            "hrtimer_expire_entry",
            "hrtimer=0xabc now=7 function=f/0x0",
            expire,
        );
        check("hrtimer_expire_entry", "hrtimer=abc function=f now=7", expire);
        check("hrtimer_cancel", "hrtimer=(ptrval)", "HiddenAddress");
        let wall = |wall| format!("HrtimerInit {{ timer: TimerId(0), wall_clock: {wall} }}");
        check(
            "hrtimer_init",
            "hrtimer=abc clockid=CLOCK_REALTIME mode=REL",
            &wall(false),
        );
        check(
            "hrtimer_setup",
            "hrtimer=abc clockid=CLOCK_REALTIME mode=ABS|HARD",
            &wall(true),
        );
        check(
            "hrtimer_init",
            "hrtimer=0xabc clockid=CLOCK_REALTIME mode=0x0",
            &wall(true),
        );
        check(
            "hrtimer_init",
            "hrtimer=0xabc clockid=CLOCK_MONOTONIC mode=0x9",
            &wall(false),
        );
    }

    #[test]
    fn wheel_timers_of_kernel_plugin_and_raw_text() {
        let start = |timeout, bucket, deferrable| {
            format!(
                "TimerStart {{ timer: TimerId(0), on: CpuId(3), expires_jiffies: 453, \
                 timeout_jiffies: {timeout}, bucket_jiffies: {bucket}, deferrable: {deferrable} }}"
            )
        };
        let kernel = "timer=04da function=f expires=453 [timeout=1] cpu=3 idx=14 flags=";
        check("timer_start", kernel, &start("Some(1)", "Some(454)", false));
        let newer = "timer=04da function=f expires=453 [timeout=25] bucket_expiry=460 cpu=3 idx=4 flags=D";
        check("timer_start", newer, &start("Some(25)", "Some(460)", true));
        // trace-cmd prints all flags for every timer.
        let plugin = "timer=0xffff04da function=f expires=453 [timeout=1] cpu=3 idx=78 flags=D|P|I";
        check("timer_start", plugin, &start("Some(1)", "Some(456)", false));
        let raw = format!(
            "timer=0xffff04da function=0xff expires=453 now=452 flags={}",
            (14 << 22) | (1 << 19) | 3
        );
        check("timer_start", &raw, &start("Some(1)", "Some(454)", true));
        let expire = "TimerExpireEntry { timer: TimerId(0), now_jiffies: 9, bucket_jiffies: Some(8) }";
        check(
            "timer_expire_entry",
            "timer=0xab function=f now=9 baseclk=8",
            expire,
        );
    }

    #[test]
    fn tasks_may_have_any_name() {
        let switch = "SchedSwitch { prev_pid: 0, next_pid: 512 }";
        let kernel = "prev_comm=swapper/2 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=w next_pid=512 next_prio=120";
        check("sched_switch", kernel, switch);
        let odd = "prev_comm=a prev_pid=7 prev_pid=0 prev_prio=1 prev_state=S ==> next_comm=b next_pid=3 c next_pid=512 next_prio=1";
        check("sched_switch", odd, switch);
        check("sched_switch", "swapper/2:0 [120] R ==> worker:512 [120]", switch);
        check("sched_switch", "a [1]:2:0 [120] R ==> b:c:512 [120]", switch);
        let raw = "prev_comm=a prev_pid=0 prev_prio=120 prev_state=1 next_comm=b next_pid=512 next_prio=120";
        check("sched_switch", raw, switch);
        check(
            "sched_switch",
            "prev_comm=a prev_pid=0 prev_prio=120 prev_state=S ==>",
            r#"Field("next_pid")"#,
        );
        let wakeup = "SchedWakeup { pid: 512, target: CpuId(2) }";
        check(
            "sched_wakeup",
            "comm=worker pid=512 prio=120 target_cpu=002",
            wakeup,
        );
        check(
            "sched_wakeup",
            "comm=a pid=1 pid=512 prio=120 success=1 target_cpu=002",
            wakeup,
        );
        check("sched_wakeup", "worker:512 [120] CPU:002", wakeup);
        check("sched_wakeup", "worker:512 [120] success=1 CPU:002", wakeup);
        check(
            "sched_wakeup_new",
            "comm=worker pid=512 prio=120 target_cpu=002",
            wakeup,
        );
    }

    #[test]
    fn interrupts_and_their_targets() {
        check(
            "irq_handler_entry",
            "irq=11 name=arch timer-1",
            "IrqEntry { irq: 11, name: Some(NameId(0)) } arch timer-1",
        );
        check("irq_handler_exit", "irq=11 ret=handled", "IrqExit { irq: 11 }");
        check(
            "local_timer_entry",
            "vector=236",
            "VectorEntry { vector: LocalTimer }",
        );
        check(
            "ipi_raise",
            "target_mask=00000000,00000004 (Function call interrupts)",
            "IpiRaise { targets: 4 }",
        );
        check(
            "ipi_raise",
            "target_mask=1,00000000,00000000",
            "IpiRaise { targets: 0 }",
        );
        check(
            "ipi_send_cpu",
            "cpu=3 callsite=f+0x1 callback=g+0x0",
            "IpiRaise { targets: 8 }",
        );
        check(
            "ipi_send_cpumask",
            "cpumask=0-1,3 callsite=f+0x1",
            "IpiRaise { targets: 11 }",
        );
        check("softirq_entry", "vec=9 [action=RCU]", "SoftirqEntry { vec: Rcu }");
        check("softirq_raise", "vec=1", "SoftirqRaise { vec: Timer }");
        check(
            "tick_stop",
            "success=0 dependency=SCHED",
            "TickStop { success: false }",
        );
    }
}
