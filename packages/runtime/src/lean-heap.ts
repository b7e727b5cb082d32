import { setFlagsFromString } from 'node:v8';

/*
 * Makes V8 use less memory that a controller does not need. Import this before anything else: V8 does not
 * return memory that it has taken.
 *
 * A controller's garbage dies young, yet V8 lets the young generation grow to tens of MiB before it collects.
 * It also compiles undici's HTTP parser, which is WebAssembly, a second time for speed. That costs 25 MiB and
 * gains nothing measurable.
 */
setFlagsFromString('--optimize-for-size');
/*
 * With the flag above, V8 collects the whole heap whenever it has grown by a tenth to a third. Data that wait
 * for a response of the API server outlive the small young generation and become garbage soon after. So a
 * process with 50,000 claims went through all of them every few hundred milliseconds, which cost more per
 * claim the more claims there were.
 */
setFlagsFromString('--heap-growing-percent=40');
/*
 * V8 ends a process if its collector takes more time than the program while the heap is four fifths full.
 * With the flags above the collector takes that time long before the memory is exhausted: a process that
 * would have survived with V8's defaults was ended, and its successor would be too.
 */
setFlagsFromString('--no-detect-ineffective-gcs-near-heap-limit');
// A young generation of one MiB is collected before other threads have begun to help, so waking them does not
// pay off.
setFlagsFromString('--no-parallel-scavenge');
/*
 * V8 has two optimizing compilers. Maglev, the quick one, is enough: a controller waits more than it
 * computes. Without Turbofan the process needs 5 MiB less at 5,000 claims and 8 MiB less at 20,000 pods, and
 * the lost optimization costs no more CPU time than Turbofan takes to compile. Without Maglev it would need
 * half as much CPU time again.
 */
setFlagsFromString('--no-opt');
// Functions that wait to be compiled hold memory, and with V8's default of two threads they wait: 6 MiB at
// 5,000 claims. A V8 built without Maglev would complain about the flag.
if (process.arch === 'x64' || process.arch === 'arm64') {
  setFlagsFromString('--concurrent-maglev-max-threads=8');
}
// Together these do what --liftoff-only implies. If set at run time, that flag no longer implies anything.
setFlagsFromString('--no-wasm-tier-up');
setFlagsFromString('--no-wasm-dynamic-tiering');
