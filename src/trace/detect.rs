//! What a file is, when it is not text that the readers know.

/// Formats that are recognised by their first bytes, and are no text that is read line by line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Foreign {
    /// `trace.dat` of trace-cmd.
    TraceDat,
    /// `perf.data`.
    PerfData,
    /// Perfetto's protobuf.
    Perfetto,
    /// zstd.
    Zstd,
    /// xz.
    Xz,
    /// bzip2.
    Bzip2,
    /// A zip archive.
    Zip,
    /// Text in UTF-16.
    Utf16,
    /// JSON of Chrome's trace format.
    ChromeJson,
    /// A devicetree blob: no trace, but perhaps a table of idle states.
    DeviceTreeBlob,
}

impl Foreign {
    /// Whether it is read here, as a whole.
    pub(super) const fn is_read(self) -> bool {
        matches!(
            self,
            Self::TraceDat
                | Self::PerfData
                | Self::Perfetto
                | Self::Zstd
                | Self::Xz
                | Self::Zip
                | Self::DeviceTreeBlob
        )
    }

    /// What its users call it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::TraceDat => "trace.dat of trace-cmd",
            Self::PerfData => "perf.data",
            Self::Perfetto => "a Perfetto trace",
            Self::Zstd => "a zstd file",
            Self::Xz => "an xz file",
            Self::Bzip2 => "a bzip2 file",
            Self::Zip => "a zip archive",
            Self::Utf16 => "text in UTF-16",
            Self::ChromeJson => "a JSON trace",
            Self::DeviceTreeBlob => "a devicetree blob",
        }
    }

    /// How to get text that is read.
    #[must_use]
    pub const fn convert(self) -> &'static str {
        match self {
            Self::TraceDat => "trace-cmd report -t -l -i FILE > trace.txt",
            Self::PerfData => "perf script --ns -i FILE > trace.txt",
            Self::Perfetto => "traceconv systrace FILE trace.txt",
            Self::Zstd => "zstd -d FILE",
            Self::Xz => "xz -d FILE",
            Self::Bzip2 => "bzip2 -d FILE",
            Self::Zip => "unzip FILE",
            Self::Utf16 => "iconv -f UTF-16 -t UTF-8 FILE > trace.txt",
            Self::ChromeJson => "traceconv systrace FILE trace.txt",
            Self::DeviceTreeBlob => "dtc -I dtb -O dts FILE",
        }
    }
}

/// What the first bytes show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Magic {
    /// To be inflated on the way.
    Gz,
    /// Recognised, not read.
    Foreign(Foreign),
    /// Not a trace at all.
    Other(&'static str),
    /// Perhaps text.
    Text,
}

/// The longest prefix that [`magic`] looks at, bytes.
pub(super) const MAGIC_BYTES: usize = 16;

/// By the file's first bytes.
pub(super) fn magic(head: &[u8]) -> Magic {
    const TABLE: &[(&[u8], Magic)] = &[
        (b"\x1f\x8b", Magic::Gz),
        (b"\x17\x08\x44tracing", Magic::Foreign(Foreign::TraceDat)),
        (b"PERFILE2", Magic::Foreign(Foreign::PerfData)),
        (b"2ELIFREP", Magic::Foreign(Foreign::PerfData)),
        (b"\x28\xb5\x2f\xfd", Magic::Foreign(Foreign::Zstd)),
        (b"\xfd7zXZ\x00", Magic::Foreign(Foreign::Xz)),
        (b"BZh", Magic::Foreign(Foreign::Bzip2)),
        (b"PK\x03\x04", Magic::Foreign(Foreign::Zip)),
        (b"PK\x05\x06", Magic::Foreign(Foreign::Zip)),
        (b"\xff\xfe", Magic::Foreign(Foreign::Utf16)),
        (b"\xfe\xff", Magic::Foreign(Foreign::Utf16)),
        (b"\xd0\x0d\xfe\xed", Magic::Foreign(Foreign::DeviceTreeBlob)),
        (b"%PDF", Magic::Other("a PDF")),
        (b"\x89PNG", Magic::Other("a PNG picture")),
        (b"\xff\xd8\xff", Magic::Other("a JPEG picture")),
        (b"GIF8", Magic::Other("a GIF picture")),
        (b"\x7fELF", Magic::Other("an ELF file")),
        (b"\x00asm", Magic::Other("WebAssembly")),
        (b"SQLite format 3", Magic::Other("an SQLite database")),
        // Packed data may follow: `atrace -z`.
        (b"TRACE:\n", Magic::Text),
    ];
    if let Some((_, found)) = TABLE.iter().find(|(start, _)| head.starts_with(start)) {
        return *found;
    }
    // A Perfetto trace is a row of packets, each field 1 with a length: 0x0a, length, and the
    // first packet again starts with a small field tag, never with a printable line.
    if let [0x0a, _, rest @ ..] = head
        && rest
            .iter()
            .any(|byte| *byte == 0 || (*byte < 0x20 && !b"\t\n\r".contains(byte)) || *byte >= 0x80)
    {
        return Magic::Foreign(Foreign::Perfetto);
    }
    if is_utf16(head) {
        return Magic::Foreign(Foreign::Utf16);
    }
    if head.contains(&0) {
        return Magic::Other("binary data");
    }
    Magic::Text
}

/// Without the mark that says so: every other byte of its first letters is zero.
fn is_utf16(head: &[u8]) -> bool {
    let (letters, rest) = head.as_chunks::<2>();
    let plain = |byte: u8| byte.is_ascii_graphic() || b" \t\r\n".contains(&byte);
    let (little, big) = (
        letters.iter().all(|[low, high]| plain(*low) && *high == 0),
        letters.iter().all(|[high, low]| plain(*low) && *high == 0),
    );
    rest.is_empty() && letters.len() >= 4 && (little || big)
}

/// What a text is of which no line was an event, by its beginning; none when nobody can tell.
pub(super) fn other_text(head: &[u8]) -> Option<&'static str> {
    let has = |needle: &[u8]| memchr::memmem::find(head, needle).is_some();
    if has(b"trace-data") || has(b"linuxPerfData") || has(b"Android System Trace") {
        return Some("an Android systrace page without events of the kernel");
    }
    let start: Vec<u8> = head
        .trim_ascii_start()
        .iter()
        .take(64)
        .map(u8::to_ascii_lowercase)
        .collect();
    let begins = |with: &[&[u8]]| with.iter().any(|with| start.starts_with(with));
    if begins(&[b"<!doctype html", b"<html", b"<head", b"<body"]) {
        return Some("an HTML page");
    }
    if begins(&[b"<?xml", b"<svg"]) {
        return Some("XML");
    }
    if begins(&[b"{\"", b"[{", b"{ \""]) {
        return Some("JSON");
    }
    None
}
