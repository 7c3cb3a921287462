//! Protobuf's wire form: numbers of seven bits a byte, and fields of bytes.

/// A field's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// The fields of a message, up to where it breaks off.
pub(super) struct Fields<'a> {
    bytes: &'a [u8],
    at: usize,
    whole: bool,
}

impl<'a> Fields<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            whole: true,
        }
    }

    /// Bytes read.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Whether it did not break off so far.
    pub(super) fn is_whole(&self) -> bool {
        self.whole
    }

    fn field(&mut self) -> Option<(u32, Value<'a>)> {
        let mut at = self.at;
        let tag = number(self.bytes, &mut at)?;
        let field = u32::try_from(tag >> 3).ok()?;
        let len = match tag & 7 {
            0 => {
                let value = number(self.bytes, &mut at)?;
                self.at = at;
                return Some((field, Value::Number(value)));
            }
            1 => 8,
            2 => usize::try_from(number(self.bytes, &mut at)?).ok()?,
            5 => 4,
            _ => return None,
        };
        let end = at.checked_add(len)?;
        let bytes = self.bytes.get(at..end)?;
        self.at = end;
        let value = match tag & 7 {
            2 => Value::Bytes(bytes),
            _ => Value::Number(
                bytes
                    .iter()
                    .rev()
                    .fold(0, |value, byte| value << 8 | u64::from(*byte)),
            ),
        };
        Some((field, value))
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = (u32, Value<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        if !self.whole || self.at >= self.bytes.len() {
            return None;
        }
        let field = self.field();
        self.whole = field.is_some();
        field
    }
}

/// The next number; none when it does not end within ten bytes.
fn number(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let mut value = 0_u64;
    for (byte, shift) in bytes.get(*at..)?.iter().zip((0..70).step_by(7)) {
        *at += 1;
        value |= u64::from(*byte & 0x7f).checked_shl(shift).unwrap_or(0);
        if *byte < 0x80 {
            return Some(value);
        }
    }
    None
}

/// The numbers of a packed field, up to where it breaks off.
pub(super) fn numbers(bytes: &[u8]) -> impl Iterator<Item = u64> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || number(bytes, &mut at))
}

/// A 32-bit integer: its low half, since negative ones are extended.
pub(super) fn int(value: u64) -> i32 {
    u32::try_from(value & 0xffff_ffff).map_or(-1, u32::cast_signed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_every_form_and_where_they_break_off() {
        #[track_caller]
        fn check(bytes: &[u8], expect: &[(u32, Value<'_>)], whole: bool) {
            let mut fields = Fields::new(bytes);
            let got: Vec<_> = fields.by_ref().collect();
            assert_eq!((got.as_slice(), fields.is_whole()), (expect, whole), "{bytes:x?}");
        }
        check(&[], &[], true);
        check(&[0x08, 0x96, 0x01], &[(1, Value::Number(150))], true);
        check(&[0x12, 2, b'a', b'b'], &[(2, Value::Bytes(b"ab"))], true);
        check(&[0x0d, 1, 2, 0, 0], &[(1, Value::Number(513))], true);
        check(
            &[0x09, 1, 0, 0, 0, 0, 0, 0, 0x80],
            &[(1, Value::Number(1 << 63 | 1))],
            true,
        );
        check(&[0x08, 0x96], &[], false);
        check(&[0x12, 3, b'a'], &[], false);
        check(&[0x0b], &[], false);
        check(
            &[
                0x08, 1, 0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1,
            ],
            &[(1, Value::Number(1))],
            false,
        );
        check(&[0x08; 20], &[(1, Value::Number(8)); 10], true);
        check(&[[0x08].as_slice(), &[0xff; 11]].concat(), &[], false);
        assert_eq!(int(u64::MAX), -1);
        assert_eq!(int(7), 7);
        assert_eq!(numbers(&[1, 0x96, 1, 0x80]).collect::<Vec<_>>(), [1, 150]);
    }
}
