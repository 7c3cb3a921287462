//! LAYER 5: pure functions over recorded columns.
