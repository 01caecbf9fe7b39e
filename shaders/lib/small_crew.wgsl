// Instead of lib/crew.wgsl where the processor does the work, eight threads in a register: more of them go through a
// kernel one register after the other, each time through all of it, however few have anything to do. These go through it
// once, and on for the next grains only where there are any.

const CREW_THREADS: u32 = 8u;
const SUM_PARTS: u32 = 1u;
// A processor fetches ahead what is read in order; each thread would wait for each line of its own grain.
const READS_AHEAD: bool = true;
