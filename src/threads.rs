//! Threads to work with: as many as can be started.

use std::io;
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, available_parallelism};

use rayon::{ThreadBuilder, ThreadPool, ThreadPoolBuilder};

/// Threads to work with. Where the system starts fewer than are wanted, fewer work; where it starts none, the calling thread does.
#[derive(Debug)]
pub struct Threads {
    /// `None` where none was started and the calling thread is in a pool already.
    pool: Option<ThreadPool>,
    shortfall: Option<Shortfall>,
}

/// Fewer threads were started than were wanted.
#[derive(Debug, thiserror::Error)]
#[error("only {started} of {wanted} threads can be started")]
#[non_exhaustive]
pub struct Shortfall {
    /// Threads that were wanted.
    pub wanted: usize,
    /// Threads that work, the calling one if there is no other.
    pub started: usize,
    /// What the system said.
    pub source: io::Error,
}

/// Most threads that are started for each core: more do not get the work done sooner, and hundreds keep each other from it.
const MOST_PER_CORE: usize = 4;

impl Threads {
    /// Starts so many threads, 0 for as many as there are cores, and at most four for each core.
    pub fn start(threads: usize) -> Self {
        let cores = available_parallelism().map_or(1, usize::from);
        let wanted = if threads == 0 { cores } else { threads.min(MOST_PER_CORE * cores) };
        // A pool has all of its threads or none: they are started before it, and wait for their part in it.
        let mut waiting = Vec::new();
        let refused = (0..wanted).find_map(|_| match waiting_thread() {
            Ok(thread) => {
                waiting.push(thread);
                None
            }
            Err(error) => Some(error),
        });
        let started = waiting.len();
        let pool = match started {
            // It stays in that pool, so this fails the next time, when it is in one already.
            0 => ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().ok(),
            _ => ThreadPoolBuilder::new()
                .num_threads(started)
                .spawn_handler(give(waiting))
                .build()
                .ok(),
        };
        let shortfall = refused.map(|source| Shortfall { wanted, started: started.max(1), source });
        Threads { pool, shortfall }
    }

    /// Whether fewer were started than were wanted, and why.
    pub fn shortfall(&self) -> Option<&Shortfall> {
        self.shortfall.as_ref()
    }

    /// Has them do some work, and waits for it.
    pub fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }
}

/// Starts a thread that waits to be made one of a pool.
fn waiting_thread() -> io::Result<Sender<ThreadBuilder>> {
    let (give, take) = channel::<ThreadBuilder>();
    let wait = move || {
        if let Ok(thread) = take.recv() {
            thread.run();
        }
    };
    thread::Builder::new().spawn(wait).map(|_| give)
}

/// Gives threads that wait their parts in a pool, one after the other.
fn give(mut waiting: Vec<Sender<ThreadBuilder>>) -> impl FnMut(ThreadBuilder) -> io::Result<()> {
    move |part| {
        let thread = waiting.pop().ok_or(io::ErrorKind::WouldBlock)?;
        thread.send(part).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

/// Does some work on the rayon pool that the calling thread is in, or, if it is in none, on threads of its own: the pool that rayon would start
/// panics where it cannot.
pub(crate) fn in_pool<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    match rayon::current_thread_index() {
        Some(_) => work(),
        None => Threads::start(0).run(work),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_threads_are_started_than_help() {
        let cores = available_parallelism().map_or(1, usize::from);
        for (threads, expected) in [(1, 1), (2, 2), (1 << 16, MOST_PER_CORE * cores)] {
            let threads = Threads::start(threads);
            assert!(threads.shortfall().is_none());
            assert_eq!(threads.run(rayon::current_num_threads), expected);
            // Inside, no others are started.
            assert_eq!(threads.run(|| in_pool(rayon::current_num_threads)), expected);
        }
        assert!(in_pool(|| rayon::current_thread_index().is_some()));
    }
}
