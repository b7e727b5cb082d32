import { testCrashes } from './crash.ts';

/* On real servers; crash.thorough.test.ts plays the same on the embedded one. */

testCrashes();
