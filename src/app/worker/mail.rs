//! What the session says in sentences: the table for mail, agreement with the recording, limits.

use crate::analysis::summary::Summary;
use crate::page::session::{Session, Traced};
use crate::page::view::LaneId;
use crate::units::Time;

/// How far the replay agrees with the recording: a sentence, and whether it is good news.
pub fn agreement(_session: &Session) -> Option<(String, bool)> {
    None
}

/// Sentences about the limits of a run.
pub fn limits(_session: &Session) -> Vec<String> {
    Vec::new()
}

/// What a trace cannot tell.
pub fn gaps(_traced: &Traced) -> Vec<String> {
    Vec::new()
}

/// The table for mail.
pub fn table(
    _session: &Session,
    _lanes: &[(LaneId, Summary)],
    _range: Option<(Time, Time)>,
    _link: &str,
) -> String {
    String::new()
}
