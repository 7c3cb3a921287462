//! Packed data in one piece: what is inside is never more than was asked for.

pub(super) mod container;
mod xz;
mod zip;

use std::io::Read as _;

use ruzstd::decoding::StreamingDecoder;

/// How data are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packing {
    None,
    Zlib,
    Zstd,
}

/// Bytes that packed data may refer back to, at most; the usual tools ask for no more without being told to.
const ZSTD_WINDOW: u64 = 1 << 27;

/// Unpacks at most `limit` bytes; none when the data are damaged or hold more.
pub(super) fn unpacked(packing: Packing, packed: &[u8], limit: usize) -> Option<Vec<u8>> {
    match packing {
        Packing::None => (packed.len() <= limit).then(|| packed.to_vec()),
        Packing::Zlib => miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(packed, limit).ok(),
        Packing::Zstd => {
            let mut decoder = StreamingDecoder::new_with_max_window_size(packed, ZSTD_WINDOW).ok()?;
            let mut plain = Vec::new();
            let most = u64::try_from(limit).ok()?;
            decoder.by_ref().take(most).read_to_end(&mut plain).ok()?;
            let mut more = [0; 1];
            (plain.len() < limit || decoder.read(&mut more).ok()? == 0).then_some(plain)
        }
    }
}

/// Unpacks a zstd frame that was flushed but never ended, as perf writes it.
pub(super) fn open_ended(packed: &[u8], limit: usize) -> Option<Vec<u8>> {
    // An empty last block, and a checksum in case the frame has one: what is held back until then comes out.
    let whole = [packed, &[1, 0, 0, 0, 0, 0, 0]].concat();
    unpacked(Packing::Zstd, &whole, limit)
}
