//! What a device says about its run: the host's side of `shaders/lib/status.wgsl`.

/// Word of the reasons why no more steps are done.
pub const STATUS_HALTED: usize = 0;
/// The neighbour list had become too old, as it does at once if a grain is not finite or has left the domain.
pub const HALTED_STALE: u32 = 1;
/// A new list had no room.
pub const HALTED_CAPACITY: u32 = 2;
/// Bodies are in the second buffer.
pub const HALTED_AWAY: u32 = 8;
/// Word of the steps done, modulo 2³².
pub const STATUS_STEPS: usize = 1;
/// Word of the longest way since the neighbours were listed.
pub const STATUS_PATH: usize = 2;
/// Word of the contacts put aside.
pub const STATUS_SAVED: usize = 3;
/// Word of the skin.
pub const STATUS_SKIN: usize = 4;
/// Word of the lowest id of a grain that is not finite.
pub const STATUS_NOT_FINITE: usize = 5;
/// Word of the lowest id of a grain that has left the domain.
pub const STATUS_LEFT: usize = 6;
/// Word of the slots that a new list needs.
pub const STATUS_SLOTS_NEEDED: usize = 7;
/// Word of the slots that the list has.
pub const STATUS_SLOTS: usize = 8;
/// Word of the lists made.
pub const STATUS_REBUILDS: usize = 9;
/// Word of the number of grains.
pub const STATUS_GRAINS: usize = 10;
/// Word of the wish for a new list.
pub const STATUS_REBUILD_WANTED: usize = 11;
/// Word of the largest speed since the last decision.
pub const STATUS_SPEED: usize = 12;
/// Word of the largest speed before that.
pub const STATUS_SPEED_BEFORE: usize = 13;
/// Word that says whether there is no list, because it is being made.
pub const STATUS_LIST_IS_VOID: usize = 14;
/// Word of the longest way, for steps that find bodies in the second buffer.
pub const STATUS_PATH_AWAY: usize = 15;
/// First word of the losses since the host last looked.
pub const STATUS_LOSSES: usize = 16;
/// First word of the contacts evaluated.
pub const STATUS_CONTACT_UPDATES: usize = 26;
/// First word of the losses of the last evaluation.
pub const STATUS_LAST_LOSSES: usize = 28;
/// First word of the elastic energies.
pub const STATUS_ELASTIC: usize = 38;
/// First word of the number of contacts.
pub const STATUS_CONTACTS: usize = 44;
/// First word of the energy handed over at periodic sides.
pub const STATUS_CROSSED: usize = 46;
/// First word of what a fluid took since the host last looked.
pub const STATUS_FLUID_LOSSES: usize = 48;
/// First word of what it took in the last evaluation.
pub const STATUS_LAST_FLUID_LOSSES: usize = 52;
/// Word of the contacts with walls.
pub const STATUS_WALL_CONTACTS: usize = 56;
/// First word of what `shaders/measure.wgsl` sums up: eight sums of four words each.
pub const STATUS_MOTION: usize = 57;
/// First word of the forces on walls.
pub const STATUS_WALL_FORCES: usize = 89;
/// No grain.
pub const STATUS_NONE: u32 = u32::MAX;

/// The words of a device.
#[derive(Debug, Clone)]
pub(crate) struct Status(pub(crate) Vec<u32>);

impl Status {
    /// Words of a scene with so many faces.
    pub(crate) fn words(faces: usize) -> usize {
        STATUS_WALL_FORCES + 6 * faces
    }

    /// Before the first step.
    pub(crate) fn new(faces: usize) -> Self {
        let mut words = vec![0; Self::words(faces)];
        words[STATUS_NOT_FINITE] = STATUS_NONE;
        words[STATUS_LEFT] = STATUS_NONE;
        words[STATUS_REBUILD_WANTED] = 1;
        Self(words)
    }

    pub(crate) fn word(&self, word: usize) -> u32 {
        self.0[word]
    }

    pub(crate) fn set(&mut self, word: usize, value: u32) {
        self.0[word] = value;
    }

    pub(crate) fn float(&self, word: usize) -> f64 {
        f64::from(f32::from_bits(self.0[word]))
    }

    /// A sum of 64 bits.
    #[allow(
        clippy::cast_possible_wrap,
        reason = "two's complement is what the device sums in"
    )]
    pub(crate) fn sum(&self, word: usize) -> i64 {
        (u64::from(self.0[word]) | u64::from(self.0[word + 1]) << 32) as i64
    }

    /// A sum over all grains of this number, in units of the device: 128 bits, of which 96 are fraction.
    #[allow(
        clippy::cast_possible_wrap,
        clippy::cast_precision_loss,
        reason = "two's complement; f64 keeps more digits than the summands have"
    )]
    pub(crate) fn motion(&self, number: usize) -> f64 {
        const UNIT: f64 = (1u128 << 96) as f64;
        let first = STATUS_MOTION + 4 * number;
        let words = self.0[first..first + 4].iter().rev();
        let sum = words.fold(0, |sum: u128, &word| sum << 32 | u128::from(word));
        sum as i128 as f64 / UNIT
    }

    /// Forgets sums of the last evaluation.
    pub(crate) fn clear_measurements(&mut self) {
        self.0[STATUS_LAST_LOSSES..STATUS_CROSSED].fill(0);
        self.0[STATUS_LAST_FLUID_LOSSES..].fill(0);
    }
}
