// Words of the `status` buffer: why the device stopped, how far it came, and sums. The host's side is
// src/gpu/status.rs.
//#include lib/whole.wgsl

// Why steps are no longer done: bits. Kernels of a step do nothing while any is set.
const STATUS_HALTED: u32 = 0u;
const HALTED_STALE: u32 = 1u;
const HALTED_CAPACITY: u32 = 2u;
// Bodies are in the second buffer.
const HALTED_AWAY: u32 = 8u;

// Steps done, modulo 2³².
const STATUS_STEPS: u32 = 1u;
// Longest way of any grain since the neighbours were listed, bits of f32.
const STATUS_PATH: u32 = 2u;
// Contacts put aside while the neighbours are listed anew.
const STATUS_SAVED: u32 = 3u;
// How much further than touching the list reaches, bits of f32.
const STATUS_SKIN: u32 = 4u;
// Lowest id of a grain that is not finite, or has left the domain; all ones if there is none.
const STATUS_NOT_FINITE: u32 = 5u;
const STATUS_LEFT: u32 = 6u;
// Slots that the list being made needs, and that the present one has.
const STATUS_SLOTS_NEEDED: u32 = 7u;
const STATUS_SLOTS: u32 = 8u;
const STATUS_REBUILDS: u32 = 9u;
const STATUS_GRAINS: u32 = 10u;
// 1: the host wants the neighbours listed anew.
const STATUS_REBUILD_WANTED: u32 = 11u;
// Largest speed since the last decision, and before it, bits of f32.
const STATUS_SPEED: u32 = 12u;
const STATUS_SPEED_BEFORE: u32 = 13u;
// 1: there is no list; what contacts remember is put aside.
const STATUS_LIST_IS_VOID: u32 = 14u;
// As STATUS_PATH, for steps that find bodies in the second buffer: a step reads one and raises the other.
const STATUS_PATH_AWAY: u32 = 15u;

// Sums of 64 bits, low word first: losses since the host last looked (normal, tangential, friction,
// rolling, Mindlin), contacts evaluated, ...
const STATUS_LOSSES: u32 = 16u;
const STATUS_CONTACT_UPDATES: u32 = 26u;
// ... and of the last evaluation: losses, elastic energies (normal, tangential, rolling), contacts.
const STATUS_LAST_LOSSES: u32 = 28u;
const STATUS_ELASTIC: u32 = 38u;
const STATUS_CONTACTS: u32 = 44u;
// Potential energy handed over at periodic sides.
const STATUS_CROSSED: u32 = 46u;
// What a fluid took since the host last looked, and in the last evaluation: drag, films.
const STATUS_FLUID_LOSSES: u32 = 48u;
const STATUS_LAST_FLUID_LOSSES: u32 = 52u;
// Contacts with walls.
const STATUS_WALL_CONTACTS: u32 = 56u;
// What shaders/measure.wgsl sums up, eight sums of four words each.
const STATUS_MOTION: u32 = 57u;
// Force on each face, three sums each.
const STATUS_WALL_FORCES: u32 = 89u;

const STATUS_NONE: u32 = 0xffffffffu;

// A whole number in 64 bits, two's complement, low word first. Sums of such numbers have no order.
fn fixed_point(value: f32) -> vec2u {
    // Of the size: 2³² less a small number is no f32.
    let size = round(abs(value));
    let high = floor(size / 4294967296.0);
    let words = vec2u(whole_size(size - high * 4294967296.0), whole_size(high));
    let negative = vec2u(~words.x + 1u, ~words.y + select(0u, 1u, words.x == 0u));
    return select(words, negative, value < 0.0);
}

// Whether a list with this skin may lack a pair that touches: both grains may have come half as close.
fn list_is_stale(path: f32, skin: f32) -> bool {
    // Paths are sums of rounded numbers.
    const ROUNDING: f32 = 1.0001;
    return 2.0 * ROUNDING * path > skin;
}

// Bits of a way so long that no list holds any more.
const INFINITE_PATH: u32 = 0x7f800000u;

// Word of the longest way as a step finds it.
fn path_word(away: u32) -> u32 {
    return select(STATUS_PATH, STATUS_PATH_AWAY, away != 0u);
}

// How many dispatches are indirect, and which: see src/gpu/stages/decide.rs.
const ARGUMENTS_SAVE: u32 = 0u;
const ARGUMENTS_SINGLE: u32 = 1u;
// Known only when contacts are put aside.
const ARGUMENTS_NAME: u32 = 2u;
const ARGUMENTS_GRAINS: u32 = 3u;
const ARGUMENTS_CELLS: u32 = 4u;
const ARGUMENTS_SORT_BLOCKS: u32 = 5u;
const ARGUMENTS_SORT_DIGITS: u32 = 6u;
const ARGUMENTS_SCAN_BLOCKS: u32 = 7u;
// Known only when the neighbours are counted.
const ARGUMENTS_FILL: u32 = 8u;
const ARGUMENTS_COUNT: u32 = 9u;
