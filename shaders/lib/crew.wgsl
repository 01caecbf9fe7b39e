// How many threads of a workgroup share its grains: one each. Twin of lib/small_crew.wgsl, which takes its place on
// software devices.

const CREW_THREADS: u32 = 64u;
// Sums of all of them are added up in parts, by a thread each.
const SUM_PARTS: u32 = 2u;
// Whether a workgroup reads its memory once in order before its threads do at places of their own.
const READS_AHEAD: bool = false;
