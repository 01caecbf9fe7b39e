//! The threads of an engine.

use crate::error::{Error, Result};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The threads that an engine works with.
#[derive(Debug, Clone)]
pub(crate) struct Team {
    pool: Arc<rayon::ThreadPool>,
    /// Whether threads stay awake between the loops of a step.
    awake: bool,
}

impl Team {
    /// Starts `threads` threads (0: one per core).
    pub(crate) fn new(threads: usize) -> Result<Self> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|e| Error::Unsupported(format!("could not start {threads} threads: {e}")))?;
        let threads = pool.current_num_threads();
        let processors = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Ok(Self {
            // Where there are more threads than processors, sleep is the better choice.
            awake: threads > 1 && threads <= processors(),
            pool: Arc::new(pool),
        })
    }

    /// Does `work` on one of the threads; its parallel loops find the others.
    pub(crate) fn work<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.pool.install(work)
    }

    /// Does `work`, which is one parallel loop after the other, on one of the threads.
    ///
    /// A step is two short loops. Threads that find nothing to do between them would fall asleep, and
    /// waking them takes longer than a loop over a small bed, above all in a virtual machine.
    pub(crate) fn work_through<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        if self.awake {
            self.pool.install(|| stay_awake(work))
        } else {
            self.pool.install(work)
        }
    }
}

/// Does `work` while the other threads look for tasks and never sleep.
///
/// It begins when all of them do: a thread that had taken a task of it before would look for others on top of that one, until
/// the work is done, which it would never be.
fn stay_awake<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let done = AtomicBool::new(false);
    let awake = AtomicUsize::new(0);
    let own = rayon::current_thread_index();
    rayon::scope(|scope| {
        scope.spawn_broadcast(|_, thread| {
            if Some(thread.index()) == own {
                return;
            }
            awake.fetch_add(1, Ordering::Release);
            while !done.load(Ordering::Acquire) {
                if rayon::yield_now() != Some(rayon::Yield::Executed) {
                    std::thread::yield_now();
                }
            }
        });
        // Also if `work` panics: the others must not wait for ever.
        let _done = SetOnDrop(&done);
        while awake.load(Ordering::Acquire) + 1 < rayon::current_num_threads() {
            std::thread::yield_now();
        }
        work()
    })
}

/// Sets a flag when it goes out of scope.
struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use rayon::prelude::*;
    use std::sync::mpsc::RecvTimeoutError;
    use std::time::{Duration, Instant};

    #[test]
    fn threads_that_come_late_hold_nobody_up() {
        // Loops within loops, at once: a thread that took one of them before it had begun to stay awake would stay awake on
        // top of it.
        const TRIES: u32 = 200_000;
        const ENOUGH: Duration = Duration::from_secs(20);
        /// For a single try, on a machine however busy.
        const PATIENCE: Duration = Duration::from_secs(120);
        let (sender, receiver) = std::sync::mpsc::channel();
        let trying = std::thread::spawn(move || {
            let mut team = Team::new(2).unwrap();
            team.awake = true;
            let busy = |x: u32| (0..300).fold(x, |x, k| std::hint::black_box(x ^ k));
            let begun = Instant::now();
            for _ in (0..TRIES).take_while(|_| begun.elapsed() < ENOUGH) {
                team.work_through(|| {
                    let tasks = (0..16u32).into_par_iter().with_max_len(1);
                    tasks.map(busy).sum::<u32>()
                });
                sender.send(()).unwrap();
            }
        });
        let mut tries = 0;
        loop {
            match receiver.recv_timeout(PATIENCE) {
                Ok(()) => tries += 1,
                Err(RecvTimeoutError::Timeout) => panic!("it hangs after {tries} tries"),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        trying.join().unwrap();
        assert!(tries > 0);
    }

    #[test]
    fn loops_of_threads_that_stay_awake_do_all_their_tasks() {
        let mut team = Team::new(3).unwrap();
        team.awake = true;
        let sum = team.work_through(|| {
            (0..200)
                .map(|_| (0..100u32).into_par_iter().with_max_len(1).sum::<u32>())
                .sum::<u32>()
        });
        assert_eq!(sum, 200 * 4950);
    }

    #[test]
    fn a_panic_ends_the_work_and_does_not_hang() {
        let mut team = Team::new(2).unwrap();
        team.awake = true;
        let work = || team.work_through(|| panic!("on purpose"));
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).is_err());
        assert_eq!(team.work_through(|| 1), 1);
    }
}
