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
fn zip(members: &[(&str, u16, &[u8])]) -> Vec<u8> {
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
