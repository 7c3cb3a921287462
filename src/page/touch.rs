//! What a finger meant, from where it went down and up (ui.md §13).

/// A finger that turned a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// To the left, as one turns to what comes next.
    Next,
    /// To the right.
    Previous,
}

/// How far a finger has to go to turn, CSS px.
const FAR: f64 = 48.0;
/// How much farther across than along: otherwise it scrolls.
const ACROSS: f64 = 2.0;

/// What a finger that moved this far right and down turned; none where it was a press or scrolled.
#[must_use]
pub fn turn(right: f64, down: f64) -> Option<Turn> {
    if right.abs() < FAR || right.abs() < ACROSS * down.abs() {
        return None;
    }
    Some(if right < 0.0 { Turn::Next } else { Turn::Previous })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finger_turns_only_when_it_goes_far_across() {
        #[track_caller]
        fn check(right: f64, down: f64, expect: Option<Turn>) {
            assert_eq!(turn(right, down), expect, "{right} {down}");
        }
        check(-80.0, 10.0, Some(Turn::Next));
        check(80.0, -39.0, Some(Turn::Previous));
        check(-80.0, 41.0, None);
        check(47.0, 0.0, None);
        check(0.0, 300.0, None);
        check(0.0, 0.0, None);
    }
}
