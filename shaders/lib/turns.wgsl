// Which grain of its workgroup a thread takes: behind the first slots in `starts`, four turns in a word.

// Grains of a workgroup, which its threads take in turns.
const TURN_GRAINS: u32 = 64u;
const TURN_BITS: u32 = 8u;
const TURNS_PER_WORD: u32 = 4u;

// Where in `starts` the turn of a thread is.
fn turn_word(thread: u32, grains: u32) -> u32 {
    return grains + 1u + thread / TURNS_PER_WORD;
}

// The grain that a thread takes.
fn turn_grain(thread: u32, word: u32) -> u32 {
    let turn = (word >> (TURN_BITS * (thread % TURNS_PER_WORD))) % TURN_GRAINS;
    return thread - thread % TURN_GRAINS + turn;
}
