import { testExamples } from './examples.ts';

testExamples();
