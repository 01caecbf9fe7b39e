// The same memory as with lib/words.wgsl, read and written two words at a time, low word first: devices that go through
// the threads of a group one by one do it for each number, and wait each time.

alias TwoWords = u64;
alias FourWords = vec2<u64>;

fn unpack_two(words: TwoWords) -> vec2u {
    return vec2u(u32(words), u32(words >> 32u));
}

fn pack_two(words: vec2u) -> TwoWords {
    return u64(words.x) | (u64(words.y) << 32u);
}

fn unpack_four(words: FourWords) -> vec4u {
    return vec4u(unpack_two(words.x), unpack_two(words.y));
}

fn pack_four(words: vec4u) -> FourWords {
    return FourWords(pack_two(words.xy), pack_two(words.zw));
}
