// Words as they are in memory, two or four at a time. Twin of lib/long_words.wgsl, which takes its place on devices
// that have integers of 64 bits.

alias TwoWords = vec2u;
alias FourWords = vec4u;

fn unpack_two(words: TwoWords) -> vec2u {
    return words;
}

fn pack_two(words: vec2u) -> TwoWords {
    return words;
}

fn unpack_four(words: FourWords) -> vec4u {
    return words;
}

fn pack_four(words: vec4u) -> FourWords {
    return words;
}
