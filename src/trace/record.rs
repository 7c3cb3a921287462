//! Raw event records: where the fields stand is read from the kernel's own description, and never assumed.
//!
//! ```text
//! name: cpu_idle
//! ID: 397
//! format:
//!   field:unsigned short common_type;  offset:0;  size:2;  signed:0;
//!   field:int common_pid;  offset:4;  size:4;  signed:1;
//!
//!   field:u32 state;  offset:8;  size:4;  signed:0;
//! ```
//!
//! Both trace.dat and perf.data carry such descriptions and such records.

use super::args::{Interned, Lack, checked_cpu, checked_state};
use super::bytes::{self, Endian};
use super::event::{Kind, Miss, TimerId};
use super::names::{self, Known};
use super::remark::number;
use super::symbols::Symbols;
use super::tally::Tallies;
use crate::units::CpuId;

/// Fields used of one event at most.
const SLOTS: usize = 5;

/// How the value of a field is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    /// The event has no such field.
    #[default]
    Absent,
    /// It stands there.
    Here,
    /// Offset (low half) and length (high half) of it stand there, from the start of the record.
    DataLoc,
    /// The same, from the end of the field.
    RelLoc,
}

/// One field of an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Field {
    place: Place,
    pub(super) offset: u16,
    pub(super) size: u8,
    signed: bool,
}

/// One event: what it counts as, and where its fields are.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// Its index among the names of the file.
    pub(super) tally: usize,
    known: Option<Known>,
    pid: Field,
    slots: [Field; SLOTS],
}

/// Every event that a file describes, by number.
pub(super) struct Layouts {
    endian: Endian,
    /// Size of an unsigned long of the recorded kernel, bytes.
    long: u8,
    by_id: Vec<Option<Box<Layout>>>,
    /// Where records say which event they are, the same for all events.
    kind: Field,
}

/// Fields that are used, in the order in which [`Layouts::decode`] takes them.
const fn wanted(event: Known) -> &'static [&'static str] {
    match event {
        Known::CpuIdle => &["state", "cpu_id"],
        Known::CpuIdleMiss => &["cpu_id", "state", "below"],
        Known::TickStop => &["success"],
        Known::HrtimerInit => &["hrtimer", "clockid", "mode"],
        Known::HrtimerStart => &["hrtimer", "function", "expires"],
        Known::HrtimerCancel | Known::HrtimerExpireExit => &["hrtimer"],
        Known::HrtimerExpireEntry => &["hrtimer", "function", "now"],
        Known::TimerStart => &["timer", "expires", "flags", "now", "bucket_expiry"],
        Known::TimerCancel => &["timer"],
        Known::TimerExpireEntry => &["timer", "now", "baseclk"],
        Known::IrqEntry => &["irq", "name"],
        Known::IrqExit => &["irq"],
        Known::IpiRaise => &["target_cpus"],
        Known::IpiSendCpu => &["cpu"],
        Known::IpiSendCpumask => &["cpumask"],
        Known::SoftirqRaise | Known::SoftirqEntry | Known::SoftirqExit => &["vec"],
        Known::SchedSwitch => &["prev_pid", "next_pid"],
        Known::SchedWakeup => &["pid", "target_cpu"],
        Known::VectorEntry(_)
        | Known::VectorExit(_)
        | Known::IpiEntry
        | Known::IpiExit
        | Known::Dump
        | Known::Printk => &[],
    }
}

impl Layouts {
    pub(super) fn new(endian: Endian, long: u8) -> Self {
        Self {
            endian,
            long,
            by_id: Vec::new(),
            kind: Field {
                place: Place::Here,
                offset: 0,
                size: 2,
                signed: false,
            },
        }
    }

    /// Takes the description of one event; one that cannot be read leaves its records unknown.
    pub(super) fn add(&mut self, text: &[u8], tallies: &mut Tallies) {
        let mut name: &[u8] = b"";
        let mut id = None;
        let mut fields: Vec<(&[u8], Field)> = Vec::new();
        for line in text.split(|byte| *byte == b'\n') {
            let line = line.trim_ascii();
            if let Some(value) = line.strip_prefix(b"name:") {
                name = value.trim_ascii();
            } else if let Some(value) = line.strip_prefix(b"ID:") {
                id = number(value.trim_ascii()).and_then(|id| u16::try_from(id).ok());
            } else if line.starts_with(b"print fmt:") {
                break;
            } else if let Some(field) = line.strip_prefix(b"field:").and_then(described) {
                fields.push(field);
            }
        }
        let (Some(id), false) = (id, name.is_empty()) else {
            return;
        };
        let find = |wanted: &str| {
            let found = fields.iter().find(|(name, _)| *name == wanted.as_bytes());
            found.map_or_else(Field::default, |(_, field)| *field)
        };
        let (tally, known) = tallies.find(name, 1);
        let mut slots = [Field::default(); SLOTS];
        for (slot, name) in slots.iter_mut().zip(known.map_or(&[][..], wanted)) {
            *slot = find(name);
        }
        let layout = Layout {
            tally,
            known,
            pid: find("common_pid"),
            slots,
        };
        let kind = find("common_type");
        if kind.place == Place::Here {
            self.kind = kind;
        }
        let at = usize::from(id);
        if self.by_id.len() <= at {
            self.by_id.resize(at + 1, None);
        }
        if let Some(place) = self.by_id.get_mut(at) {
            *place = Some(Box::new(layout));
        }
    }

    /// The number that says which event a record is.
    #[inline]
    pub(super) fn id(&self, record: &[u8]) -> Option<u16> {
        let Field { offset, size, .. } = self.kind;
        bytes::unsigned(record, usize::from(offset), size, self.endian).and_then(|id| u16::try_from(id).ok())
    }

    /// The event of that number.
    #[inline]
    pub(super) fn get(&self, id: u16) -> Option<&Layout> {
        self.by_id.get(usize::from(id))?.as_deref()
    }

    /// The task of a record; -1 when it does not say.
    #[inline]
    pub(super) fn pid(&self, layout: &Layout, record: &[u8]) -> i32 {
        self.signed(layout.pid, record)
            .and_then(|pid| i32::try_from(pid).ok())
            .unwrap_or(-1)
    }

    #[inline]
    fn unsigned(&self, field: Field, record: &[u8]) -> Option<u64> {
        if field.place != Place::Here {
            return None;
        }
        bytes::unsigned(record, usize::from(field.offset), field.size, self.endian)
    }

    #[inline]
    fn signed(&self, field: Field, record: &[u8]) -> Option<i64> {
        if field.place != Place::Here {
            return None;
        }
        if field.signed {
            bytes::signed(record, usize::from(field.offset), field.size, self.endian)
        } else {
            self.unsigned(field, record).map(u64::cast_signed)
        }
    }

    /// The bytes that a field of varying length stands for.
    fn varying<'a>(&self, field: Field, record: &'a [u8]) -> Option<&'a [u8]> {
        let at = usize::from(field.offset);
        let base = match field.place {
            Place::DataLoc => 0,
            Place::RelLoc => at + usize::from(field.size),
            Place::Here | Place::Absent => return None,
        };
        let both = bytes::unsigned(record, at, 4, self.endian)?;
        let start = base + usize::try_from(both & 0xffff).ok()?;
        let len = usize::try_from(both >> 16 & 0xffff).ok()?;
        record.get(start..start + len)
    }

    /// A varying field that holds a bit for each CPU: the low 64 of them.
    fn mask(&self, field: Field, record: &[u8]) -> Option<u64> {
        let words = self.varying(field, record)?;
        if words.is_empty() {
            return None;
        }
        let long = usize::from(self.long);
        let mut mask = 0;
        for (at, word) in words.chunks(long).take(8 / long.clamp(4, 8)).enumerate() {
            let word = bytes::unsigned(word, 0, self.long, self.endian)?;
            mask |= word.checked_shl(u32::try_from(at * 32).ok()?).unwrap_or(0);
        }
        Some(mask)
    }

    /// What a record tells; none for events that are not used.
    ///
    /// # Errors
    /// When it lacks a field, or a number is out of range.
    #[inline]
    pub(super) fn decode(
        &self,
        layout: &Layout,
        record: &[u8],
        here: CpuId,
        interned: &mut Interned,
        symbols: &mut Symbols<'_>,
    ) -> Result<Option<Kind>, Lack> {
        let Some(known) = layout.known else {
            return Ok(None);
        };
        let [a, b, c, d, e] = layout.slots;
        let lack = |at: usize| Lack::Field(wanted(known).get(at).copied().unwrap_or("common_type"));
        let unsigned = |field, at| self.unsigned(field, record).ok_or_else(|| lack(at));
        let signed = |field, at| self.signed(field, record).ok_or_else(|| lack(at));
        let pid = |field, at| {
            self.signed(field, record)
                .and_then(|pid| i32::try_from(pid).ok())
                .ok_or_else(|| lack(at))
        };
        let timer =
            |interned: &mut Interned| -> Result<TimerId, Lack> { Ok(interned.timers.id(unsigned(a, 0)?)) };
        Ok(Some(match known {
            Known::CpuIdle => {
                let (state, cpu) = (unsigned(a, 0)?, checked_cpu(unsigned(b, 1)?, interned)?);
                if state == u64::from(u32::MAX) || state == u64::MAX {
                    Kind::IdleExit { cpu }
                } else {
                    let state = checked_state(state)?;
                    Kind::IdleEnter { cpu, state }
                }
            }
            Known::CpuIdleMiss => Kind::IdleMiss {
                cpu: checked_cpu(unsigned(a, 0)?, interned)?,
                state: checked_state(unsigned(b, 1)?)?,
                miss: if unsigned(c, 2)? == 0 {
                    Miss::Above
                } else {
                    Miss::Below
                },
            },
            Known::TickStop => Kind::TickStop {
                success: unsigned(a, 0)? != 0,
            },
            Known::HrtimerInit => Kind::HrtimerInit {
                timer: timer(interned)?,
                wall_clock: matches!(unsigned(b, 1)?, 0 | 11) && unsigned(c, 2)? & 1 == 0,
            },
            Known::HrtimerStart => Kind::HrtimerStart {
                timer: timer(interned)?,
                function: self
                    .unsigned(b, record)
                    .and_then(|address| symbols.name(address, interned)),
                expires_ns: signed(c, 2)?,
            },
            Known::HrtimerCancel => Kind::HrtimerCancel {
                timer: timer(interned)?,
            },
            Known::HrtimerExpireEntry => Kind::HrtimerExpireEntry {
                timer: timer(interned)?,
                function: self
                    .unsigned(b, record)
                    .and_then(|address| symbols.name(address, interned)),
                now_ns: signed(c, 2)?,
            },
            Known::HrtimerExpireExit => Kind::HrtimerExpireExit {
                timer: timer(interned)?,
            },
            Known::TimerStart => {
                let timer = timer(interned)?;
                let (expires, flags) = (unsigned(b, 1)?, self.unsigned(c, record));
                wheel(
                    timer,
                    here,
                    expires,
                    flags,
                    self.unsigned(d, record),
                    self.unsigned(e, record),
                    interned,
                )?
            }
            Known::TimerCancel => Kind::TimerCancel {
                timer: timer(interned)?,
            },
            Known::TimerExpireEntry => Kind::TimerExpireEntry {
                timer: timer(interned)?,
                now_jiffies: unsigned(b, 1)?,
                bucket_jiffies: self.unsigned(c, record),
            },
            Known::IrqEntry => Kind::IrqEntry {
                irq: u32::try_from(unsigned(a, 0)?).map_err(|_| lack(0))?,
                name: self
                    .varying(b, record)
                    .and_then(|name| interned.names.id(until_zero(name))),
            },
            Known::IrqExit => Kind::IrqExit {
                irq: u32::try_from(unsigned(a, 0)?).map_err(|_| lack(0))?,
            },
            Known::VectorEntry(vector) => Kind::VectorEntry { vector },
            Known::VectorExit(vector) => Kind::VectorExit { vector },
            Known::IpiRaise | Known::IpiSendCpumask => Kind::IpiRaise {
                targets: self.mask(a, record).ok_or_else(|| lack(0))?,
            },
            Known::IpiSendCpu => {
                let cpu = checked_cpu(unsigned(a, 0)?, interned)?;
                Kind::IpiRaise {
                    targets: 1_u64.checked_shl(u32::from(cpu.number())).unwrap_or(0),
                }
            }
            Known::IpiEntry => Kind::IpiEntry,
            Known::IpiExit => Kind::IpiExit,
            Known::SoftirqRaise => Kind::SoftirqRaise {
                vec: names::softirq(None, unsigned(a, 0)?),
            },
            Known::SoftirqEntry => Kind::SoftirqEntry {
                vec: names::softirq(None, unsigned(a, 0)?),
            },
            Known::SoftirqExit => Kind::SoftirqExit {
                vec: names::softirq(None, unsigned(a, 0)?),
            },
            Known::SchedSwitch => Kind::SchedSwitch {
                prev_pid: pid(a, 0)?,
                next_pid: pid(b, 1)?,
            },
            Known::SchedWakeup => Kind::SchedWakeup {
                pid: pid(a, 0)?,
                target: checked_cpu(unsigned(b, 1)?, interned)?,
            },
            Known::Dump | Known::Printk => return Ok(None),
        }))
    }
}

/// A wheel timer from its numeric flags: bit 19 deferrable, low 18 bits the CPU, the bucket from bit 22
/// (spec replay-inputs.md §2.3).
fn wheel(
    timer: TimerId,
    here: CpuId,
    expires: u64,
    flags: Option<u64>,
    now: Option<u64>,
    bucket: Option<u64>,
    interned: &Interned,
) -> Result<Kind, Lack> {
    let bits = flags.unwrap_or(0);
    let computed = || {
        let shift = u32::try_from((flags? >> 22) / 64).ok()?.checked_mul(3)?;
        (expires.checked_shr(shift)? + 1).checked_shl(shift)
    };
    Ok(Kind::TimerStart {
        timer,
        on: match flags {
            Some(bits) => checked_cpu(bits & 0x3_ffff, interned)?,
            None => here,
        },
        expires_jiffies: expires,
        timeout_jiffies: now.map(|now| expires.wrapping_sub(now).cast_signed()),
        bucket_jiffies: bucket.or_else(computed),
        deferrable: bits & (1 << 19) != 0,
    })
}

/// A text without the zeros after it.
pub(super) fn until_zero(text: &[u8]) -> &[u8] {
    let end = memchr::memchr(0, text).unwrap_or(text.len());
    text.get(..end).unwrap_or(text)
}

/// `unsigned int flags;  offset:40;  size:4;  signed:0;`: the name, and where it is.
pub(super) fn described(text: &[u8]) -> Option<(&[u8], Field)> {
    let mut parts = text.split(|byte| *byte == b';').map(<[u8]>::trim_ascii);
    let declared = parts.next()?;
    let (mut offset, mut size, mut signed) = (None, None, false);
    for part in parts {
        let value = |key: &[u8]| {
            part.strip_prefix(key)
                .and_then(|value| number(value.trim_ascii()))
        };
        offset = offset.or_else(|| value(b"offset:"));
        size = size.or_else(|| value(b"size:"));
        signed |= value(b"signed:") == Some(1);
    }
    let bracket = memchr::memrchr(b'[', declared).filter(|_| declared.ends_with(b"]"));
    let before = declared.get(..bracket.unwrap_or(declared.len()))?.trim_ascii();
    let start = before
        .iter()
        .rposition(|byte| matches!(byte, b' ' | b'\t' | b'*'));
    // `__data_loc char[] name`: there the brackets stand before the name.
    let name = before.get(start.map_or(0, |at| at + 1)..)?;
    let place = if declared.starts_with(b"__data_loc") {
        Place::DataLoc
    } else if declared.starts_with(b"__rel_loc") {
        Place::RelLoc
    } else {
        Place::Here
    };
    let field = Field {
        place,
        offset: u16::try_from(offset?).ok()?,
        size: u8::try_from(size?).unwrap_or(0),
        signed,
    };
    Some((name, field))
}
