import { testFaults, testUndisturbed } from './faults.ts';

/*
 * Each fault meets both encodings and both ways to list; faults.thorough.test.ts combines them the other way round.
 */

testFaults({ protobuf: false, streamed: false });
testFaults({ protobuf: true, streamed: true });
testUndisturbed({ protobuf: false, streamed: true });
testUndisturbed({ protobuf: true, streamed: false });
