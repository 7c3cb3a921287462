//! One test binary; each module is one kind of proof (style.md §10).

mod analysis;
mod golden;
mod laws;
mod links;
mod published;
mod readers;
mod replay;
mod samples;
mod scenarios;
mod tidy;
mod utilization;
