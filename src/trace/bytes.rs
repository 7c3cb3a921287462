//! Numbers and texts out of binary data, of either byte order. Nothing here panics; what is not there is none.

/// Which byte of a number comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Endian {
    Little,
    Big,
}

/// Data that are not as their format wants them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// Where, bytes from the start of what is read.
    pub(super) at: u64,
    /// What should have been there.
    pub(super) expected: &'static str,
}

/// A number of 1, 2, 4 or 8 bytes; none when it does not fit.
#[inline]
pub(super) fn unsigned(bytes: &[u8], at: usize, size: u8, endian: Endian) -> Option<u64> {
    let tail = bytes.get(at..)?;
    let little = endian == Endian::Little;
    Some(match size {
        1 => u64::from(*tail.first()?),
        2 => u64::from(two(tail, little)?),
        4 => u64::from(four(tail, little)?),
        8 => eight(tail, little)?,
        _ => return None,
    })
}

#[inline]
fn two(tail: &[u8], little: bool) -> Option<u16> {
    let bytes = *tail.first_chunk()?;
    Some(if little {
        u16::from_le_bytes(bytes)
    } else {
        u16::from_be_bytes(bytes)
    })
}

#[inline]
fn four(tail: &[u8], little: bool) -> Option<u32> {
    let bytes = *tail.first_chunk()?;
    Some(if little {
        u32::from_le_bytes(bytes)
    } else {
        u32::from_be_bytes(bytes)
    })
}

#[inline]
fn eight(tail: &[u8], little: bool) -> Option<u64> {
    let bytes = *tail.first_chunk()?;
    Some(if little {
        u64::from_le_bytes(bytes)
    } else {
        u64::from_be_bytes(bytes)
    })
}

/// As a signed number of that many bytes.
#[inline]
pub(super) fn signed(bytes: &[u8], at: usize, size: u8, endian: Endian) -> Option<i64> {
    let shift = 64_u32.checked_sub(8 * u32::from(size))?;
    let value = unsigned(bytes, at, size, endian)?;
    Some((value << shift).cast_signed() >> shift)
}

/// Reads from front to back.
#[derive(Clone, Debug)]
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    pub(super) endian: Endian,
}

impl<'a> Cursor<'a> {
    /// From this byte on; beyond the end nothing is there.
    pub(super) fn new(bytes: &'a [u8], at: usize, endian: Endian) -> Self {
        Self { bytes, at, endian }
    }

    /// Bytes from the start.
    pub(super) fn at(&self) -> u64 {
        u64::try_from(self.at).unwrap_or(u64::MAX)
    }

    /// So many bytes, or a fault that names what should be there.
    pub(super) fn take(&mut self, len: u64, expected: &'static str) -> Result<&'a [u8], Fault> {
        let fault = Fault {
            at: self.at(),
            expected,
        };
        let end = usize::try_from(len)
            .ok()
            .and_then(|len| self.at.checked_add(len))
            .ok_or(fault)?;
        let taken = self.bytes.get(self.at..end).ok_or(fault)?;
        self.at = end;
        Ok(taken)
    }

    fn number(&mut self, size: u8, expected: &'static str) -> Result<u64, Fault> {
        let fault = Fault {
            at: self.at(),
            expected,
        };
        let value = unsigned(self.bytes, self.at, size, self.endian).ok_or(fault)?;
        self.at += usize::from(size);
        Ok(value)
    }

    pub(super) fn u8(&mut self, expected: &'static str) -> Result<u8, Fault> {
        self.number(1, expected)
            .map(|value| u8::try_from(value).unwrap_or(u8::MAX))
    }

    pub(super) fn u16(&mut self, expected: &'static str) -> Result<u16, Fault> {
        self.number(2, expected)
            .map(|value| u16::try_from(value).unwrap_or(u16::MAX))
    }

    pub(super) fn u32(&mut self, expected: &'static str) -> Result<u32, Fault> {
        self.number(4, expected)
            .map(|value| u32::try_from(value).unwrap_or(u32::MAX))
    }

    pub(super) fn u64(&mut self, expected: &'static str) -> Result<u64, Fault> {
        self.number(8, expected)
    }

    /// A text up to its zero, which is not part of it.
    pub(super) fn text(&mut self, expected: &'static str) -> Result<&'a [u8], Fault> {
        let fault = Fault {
            at: self.at(),
            expected,
        };
        let tail = self.bytes.get(self.at..).ok_or(fault)?;
        let end = memchr::memchr(0, tail).ok_or(fault)?;
        self.at += end + 1;
        tail.get(..end).ok_or(fault)
    }

    /// These very bytes.
    pub(super) fn exactly(&mut self, wanted: &[u8], expected: &'static str) -> Result<(), Fault> {
        let at = self.at();
        let len = u64::try_from(wanted.len()).unwrap_or(u64::MAX);
        if self.take(len, expected)? == wanted {
            Ok(())
        } else {
            Err(Fault { at, expected })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_size_sign_and_order() {
        #[track_caller]
        fn check(size: u8, endian: Endian, expect: Option<(u64, i64)>) {
            let bytes = [0xff, 0xfe, 0x03, 0x04, 0x05, 0x06, 0x07, 0x88];
            let got = unsigned(&bytes, 0, size, endian).zip(signed(&bytes, 0, size, endian));
            assert_eq!(got, expect, "{size} {endian:?}");
        }
        check(1, Endian::Little, Some((255, -1)));
        check(2, Endian::Little, Some((0xfeff, -257)));
        check(2, Endian::Big, Some((0xfffe, -2)));
        check(4, Endian::Little, Some((0x0403_feff, 0x0403_feff)));
        check(4, Endian::Big, Some((0xfffe_0304, -130_300)));
        check(
            8,
            Endian::Little,
            Some((0x8807_0605_0403_feff, 0x8807_0605_0403_feff_u64.cast_signed())),
        );
        check(3, Endian::Big, None);
        check(9, Endian::Big, None);
        assert_eq!(unsigned(&[1, 2, 3], 2, 2, Endian::Little), None);
        assert_eq!(unsigned(&[1, 2, 3], usize::MAX, 1, Endian::Little), None);
    }
}
