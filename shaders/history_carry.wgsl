// Carries what contacts remember from the old slots of a grain to the new ones, by the partner's id.

//#include lib/dispatch.wgsl
//#include lib/status.wgsl
//#include lib/grains.wgsl

@group(0) @binding(0) var<uniform> carrying: Carrying;
@group(0) @binding(1) var<storage, read> sorted_pairs: array<vec2u>;
@group(0) @binding(2) var<storage, read> motions: array<Motion>;
@group(0) @binding(3) var<storage, read> starts: array<u32>;
@group(0) @binding(4) var<storage, read> slots: array<vec2u>;
// `histories`, or `extras`.
@group(0) @binding(5) var<storage, read> memories: array<vec4f>;
@group(0) @binding(6) var<storage, read> new_starts: array<u32>;
// Second words: ids of the partners, which the last carrying replaces.
@group(0) @binding(7) var<storage, read_write> new_slots: array<vec2u>;
@group(0) @binding(8) var<storage, read_write> new_memories: array<vec4f>;

struct Carrying {
    grain_count: u32,
    // Vectors that a contact has in `memories`.
    vectors: u32,
    // 1: no other carrying follows.
    is_last: u32,
}

const THREADS: u32 = 64u;

// One thread per grain.
@compute @workgroup_size(THREADS)
fn history_carry(
    @builtin(workgroup_id) workgroup_id: vec3u,
    @builtin(local_invocation_index) local_index: u32,
) {
    let index = dispatch_thread(workgroup_id, local_index, THREADS);
    if index >= carrying.grain_count {
        return;
    }
    let old = sorted_pairs[index].y;
    let old_end = starts[old + 1u];
    let new_end = new_starts[index + 1u];
    var new_slot = new_starts[index];
    // Both are sorted by the partner's id.
    for (var slot = starts[old]; slot < old_end; slot++) {
        let entry = slots[slot];
        if (entry.x & SLOT_TOUCHING) == 0u {
            continue;
        }
        var id = entry.x & SLOT_INDEX;
        if (entry.x & SLOT_WALL) != 0u {
            id += WALL;
        } else {
            id = motions[id].id;
        }
        while new_slot < new_end && new_slots[new_slot].y < id {
            if carrying.is_last != 0u {
                new_slots[new_slot].y = 0u;
            }
            new_slot++;
        }
        if new_slot < new_end && new_slots[new_slot].y == id {
            for (var vector = 0u; vector < carrying.vectors; vector++) {
                new_memories[carrying.vectors * new_slot + vector] =
                    memories[carrying.vectors * slot + vector];
            }
            if carrying.is_last != 0u {
                new_slots[new_slot] = vec2u(new_slots[new_slot].x | SLOT_TOUCHING, entry.y);
            }
            new_slot++;
        }
    }
    if carrying.is_last != 0u {
        for (; new_slot < new_end; new_slot++) {
            new_slots[new_slot].y = 0u;
        }
    }
}
