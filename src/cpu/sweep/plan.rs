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

/// For each thread, the tasks that it does one after the other. No thread needs what others do in the same phase.
pub(super) type Phase = Vec<Vec<Task>>;

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
    pub(super) fn plan(&self, steps: usize, threads: usize) -> Vec<Phase> {
        let mut waits = Waits::new(self, steps);
        let mut phases = Vec::new();
        // What can be done, and nobody has.
        let mut ready = waits.first_tasks(self);
        while !ready.is_empty() {
            // Threads meet in the middle of what each had before: there much is left to do.
            let shift = phases.len() % 2 * self.grains / (2 * threads);
            let owner_of = |piece: usize| (piece + shift) % self.grains * threads / self.grains;
            let owner = |task: &Task| {
                owner_of(if task.forces {
                    self.home[task.piece as usize] as usize
                } else {
                    task.piece as usize
                })
            };
            let mut queues = vec![Queue::new(steps); threads];
            for task in ready.drain(..) {
                queues[owner(&task)].add(task);
            }
            let mut phase = vec![Vec::new(); threads];
            // What others wait for, they get to know when the phase is over.
            let mut abroad = Vec::new();
            for thread in 0..threads {
                while let Some(task) = queues[thread].take() {
                    phase[thread].push(task);
                    self.followers(task, |follower| {
                        if owner(&follower) != thread {
                            abroad.push(follower);
                        } else if waits.one_less(follower) {
                            queues[thread].add(follower);
                        }
                    });
                }
            }
            ready.extend(abroad.into_iter().filter(|&task| waits.one_less(task)));
            phases.push(phase);
        }
        phases
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

/// How many tasks each one waits for, by step and piece.
struct Waits {
    forces: Vec<Vec<u32>>,
    motion: Vec<Vec<u32>>,
}

impl Waits {
    #[allow(
        clippy::cast_possible_truncation,
        reason = "pieces are fewer than grains"
    )]
    fn new(pieces: &Pieces, steps: usize) -> Self {
        let number = |pieces: &Vec<u32>| pieces.len() as u32;
        let mut waits = Self {
            forces: vec![pieces.of_contacts.iter().map(number).collect(); steps],
            // And for the motion before.
            motion: vec![
                pieces
                    .of_grains
                    .iter()
                    .map(|pieces| number(pieces) + 1)
                    .collect();
                steps
            ],
        };
        if let Some(first) = waits.motion.first_mut() {
            first.iter_mut().for_each(|waits| *waits -= 1);
        }
        waits
    }

    /// Those that wait for nothing.
    fn first_tasks(&self, pieces: &Pieces) -> Vec<Task> {
        let forces = pieces.order.iter().map(|&piece| Task {
            forces: true,
            piece,
            step: 0,
        });
        let alone = (0..).zip(&self.motion[0]).filter(|&(_, &waits)| waits == 0);
        forces
            .chain(alone.map(|(piece, _)| Task {
                forces: false,
                piece,
                step: 0,
            }))
            .collect()
    }

    /// One of those that a task waits for is done: whether it was the last.
    fn one_less(&mut self, task: Task) -> bool {
        let of_kind = if task.forces {
            &mut self.forces
        } else {
            &mut self.motion
        };
        let Some(waits) = of_kind.get_mut(task.step as usize) else {
            return false;
        };
        waits[task.piece as usize] -= 1;
        waits[task.piece as usize] == 0
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
}
