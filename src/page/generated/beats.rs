//! The pauses of the workload `pattern` as a text: `i20usx6,i400us,t2ms`.
//!
//! `i` is a pause that an interrupt ends, `t` one that its own timer ends; `x6` repeats it. The text has only characters
//! that a link may have.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::page::duration::{self, DurationError};
use crate::units::Ns;
use crate::workload::scenario::{Beat, Ender};

/// Most pauses that one text may mean, repetitions counted.
pub const MOST_BEATS: u32 = 1_000;
/// The shortest and the longest pause.
const RANGE: (Ns, Ns) = (Ns::from_us(1), Ns::from_ms(60_000));

/// Why a text is not understood.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BeatsError {
    /// It begins with neither letter.
    #[error("a pause begins with i for an interrupt or t for a timer, found {0}")]
    Ender(String),
    /// Its length.
    #[error("pause {text}: {error}")]
    Length {
        /// The pause.
        text: String,
        /// What is wrong.
        error: DurationError,
    },
    /// Its length.
    #[error("pause {0}: must be from 1 us to 60 s")]
    Range(String),
    /// How often it is repeated.
    #[error("pause {0}: x must be followed by a whole number from 1 on")]
    Times(String),
    /// None, or too many.
    #[error("must have 1 to {MOST_BEATS} pauses, found {0}")]
    Count(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Stroke {
    timer: bool,
    after: Ns,
    times: u16,
}

/// The pauses; never empty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Beats(Vec<Stroke>);

impl Default for Beats {
    /// The three-beat `i20usx2,i400us`.
    fn default() -> Self {
        let stroke = |us, times| Stroke {
            timer: false,
            after: Ns::from_us(us),
            times,
        };
        Self(vec![stroke(20, 2), stroke(400, 1)])
    }
}

impl Beats {
    /// Reads a text; blanks do not count, equal neighbours become one repeated pause.
    ///
    /// # Errors
    /// See [`BeatsError`].
    pub fn parse(text: &str) -> Result<Self, BeatsError> {
        let plain: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let mut strokes: Vec<Stroke> = Vec::new();
        for part in plain.split(',').filter(|part| !part.is_empty()) {
            let stroke = stroke(part)?;
            match strokes.last_mut() {
                Some(last) if last.timer == stroke.timer && last.after == stroke.after => {
                    last.times = last.times.saturating_add(stroke.times);
                }
                _ => strokes.push(stroke),
            }
        }
        let count = strokes
            .iter()
            .fold(0_u32, |sum, stroke| sum.saturating_add(stroke.times.into()));
        if (1..=MOST_BEATS).contains(&count) {
            Ok(Self(strokes))
        } else {
            Err(BeatsError::Count(count))
        }
    }

    /// What the workload plays.
    #[must_use]
    pub fn played(&self) -> Arc<[Beat]> {
        let beats = self.0.iter().flat_map(|stroke| {
            let beat = Beat {
                ender: if stroke.timer {
                    Ender::Timer
                } else {
                    Ender::Interrupt
                },
                after: stroke.after,
            };
            std::iter::repeat_n(beat, stroke.times.into())
        });
        beats.collect()
    }
}

fn stroke(part: &str) -> Result<Stroke, BeatsError> {
    let timer = match part.chars().next() {
        Some('i') => false,
        Some('t') => true,
        _ => return Err(BeatsError::Ender(part.to_owned())),
    };
    let rest = part.get(1..).unwrap_or_default();
    let (length, times) = rest.split_once('x').unwrap_or((rest, "1"));
    let after = duration::from_link(length).map_err(|error| BeatsError::Length {
        text: part.to_owned(),
        error,
    })?;
    if after < RANGE.0 || after > RANGE.1 {
        return Err(BeatsError::Range(part.to_owned()));
    }
    let digits = times.bytes().all(|byte| byte.is_ascii_digit());
    let times = times.parse().ok().filter(|times: &u16| *times > 0 && digits);
    Ok(Stroke {
        timer,
        after,
        times: times.ok_or_else(|| BeatsError::Times(part.to_owned()))?,
    })
}

impl fmt::Display for Beats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, stroke) in self.0.iter().enumerate() {
            let comma = if n == 0 { "" } else { "," };
            let letter = if stroke.timer { 't' } else { 'i' };
            write!(f, "{comma}{letter}{}", duration::to_link(stroke.after))?;
            if stroke.times > 1 {
                write!(f, "x{}", stroke.times)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_and_written_as_short_as_it_can_be() {
        let cases = [
            ("i20usx6,i400us", "i20usx6,i400us"),
            (" i20us, i20us ,t2000us", "i20usx2,t2ms"),
            ("t1.5ms", "t1.5ms"),
        ];
        for (text, written) in cases {
            let beats = Beats::parse(text).expect("is a pattern");
            assert_eq!(beats.to_string(), written);
            assert_eq!(Beats::parse(written), Ok(beats));
        }
        assert_eq!(Beats::default().to_string(), "i20usx2,i400us");
        assert_eq!(Beats::default().played().len(), 3);
    }

    #[test]
    fn what_is_not_understood_is_said_with_the_pause() {
        let cases = [
            ("", "must have 1 to 1000 pauses, found 0"),
            (
                "20us",
                "a pause begins with i for an interrupt or t for a timer, found 20us",
            ),
            ("i0.1us", "pause i0.1us: must be from 1 us to 60 s"),
            (
                "i20usx0",
                "pause i20usx0: x must be followed by a whole number from 1 on",
            ),
            (
                "i20usx+2",
                "pause i20usx+2: x must be followed by a whole number from 1 on",
            ),
            ("t1msx1001", "must have 1 to 1000 pauses, found 1001"),
        ];
        for (text, told) in cases {
            let error = Beats::parse(text).expect_err("is none");
            assert_eq!(error.to_string(), told);
        }
        assert!(matches!(
            Beats::parse("i20"),
            Err(BeatsError::Length { .. }) | Err(BeatsError::Range(_))
        ));
    }
}
