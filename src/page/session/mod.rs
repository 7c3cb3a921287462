//! Everything that the worker and the headless example share: the loaded workload, the runs of A and B,
//! and every answer the page asks for.

mod lane_view;
mod rig;

pub use lane_view::{Column, LaneView, Shape, WHOLE};
pub use rig::{EditError, Rig, RigCpu};
