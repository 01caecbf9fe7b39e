//! Processors kept awake while a software device works.
//!
//! Such a device wakes its threads for every kernel and has them sleep in between. A processor that finds nothing to do
//! halts meanwhile, and that of a virtual machine takes longer to come back than a kernel without work takes altogether.
//! So threads that give way to all others of their group spin on the processors while steps are under way.

#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) use with_system::Awake;

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) use without_system::Awake;

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod with_system {
    use crate::machine::{book_idling, thread_nanoseconds};
    use std::mem::{size_of, zeroed};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU8, Ordering};
    use std::thread::{Builder, Thread};

    /// Most processors that are kept awake: software devices have threads for about as many.
    pub(super) const MOST_PROCESSORS: usize = 16;

    /// How often a thread spins before it books what that took: half a millisecond. To ask for its clock takes a lock that the system
    /// needs to wake others: with 64 the median of rounds of steps without work is 71 to 93 µs, with 10 000 it is 60 to 75.
    const SPINS: u32 = 10_000;

    const ASLEEP: u8 = 0;
    const SPINNING: u8 = 1;
    const ENDED: u8 = 2;

    /// Threads that keep processors awake, one on each, while somebody [asks](Self::keep) for it. They end with this, each
    /// as soon as its processor has time for it; nobody waits for them.
    #[derive(Debug)]
    pub(crate) struct Awake {
        wish: Arc<AtomicU8>,
        threads: Vec<Thread>,
    }

    impl Awake {
        /// For all processors that this process may use. `None` where its time is rationed: idling would be paid
        /// for with time to work; or if the system has no threads to spare.
        pub(crate) fn new() -> Option<Self> {
            let processors = processors();
            let rationed = std::thread::available_parallelism()
                .map_or(true, |available| available.get() < processors.len());
            if rationed {
                return None;
            }
            let mut awake = Self {
                wish: Arc::new(AtomicU8::new(ASLEEP)),
                threads: Vec::new(),
            };
            for processor in processors.into_iter().take(MOST_PROCESSORS) {
                let wish = Arc::clone(&awake.wish);
                let thread = Builder::new()
                    .name("lahar-awake".into())
                    .stack_size(64 << 10)
                    .spawn(move || give_way_on(processor).then(|| idle(&wish)))
                    .ok()?;
                awake.threads.push(thread.thread().clone());
            }
            Some(awake)
        }

        /// Keeps the processors awake until what it returns is dropped.
        pub(crate) fn keep(&self) -> Kept {
            self.set(SPINNING);
            Kept(Arc::clone(&self.wish))
        }

        fn set(&self, wish: u8) {
            self.wish.store(wish, Ordering::Release);
            for thread in &self.threads {
                thread.unpark();
            }
        }
    }

    impl Drop for Awake {
        fn drop(&mut self) {
            self.set(ENDED);
        }
    }

    /// While this lives, processors are kept awake.
    #[derive(Debug)]
    pub(crate) struct Kept(Arc<AtomicU8>);

    impl Drop for Kept {
        fn drop(&mut self) {
            // Threads that have been told to end do so.
            let _ = self
                .0
                .compare_exchange(SPINNING, ASLEEP, Ordering::Release, Ordering::Relaxed);
        }
    }

    /// What a thread does that is there to be awake. It books what that took now and then, since it may not get to do so at the end.
    fn idle(wish: &AtomicU8) {
        let mut booked = thread_nanoseconds();
        loop {
            match wish.load(Ordering::Acquire) {
                SPINNING => {
                    for _ in 0..SPINS {
                        std::hint::spin_loop();
                        if wish.load(Ordering::Relaxed) != SPINNING {
                            break;
                        }
                    }
                    let used = thread_nanoseconds();
                    book_idling(used - booked);
                    booked = used;
                }
                ASLEEP => std::thread::park(),
                _ => return,
            }
        }
    }

    /// Processors that this process may use.
    fn processors() -> Vec<usize> {
        // SAFETY: a set of processors is an array of bits, for which zeros are valid.
        let mut set: libc::cpu_set_t = unsafe { zeroed() };
        // SAFETY: the set is ours, and as large as said.
        let refused =
            unsafe { libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &raw mut set) };
        if refused != 0 {
            return Vec::new();
        }
        (0..8 * size_of::<libc::cpu_set_t>())
            // SAFETY: the set has a bit for each of these.
            .filter(|&processor| unsafe { libc::CPU_ISSET(processor, &set) })
            .collect()
    }

    /// Has the calling thread stay on a processor and give way to every other one there. Whether it does.
    fn give_way_on(processor: usize) -> bool {
        // SAFETY: these change how the calling thread is scheduled and nothing else; the set is an array of bits with one for
        // each processor that it was asked about, and structs are ours and as large as said.
        unsafe {
            let mut set: libc::cpu_set_t = zeroed();
            libc::CPU_SET(processor, &mut set);
            let parameters: libc::sched_param = zeroed();
            libc::sched_setscheduler(0, libc::SCHED_IDLE, &raw const parameters) == 0
                && libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set) == 0
        }
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
mod without_system {
    /// Systems without threads that give way to all others.
    #[derive(Debug)]
    pub(crate) struct Awake;

    impl Awake {
        pub(crate) fn new() -> Option<Self> {
            None
        }

        pub(crate) fn keep(&self) {}
    }
}

#[cfg(all(test, target_os = "linux", target_env = "gnu"))]
mod tests {
    use super::Awake;
    use super::with_system::MOST_PROCESSORS;
    use crate::machine::idled_seconds;
    use std::time::{Duration, Instant};

    /// How long threads that give way to all others may take to get their turn on a busy machine.
    const PATIENCE: Duration = Duration::from_secs(300);

    fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
        let begun = Instant::now();
        while !holds() {
            assert!(begun.elapsed() < PATIENCE, "waited in vain until {what}");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Of each thread that keeps a processor awake: how it is scheduled, and the time that it has taken, s.
    fn threads() -> Vec<(i32, f64)> {
        let tasks = std::fs::read_dir("/proc/self/task");
        tasks
            .into_iter()
            .flatten()
            .filter_map(|task| {
                let path = task.ok()?.path();
                let read = |name| std::fs::read_to_string(path.join(name)).ok();
                let id = path.file_name()?.to_str()?.parse().ok()?;
                let nanoseconds: f64 = read("schedstat")?.split(' ').next()?.parse().ok()?;
                // SAFETY: asks, and changes nothing.
                let policy = unsafe { libc::sched_getscheduler(id) };
                (read("comm")?.trim() == "lahar-awake").then_some((policy, 1e-9 * nanoseconds))
            })
            .collect()
    }

    fn taken() -> f64 {
        threads().iter().map(|(_, seconds)| seconds).sum()
    }

    #[test]
    fn processors_are_kept_awake_only_while_wanted() {
        let Some(awake) = Awake::new() else {
            // Where the time of a process is rationed, nothing must spin.
            assert!(threads().is_empty());
            return;
        };
        let count = std::thread::available_parallelism().map_or(1, usize::from);
        wait_until("all give way", || {
            let threads = threads();
            threads.len() == count.min(MOST_PROCESSORS)
                && threads.iter().all(|t| t.0 == libc::SCHED_IDLE)
        });
        assert!(taken() < 0.01, "nobody asked for anything yet");
        for _ in 0..2 {
            let (idled, before) = (idled_seconds(), taken());
            let kept = awake.keep();
            wait_until("some time was spun away", || idled_seconds() > idled + 0.05);
            drop(kept);
            // Whoever is in the middle of it looks up and stops.
            let mut last = f64::NAN;
            wait_until("all sleep and have booked what they took", || {
                let earlier = std::mem::replace(&mut last, taken());
                std::thread::sleep(Duration::from_millis(50));
                let (booked, taken_now) = (idled_seconds() - idled, taken() - before);
                earlier == taken() && (booked - taken_now).abs() < 0.01 * taken_now
            });
        }
        let kept = awake.keep();
        drop(awake);
        wait_until("all ended", || threads().is_empty());
        drop(kept);
    }
}
