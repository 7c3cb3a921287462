//! The readers: recorded samples against independently made figures, variations by hand, laws.

mod expected;
