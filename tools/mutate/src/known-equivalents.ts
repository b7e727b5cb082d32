import type { Equivalent } from './equivalents.ts';

/** Mutants of the files of `targets.ts` that survive, each with the reason. */
export const knownEquivalents: readonly Equivalent[] = [
  {
    file: 'packages/core/src/finalizers.ts',
    before: 'const index = object.metadata.finalizers?.indexOf(finalizer) ?? -1;',
    after: 'const index = object.metadata.finalizers?.lastIndexOf(finalizer) ?? -1;',
    why: 'where a finalizer is there twice, the list is the same without the first and without the last',
  },
  {
    file: 'packages/core/src/finalizers.ts',
    before: 'const index = object.metadata.finalizers?.indexOf(finalizer) ?? -1;',
    after: 'const index = object.metadata.finalizers?.indexOf(finalizer) ?? -2;',
    why: 'only asked whether it is below 0',
  },
  {
    file: 'packages/core/src/owner-references.ts',
    before: 'return object.metadata.ownerReferences?.find((reference) => reference.controller === true);',
    after: 'return object.metadata.ownerReferences?.findLast((reference) => reference.controller === true);',
    why: 'the API server allows one controller at the most',
  },
  {
    file: 'packages/core/src/resource-version.ts',
    before: 'return version.length === other.length ? version < other : version.length < other.length;',
    after: 'return version.length === other.length ? version < other : version.length <= other.length;',
    why: 'the lengths are not equal there',
  },
];
