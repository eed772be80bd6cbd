//! One table under way.

use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::TableInfo;
use crate::store::codec::{Encoded, compress_once};
use crate::store::error::StoreError;
use crate::store::format::{
    Codec, DTW_BLOCK_LEN, DTW_CONTEXT_LEN, Entry, HEADER_LEN, Header, Metric, RawHeader, Results,
    WLD_BLOCK_LEN, WLD_CONTEXT_LEN, index_to_bytes,
};

/// A table under way. The header is written last, into the room left for it.
pub(super) struct Output<'a, W: Write + Seek> {
    out: BufWriter<W>,
    path: &'a Path,
    header: Header,
    /// As it is stored; may be empty.
    model: &'a [u8],
    index: Vec<Entry>,
    values: Xxh3,
}

impl<'a, W: Write + Seek> Output<'a, W> {
    pub(super) fn new(
        header: Header,
        model: &'a [u8],
        (file, path): (W, &'a Path),
    ) -> Result<Self, StoreError> {
        let mut out = BufWriter::with_capacity(1 << 20, file);
        out.write_all(&[0; HEADER_LEN]).map_err(|error| StoreError::io(path, error))?;
        let header = Header { file_len: HEADER_LEN as u64, ..header };
        let index = Vec::with_capacity(header.blocks() as usize);
        Ok(Output { out, path, header, model, index, values: Xxh3::new() })
    }

    pub(super) fn push(&mut self, block: &Encoded) -> Result<(), StoreError> {
        // Symbols that are nothing like those of the sample that a model was made of can take more bits than they have.
        let too_long =
            |_| StoreError::io(self.path, io::Error::other("a block takes more than 65,535 bytes"));
        let len = u16::try_from(block.stored.len()).map_err(too_long)?;
        self.out.write_all(&block.stored).map_err(|error| StoreError::io(self.path, error))?;
        self.index.push(Entry { len, check: block.check });
        self.values.update(&block.decoded);
        self.header.file_len += u64::from(len);
        Ok(())
    }

    /// Returns the length of the file.
    pub(super) fn finish(mut self) -> Result<u64, StoreError> {
        let path = self.path;
        self.write_rest().map_err(|error| StoreError::io(path, error))
    }

    fn write_rest(&mut self) -> io::Result<u64> {
        let mut tail = Vec::new();
        (self.header.model_len, self.header.index_len) = (0, 0);
        match self.index.first().copied() {
            Some(first) if first.len == 0 && self.index.iter().all(|entry| *entry == first) => {
                self.header.codec = Codec::Constant;
                self.header.symbol = first.check as u16;
            }
            _ => {
                tail.extend(self.model);
                self.header.model_len = tail.len() as u32;
                let index = compress_once(&index_to_bytes(&self.index))?;
                let too_long = |_| io::Error::other("the index of blocks is too long");
                self.header.index_len = u32::try_from(index.len()).map_err(too_long)?;
                tail.extend(index);
            }
        }
        self.header.file_len += tail.len() as u64;
        self.header.tail_checksum = xxh3_64(&tail);
        self.header.values_checksum = self.values.digest();
        self.out.write_all(&tail)?;
        self.out.seek(SeekFrom::Start(0))?;
        self.out.write_all(&self.header.to_bytes())?;
        self.out.flush()?;
        Ok(self.header.file_len)
    }
}

/// Positions in a block.
pub(super) fn block_len(metric: Metric, codec: Codec) -> u32 {
    match (metric, codec) {
        (Metric::Wld, Codec::Context) => WLD_CONTEXT_LEN,
        (Metric::Wld, _) => WLD_BLOCK_LEN,
        (Metric::Dtw, Codec::Context) => DTW_CONTEXT_LEN,
        (Metric::Dtw, _) => DTW_BLOCK_LEN,
    }
}

/// The header of a table of this slice, without what is known only at the end.
pub(super) fn new_header(
    info: &TableInfo,
    metric: Metric,
    codec: Codec,
    positions: u64,
) -> Result<Header, StoreError> {
    let rules = info.variant.rules();
    let block_len = block_len(metric, codec);
    let mut header = Header {
        // Room for any index: the length is checked when the file is opened.
        file_len: u64::MAX,
        variant: rules.name.to_owned(),
        fingerprint: rules.fingerprint(),
        material: info.material,
        metric,
        squares: rules.shape.squares(),
        symbol_width: 0,
        loss_parity: rules.no_move.loss_parity() as u8,
        block_len,
        codec,
        results: match metric {
            Metric::Wld => Results::ALL,
            Metric::Dtw => info.distances,
        },
        symbol: 0,
        counts: info.counts,
        positions,
        values_checksum: 0,
        // They may not be empty.
        model_len: u32::from(codec == Codec::Context),
        index_len: 1,
        tail_checksum: 0,
    };
    header.symbol_width = header.layout().width;
    // What is written must pass the checks of the reader.
    let wrong = |field| StoreError::WrongInfo { material: info.material, field };
    let checked = Header::check(&RawHeader::new(&header.to_bytes(), Path::new(""))?);
    if checked.map_err(wrong)? == header { Ok(header) } else { Err(wrong("variant")) }
}
