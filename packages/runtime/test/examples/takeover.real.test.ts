import { testTakeover } from './takeover.ts';

testTakeover();
