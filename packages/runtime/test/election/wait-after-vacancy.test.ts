import { expect, test } from '@jest/globals';
import type { Lease } from '@holdfast/core';
import { waitAfterVacancy, type WaitAfterVacancy } from '../../src/election/wait-after-vacancy.ts';

const program = { name: 'sites', domain: 'acme.example' };
const noon = Date.parse('2026-01-01T12:00:00Z');

function lease(renewTime: string, annotations?: Readonly<Record<string, string>>): Lease {
  return {
    metadata: {
      ...{ name: 'sites', namespace: 'ops', uid: 'u', resourceVersion: '1' },
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec: { holderIdentity: 'a', renewTime, leaseDurationSeconds: 15 },
  };
}

const ledAgain = { 'acme.example/led-again': '2026-01-01T11:30:00.000Z' };

test.each<readonly [string, Lease, WaitAfterVacancy]>([
  ['led all the time', lease('2026-01-01T11:59:59.000000Z'), { kind: 'none' }],
  [
    'led again half an hour ago',
    lease('2026-01-01T11:59:59.000000Z', ledAgain),
    { kind: 'until', time: Date.parse('2026-01-01T12:30:00Z') },
  ],
  [
    'led again at a time that is none',
    lease('2026-01-01T11:59:59.000000Z', { 'acme.example/led-again': 'soon' }),
    { kind: 'none' },
  ],
  [
    'led again by another program of that lease',
    lease('2026-01-01T11:59:59.000000Z', { 'other.example/led-again': '2026-01-01T11:30:00.000Z' }),
    { kind: 'none' },
  ],
  ['not led for five minutes', lease('2026-01-01T11:55:00.000000Z'), { kind: 'none' }],
  [
    'not led for longer',
    lease('2026-01-01T11:54:59.000000Z', ledAgain),
    { kind: 'onceLed', time: noon + 3_600_000 },
  ],
])('%s -> what waits for its time waits as the leader lets it', (_, seen, wait) => {
  expect(waitAfterVacancy(seen, program, noon)).toEqual(wait);
});
