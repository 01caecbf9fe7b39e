// Notes the roots of the overlaps of saved contacts, for history_pack.wgsl, and then with whom the contacts are, in memory that
// was that of the histories.

//#include lib/dispatch.wgsl
//#include lib/status.wgsl
//#include lib/grains.wgsl
//#include lib/saved.wgsl

@group(0) @binding(0) var<storage, read> status: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read> slots: array<vec2u>;
@group(0) @binding(3) var<storage, read> motions: array<Motion>;
@group(0) @binding(4) var<storage, read_write> partners: array<u32>;

// Whether it is roots, not partners.
override ROOTS: bool;

const THREADS: u32 = 64u;

// One thread per grain.
@compute @workgroup_size(THREADS)
fn history_name(
    @builtin(workgroup_id) workgroup_id: vec3u,
    @builtin(local_invocation_index) local_index: u32,
) {
    let index = dispatch_thread(workgroup_id, local_index, THREADS);
    if index >= status[STATUS_GRAINS] {
        return;
    }
    var place = motions[index].path;
    if place == SAVED_NONE {
        return;
    }
    let end = starts[index + 1u];
    for (var slot = starts[index]; slot < end; slot++) {
        let entry = slots[slot];
        let word = entry.x;
        if !is_saved(word) {
            continue;
        }
        var noted = word & SLOT_INDEX;
        if ROOTS {
            noted = entry.y;
        } else if (word & SLOT_WALL) != 0u {
            noted += WALL;
        } else {
            noted = motions[noted].id;
        }
        partners[place] = noted;
        place++;
    }
    if !ROOTS {
        partners[place - 1u] |= SAVED_LAST;
    }
}
