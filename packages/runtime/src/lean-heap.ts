import { setFlagsFromString } from 'node:v8';

/*
 * Makes V8 spend less memory on what a controller does not need. Import it before anything else: V8 does not give back memory that
 * it has taken.
 *
 * A controller's garbage dies young, yet V8 lets the young generation grow to tens of MiB before it looks; and it compiles
 * undici's HTTP parser, which is WebAssembly, a second time for speed, which costs 25 MiB and gains nothing
 * that could be measured.
 */
setFlagsFromString('--optimize-for-size');
/*
 * With that, V8 collects all of the heap whenever it has grown by a tenth to a third: what waits for an answer of the API server outlives the small
 * young generation and is garbage soon after, so that a process with 50,000 claims went through all of them every few hundred milliseconds, which cost more
 * for each claim the more of them there were.
 */
setFlagsFromString('--heap-growing-percent=40');
/*
 * V8 ends a process whose collector takes more time than the program while the heap is four fifths full. With all this it takes that time long before there is no
 * room left: a process that would have gone on by V8's defaults was ended, and so would be the next one.
 */
setFlagsFromString('--no-detect-ineffective-gcs-near-heap-limit');
// A young generation of a MiB is collected before other threads have begun to help, and waking them costs more than they do.
setFlagsFromString('--no-parallel-scavenge');
/*
 * V8 has two optimizing compilers. Maglev, the quick one, is enough: a controller waits more than it computes. Doing without
 * Turbofan saves 5 MiB at 5,000 claims and 8 MiB at 20,000 pods, and no more CPU time is spent than it takes to compile; without
 * Maglev it would be half as much again.
 */
setFlagsFromString('--no-opt');
// Functions that wait to be compiled hold memory, and with V8's default of two threads they wait: 6 MiB at 5,000 claims. A V8 that
// is built without Maglev would complain about the flag.
if (process.arch === 'x64' || process.arch === 'arm64') {
  setFlagsFromString('--concurrent-maglev-max-threads=8');
}
// Together these are what --liftoff-only implies; set at run time, that flag no longer implies anything.
setFlagsFromString('--no-wasm-tier-up');
setFlagsFromString('--no-wasm-dynamic-tiering');
