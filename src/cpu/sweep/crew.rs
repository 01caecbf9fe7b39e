//! Rounds of tasks on all threads of a team, one round after the other.

use super::plan::{Phase, Task};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Has each thread do its tasks of each phase, none before all of the phase before are done.
/// Each thread has a `T` of its own, made by `begin`; all of them are returned.
///
/// # Panics
/// If `work` does, on whatever thread, or if phases are for another number of threads.
pub(super) fn go_through<T: Send>(
    phases: &[Phase],
    begin: impl Fn() -> T + Sync,
    work: impl Fn(Task, &mut T) + Sync,
) -> Vec<T> {
    let gate = Gate::default();
    rayon::broadcast(|thread| {
        // If a task panics, the others must not wait for it for ever.
        let guard = Guard(&gate);
        let mut own = begin();
        for phase in phases {
            assert_eq!(phase.len(), thread.num_threads(), "tasks for each thread");
            for &task in &phase[thread.index()] {
                work(task, &mut own);
            }
            gate.pass(thread.num_threads());
        }
        std::mem::forget(guard);
        own
    })
}

/// Where threads wait for each other.
#[derive(Debug, Default)]
struct Gate {
    arrived: AtomicUsize,
    /// How often it opened.
    opened: AtomicUsize,
    broken: AtomicBool,
}

impl Gate {
    /// Waits until so many threads are here.
    fn pass(&self, threads: usize) {
        /// How often a thread looks before it lets others have its processor.
        const LOOKS: u32 = 1 << 10;
        let opened = self.opened.load(Ordering::Relaxed);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == threads {
            self.arrived.store(0, Ordering::Relaxed);
            self.opened.store(opened + 1, Ordering::Release);
            return;
        }
        let mut looks = 0;
        while self.opened.load(Ordering::Acquire) == opened {
            assert!(
                !self.broken.load(Ordering::Relaxed),
                "another thread has panicked"
            );
            looks += 1;
            if looks < LOOKS {
                std::hint::spin_loop();
            } else {
                std::thread::yield_now();
            }
        }
    }
}

/// Breaks a gate when it is dropped, which only a panic does.
struct Guard<'a>(&'a Gate);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.0.broken.store(true, Ordering::Relaxed);
    }
}
