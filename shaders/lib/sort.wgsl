// How a radix sort cuts keys into digits and pairs into blocks. The host's side is src/gpu/stages/sort.rs.

// A digit has as many values as a workgroup has threads, so that each thread looks after one.
const SORT_DIGIT_BITS: u32 = 6u;
const SORT_DIGITS: u32 = 1u << SORT_DIGIT_BITS;
const SORT_THREADS: u32 = SORT_DIGITS;

// Pairs that one thread sorts, and pairs that a workgroup does.
const SORT_ITEMS: u32 = 32u;
const SORT_BLOCK: u32 = SORT_THREADS * SORT_ITEMS;

// Which digit one round of the sort looks at.
struct SortRound {
    shift: u32,
    // Ones for the bits of the digit; the last round may have fewer.
    mask: u32,
}

fn sort_block_count(count: u32) -> u32 {
    return (count + SORT_BLOCK - 1u) / SORT_BLOCK;
}

fn sort_digit(key: u32, round: SortRound) -> u32 {
    return (key >> round.shift) & round.mask;
}
