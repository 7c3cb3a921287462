//! xz streams, one after another (the .xz file format, version 1.2.1): what is around LZMA2 data, and their checksums.
//!
//! On the decoder alone: the container around it is small, and its checksums are those that are here already.

use std::io::Read as _;

use lzma_rust2::Lzma2Reader;
use sha2::{Digest as _, Sha256};

use super::super::bytes::{Cursor, Endian, Fault};
use super::super::gz::Crc;

/// The first bytes of a stream, and the last of its footer.
const MAGIC: &[u8] = b"\xfd7zXZ\x00";
const END: &[u8] = b"YZ";
/// Bytes that packed data may refer back to, at most: what `xz -9` asks for.
const MOST_BACK: u32 = 1 << 26;
/// The number of the only filter that is read.
const LZMA2: u64 = 0x21;

/// Hands what is unpacked to `take`, piece by piece; `take` ends it with an error of its own.
///
/// # Errors
/// `Err(Ok(fault))` where the file is damaged or of a kind that is not read, after all pieces before it;
/// `Err(Err(error))` when `take` gave one.
pub(super) fn unpack<E>(
    bytes: &[u8],
    piece: &mut [u8],
    mut take: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), Result<Fault, E>> {
    let mut cursor = Cursor::new(bytes, 0, Endian::Little);
    loop {
        stream(bytes, &mut cursor, piece, &mut take)?;
        // Zeros by fours may follow, and another stream.
        let rest = bytes.get(place(&cursor)..).unwrap_or_default();
        let zeros = rest.iter().take_while(|byte| **byte == 0).count();
        if zeros == rest.len() {
            return Ok(());
        }
        cursor.take(count(zeros), "zeros between streams").map_err(Ok)?;
    }
}

fn stream<E>(
    bytes: &[u8],
    cursor: &mut Cursor<'_>,
    piece: &mut [u8],
    take: &mut impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), Result<Fault, E>> {
    cursor.exactly(MAGIC, "an xz stream").map_err(Ok)?;
    let at = cursor.at();
    let flags = cursor.take(2, "the flags of an xz stream").map_err(Ok)?;
    let (kind, check_bytes) = match flags {
        [0, 0] => (Check::None, 0),
        [0, 1] => (Check::Crc32(Crc::new()), 4),
        [0, 4] => (Check::Crc64(Crc64::new()), 8),
        [0, 10] => (Check::Sha256(Box::default()), 32),
        _ => {
            let expected = "an xz stream with CRC32, CRC64, SHA-256 or no checksum";
            return Err(Ok(Fault { at, expected }));
        }
    };
    cursor.take(4, "the checksum of the flags").map_err(Ok)?;
    let mut check = kind;
    while let Some(dictionary) = block(cursor).map_err(Ok)? {
        let mut packed = bytes.get(place(cursor)..).unwrap_or_default();
        let before = packed.len();
        check.clear();
        {
            let mut reader = Lzma2Reader::new(&mut packed, dictionary, None);
            loop {
                match reader.read(piece) {
                    Ok(0) => break,
                    Ok(len) => {
                        let plain = piece.get(..len).unwrap_or_default();
                        check.add(plain);
                        take(plain).map_err(Err)?;
                    }
                    Err(_) => {
                        let expected = "whole LZMA2 data";
                        return Err(Ok(Fault {
                            at: cursor.at(),
                            expected,
                        }));
                    }
                }
            }
        }
        let taken = before - packed.len();
        let padding = taken.wrapping_neg() % 4;
        cursor
            .take(count(taken + padding), "the end of a block")
            .map_err(Ok)?;
        let at = cursor.at();
        let expected = "the checksum of what is unpacked";
        let told = cursor.take(check_bytes, expected).map_err(Ok)?;
        if !check.equals(told) {
            return Err(Ok(Fault { at, expected }));
        }
    }
    index(cursor).map_err(Ok)
}

/// The size of a block's dictionary; none at the index, which follows the last block.
fn block(cursor: &mut Cursor<'_>) -> Result<Option<u32>, Fault> {
    const CUT: &str = "the header of a block";
    let at = cursor.at();
    let words = cursor.u8(CUT)?;
    if words == 0 {
        return Ok(None);
    }
    // The length counts the byte that tells it and the checksum at the end.
    let rest = cursor.take(u64::from(words) * 4 + 3, CUT)?;
    let mut header = Cursor::new(rest, 0, Endian::Little);
    let flags = header.u8(CUT)?;
    for _ in 0..(flags >> 6).count_ones() {
        long(&mut header)?;
    }
    let plain = flags & 0b11 == 0 && long(&mut header)? == LZMA2 && long(&mut header)? == 1;
    let bits = header.u8(CUT)?;
    let size = match bits {
        0..=39 => (2 | u32::from(bits & 1)).checked_shl(u32::from(bits / 2) + 11),
        _ => None,
    };
    match size.filter(|size| plain && *size <= MOST_BACK) {
        Some(size) => Ok(Some(size)),
        None => Err(Fault {
            at,
            expected: "a block of LZMA2 alone with a dictionary of 64 MB at most",
        }),
    }
}

/// The index and the footer, of which nothing is needed.
fn index(cursor: &mut Cursor<'_>) -> Result<(), Fault> {
    const CUT: &str = "the index at the end of an xz stream";
    let start = cursor.at() - 1;
    let blocks = long(cursor)?;
    // Each takes two bytes at least, so a count that cannot be ends with the file.
    for _ in 0..blocks {
        long(cursor)?;
        long(cursor)?;
    }
    let padding = (cursor.at() - start).wrapping_neg() % 4;
    cursor.take(padding + 4, CUT)?;
    cursor.take(10, CUT)?;
    cursor.exactly(END, CUT)
}

/// A number of 63 bits at most, seven a byte.
fn long(cursor: &mut Cursor<'_>) -> Result<u64, Fault> {
    const EXPECTED: &str = "a number of nine bytes at most";
    let at = cursor.at();
    let mut value = 0;
    for shift in (0..63).step_by(7) {
        let byte = cursor.u8(EXPECTED)?;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(Fault {
        at,
        expected: EXPECTED,
    })
}

fn place(cursor: &Cursor<'_>) -> usize {
    usize::try_from(cursor.at()).unwrap_or(usize::MAX)
}

fn count(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

/// The checksum of what is unpacked from a block.
enum Check {
    None,
    Crc32(Crc),
    Crc64(Crc64),
    Sha256(Box<Sha256>),
}

impl Check {
    fn clear(&mut self) {
        match self {
            Self::None => {}
            Self::Crc32(crc) => crc.clear(),
            Self::Crc64(crc) => crc.rest = !0,
            Self::Sha256(hash) => **hash = Sha256::new(),
        }
    }

    fn add(&mut self, plain: &[u8]) {
        match self {
            Self::None => {}
            Self::Crc32(crc) => crc.add(plain),
            Self::Crc64(crc) => crc.add(plain),
            Self::Sha256(hash) => hash.update(plain),
        }
    }

    fn equals(&mut self, told: &[u8]) -> bool {
        match self {
            Self::None => true,
            Self::Crc32(crc) => crc.bytes() == told,
            Self::Crc64(crc) => (!crc.rest).to_le_bytes() == told,
            Self::Sha256(hash) => hash.finalize_reset().as_slice() == told,
        }
    }
}

/// The CRC of ECMA-182, bits reflected.
struct Crc64 {
    table: Vec<u64>,
    /// Complement of the checksum.
    rest: u64,
}

impl Crc64 {
    fn new() -> Self {
        let shifted = |rest: u64| (rest >> 1) ^ if rest & 1 == 1 { 0xc96c_5795_d787_0f42 } else { 0 };
        Self {
            table: (0..256)
                .map(|byte| (0..8).fold(byte, |rest, _| shifted(rest)))
                .collect(),
            rest: !0,
        }
    }

    fn add(&mut self, bytes: &[u8]) {
        self.rest = bytes.iter().fold(self.rest, |rest, byte| {
            let [low, ..] = rest.to_le_bytes();
            let one = self.table.get(usize::from(low ^ byte)).copied().unwrap_or(0);
            (rest >> 8) ^ one
        });
    }
}
