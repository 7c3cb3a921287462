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
    let count = cursor.u16("the number of members")?;
    cursor.u32("the length of the directory")?;
    let at = cursor.at();
    let place = cursor.u32("the place of the directory")?;
    if place == u32::MAX {
        return Err(Fault {
            at,
            expected: "an archive of less than 4 GB (zip64 is not read)",
        });
    }
    let mut cursor = Cursor::new(
        bytes,
        usize::try_from(place).unwrap_or(usize::MAX),
        Endian::Little,
    );
    let mut members = Vec::new();
    for _ in 0..usize::from(count).min(MOST) {
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

fn member<'a>(bytes: &'a [u8], cursor: &mut Cursor<'a>) -> Result<Member<'a>, Fault> {
    const CUT: &str = "an entry of the directory";
    cursor.exactly(b"PK\x01\x02", CUT)?;
    cursor.take(4, CUT)?;
    let flags = cursor.u16(CUT)?;
    let method = cursor.u16(CUT)?;
    cursor.take(8, CUT)?;
    let packed = cursor.u32(CUT)?;
    cursor.u32(CUT)?;
    let (name, extra, comment) = (cursor.u16(CUT)?, cursor.u16(CUT)?, cursor.u16(CUT)?);
    cursor.take(8, CUT)?;
    let place = usize::try_from(cursor.u32(CUT)?).unwrap_or(usize::MAX);
    let name = cursor.take(u64::from(name), CUT)?;
    cursor.take(u64::from(extra) + u64::from(comment), CUT)?;
    let fault = |expected| Fault {
        at: u64::try_from(place).unwrap_or(u64::MAX),
        expected,
    };
    // The lengths before the data may differ from those in the directory.
    let mark = place.checked_add(4).and_then(|end| bytes.get(place..end));
    if mark != Some(b"PK\x03\x04") {
        return Err(fault("a member where the directory says"));
    }
    let len =
        |at: usize| unsigned(bytes, place + at, 2, Endian::Little).and_then(|len| usize::try_from(len).ok());
    let data = len(26)
        .zip(len(28))
        .and_then(|(name, extra)| {
            let start = place + 30 + name + extra;
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
