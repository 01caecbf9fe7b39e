//! lahar.
fn main() {}
