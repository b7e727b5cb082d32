import { setFlagsFromString } from 'node:v8';

/*
 * Makes V8 spend less memory on what a controller does not need. Import it before anything else: memory once taken is not
 * given back.
 *
 * A controller's garbage dies young, yet V8 lets the young generation grow to tens of MiB before it looks; and it compiles
 * undici's HTTP parser, which is WebAssembly, a second time for speed, which costs 25 MiB and gains nothing
 * that could be measured.
 */
setFlagsFromString('--optimize-for-size');
// Together what --liftoff-only implies, which at run time is too late to imply anything.
setFlagsFromString('--no-wasm-tier-up');
setFlagsFromString('--no-wasm-dynamic-tiering');
