import type { Policy } from './stage.ts';

export const allPolicies: readonly Policy[] = [
  { whenDeleted: 'Delete', whenScaled: 'Delete' },
  { whenDeleted: 'Delete', whenScaled: 'Retain' },
  { whenDeleted: 'Retain', whenScaled: 'Delete' },
  { whenDeleted: 'Retain', whenScaled: 'Retain' },
];

/**
 * With these a test shows what follows from each value of each field, and that neither field is taken for the other.
 */
export const mixedPolicies = allPolicies.filter(({ whenDeleted, whenScaled }) => whenDeleted !== whenScaled);

export const evenPolicies = allPolicies.filter(({ whenDeleted, whenScaled }) => whenDeleted === whenScaled);
