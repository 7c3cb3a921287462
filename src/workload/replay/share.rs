//! Counting what holds of how many.

/// So many of so many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// How many.
    pub part: usize,
    /// Of how many.
    pub of: usize,
}

impl Share {
    /// Counts one more.
    pub fn count(&mut self, holds: bool) {
        self.part += usize::from(holds);
        self.of += 1;
    }

    /// In hundredths of a per cent, rounded to nearest; none of nothing.
    #[must_use]
    pub fn basis_points(self) -> Option<usize> {
        let of = self.of.checked_mul(2)?;
        (self.part * 20_000 + self.of).checked_div(of)
    }

    /// How many it is not.
    #[must_use]
    pub const fn rest(self) -> usize {
        self.of.saturating_sub(self.part)
    }
}
