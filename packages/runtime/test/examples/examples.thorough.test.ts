import { testExamples } from './examples.ts';

/* On the embedded server; examples.real.test.ts plays the same on real ones. */

testExamples();
