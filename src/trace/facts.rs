//! What a binary file says about itself, for the import report. Facts as stored; none is trusted further.

use std::collections::BTreeMap;

use serde::Serialize;

/// By format.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Facts {
    /// `trace.dat`.
    TraceDat(DatFacts),
    /// `perf.data`.
    PerfData(PerfFacts),
    /// Perfetto's protobuf.
    Perfetto(PerfettoFacts),
}

/// Of a `trace.dat`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DatFacts {
    /// 6 or 7.
    pub version: u8,
    /// Bytes of a page of the recorded kernel.
    pub page_size: usize,
    /// Bytes of a long of the recorded kernel: 4 or 8.
    pub long_size: u8,
    /// `little` or `big`.
    pub endian: &'static str,
    /// `zstd`, `zlib` or `none`; version 7.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compression: Option<&'static str>,
    /// `flyrecord`; version 6.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data_type: Option<&'static str>,
    /// The first 256 options by number, in their order.
    pub options: Vec<u16>,
    /// The list of clocks, the one in use in brackets; version 6, of which some say nothing about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace_clock: Option<Option<String>>,
    /// The same of version 7.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace_clock_option: Option<String>,
    /// Ring buffers; version 7.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub buffers: Vec<BufferFacts>,
    /// Records read.
    pub events: u64,
    /// Pages before which events were lost.
    pub missed_pages: u64,
}

/// Of one ring buffer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BufferFacts {
    /// Empty for the main one.
    pub name: String,
    /// Its clock.
    pub clock: String,
    /// Bytes of its pages.
    pub page_size: usize,
    /// CPUs that it has pages of.
    pub cpus: usize,
}

/// Of a `perf.data`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PerfFacts {
    /// Written to a pipe.
    pub pipe_mode: bool,
    /// Records by type, of 256 types at most.
    pub record_types: BTreeMap<u32, u64>,
    /// Samples that the kernel says it could not deliver.
    pub lost_samples_field: u64,
}

/// Of a Perfetto trace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PerfettoFacts {
    /// Packets, those within packed ones, too.
    pub packets: u64,
    /// Bundles of ftrace events.
    pub bundles: u64,
    /// Bundles with compact switches.
    pub compact_sched_bundles: u64,
    /// Packed packets.
    pub compressed_packets: u64,
    /// Switches in compact form.
    pub compact_switches: u64,
    /// Events that are known by number only.
    pub other_ftrace: u64,
    /// The clocks of bundles by number, other than the usual one.
    pub ftrace_clocks: Vec<u64>,
}
