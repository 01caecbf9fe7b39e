// What contacts remember while the neighbours are listed anew: a texel each with the spring and the normal force, and behind
// all that there is room for the roots of their overlaps. Those of a grain follow each other; where they start is in its
// motion, in place of its path. The host's side is src/gpu/stages/history.rs.
//#include lib/grains.wgsl

const ROOTS_PER_TEXEL: u32 = 4u;

// Where the root of a contact is, with room for `capacity` of them.
fn saved_root_texel(place: u32, capacity: u32) -> u32 {
    return capacity + place / ROOTS_PER_TEXEL;
}

// Marks the last contact of a grain, in the word of the partner's id.
const SAVED_LAST: u32 = 0x40000000u;

// Where the contacts of a grain start that has none.
const SAVED_NONE: u32 = 0xffffffffu;

// Whether a slot is a contact as its first grain has it. Both grains remember the same.
fn is_saved(word: u32) -> bool {
    return (word & SLOT_TOUCHING) != 0u && (word & (SLOT_FIRST | SLOT_WALL)) != 0u;
}
