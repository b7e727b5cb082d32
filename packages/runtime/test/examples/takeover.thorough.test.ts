import { testTakeover } from './takeover.ts';

/* Three processes, and a lease that runs out. On real servers takeover.real.test.ts plays the same. */

testTakeover();
