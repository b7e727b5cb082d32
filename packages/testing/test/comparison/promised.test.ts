import { expect, test } from '@jest/globals';
import type { Played } from './comparable.ts';
import { promised } from './promised.ts';

const played = (plural: string, code: number): Played => ({
  defined: undefined,
  answers: [
    {
      line: `TRY:POST /api/v1/namespaces/$NS/${plural}?dryRun=All {}`,
      answer: { code, warning: undefined, body: { metadata: {} } },
    },
  ],
  watches: [],
  made: [],
  ends: [],
});

test.each([
  { plural: 'services', embedded: 201, real: 422, isKept: false },
  { plural: 'services', embedded: 409, real: 422, isKept: false },
  { plural: 'services', embedded: 422, real: 422, isKept: true },
  { plural: 'services', embedded: 422, real: 201, isKept: false },
  { plural: 'widgets', embedded: 201, real: 422, isKept: true },
  { plural: 'widgets', embedded: 422, real: 201, isKept: false },
])(
  'mutated object of $plural, $embedded here and $real there -> promise kept: $isKept',
  ({ plural, embedded, real, isKept }) => {
    const [own, other] = promised(played(plural, embedded), played(plural, real));
    if (isKept) {
      expect(own).toEqual(other);
    } else {
      expect(own).not.toEqual(other);
    }
  },
);
