//! Decoded blocks, shared by threads.
//!
//! Blocks are kept in pages of one size. A reader takes no lock and counts no references: it reads a word, and then looks whether the page is
//! still the one that it was (a sequence lock, after H.-J. Boehm, "Can seqlocks get along with programming language memory models?", 2012; all
//! words are atomics). Who puts a block in locks one of several parts of the cache for a moment.

use std::io;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU32, AtomicU64, fence};
use std::sync::{Mutex, PoisonError};

use memmap2::MmapMut;

use crate::store::{DTW_CONTEXT_LEN, WLD_CONTEXT_LEN};
use crate::system;

/// Bytes of a page: a block of results, coded by contexts, and a few more for whole words. A block of distances fills two.
const PAGE: usize = (WLD_CONTEXT_LEN as usize / 5).next_multiple_of(8);
const _: () = assert!(DTW_CONTEXT_LEN as usize <= 2 * PAGE);
/// Words of a page.
const WORDS: usize = PAGE / 8;
/// Words before those of a page: its version (odd while the page is being written), its key, and whether anybody has read it since
/// the hand came by.
const VERSION: usize = 0;
const KEY: usize = 1;
const USED: usize = 2;
/// From one page to the next, in words.
const STRIDE: usize = WORDS + 4;
/// Pages for which a lock of their own is worth while.
const SHARE: usize = 64;
/// Most parts with a lock of their own.
const PARTS: usize = 16;

/// Where the pages of a table are.
#[derive(Debug)]
pub(super) struct Slots {
    /// Number of the table in its tablebase.
    table: u32,
    /// Pages of a block.
    pages: usize,
    /// For each page, one more than its number in the cache (whether it is still that page, the page says), or,
    /// with the highest bit, the symbol of which all of its block consists.
    numbers: Box<[AtomicU32]>,
}

/// Marks a symbol among [`Slots::numbers`].
const UNIFORM: u32 = 1 << 31;

impl Slots {
    /// For so many blocks of so many bytes at most; those that have only one symbol are there from the beginning. Four bytes a page.
    ///
    /// # Errors
    /// If there is no memory for that.
    pub(super) fn new(
        table: u32,
        blocks: u64,
        block_len: usize,
        uniform: impl Fn(u64) -> Option<u16>,
    ) -> io::Result<Self> {
        let pages = block_len.div_ceil(PAGE);
        let first = |block| uniform(block).map_or(0, |symbol| UNIFORM | u32::from(symbol));
        let of_block = |block| std::iter::repeat_n(first(block), pages);
        let all = usize::try_from(blocks).ok().and_then(|blocks| blocks.checked_mul(pages));
        let no_memory = || io::Error::from(io::ErrorKind::OutOfMemory);
        let mut numbers = Vec::new();
        numbers.try_reserve_exact(all.ok_or_else(no_memory)?).map_err(|_| no_memory())?;
        numbers.extend((0..blocks).flat_map(of_block).map(AtomicU32::new));
        Ok(Slots { table, pages, numbers: numbers.into_boxed_slice() })
    }

    #[inline(always)]
    fn place(&self, block: u64, byte: usize) -> usize {
        block as usize * self.pages + byte / PAGE
    }

    /// A number for a page that no other of the tablebase has; never 0.
    #[inline(always)]
    fn key(&self, place: usize) -> u64 {
        (u64::from(self.table) << 40 | place as u64) + 1
    }
}

/// Memory for all pages. The system gives it when it is first written to.
#[derive(Debug)]
struct Memory(Option<MmapMut>);

impl Memory {
    /// For so many pages, or fewer if there is no room for so many addresses; in the end, for none.
    fn new(mut pages: usize) -> (Self, usize) {
        // What is left must do for the rest of the program, for which running out is the end.
        let share = if system::addresses_are_scarce() { 4 } else { 1 };
        let map = |pages: usize| MmapMut::map_anon(pages.saturating_mul(STRIDE * 8));
        while pages > 0 {
            let fits = share == 1 || map(pages.saturating_mul(share)).is_ok();
            if let (true, Ok(map)) = (fits, map(pages)) {
                // Probes go anywhere: with pages of 4 KB, most would wait for an address to be translated.
                #[cfg(target_os = "linux")]
                let _ = map.advise(memmap2::Advice::HugePage);
                return (Memory(Some(map)), pages);
            }
            pages /= 2;
        }
        (Memory(None), 0)
    }

    #[inline(always)]
    fn words(&self) -> &[AtomicU64] {
        let Some(map) = &self.0 else { return &[] };
        // SAFETY: a map begins at a page of the system, so it is aligned; every pattern of bits is a number; the map lives as long as
        // `self`, and nothing but these atomics ever looks at it.
        unsafe { std::slice::from_raw_parts(map.as_ptr().cast(), map.len() / 8) }
    }
}

/// What a part of the cache does next.
#[derive(Debug, Default)]
struct Hand {
    /// Pages that were ever used.
    filled: usize,
    /// Where the search for a page that nobody reads goes on.
    at: usize,
}

#[derive(Debug)]
struct Part {
    /// Number of its first page.
    first: usize,
    /// Pages that there may be.
    most: usize,
    hand: Mutex<Hand>,
}

/// Decoded blocks up to a number of bytes.
#[derive(Debug)]
pub(super) struct BlockCache {
    memory: Memory,
    parts: Box<[Part]>,
}

impl BlockCache {
    /// A cache for so many bytes of blocks, a page at least; fewer if there is no memory for them, maybe none.
    pub(super) fn new(bytes: u64) -> Self {
        let pages = usize::try_from(bytes / PAGE as u64).unwrap_or(usize::MAX);
        let (memory, pages) = Memory::new(pages.clamp(1, UNIFORM as usize / 2));
        let parts = (pages / SHARE).clamp(1, PARTS).next_power_of_two();
        let most = pages / parts;
        let part = |part| Part { first: part * most, most, hand: Mutex::default() };
        BlockCache { memory, parts: (0..parts).map(part).collect() }
    }

    #[inline(always)]
    fn page(&self, number: usize) -> Option<&[AtomicU64; STRIDE]> {
        let start = number * STRIDE;
        self.memory.words().get(start..start + STRIDE)?.try_into().ok()
    }

    /// Two bytes of a block from an even place, or the one at an odd place (and 0 behind it where a word ends); `None` if they are not here.
    #[inline(always)]
    pub(super) fn get(&self, slots: &Slots, block: u64, byte: usize) -> Option<u16> {
        let place = slots.place(block, byte);
        let number = slots.numbers.get(place)?.load(Acquire);
        if number & UNIFORM != 0 {
            return Some(number as u16);
        }
        let page = self.page(number.checked_sub(1)? as usize)?;
        let version = page[VERSION].load(Acquire);
        if version % 2 == 1 || page[KEY].load(Relaxed) != slots.key(place) {
            return None;
        }
        let word = page[STRIDE - WORDS + byte % PAGE / 8].load(Relaxed);
        fence(Acquire);
        if page[VERSION].load(Relaxed) != version {
            return None;
        }
        if page[USED].load(Relaxed) == 0 {
            page[USED].store(1, Relaxed);
        }
        Some((word >> (8 * (byte % 8))) as u16)
    }

    /// Keeps a block.
    pub(super) fn put(&self, slots: &Slots, block: u64, bytes: &[u8]) {
        if self.parts[0].most == 0 {
            return;
        }
        for (page, bytes) in bytes.chunks(PAGE).enumerate() {
            let place = slots.place(block, page * PAGE);
            if self.get(slots, block, page * PAGE).is_none() && place < slots.numbers.len() {
                let number = self.put_page(place, slots.key(place), bytes);
                slots.numbers[place].store(number as u32 + 1, Release);
            }
        }
    }

    /// Puts a page somewhere, and returns its number.
    fn put_page(&self, place: usize, key: u64, bytes: &[u8]) -> usize {
        let part = &self.parts[place & (self.parts.len() - 1)];
        let page = |number: usize| self.page(number).expect("a page of this cache");
        let mut hand = part.hand.lock().unwrap_or_else(PoisonError::into_inner);
        let number = if hand.filled < part.most {
            hand.filled += 1;
            part.first + hand.filled - 1
        } else {
            // The first that nobody has read since the last time round.
            loop {
                let at = part.first + hand.at;
                hand.at = (hand.at + 1) % part.most;
                if page(at)[USED].swap(0, Relaxed) == 0 {
                    break at;
                }
            }
        };
        let page = page(number);
        let version = page[VERSION].load(Relaxed);
        page[VERSION].store(version.wrapping_add(1), Relaxed);
        fence(Release);
        page[KEY].store(key, Relaxed);
        // What is asked for once only makes room for what is asked for again.
        page[USED].store(0, Relaxed);
        for (word, eight) in page[STRIDE - WORDS..].iter().zip(bytes.chunks(8)) {
            let mut whole = [0; 8];
            whole[..eight.len()].copy_from_slice(eight);
            word.store(u64::from_le_bytes(whole), Relaxed);
        }
        page[VERSION].store(version.wrapping_add(2), Release);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(table: u32, number: u64, len: usize) -> Vec<u8> {
        (0..len)
            .map(|byte| (byte as u64 * 7 + number * 31 + u64::from(table) * 101) as u8)
            .collect()
    }

    /// What is found of a block; every page that is there must be right.
    fn check(cache: &BlockCache, slots: &Slots, number: u64, len: usize) -> usize {
        let expected = block(slots.table, number, len);
        let mut found = 0;
        for (byte, expected) in expected.iter().enumerate() {
            if let Some(two) = cache.get(slots, number, byte) {
                assert_eq!(two as u8, *expected, "block {number}, byte {byte}");
                found += 1;
            }
        }
        found
    }

    #[test]
    fn blocks_are_found_as_they_were_put() {
        let cache = BlockCache::new(1 << 20);
        for (table, len) in [(0, 1092), (1, PAGE), (2, 2184), (3, 6552), (4, 16_380), (5, 1638)] {
            let slots = Slots::new(table, 9, len, |_| None).unwrap();
            for number in 0..9 {
                assert_eq!(check(&cache, &slots, number, len), 0);
                cache.put(&slots, number, &block(table, number, len));
                assert_eq!(check(&cache, &slots, number, len), len);
            }
        }
    }

    #[test]
    fn blocks_of_one_symbol_need_no_page() {
        let cache = BlockCache::new(0);
        let slots = Slots::new(0, 4, 5000, |block| (block == 2).then_some(0xabcd)).unwrap();
        for byte in [0, 1, PAGE - 1, PAGE, 4999] {
            assert_eq!(cache.get(&slots, 1, byte), None);
            assert_eq!(cache.get(&slots, 2, byte), Some(0xabcd));
            assert_eq!(cache.get(&slots, 4, byte), None);
        }
    }

    #[test]
    fn a_full_cache_forgets_and_is_never_wrong() {
        for bytes in [0, 1, 4096, 300_000] {
            let cache = BlockCache::new(bytes);
            let tables: Vec<Slots> =
                (0..3).map(|table| Slots::new(table, 200, 4095, |_| None).unwrap()).collect();
            for number in 0..200 {
                for slots in &tables {
                    cache.put(slots, number, &block(slots.table, number, 4095));
                }
            }
            let all = tables.iter().flat_map(|slots| (0..200).map(move |number| (slots, number)));
            let kept: usize = all.map(|(slots, number)| check(&cache, slots, number, 4095)).sum();
            assert!(kept as u64 <= bytes.max(PAGE as u64), "{kept} of {bytes}");
            assert!(kept as u64 * 2 > bytes, "{kept} of {bytes}");
        }
    }

    #[test]
    fn a_cache_that_memory_is_too_short_for_is_smaller_or_empty() {
        let slots = Slots::new(0, 4, PAGE, |_| None).unwrap();
        let parts = Box::new([Part { first: 0, most: 0, hand: Mutex::default() }]);
        let empty = BlockCache { memory: Memory(None), parts };
        for (cache, found) in [(empty, 0), (BlockCache::new(u64::MAX), PAGE)] {
            cache.put(&slots, 1, &block(0, 1, PAGE));
            assert_eq!(check(&cache, &slots, 1, PAGE), found);
        }
    }

    #[test]
    fn what_is_read_often_stays() {
        let cache = BlockCache::new(40 * PAGE as u64);
        let slots = Slots::new(0, 1000, PAGE, |_| None).unwrap();
        cache.put(&slots, 0, &block(0, 0, PAGE));
        for number in 1..1000 {
            cache.put(&slots, number, &block(0, number, PAGE));
            assert!(cache.get(&slots, 0, 5).is_some(), "after {number}");
        }
    }

    #[test]
    fn readers_see_no_page_half_written() {
        let cache = BlockCache::new(3 * PAGE as u64);
        let tables: Vec<Slots> =
            (0..4).map(|table| Slots::new(table, 8, 3000, |_| None).unwrap()).collect();
        let hits = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for writer in 0..2 {
                let (cache, tables) = (&cache, &tables);
                scope.spawn(move || {
                    for round in 0..4000 {
                        let slots = &tables[(round + writer) % 4];
                        let number = (round / 4 % 8) as u64;
                        cache.put(slots, number, &block(slots.table, number, 3000));
                    }
                });
            }
            for _ in 0..2 {
                scope.spawn(|| {
                    for round in 0..400 {
                        let number = (round / 4 % 8) as u64;
                        let found = check(&cache, &tables[round % 4], number, 3000);
                        hits.fetch_add(found as u64, Relaxed);
                    }
                });
            }
        });
        assert!(hits.into_inner() > 0);
    }
}
