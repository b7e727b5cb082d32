import { testFaults } from './faults.ts';

testFaults({ protobuf: false, streamed: true });
testFaults({ protobuf: true, streamed: false });
