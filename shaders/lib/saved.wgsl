// What contacts remember while the neighbours are listed anew: words of a saved contact are the root of the
// overlap, the spring and the normal force. Those of a grain follow each other; where they start is in its
// motion, in place of its path. The host's side is src/gpu/stages/history.rs.
//#include lib/grains.wgsl

const SAVED_WORDS: u32 = 5u;

// Marks the last contact of a grain, in the word of the partner's id.
const SAVED_LAST: u32 = 0x40000000u;

// Where the contacts of a grain start that has none.
const SAVED_NONE: u32 = 0xffffffffu;

// Whether a slot is a contact as its first grain has it. Both grains remember the same.
fn is_saved(word: u32) -> bool {
    return (word & SLOT_TOUCHING) != 0u && (word & (SLOT_FIRST | SLOT_WALL)) != 0u;
}
