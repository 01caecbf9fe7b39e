// Finds the saved contacts of the new slots.

//#include lib/dispatch.wgsl
//#include lib/status.wgsl
//#include lib/grains.wgsl
//#include lib/saved.wgsl

@group(0) @binding(0) var<storage, read> status: array<u32>;
@group(0) @binding(1) var<storage, read> motions: array<Motion>;
@group(0) @binding(2) var<storage, read> starts: array<u32>;
@group(0) @binding(3) var<storage, read> partners: array<u32>;
// Second words: ids of the partners, which places of saved contacts replace.
@group(0) @binding(4) var<storage, read_write> slots: array<vec2u>;

const THREADS: u32 = 64u;

// The saved contact of a grain with the partner of this id.
fn find_saved(grain: u32, id: u32) -> u32 {
    var place = motions[grain].path;
    while place != SAVED_NONE {
        let partner = partners[place];
        if (partner & ~SAVED_LAST) == id {
            break;
        }
        place = select(place + 1u, SAVED_NONE, (partner & SAVED_LAST) != 0u);
    }
    return place;
}

// One thread per grain.
@compute @workgroup_size(THREADS)
fn history_match(
    @builtin(workgroup_id) workgroup_id: vec3u,
    @builtin(local_invocation_index) local_index: u32,
) {
    let index = dispatch_thread(workgroup_id, local_index, THREADS);
    if index >= status[STATUS_GRAINS] {
        return;
    }
    let id = motions[index].id;
    let end = starts[index + 1u];
    for (var slot = starts[index]; slot < end; slot++) {
        let entry = slots[slot];
        var place: u32;
        if (entry.x & (SLOT_FIRST | SLOT_WALL)) != 0u {
            place = find_saved(index, entry.y);
        } else {
            place = find_saved(entry.x & SLOT_INDEX, id);
        }
        slots[slot].y = place;
    }
}
