//! Which task comes when, so that each finds what it needs.
//!
//! Contacts and grains are cut into pieces. The forces of a piece of contacts at a step need its grains where the step before took
//! them; the motion of a piece of grains at a step needs all their contacts evaluated at it. Rounds follow from that alone, whatever the
//! order of the grains in memory: it only decides how much of the bed is under way at a time.

use crate::cpu::incident::TOGETHER;
use crate::cpu::slots::Slots;
use rayon::prelude::*;
use std::collections::VecDeque;
use std::ops::Range;

/// Grains that one task moves.
pub(super) const GRAINS: usize = 512;
const _: () = assert!(GRAINS.is_multiple_of(TOGETHER));

/// Blocks of pairs that one task evaluates: about those of so many grains of a dense bed.
const PAIR_BLOCKS: usize = 192;

/// Blocks of contacts with walls that one task evaluates: few, as the grains along a wall are far apart in memory.
const WALL_BLOCKS: usize = 4;

/// Contacts that one task evaluates.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub(super) blocks: Range<usize>,
    pub(super) walls: bool,
}

/// What one task does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Task {
    /// Whether it evaluates a piece of contacts or moves a piece of grains.
    pub(super) forces: bool,
    /// Number of the piece.
    pub(super) piece: u32,
    /// At which step of the sweep.
    pub(super) step: u32,
}

/// What a thread does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// Wait until another thread has done so many tasks.
    Wait {
        thread: u32,
        tasks: u32,
    },
    Do(Task),
}

/// For each thread, what it does one after the other.
pub(super) type Plan = Vec<Vec<Order>>;

/// Which pieces have to do with each other.
#[derive(Debug)]
pub(super) struct Pieces {
    pub(super) contacts: Vec<Piece>,
    grains: usize,
    /// Pieces of grains that each piece of contacts acts on.
    of_contacts: Vec<Vec<u32>>,
    /// Pieces of contacts that act on each piece of grains.
    of_grains: Vec<Vec<u32>>,
    /// The piece of the first grain of each piece of contacts …
    home: Vec<u32>,
    /// … and pieces of contacts in the order of their first grains.
    order: Vec<u32>,
}

/// The grains of a piece, of so many in all.
pub(super) fn grains_of(piece: usize, all: usize) -> Range<usize> {
    let first = piece * GRAINS;
    first..(first + GRAINS).min(all)
}

impl Pieces {
    /// Those of some slots of so many grains.
    #[allow(
        clippy::cast_possible_truncation,
        reason = "pieces are fewer than grains"
    )]
    pub(super) fn of(slots: &Slots, grains: usize) -> Self {
        let pairs = slots.counts.pair_blocks();
        let cut = |blocks: Range<usize>, size: usize, walls: bool| {
            let end = blocks.end;
            blocks.step_by(size).map(move |first| Piece {
                blocks: first..(first + size).min(end),
                walls,
            })
        };
        let contacts: Vec<Piece> = cut(0..pairs, PAIR_BLOCKS, false)
            .chain(cut(pairs..slots.block.len(), WALL_BLOCKS, true))
            .collect();
        let pieces = grains.div_ceil(GRAINS);
        let of_contacts: Vec<Vec<u32>> = contacts
            .par_iter()
            .enumerate()
            .map_init(
                || vec![u32::MAX; pieces],
                |seen, (number, piece)| {
                    let mut touched = Vec::new();
                    let mut touch = |grain: u32| {
                        let piece = grain as usize / GRAINS;
                        if std::mem::replace(&mut seen[piece], number as u32) != number as u32 {
                            touched.push(piece as u32);
                        }
                    };
                    for b in piece.blocks.clone() {
                        let block = &slots.block[b];
                        // What fills up a block is looked at, too.
                        for (lane, &second) in block.second.iter().enumerate() {
                            touch(block.first(lane));
                            if !piece.walls {
                                touch(second);
                            }
                        }
                    }
                    touched
                },
            )
            .collect();
        let mut of_grains = vec![Vec::new(); pieces];
        for (contacts, touched) in (0..).zip(&of_contacts) {
            for &grains in touched {
                of_grains[grains as usize].push(contacts);
            }
        }
        let first_grain = |piece: &Piece| slots.block[piece.blocks.start].first(0);
        let home = contacts
            .iter()
            .map(|piece| first_grain(piece) / GRAINS as u32)
            .collect();
        let mut order: Vec<u32> = (0..contacts.len() as u32).collect();
        order.sort_by_key(|&piece| first_grain(&contacts[piece as usize]));
        Self {
            contacts,
            grains: pieces,
            of_contacts,
            of_grains,
            home,
            order,
        }
    }

    /// Pieces of grains that a piece of contacts acts on.
    #[cfg(test)]
    pub(super) fn moved_by(&self, contacts: usize) -> &[u32] {
        &self.of_contacts[contacts]
    }

    /// All tasks of a sweep of so many steps.
    ///
    /// Found by going through it, as if all tasks took as long. Each thread begins with pieces of its own, and then does what it has made
    /// possible: at the end of its pieces that is also what the next thread could not do at the beginning of its own.
    #[allow(
        clippy::cast_possible_truncation,
        reason = "threads are fewer than grains"
    )]
    pub(super) fn plan(&self, steps: usize, threads: usize) -> Plan {
        let mut waits = Waits::new(self, steps);
        let mut queues = vec![Queue::new(steps); threads];
        for task in waits.first_tasks(self) {
            let piece = if task.forces {
                self.home[task.piece as usize]
            } else {
                task.piece
            };
            queues[piece as usize * threads / self.grains].add(task);
        }
        let mut diaries = vec![Diary::of(threads); threads];
        loop {
            let turn: Vec<Option<Task>> = (0..threads).map(|own| take(&mut queues, own)).collect();
            if turn.iter().all(Option::is_none) {
                break;
            }
            for (thread, &task) in turn.iter().enumerate() {
                let Some(task) = task else { continue };
                diaries[thread].add(thread, task, &waits.needs(task));
                let done = Milestone {
                    thread: thread as u32,
                    tasks: diaries[thread].tasks,
                };
                self.followers(task, |follower| {
                    if waits.one_less(follower, done) {
                        queues[thread].add(follower);
                    }
                });
            }
        }
        diaries.into_iter().map(|diary| diary.orders).collect()
    }

    /// Tasks that wait for this one.
    fn followers(&self, task: Task, mut tell: impl FnMut(Task)) {
        let Task {
            forces,
            piece,
            step,
        } = task;
        if forces {
            for &piece in &self.of_contacts[piece as usize] {
                tell(Task {
                    forces: false,
                    piece,
                    step,
                });
            }
        } else {
            let step = step + 1;
            tell(Task {
                forces: false,
                piece,
                step,
            });
            for &piece in &self.of_grains[piece as usize] {
                tell(Task {
                    forces: true,
                    piece,
                    step,
                });
            }
        }
    }
}

/// That a thread has done so many tasks.
#[derive(Debug, Clone, Copy)]
struct Milestone {
    thread: u32,
    tasks: u32,
}

/// What a thread does, as far as it is known.
#[derive(Debug, Clone)]
struct Diary {
    orders: Vec<Order>,
    /// How many tasks it has done.
    tasks: u32,
    /// How many it knows each thread to have done.
    known: Vec<u32>,
}

impl Diary {
    fn of(threads: usize) -> Self {
        Self {
            orders: Vec::new(),
            tasks: 0,
            known: vec![0; threads],
        }
    }

    /// Adds a task of this thread, which needs what some threads have done.
    fn add(&mut self, own: usize, task: Task, needs: &[Milestone]) {
        for &Milestone { thread, tasks } in needs {
            let known = &mut self.known[thread as usize];
            if thread as usize != own && *known < tasks {
                *known = tasks;
                self.orders.push(Order::Wait { thread, tasks });
            }
        }
        self.orders.push(Order::Do(task));
        self.tasks += 1;
    }
}

/// What tasks wait for, by step and piece.
struct Waits {
    forces: Vec<Vec<Wait>>,
    motion: Vec<Vec<Wait>>,
}

/// What a task waits for.
#[derive(Debug, Clone, Default)]
struct Wait {
    /// How many tasks …
    left: usize,
    /// … and by when those are done that have been: the last of each thread.
    needs: Vec<Milestone>,
}

impl Wait {
    fn for_tasks(left: usize) -> Self {
        Self {
            left,
            needs: Vec::new(),
        }
    }
}

impl Waits {
    fn new(pieces: &Pieces, steps: usize) -> Self {
        let of_forces = pieces.of_contacts.iter().map(Vec::len);
        let of_motion = pieces.of_grains.iter().map(Vec::len);
        // The first motion does not wait for one before.
        let motion = |step: usize| {
            let before = usize::from(step > 0);
            let all = of_motion.clone().map(|number| number + before);
            all.map(Wait::for_tasks).collect()
        };
        Self {
            forces: vec![of_forces.map(Wait::for_tasks).collect(); steps],
            motion: (0..steps).map(motion).collect(),
        }
    }

    /// Those that wait for nothing.
    fn first_tasks(&self, pieces: &Pieces) -> Vec<Task> {
        let forces = pieces.order.iter().map(|&piece| Task {
            forces: true,
            piece,
            step: 0,
        });
        let alone = (0..)
            .zip(&self.motion[0])
            .filter(|(_, wait)| wait.left == 0);
        forces
            .chain(alone.map(|(piece, _)| Task {
                forces: false,
                piece,
                step: 0,
            }))
            .collect()
    }

    fn of(&mut self, task: Task) -> Option<&mut Wait> {
        let of_kind = if task.forces {
            &mut self.forces
        } else {
            &mut self.motion
        };
        of_kind
            .get_mut(task.step as usize)
            .and_then(|of_step| of_step.get_mut(task.piece as usize))
    }

    /// What has been done for a task.
    fn needs(&mut self, task: Task) -> Vec<Milestone> {
        self.of(task)
            .map(|wait| std::mem::take(&mut wait.needs))
            .unwrap_or_default()
    }

    /// One of those that a task waits for is done: whether it was the last.
    fn one_less(&mut self, task: Task, done: Milestone) -> bool {
        let Some(wait) = self.of(task) else {
            return false;
        };
        let needs = &mut wait.needs;
        match needs.iter_mut().find(|need| need.thread == done.thread) {
            Some(need) => need.tasks = need.tasks.max(done.tasks),
            None => needs.push(done),
        }
        wait.left -= 1;
        wait.left == 0
    }
}

/// Tasks that a thread can do: the furthest step first, so that little of the bed is under way.
#[derive(Debug, Clone)]
struct Queue(Vec<VecDeque<Task>>);

impl Queue {
    fn new(steps: usize) -> Self {
        Self(vec![VecDeque::new(); 2 * steps])
    }

    fn add(&mut self, task: Task) {
        self.0[2 * task.step as usize + usize::from(!task.forces)].push_back(task);
    }

    fn take(&mut self) -> Option<Task> {
        self.0.iter_mut().rev().find_map(VecDeque::pop_front)
    }

    fn len(&self) -> usize {
        self.0.iter().map(VecDeque::len).sum()
    }
}

/// The next task of a thread, from the longest queue where its own is empty.
fn take(queues: &mut [Queue], own: usize) -> Option<Task> {
    let next = queues[own].take();
    next.or_else(|| queues.iter_mut().max_by_key(|queue| queue.len())?.take())
}
