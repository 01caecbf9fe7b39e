// Where an invocation stands in a dispatch, and what arguments an indirect dispatch needs.
// The host's side of it is src/gpu/kernel.rs.

// Workgroups in one row of a dispatch. A dispatch has at most 65535 workgroups in each dimension, so
// more than a row goes into several. The length is fixed because num_workgroups reads zero in an
// indirect dispatch on DX12; it is short because up to one row of idle workgroups runs at the end.
const DISPATCH_ROW: u32 = 4096u;

// Number of this workgroup among all of its dispatch. The last ones may have nothing to do.
fn dispatch_workgroup(workgroup_id: vec3u) -> u32 {
    return workgroup_id.y * DISPATCH_ROW + workgroup_id.x;
}

// Number of this thread among all of its dispatch.
fn dispatch_thread(workgroup_id: vec3u, local_index: u32, workgroup_size: u32) -> u32 {
    return dispatch_workgroup(workgroup_id) * workgroup_size + local_index;
}

// Arguments of an indirect dispatch of so many workgroups. None is allowed, and does nothing. The fourth
// word pads: arguments are kept in an array<vec4u>, one slot for each dispatch.
fn dispatch_arguments(workgroups: u32) -> vec4u {
    let rows = (workgroups + DISPATCH_ROW - 1u) / DISPATCH_ROW;
    return vec4u(min(workgroups, DISPATCH_ROW), rows, 1u, 0u);
}
