import { testSettledSets } from './settled-sets.ts';

/* Four thousand objects; faults.test.ts has a fifth of them. */

testSettledSets(1_000);
