// When a contact ends. Twin of src/laws/end.rs; the numbers are those of src/gpu/laws.rs.

const CONTACT_END_OVERLAP: u32 = 0u;
const CONTACT_END_FORCE: u32 = 1u;

// F_n = F_el + F_d, or max(0, F_el + F_d) where the contact ends with the force.
fn ended_normal_force(end: u32, elastic: f32, damping: f32) -> f32 {
    let force = elastic + damping;
    return select(force, max(force, 0.0), end == CONTACT_END_FORCE);
}
