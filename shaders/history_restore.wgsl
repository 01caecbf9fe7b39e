// Gives the contacts among the new slots what they remember.

//#include lib/dispatch.wgsl
//#include lib/status.wgsl
//#include lib/grains.wgsl
//#include lib/saved.wgsl

@group(0) @binding(0) var<storage, read> status: array<u32>;
@group(0) @binding(1) var<storage, read> motions: array<Motion>;
@group(0) @binding(2) var<storage, read> starts: array<u32>;
@group(0) @binding(3) var<storage, read> saved: array<u32>;
@group(0) @binding(4) var<storage, read> saved_extras: array<vec4u>;
// Second words: ids of the partners, which are replaced.
@group(0) @binding(5) var<storage, read_write> slots: array<vec2u>;
@group(0) @binding(6) var<storage, read_write> histories: array<vec4u>;
@group(0) @binding(7) var<storage, read_write> extras: array<vec4u>;

// Whether any law uses `extras`.
override WITH_EXTRAS: bool;

const THREADS: u32 = 64u;

// The saved contact of a grain with the partner of this id.
fn find_saved(grain: u32, id: u32) -> u32 {
    var place = motions[grain].path;
    while place != SAVED_NONE {
        let partner = saved[SAVED_WORDS * place];
        if (partner & ~SAVED_LAST) == id {
            return place;
        }
        place = select(place + 1u, SAVED_NONE, (partner & SAVED_LAST) != 0u);
    }
    return SAVED_NONE;
}

// One thread per grain.
@compute @workgroup_size(THREADS)
fn history_restore(
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
        var place = SAVED_NONE;
        if (entry.x & (SLOT_FIRST | SLOT_WALL)) != 0u {
            place = find_saved(index, entry.y);
        } else {
            place = find_saved(entry.x & SLOT_INDEX, id);
        }
        if place == SAVED_NONE {
            slots[slot] = vec2u(entry.x, 0u);
            continue;
        }
        let first = SAVED_WORDS * place;
        slots[slot] = vec2u(entry.x | SLOT_TOUCHING, saved[first + 1u]);
        histories[slot] =
            vec4u(saved[first + 2u], saved[first + 3u], saved[first + 4u], saved[first + 5u]);
        if WITH_EXTRAS {
            extras[2u * slot] = saved_extras[2u * place];
            extras[2u * slot + 1u] = saved_extras[2u * place + 1u];
        }
    }
}
