//! The members of a zip archive, by its central directory at the end (PKWARE's APPNOTE).

use super::super::bytes::{Cursor, Endian, Fault, unsigned};
use super::super::remark::shown;

/// Members that are looked at.
const MOST: usize = 1 << 10;
/// Bytes of the end's fixed part, and of a comment behind it.
const END: usize = 22;
const COMMENT: usize = u16::MAX as usize;

/// One member, still packed.
pub(in super::super) struct Member<'a> {
    /// As people see it.
    pub(in super::super) name: String,
    method: u16,
    locked: bool,
    packed: &'a [u8],
}

impl Member<'_> {
    /// Unpacks at most `limit` bytes.
    ///
    /// # Errors
    /// What should be there instead.
    pub(in super::super) fn unpacked(&self, limit: usize) -> Result<Vec<u8>, &'static str> {
        if self.locked {
            return Err("a member without a password");
        }
        match self.method {
            0 if self.packed.len() <= limit => Ok(self.packed.to_vec()),
            8 => miniz_oxide::inflate::decompress_to_vec_with_limit(self.packed, limit)
                .map_err(|_| "a deflated member that unpacks, within the limit of 512 MB"),
            0 => Err("a stored member within the limit of 512 MB"),
            _ => Err("a member that is stored or deflated"),
        }
    }
}

/// Every member but folders and what the Finder adds.
///
/// # Errors
/// When there is no directory, or it reaches beyond the file.
pub(in super::super) fn members(bytes: &[u8]) -> Result<Vec<Member<'_>>, Fault> {
    let end = find_end(bytes).ok_or(Fault {
        at: u64::try_from(bytes.len()).unwrap_or(u64::MAX),
        expected: "the directory at the end of a zip archive (is the file cut off?)",
    })?;
    let mut cursor = Cursor::new(bytes, end + 10, Endian::Little);
    let mut count = u64::from(cursor.u16("the number of members")?);
    cursor.u32("the length of the directory")?;
    let mut place = u64::from(cursor.u32("the place of the directory")?);
    if count == u64::from(u16::MAX) || place == u64::from(u32::MAX) {
        (count, place) = long_end(bytes, end)?.unwrap_or((count, place));
    }
    let mut cursor = Cursor::new(
        bytes,
        usize::try_from(place).unwrap_or(usize::MAX),
        Endian::Little,
    );
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let mut members = Vec::new();
    for _ in 0..count.min(MOST) {
        let member = member(bytes, &mut cursor)?;
        let folder = member.name.ends_with('/');
        if !folder && !member.name.starts_with("__MACOSX/") && !member.name.ends_with(".DS_Store") {
            members.push(member);
        }
    }
    Ok(members)
}

/// The last mark of an end that the rest of the file can be the comment of.
fn find_end(bytes: &[u8]) -> Option<usize> {
    let from = bytes.len().saturating_sub(END + COMMENT);
    let at = memchr::memmem::rfind(bytes.get(from..)?, b"PK\x05\x06")?;
    Some(from + at)
}

/// Number of members and place of the directory of a zip64 archive, by the locator before its usual end; none when
/// there is no locator, since an archive may have that many members without being one.
fn long_end(bytes: &[u8], end: usize) -> Result<Option<(u64, u64)>, Fault> {
    const CUT: &str = "the end of a zip64 archive";
    let Some(locator) = end.checked_sub(20) else {
        return Ok(None);
    };
    let mut cursor = Cursor::new(bytes, locator, Endian::Little);
    if cursor.exactly(b"PK\x06\x07", CUT).is_err() {
        return Ok(None);
    }
    cursor.u32(CUT)?;
    let place = usize::try_from(cursor.u64(CUT)?).unwrap_or(usize::MAX);
    let mut cursor = Cursor::new(bytes, place, Endian::Little);
    cursor.exactly(b"PK\x06\x06", CUT)?;
    cursor.take(28, CUT)?;
    let count = cursor.u64(CUT)?;
    cursor.u64(CUT)?;
    Ok(Some((count, cursor.u64(CUT)?)))
}

/// Lengths and place that do not fit into 32 bits stand in an extra field, in this order: plain, packed, place; each
/// only when its own field is full.
fn long_numbers(extra: &[u8], plain: u32, packed: u32, place: u32) -> Result<(u64, u64), Fault> {
    const CUT: &str = "the long numbers of a zip64 member";
    let (mut packed_long, mut place_long) = (u64::from(packed), u64::from(place));
    let mut cursor = Cursor::new(extra, 0, Endian::Little);
    while let (Ok(id), Ok(len)) = (cursor.u16(CUT), cursor.u16(CUT)) {
        let field = cursor.take(u64::from(len), CUT)?;
        if id != 1 {
            continue;
        }
        let mut field = Cursor::new(field, 0, Endian::Little);
        if plain == u32::MAX {
            field.u64(CUT)?;
        }
        if packed == u32::MAX {
            packed_long = field.u64(CUT)?;
        }
        if place == u32::MAX {
            place_long = field.u64(CUT)?;
        }
        break;
    }
    Ok((packed_long, place_long))
}

fn member<'a>(bytes: &'a [u8], cursor: &mut Cursor<'a>) -> Result<Member<'a>, Fault> {
    const CUT: &str = "an entry of the directory";
    cursor.exactly(b"PK\x01\x02", CUT)?;
    cursor.take(4, CUT)?;
    let flags = cursor.u16(CUT)?;
    let method = cursor.u16(CUT)?;
    cursor.take(8, CUT)?;
    let packed = cursor.u32(CUT)?;
    let plain = cursor.u32(CUT)?;
    let (name, extra, comment) = (cursor.u16(CUT)?, cursor.u16(CUT)?, cursor.u16(CUT)?);
    cursor.take(8, CUT)?;
    let place = cursor.u32(CUT)?;
    let name = cursor.take(u64::from(name), CUT)?;
    let extra = cursor.take(u64::from(extra), CUT)?;
    cursor.take(u64::from(comment), CUT)?;
    let (packed, place) = if [plain, packed, place].contains(&u32::MAX) {
        long_numbers(extra, plain, packed, place)?
    } else {
        (u64::from(packed), u64::from(place))
    };
    let place = usize::try_from(place).unwrap_or(usize::MAX);
    let fault = |expected| Fault {
        at: u64::try_from(place).unwrap_or(u64::MAX),
        expected,
    };
    // The lengths before the data may differ from those in the directory.
    let mark = place.checked_add(4).and_then(|end| bytes.get(place..end));
    if mark != Some(b"PK\x03\x04") {
        return Err(fault("a member where the directory says"));
    }
    let len = |at: usize| {
        unsigned(bytes, place.checked_add(at)?, 2, Endian::Little).and_then(|len| usize::try_from(len).ok())
    };
    let data = len(26)
        .zip(len(28))
        .and_then(|(name, extra)| {
            let start = place.checked_add(30 + name + extra)?;
            bytes.get(start..start.checked_add(usize::try_from(packed).ok()?)?)
        })
        .ok_or(fault("a whole member"))?;
    Ok(Member {
        name: shown(name),
        method,
        locked: flags & 1 != 0,
        packed: data,
    })
}
