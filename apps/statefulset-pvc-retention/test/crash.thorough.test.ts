import { testCrashes } from './crash.ts';

/* On the embedded server; crash.real.test.ts plays the same on real ones. */

testCrashes();
