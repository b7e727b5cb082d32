import { testLesserRoles } from './lesser-role.ts';

testLesserRoles();
