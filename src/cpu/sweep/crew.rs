//! The tasks of a plan on all threads of a team.

use super::plan::{Order, Plan, Task};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// Has each thread do its tasks, each when what it waits for is done. Each thread has a `T` of its own, made by `begin`; all of them are
/// returned.
///
/// # Panics
/// If `work` does, on whatever thread, or if the plan is for another number of threads.
pub(super) fn go_through<T: Send>(
    plan: &Plan,
    begin: impl Fn() -> T + Sync,
    work: impl Fn(Task, &mut T) + Sync,
) -> Vec<T> {
    let broken = AtomicBool::new(false);
    let progress: Vec<Progress> = plan.iter().map(|_| Progress::default()).collect();
    rayon::broadcast(|thread| {
        assert_eq!(plan.len(), thread.num_threads(), "tasks for each thread");
        // If a task panics, the others must not wait for it for ever.
        let guard = Guard(&broken);
        let mut own = begin();
        for &order in &plan[thread.index()] {
            match order {
                Order::Wait { thread, tasks } => progress[thread as usize].wait(tasks, &broken),
                Order::Do(task) => {
                    work(task, &mut own);
                    progress[thread.index()].one_more();
                }
            }
        }
        std::mem::forget(guard);
        own
    })
}

/// How many tasks a thread has done; in a cache line of its own, as others look at it while it goes on.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Progress(AtomicU32);

impl Progress {
    fn one_more(&self) {
        // Nobody else changes it.
        let before = self.0.load(Ordering::Relaxed);
        self.0.store(before + 1, Ordering::Release);
    }

    /// Waits until it is so many, or a thread is broken.
    fn wait(&self, tasks: u32, broken: &AtomicBool) {
        /// How often a thread looks before it lets others have its processor.
        const LOOKS: u32 = 1 << 10;
        let mut looks = 0;
        while self.0.load(Ordering::Acquire) < tasks {
            assert!(
                !broken.load(Ordering::Relaxed),
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

/// Says that its thread is broken when it is dropped, which only a panic does.
struct Guard<'a>(&'a AtomicBool);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
