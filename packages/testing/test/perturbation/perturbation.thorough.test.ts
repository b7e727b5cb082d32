import { testFaulty, testOrders, testPairs, testSound } from './trial.ts';
import { faultyToo, ordersToo, pairs, soundToo } from './trials.ts';

testFaulty(faultyToo);
testSound(soundToo);
testPairs(pairs);
testOrders(ordersToo);
