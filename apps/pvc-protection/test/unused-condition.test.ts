import { describe, expect, test } from '@jest/globals';
import type { PersistentVolumeClaim, Pod } from '@holdfast/core';
import { decideUnused } from '../src/unused-condition/decide.ts';
import { claim, pod } from './objects.ts';

interface Case {
  readonly name: string;
  readonly claim: PersistentVolumeClaim | undefined;
  readonly condition?: { readonly status: string; readonly message?: string };
  readonly cached?: readonly Pod[];
  readonly live?: readonly Pod[];
  readonly gate?: boolean;
  readonly answer: string;
}

const node = 'node-1';
const ours = 'No pod that may run names this claim.';
const running = pod({ node });
const pending = pod({ phase: 'Pending' });
const done = pod({ node, phase: 'Succeeded' });
const other = pod({ volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'another' } }] });

const cases: readonly Case[] = [
  { name: 'claim gone', claim: undefined, answer: 'none' },
  { name: 'claim terminating', claim: claim({ deleted: true }), live: [], answer: 'none' },
  { name: 'running pod in the cache, no condition', claim: claim(), cached: [running], answer: 'set False' },
  { name: 'pod without a node in the cache', claim: claim(), cached: [pending], answer: 'set False' },
  {
    name: 'running pod, condition says unused',
    claim: claim(),
    condition: { status: 'True' },
    cached: [running],
    answer: 'set False',
  },
  {
    name: 'running pod, condition says used',
    claim: claim(),
    condition: { status: 'False' },
    cached: [running],
    answer: 'none',
  },
  { name: 'no pod in the cache, not asked live', claim: claim(), answer: 'askPods' },
  { name: 'only a finished pod, not asked live', claim: claim(), cached: [done], answer: 'askPods' },
  { name: 'no pod live either', claim: claim(), live: [], answer: 'set True' },
  { name: 'only a finished pod and another’s live', claim: claim(), live: [done, other], answer: 'set True' },
  { name: 'pod seen only live', claim: claim(), live: [running], answer: 'set False' },
  {
    name: 'pod seen only live, condition says used',
    claim: claim(),
    condition: { status: 'False' },
    live: [running],
    answer: 'none',
  },
  {
    name: 'no pod, condition says used',
    claim: claim(),
    condition: { status: 'False' },
    live: [],
    answer: 'set True',
  },
  {
    name: 'no pod in the cache, condition says unused',
    claim: claim(),
    condition: { status: 'True' },
    answer: 'none',
  },
  {
    name: 'name of an ephemeral claim, but not the pod’s',
    claim: claim({ name: 'web-v' }),
    live: [pod({ volumes: [{ name: 'v', ephemeral: {} }] })],
    answer: 'set True',
  },
  {
    name: 'ephemeral claim of the pod',
    claim: claim({ name: 'web-v', controlledBy: pod() }),
    cached: [pod({ volumes: [{ name: 'v', ephemeral: {} }] })],
    answer: 'set False',
  },
  { name: 'gate off, no condition', claim: claim(), gate: false, answer: 'none' },
  {
    name: 'gate off, our condition',
    claim: claim(),
    condition: { status: 'True', message: ours },
    gate: false,
    answer: 'remove',
  },
  {
    name: 'gate off, our condition of a claim in use',
    claim: claim(),
    condition: { status: 'False', message: 'A pod that may run names this claim.' },
    gate: false,
    answer: 'remove',
  },
  {
    name: 'gate off, upstream’s condition',
    claim: claim(),
    condition: { status: 'True', message: 'No pods are currently referencing this PVC' },
    gate: false,
    answer: 'none',
  },
];

describe('condition Unused', () => {
  test.each(cases)('$name -> $answer', ({ claim, condition, cached = [], live, gate = true, answer }) => {
    const decision = decideUnused({
      claim:
        claim === undefined || condition === undefined
          ? claim
          : {
              ...claim,
              status: {
                conditions: [
                  { type: 'Resizing', status: 'True' },
                  { type: 'Unused', ...condition },
                ],
              },
            },
      cachedPods: cached,
      livePods: live,
      enabled: gate,
    });
    expect(decision.kind === 'set' ? `set ${decision.state.status}` : decision.kind).toBe(answer);
  });
});
