//! Files around a trace: zip and zstd, with text and with binary inside, however deep, however large.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};
use idlescope::trace::{self, Limits, Reader, Trace, TraceError};
use proptest::prelude::*;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::dat::{sample, survives};

const TEXT: &[u8] = b"<idle>-0 [000] d..1. 1.000001: cpu_idle: state=1 cpu_id=0\n\
    <idle>-0 [000] d..1. 1.000003: cpu_idle: state=4294967295 cpu_id=0\n";

fn deflated(plain: &[u8]) -> Vec<u8> {
    let mut packer = DeflateEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(plain).expect("memory");
    packer.finish().expect("memory")
}

fn gz(plain: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(plain).expect("memory");
    packer.finish().expect("memory")
}

fn zstd(plain: &[u8]) -> Vec<u8> {
    compress_to_vec(plain, CompressionLevel::Fastest)
}

/// Members by name; with a method of 0 stored, of 8 deflated.
pub(super) fn zip(members: &[(&str, u16, &[u8])]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut directory = Vec::new();
    for (name, method, plain) in members {
        let packed = if *method == 8 {
            deflated(plain)
        } else {
            plain.to_vec()
        };
        let place = file.len() as u32;
        let common = [
            &method.to_le_bytes()[..],
            &[0; 8],
            &(packed.len() as u32).to_le_bytes(),
            &(plain.len() as u32).to_le_bytes(),
            &(name.len() as u16).to_le_bytes(),
        ]
        .concat();
        // The lengths of extra parts differ: one before the data, none in the directory.
        file.extend(
            [
                b"PK\x03\x04\x14\0\0\0",
                common.as_slice(),
                &[4, 0],
                name.as_bytes(),
                b"more",
                &packed,
            ]
            .concat(),
        );
        directory.extend(
            [
                b"PK\x01\x02\x14\0\x14\0\0\0",
                common.as_slice(),
                &[0; 12],
                &place.to_le_bytes(),
                name.as_bytes(),
            ]
            .concat(),
        );
    }
    let count = (members.len() as u16).to_le_bytes();
    let end = [
        b"PK\x05\x06\0\0\0\0",
        &count[..],
        &count,
        &(directory.len() as u32).to_le_bytes(),
        &(file.len() as u32).to_le_bytes(),
        &[3, 0],
        b"end",
    ]
    .concat();
    [file, directory, end].concat()
}

#[track_caller]
fn check(packed: &[u8], format: &str, events: usize) -> Trace {
    let trace = trace::read(packed).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((trace.format.name(), trace.events.len()), (format, events));
    assert_eq!(trace.report.bytes, packed.len() as u64, "bytes as given");
    trace
}

#[test]
fn text_and_binary_come_out_of_every_container() {
    let text = "ftrace text without header (trace_pipe)";
    for packed in [
        zstd(TEXT),
        zip(&[("t.txt", 8, TEXT)]),
        zip(&[("t.txt", 0, TEXT)]),
        gz(&zip(&[("t.txt", 8, TEXT)])),
    ] {
        check(&packed, text, 2);
    }
    let dat = sample("juno-6cpu-v6.dat.gz");
    let plain = trace::read(&dat).expect("a sound trace.dat");
    for packed in [
        zstd(&dat),
        gz(&dat),
        zip(&[("trace.dat", 8, &dat)]),
        zip(&[("trace.dat.gz", 0, &gz(&dat))]),
        gz(&zstd(&dat)),
    ] {
        let trace = check(&packed, "trace.dat", plain.events.len());
        assert_eq!(trace.events, plain.events);
        assert_ne!(trace.sha256, plain.sha256, "of the bytes as given");
    }
}

#[test]
fn the_first_member_that_is_a_trace_is_read() {
    let packed = zip(&[
        ("log/", 0, b""),
        ("__MACOSX/trace.txt", 0, TEXT),
        ("log/README", 0, b"no trace\n"),
        ("log/trace.txt", 8, TEXT),
        ("log/other.txt", 8, TEXT),
    ]);
    let trace = check(&packed, "ftrace text without header (trace_pipe)", 2);
    assert_eq!(
        (trace.report.member.as_deref(), trace.report.members),
        (Some("log/trace.txt"), 3)
    );
    assert_eq!(trace.report.other_members, ["log/README", "log/other.txt"]);
    let none = trace::read(&zip(&[("a", 0, b"one\n"), ("b", 0, b"two\n")]))
        .expect_err("no trace")
        .to_string();
    assert!(
        none.starts_with("no trace among the 2 members of the zip archive; the first: a: no event in 1 line"),
        "{none}"
    );
    let only = trace::read(&zip(&[("a", 0, b"%PDF-1.7 and so on")]))
        .expect_err("no trace")
        .to_string();
    assert!(only.contains("found a PDF"), "{only}");
    let empty = trace::read(&zip(&[])).expect_err("nothing").to_string();
    assert_eq!(
        empty,
        "no trace among the 0 members of the zip archive; expected at least one"
    );
}

#[test]
fn frames_follow_one_another_and_some_are_skipped() {
    let (first, second) = TEXT.split_at(70);
    let skipped = b"\x53\x2a\x4d\x18\x03\0\0\0abc";
    let all = [zstd(first).as_slice(), skipped, &zstd(second)].concat();
    check(&all, "ftrace text without header (trace_pipe)", 2);
    let cut = &all[..all.len() - 20];
    let trace = trace::read(cut).expect("what came before");
    assert!(trace.report.stopped.is_some());
}

#[test]
fn a_bomb_is_refused_with_the_limit() {
    let zeros = vec![0x20; 1 << 22];
    let limits = Limits {
        max_text_bytes: 1 << 20,
        max_whole_bytes: 1 << 20,
        ..Limits::default()
    };
    let read = |packed: &[u8]| -> TraceError {
        let mut reader = Reader::new(limits);
        match reader.feed(packed) {
            Ok(()) => reader.finish().expect_err("too large"),
            Err(error) => error,
        }
    };
    assert!(matches!(
        read(&zstd(&zeros)),
        TraceError::TooLarge { limit: 0x10_0000, .. }
    ));
    assert!(matches!(
        read(&gz(&zeros)),
        TraceError::TooLarge { limit: 0x10_0000, .. }
    ));
    let zip = read(&zip(&[("zeros", 8, &zeros)])).to_string();
    assert!(zip.contains("within the limit"), "{zip}");
}

#[test]
fn what_is_packed_again_and_again_is_refused() {
    let mut packed = TEXT.to_vec();
    for _ in 0..4 {
        packed = zip(&[("x", 8, &packed)]);
    }
    let error = trace::read(&packed).expect_err("too deep").to_string();
    assert_eq!(error, "packed more than 3 times: unpack it first");
}

#[test]
fn every_cut_and_every_absurd_number_is_read_or_refused() {
    for file in [zip(&[("a", 8, TEXT), ("b", 0, TEXT)]), zstd(TEXT)] {
        for at in 0..file.len() {
            survives(&file[..at]).unwrap_or_else(|error| panic!("cut at {at}: {error}"));
            for noise in [[0xff_u8; 4], [0xff, 0xff, 0xff, 0x7f], [0; 4]] {
                let mut file = file.clone();
                for (to, from) in file.iter_mut().skip(at).zip(noise) {
                    *to = from;
                }
                survives(&file).unwrap_or_else(|error| panic!("{noise:x?} at {at}: {error}"));
            }
        }
    }
}

proptest! {
    #[test]
    fn anything_behind_a_mark_is_read_or_refused(zipped in any::<bool>(), bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let mark: &[u8] = if zipped { b"PK\x03\x04" } else { b"\x28\xb5\x2f\xfd" };
        let end: &[u8] = if zipped { b"PK\x05\x06\0\0\0\0\x01\0\x01\0\x05\0\0\0\x04\0\0\0\0\0" } else { b"" };
        survives(&[mark, &bytes, end].concat())?;
    }
}

/// What `xz` makes of a text: with each of its checksums, as two streams with zeros between, and four million blanks.
fn xz() -> [(&'static str, Vec<u8>); 6] {
    let from_hex = |text: &str| {
        let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
        let pair =
            |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).expect("digits"), 16).expect("hex");
        digits.chunks(2).map(pair).collect::<Vec<u8>>()
    };
    [
        (
            "no checksum",
            from_hex(
                "fd377a585a000000ff12d9410200210116000000742fe5a3e0007c00455d001e1a4886ed8eb32ceda6ffb4f842a00428\
        bed912495c25cf86b49fbd1fe58fc994070c4dc034e6cc830386e2f8545474ae40af8913cbb3f5feb6737537fa3bb97c\
        bcb84700000000000001597db75e4b6506729e7a010000000000595a",
            ),
        ),
        (
            "CRC32",
            from_hex(
                "fd377a585a0000016922de360200210116000000742fe5a3e0007c00455d001e1a4886ed8eb32ceda6ffb4f842a00428\
        bed912495c25cf86b49fbd1fe58fc994070c4dc034e6cc830386e2f8545474ae40af8913cbb3f5feb6737537fa3bb97c\
        bcb84700000000007174daf200015d7db39b27019042990d010000000001595a",
            ),
        ),
        (
            "CRC64",
            from_hex(
                "fd377a585a000004e6d6b4460200210116000000742fe5a3e0007c00455d001e1a4886ed8eb32ceda6ffb4f842a00428\
        bed912495c25cf86b49fbd1fe58fc994070c4dc034e6cc830386e2f8545474ae40af8913cbb3f5feb6737537fa3bb97c\
        bcb8470000000000acd8c237f9eacd130001617d4ce2d4721fb6f37d010000000004595a",
            ),
        ),
        (
            "SHA-256",
            from_hex(
                "fd377a585a00000ae1fb0ca10200210116000000742fe5a3e0007c00455d001e1a4886ed8eb32ceda6ffb4f842a00428\
        bed912495c25cf86b49fbd1fe58fc994070c4dc034e6cc830386e2f8545474ae40af8913cbb3f5feb6737537fa3bb97c\
        bcb8470000000000d87d59a8661dfc5dec7e62580c865fc8992fc0a6680c5fbf62d231a7c5d0853b0001797d157acff0\
        189b4b9a01000000000a595a",
            ),
        ),
        (
            "two",
            from_hex(
                "fd377a585a000004e6d6b4460200210116000000742fe5a3e0004500365d001e1a4886ed8eb32ceda6ffb4f842a00428\
        bed912495c25cf86b49fbd1fe58fc994070c4dc034e6cc830386e2f8545474adcef91388000000009c7bf4a211247b70\
        00015246586eb4371fb6f37d010000000004595a0000000000000000fd377a585a000004e6d6b4460200210116000000\
        742fe5a3e0003600335d001817400673ff6a3f0327542a41b61507e83ae4ae2333659dbcd1f3ab774d881e394f5ab240\
        90f178651a70d7975cdc112f7c0000003ea544a2f87c239400014f37ee43daef1fb6f37d010000000004595a",
            ),
        ),
        (
            "bomb",
            from_hex(
                "fd377a585a000004e6d6b4460200210116000000742fe5a3ffff11016c5d00106ffbbffea3b15ee5f83fb2aa2655f868\
        704170150f8dfd1e4c1b8a42b719f4691871ae66238a8a4d2fa30dd97fa6e38c231153e05918c5758ae277f8b6947f0c\
        6ac0de744964e2e95c53b204d8f7440cab5f0d6d46e9e5c37688b79657acb64de1691d6ffb4b88106c42cb883f5c008f\
        d04eaf262894711f3d8f24e1709ea7235fec28cb85d195988a7e2a91f22775f719c006984d98fdd8afd5900fc42553f8\
        f591363105a5b0ee6fc1704d470cd19111aaad601dbaceb127185c5986e9665258bee976ac59e4e55b0508f9c7daadfc\
        fb522b74cd1e5b2042f9dd533df82964093b80cb2a6cdfb53bf0c4bd2e5faa0f3e4b664290130eff1093f8717859f80b\
        cdff9528460fa9fc7cdefb9a302e56c08f85f38381c065c42553f8f591363105a5b0ee6fc1704d470cd19111aaad601d\
        baceb127185c5986e9665258bee976ac59e4e55b0508f9c7daadfcfb522b74cd1e5b2042f9dd533df82964093b80cb2a\
        6cdfb53bf0c4bc4827e6589fff10012b00ec7353a7fdbeae7c311a9fb78d316e709ea7235fec28cb85d195988a7e2a91\
        f22775f719c006984d98fdd8afd5900fc42553f8f591363105a5b0ee6fc1704d470cd19111aaad601dbaceb127185c59\
        86e9665258bee976ac59e4e55b0508f9c7daadfcfb522b74cd1e5b2042f9dd533df82964093b80cb2a6cdfb53bf0c4bd\
        2e5faa0f3e4b664290130eff1093f8717859f80bcdff9528460fa9fc7cdefb9a302e56c08f85f38381c065c42553f8f5\
        91363105a5b0ee6fc1704d470cd19111aaad601dbaceb127185c5986e9665258bee976ac59e4e55b0508f9c7daadfcfb\
        522b74cd1e5b2042f9dd533df82964093b80cb2a6cdfb53bf0c4bd2e5faa0f3e4b664290130eff1093f8717859f80bcd\
        ff9528460fa9fc7cdefb9a302e56c08f85f38381c065c425510f3fb28001dc00050041eaa62d00008ca72328b3a228fd\
        0001c40580808002d3532d58b1c467fb020000000004595a",
            ),
        ),
    ]
}

#[test]
fn xz_is_read_and_its_checksums_are_compared() {
    for (name, packed) in xz() {
        if name == "bomb" {
            continue;
        }
        let trace = check(&packed, "ftrace text without header (trace_pipe)", 2);
        assert_eq!(trace.report.stopped, None, "{name}");
        check(&gz(&packed), "ftrace text without header (trace_pipe)", 2);
        check(
            &zip(&[("t.xz", 0, &packed)]),
            "ftrace text without header (trace_pipe)",
            2,
        );
        for at in 0..packed.len() {
            survives(&packed[..at]).unwrap_or_else(|error| panic!("{name} cut at {at}: {error}"));
            for noise in [0x01, 0x80, 0xff] {
                let mut packed = packed.clone();
                packed[at] ^= noise;
                survives(&packed).unwrap_or_else(|error| panic!("{name}, {noise:x} at {at}: {error}"));
            }
        }
    }
    let [_, _, (_, mut wrong), ..] = xz();
    // The last byte of the checksum, before the index and the footer.
    let place = wrong.len() - 12 - 8 - 1;
    wrong[place] ^= 1;
    let trace = trace::read(&wrong).expect("what came before");
    let told = format!("{:?}", trace.report.stopped);
    assert!(told.contains("the checksum of what is unpacked"), "{told}");
}

#[test]
fn a_bomb_of_xz_is_refused_with_the_limit() {
    let [.., (_, bomb)] = xz();
    assert!(bomb.len() < 2000, "{} bytes", bomb.len());
    let limits = Limits {
        max_text_bytes: 1 << 20,
        ..Limits::default()
    };
    let mut reader = Reader::new(limits);
    reader.feed(&bomb).expect("read at the end");
    let error = reader.finish().expect_err("too large");
    assert!(
        matches!(error, TraceError::TooLarge { limit: 0x10_0000, .. }),
        "{error}"
    );
}

/// As [`zip`] makes it, with every number of 32 bits full and the true ones in 64 bits.
fn zip64(name: &str, plain: &[u8]) -> Vec<u8> {
    let (full, len) = (u32::MAX.to_le_bytes(), (plain.len() as u64).to_le_bytes());
    let name_len = (name.len() as u16).to_le_bytes();
    let common = [&[0, 0][..], &[0; 8], &full, &full, &name_len].concat();
    let local = [
        b"PK\x03\x04\x2d\0\0\0",
        &common[..],
        &[0, 0],
        name.as_bytes(),
        plain,
    ]
    .concat();
    // Another extra field stands before.
    let extra = [
        &[9, 9, 2, 0, 7, 7, 1, 0, 24, 0][..],
        &len,
        &len,
        &0_u64.to_le_bytes(),
    ]
    .concat();
    let directory = [
        b"PK\x01\x02\x2d\0\x2d\0\0\0",
        &common[..],
        &(extra.len() as u16).to_le_bytes(),
        &[0; 10],
        &full,
        name.as_bytes(),
        &extra,
    ]
    .concat();
    let (one, place) = (1_u64.to_le_bytes(), (local.len() as u64).to_le_bytes());
    let end = [
        b"PK\x06\x06",
        &44_u64.to_le_bytes()[..],
        &[45, 0, 45, 0],
        &[0; 8],
        &one,
        &one,
        &(directory.len() as u64).to_le_bytes(),
        &place,
        b"PK\x06\x07",
        &[0; 4],
        &((local.len() + directory.len()) as u64).to_le_bytes(),
        &[1, 0, 0, 0],
        b"PK\x05\x06\0\0\0\0\xff\xff\xff\xff",
        &full,
        &full,
        &[0, 0],
    ]
    .concat();
    [local, directory, end].concat()
}

#[test]
fn the_numbers_of_zip64_are_found_in_their_long_form() {
    let file = zip64("big.txt", TEXT);
    let trace = check(&file, "ftrace text without header (trace_pipe)", 2);
    assert_eq!(trace.report.member.as_deref(), Some("big.txt"));
    for at in 0..file.len() {
        survives(&file[..at]).unwrap_or_else(|error| panic!("cut at {at}: {error}"));
        let mut file = file.clone();
        for byte in file.iter_mut().skip(at).take(8) {
            *byte = 0xff;
        }
        survives(&file).unwrap_or_else(|error| panic!("noise at {at}: {error}"));
    }
}
