import { testLesserRoles, testPermissions } from './permissions.ts';

/* A process for each verb. On real servers permissions.scenario.test.ts plays the same. */

testPermissions(testLesserRoles);
