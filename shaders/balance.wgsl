// In which turn the threads of a workgroup take its grains: those with as many slots together. Threads that go
// together wait for the one with most slots, eight of them for 8.0 in a settled bed with 6.4 on the average, and for
// 6.7 in this order. Grains stay where they are in memory.

//#include lib/dispatch.wgsl
//#include lib/status.wgsl
//#include lib/turns.wgsl

@group(0) @binding(0) var<storage, read> status: array<u32>;
// First slots, one more than grains; then turns.
@group(0) @binding(1) var<storage, read_write> starts: array<u32>;

var<workgroup> counts: array<u32, TURN_GRAINS>;
var<workgroup> turns: array<u32, TURN_GRAINS>;

// One thread per grain.
@compute @workgroup_size(TURN_GRAINS)
fn balance(
    @builtin(workgroup_id) workgroup_id: vec3u,
    @builtin(local_invocation_index) local_index: u32,
) {
    let index = dispatch_thread(workgroup_id, local_index, TURN_GRAINS);
    let grains = status[STATUS_GRAINS];
    // Last come those that do not exist.
    var count = STATUS_NONE;
    if index < grains {
        count = starts[index + 1u] - starts[index];
    }
    counts[local_index] = count;
    workgroupBarrier();
    var rank = 0u;
    for (var other = 0u; other < TURN_GRAINS; other++) {
        let comes_first = counts[other] < count || (counts[other] == count && other < local_index);
        rank += select(0u, 1u, comes_first);
    }
    turns[rank] = local_index;
    workgroupBarrier();
    if local_index % TURNS_PER_WORD == 0u && index - local_index < grains {
        var word = 0u;
        for (var turn = 0u; turn < TURNS_PER_WORD; turn++) {
            word |= turns[local_index + turn] << (TURN_BITS * turn);
        }
        starts[turn_word(index, grains)] = word;
    }
}
