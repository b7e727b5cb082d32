import { expect, test } from '@jest/globals';
import type { KubernetesObject, PersistentVolumeClaim } from '@holdfast/core';
import { WriteUndone, type ApiClient } from '@holdfast/runtime';
import { pino } from 'pino';
import { createClaimWriter } from '../src/claim-writer.ts';
import type { OwnersDecision, TieDecision } from '../src/decide/decision.ts';
import { deletedWithAnnotation } from '../src/decide/tie.ts';
import { createStrayMarks } from '../src/stray-marks.ts';
import { claim, foreignOwner, toPod, toSet } from './snapshots.ts';

/* A mutating webhook or policy can change what a patch leaves, and the API server answers 200 all the same. */

function open(answer: PersistentVolumeClaim) {
  const counted: string[] = [];
  return {
    counted,
    writer: createClaimWriter({
      client: {
        patch: <T extends KubernetesObject>() => Promise.resolve(answer as unknown as T),
      } as unknown as ApiClient,
      logger: pino({ enabled: false }),
      metrics: {
        ownerReference: (operation, result) => counted.push(`${operation} ${result}`),
        delayedDeletion: (operation, result) => counted.push(`${operation} ${result}`),
      },
      strayMarks: createStrayMarks(),
    }),
  };
}

const { signal } = new AbortController();
const swap: OwnersDecision = {
  kind: 'setOwners',
  operation: 'swap',
  claim: claim([foreignOwner, toSet()]),
  references: [foreignOwner, toPod()],
  owner: toPod(),
  reason: 'ScaledDown',
};

test.each([
  { left: 'both as they were to be', owners: [foreignOwner, toPod()], outcome: 'success' },
  {
    left: 'another owner besides',
    owners: [toPod(), foreignOwner, { ...foreignOwner, uid: 'b' }],
    outcome: 'success',
  },
  { left: 'the old one', owners: [foreignOwner, toSet()], outcome: 'error' },
  { left: 'old and new', owners: [foreignOwner, toPod(), toSet()], outcome: 'error' },
  { left: 'none', owners: [], outcome: 'error' },
])('owners swapped, the answer has $left -> $outcome', async ({ owners, outcome }) => {
  const { counted, writer } = open(claim(owners));
  const written = await writer.setOwners(swap, { signal });
  expect(counted).toEqual([`swap ${outcome}`]);
  expect(written.kind === 'failed' ? written.error : undefined).toEqual(
    outcome === 'error' ? new WriteUndone() : undefined,
  );
});

test.each([
  { left: 'tie', annotations: { [deletedWithAnnotation]: 'a tie' }, outcome: 'success' },
  { left: 'nothing', annotations: {}, outcome: 'error' },
])('claim tied, the answer has $left -> $outcome', async ({ annotations, outcome }) => {
  const { counted, writer } = open({ ...claim(), metadata: { ...claim().metadata, annotations } });
  const tie: TieDecision = { kind: 'tie', claim: claim(), value: 'a tie', reason: 'DeletedWithWorkload' };
  await writer.annotate(tie, { signal });
  expect(counted).toEqual([`tie ${outcome}`]);
});
