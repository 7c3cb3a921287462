//! gz members, one after another (RFC 1951 and 1952), or one zlib stream (RFC 1950), from packed pieces of any size.
//!
//! On the inflater alone: the usual crate around it brings a CRC with 16 kB of tables, which no host can
//! compress. Here the tables are made when a packed file is opened.

use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::{
    TINFL_FLAG_HAS_MORE_INPUT, TINFL_FLAG_IGNORE_ADLER32, TINFL_FLAG_PARSE_ZLIB_HEADER,
};
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};

/// Flags of a header: which parts follow its fixed ten bytes.
const CHECKED: u8 = 1 << 1;
const EXTRA: u8 = 1 << 2;
const NAME: u8 = 1 << 3;
const COMMENT: u8 = 1 << 4;
const RESERVED: u8 = 0b1110_0000;

/// Bytes that packed data may refer back to.
const WINDOW: usize = 1 << 15;

/// The packed data break the rules or differ from their checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Damaged;

/// What the next byte belongs to.
#[derive(Clone, Copy)]
enum Part {
    /// The fixed beginning, after so many of its bytes.
    Fixed(u8),
    ExtraLow,
    /// With the low byte of the length.
    ExtraHigh(u8),
    /// So many bytes are left.
    Extra(u16),
    /// A name or a comment, which ends with a zero.
    Text,
    /// The header's own checksum.
    CheckLow,
    CheckHigh,
    Data,
    /// Checksum and length, after so many of their bytes.
    Tail(u8),
    /// What follows a zlib stream: passed over.
    After,
}

/// Unpacks members into `text`.
#[derive(Clone)]
pub(super) struct Members {
    /// Packed bytes taken so far, all of them sound.
    pub(super) taken: u64,
    part: Part,
    /// For the inflater.
    mode: u32,
    /// Parts of this header that are still to come.
    flags: u8,
    inflater: Box<DecompressorOxide>,
    window: Vec<u8>,
    /// Where in the window the next byte goes.
    at: usize,
    /// Of the header, then of the data.
    crc: Crc,
    /// Bytes unpacked in this member, modulo 2^32.
    size: u32,
    /// What has been unpacked; whoever reads it takes it.
    pub(super) text: Vec<u8>,
}

impl Members {
    pub(super) fn new() -> Self {
        Self {
            taken: 0,
            part: Part::Fixed(0),
            mode: TINFL_FLAG_HAS_MORE_INPUT | TINFL_FLAG_IGNORE_ADLER32,
            flags: 0,
            inflater: Box::default(),
            window: vec![0; WINDOW],
            at: 0,
            crc: Crc::new(),
            size: 0,
            text: Vec::new(),
        }
    }

    /// One zlib stream instead; it carries a checksum of its own, which the inflater compares.
    pub(super) fn zlib() -> Self {
        Self {
            part: Part::Data,
            mode: TINFL_FLAG_HAS_MORE_INPUT | TINFL_FLAG_PARSE_ZLIB_HEADER,
            ..Self::new()
        }
    }

    /// Whether the last member is complete.
    pub(super) fn is_whole(&self) -> bool {
        matches!(self.part, Part::Fixed(0) | Part::After)
    }

    /// Unpacks the next piece.
    ///
    /// # Errors
    /// Where the data are damaged; what came before is in `text`, however the file was cut into pieces.
    pub(super) fn unpack(&mut self, packed: &[u8]) -> Result<(), Damaged> {
        let before = self.clone();
        if self.piece(packed).is_ok() {
            return Ok(());
        }
        // Once more, byte by byte, up to the one that is wrong.
        *self = before;
        packed
            .iter()
            .try_for_each(|byte| self.piece(std::slice::from_ref(byte)))
    }

    fn piece(&mut self, mut packed: &[u8]) -> Result<(), Damaged> {
        let len = u64::try_from(packed.len()).unwrap_or(u64::MAX);
        loop {
            if matches!(self.part, Part::Data) {
                packed = self.inflate(packed)?;
            }
            let Some((byte, rest)) = packed.split_first() else {
                self.taken = self.taken.saturating_add(len);
                return Ok(());
            };
            self.part = self.next(*byte)?;
            packed = rest;
        }
    }

    /// Unpacks data; gives what comes after them.
    fn inflate<'a>(&mut self, mut packed: &'a [u8]) -> Result<&'a [u8], Damaged> {
        loop {
            let (status, read, written) =
                decompress(&mut self.inflater, packed, &mut self.window, self.at, self.mode);
            packed = packed.get(read..).unwrap_or_default();
            let new = self.window.get(self.at..self.at + written).unwrap_or_default();
            self.at = (self.at + written) % WINDOW;
            self.crc.add(new);
            self.size = self.size.wrapping_add(u32::try_from(written).unwrap_or(0));
            self.text.extend_from_slice(new);
            match status {
                TINFLStatus::HasMoreOutput => {}
                TINFLStatus::NeedsMoreInput => return Ok(packed),
                TINFLStatus::Done => {
                    self.part = if self.mode & TINFL_FLAG_PARSE_ZLIB_HEADER == 0 {
                        Part::Tail(0)
                    } else {
                        Part::After
                    };
                    return Ok(packed);
                }
                _ => return Err(Damaged),
            }
        }
    }

    /// Takes a byte of a header or a tail; gives what the next one belongs to.
    fn next(&mut self, byte: u8) -> Result<Part, Damaged> {
        if !matches!(self.part, Part::CheckLow | Part::CheckHigh | Part::Tail(_)) {
            self.crc.add(&[byte]);
        }
        let [crc_0, crc_1, ..] = self.crc.bytes();
        let (sound, next) = match self.part {
            Part::Fixed(0) => (byte == 0x1f, Part::Fixed(1)),
            Part::Fixed(1) => (byte == 0x8b, Part::Fixed(2)),
            Part::Fixed(2) => (byte == 8, Part::Fixed(3)),
            Part::Fixed(3) => {
                self.flags = byte;
                (byte & RESERVED == 0, Part::Fixed(4))
            }
            Part::Fixed(at @ 4..9) => (true, Part::Fixed(at + 1)),
            Part::ExtraLow => (true, Part::ExtraHigh(byte)),
            Part::ExtraHigh(low) => match u16::from_le_bytes([low, byte]) {
                0 => (true, self.header_part()),
                left => (true, Part::Extra(left)),
            },
            Part::Extra(left @ 2..) => (true, Part::Extra(left - 1)),
            Part::Text if byte != 0 => (true, Part::Text),
            Part::CheckLow => (byte == crc_0, Part::CheckHigh),
            Part::CheckHigh => (byte == crc_1, self.header_part()),
            Part::Fixed(_) | Part::Extra(_) | Part::Text => (true, self.header_part()),
            Part::Data => (true, Part::Data),
            Part::After => (true, Part::After),
            Part::Tail(at) => {
                let tail = [self.crc.bytes(), self.size.to_le_bytes()];
                let wanted = tail.as_flattened().get(usize::from(at));
                let next = if at == 7 {
                    Part::Fixed(0)
                } else {
                    Part::Tail(at + 1)
                };
                (wanted == Some(&byte), next)
            }
        };
        if matches!(next, Part::Fixed(0)) {
            self.crc.clear();
        }
        if sound { Ok(next) } else { Err(Damaged) }
    }

    /// The next part that the header announced; after the last one, the data.
    fn header_part(&mut self) -> Part {
        let parts = [
            (EXTRA, Part::ExtraLow),
            (NAME, Part::Text),
            (COMMENT, Part::Text),
            (CHECKED, Part::CheckLow),
        ];
        for (flag, part) in parts {
            if self.flags & flag != 0 {
                self.flags &= !flag;
                return part;
            }
        }
        self.inflater.init();
        self.at = 0;
        self.crc.clear();
        self.size = 0;
        Part::Data
    }
}

/// The checksum of RFC 1952, eight bytes at a time.
#[derive(Clone)]
pub(super) struct Crc {
    /// By how many bytes follow, then by byte.
    tables: Vec<[u32; 256]>,
    /// Complement of the checksum.
    rest: u32,
}

impl Crc {
    pub(super) fn new() -> Self {
        let shifted = |rest: u32| (rest >> 1) ^ if rest & 1 == 1 { 0xedb8_8320 } else { 0 };
        let first: Vec<u32> = (0..256)
            .map(|byte| (0..8).fold(byte, |rest, _| shifted(rest)))
            .collect();
        let mut tables = vec![[0; 256]; 8];
        for byte in 0..256 {
            let mut rest = u32::try_from(byte).unwrap_or(0);
            for table in &mut tables {
                rest = (rest >> 8) ^ first[usize::from(rest.to_le_bytes()[0])];
                table[byte] = rest;
            }
        }
        Self { tables, rest: !0 }
    }

    pub(super) fn clear(&mut self) {
        self.rest = !0;
    }

    pub(super) fn bytes(&self) -> [u8; 4] {
        (!self.rest).to_le_bytes()
    }

    pub(super) fn add(&mut self, bytes: &[u8]) {
        let (eights, last) = bytes.as_chunks::<8>();
        for eight in eights {
            let mixed = u64::from_le_bytes(*eight) ^ u64::from(self.rest);
            let tables = self.tables.iter().rev();
            self.rest = tables
                .zip(mixed.to_le_bytes())
                .fold(0, |rest, (table, byte)| rest ^ table[usize::from(byte)]);
        }
        for byte in last {
            let [low, ..] = self.rest.to_le_bytes();
            let one = self
                .tables
                .first()
                .map_or(0, |table| table[usize::from(low ^ byte)]);
            self.rest = (self.rest >> 8) ^ one;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::write::MultiGzDecoder;
    use flate2::{Compression, GzBuilder};

    use super::*;

    const TEXT: &[u8] =
        b"idle and awake, idle and awake, idle again; what follows is no longer the same 0123456789";

    /// What comes out in pieces of this size, and whether the data are sound and whole.
    fn unpacked(packed: &[u8], piece: usize) -> (Vec<u8>, bool, bool) {
        let mut members = Members::new();
        let sound = packed.chunks(piece).all(|piece| members.unpack(piece).is_ok());
        let whole = members.is_whole();
        (members.text, sound, whole)
    }

    fn packed(header: GzBuilder, text: &[u8]) -> Vec<u8> {
        let mut packer = header.write(Vec::new(), Compression::default());
        packer.write_all(text).expect("memory");
        packer.finish().expect("memory")
    }

    #[test]
    fn the_checksum_is_that_of_the_standard() {
        let mut crc = Crc::new();
        crc.add(b"123456789");
        assert_eq!(crc.bytes(), 0xcbf4_3926_u32.to_le_bytes());
        crc.clear();
        for byte in b"123456789" {
            crc.add(&[*byte]);
        }
        assert_eq!(crc.bytes(), 0xcbf4_3926_u32.to_le_bytes());
    }

    #[test]
    fn members_with_any_header_come_out_in_pieces_of_any_size() {
        let plain = packed(GzBuilder::new(), TEXT);
        let long = TEXT.repeat(5_000);
        let header = GzBuilder::new().filename("a").comment("b").extra(vec![0, 1, 2]);
        let empty_extra = packed(GzBuilder::new().extra(vec![]), &long);
        // A header with a checksum: the flag, and the low half of the checksum behind it.
        let mut checked = plain.clone();
        checked[3] |= CHECKED;
        let mut crc = Crc::new();
        crc.add(&checked[..10]);
        checked.splice(10..10, crc.bytes()[..2].iter().copied());
        let all = [plain, packed(header, TEXT), empty_extra, checked.clone()].concat();
        let wanted = [TEXT, TEXT, &long, TEXT].concat();
        for piece in [1, 7, 4096, all.len()] {
            assert_eq!(unpacked(&all, piece), (wanted.clone(), true, true), "{piece}");
        }
        checked[10] ^= 1;
        assert_eq!(unpacked(&checked, 4096), (Vec::new(), false, false));
    }

    #[test]
    fn every_changed_or_missing_byte_is_judged_as_by_the_usual_crate() {
        let sound = packed(GzBuilder::new().filename("a"), TEXT);
        let usual = |bytes: &[u8]| {
            let mut usual = MultiGzDecoder::new(Vec::new());
            usual.write_all(bytes).is_ok() && usual.try_finish().is_ok()
        };
        let ours = |bytes: &[u8]| {
            let (_, sound, whole) = unpacked(bytes, 5);
            sound && whole
        };
        for at in 0..sound.len() {
            let cut = &sound[..at];
            assert_eq!(ours(cut), at == 0, "cut at {at}");
            assert!(unpacked(cut, 5).1, "cut at {at} is not damaged");
            for bit in 0..8 {
                let mut changed = sound.clone();
                changed[at] ^= 1 << bit;
                assert_eq!(ours(&changed), usual(&changed), "bit {bit} of byte {at}");
            }
        }
    }
}
