//! LAYER 5: energy of idle periods, estimated (spec energy.md).
