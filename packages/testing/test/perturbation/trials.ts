import type { OrderRow, Row } from './trial.ts';

/*
 * Of each kind a perturbation, and a fault of the operator that it brings to light. A run takes several processes, so
 * `npm test` plays one part and `npm run test:thorough` the rest. The first part has killing, stale caches, events that
 * are held back, answers and handovers; what each kind does to a request is in interference.test.ts and proxy.test.ts.
 */

const first = 'create configmaps shop #1';
const order = 'call order a-copy #1';

export const faulty: readonly Row[] = [
  [`crash-before-write at ${first}`, 'marks-first', 'stuck', 'ConfigMap shop/a-copy: expected'],
  [
    'stale-restart at create configmaps shop #2, before DELETED ConfigMap shop/a-copy #1 is seen',
    'trusts-cache',
    'unsafe',
    'a-copy is deleted',
  ],
  [
    'event-delayed: DELETED ConfigMap shop/a #1 to ADDED ConfigMap shop/a #2',
    'trusts-cache',
    'unsafe',
    'a-copy is deleted',
  ],
  [
    'event-hidden: DELETED ConfigMap shop/a #1',
    'edge-triggered',
    'stuck',
    'ConfigMap shop/a-copy: expected none',
  ],
  [`answer-422 at ${first}`, 'forgets', 'stuck', 'ConfigMap shop/a-copy: expected'],
  [
    `handover-after-write at patch configmaps shop/count #1`,
    'counts-first',
    'stuck',
    'ConfigMap shop/count.data.copies',
  ],
];

export const faultyToo: readonly Row[] = [
  ['answer-410 at watch configmaps shop #1', 'forgets', 'stuck', 'ConfigMap shop/a-copy: expected'],
  [
    'answer-504-after at patch configmaps shop/count #1',
    'counts-first',
    'stuck',
    'ConfigMap shop/count.data.copies',
  ],
  [`reset-before at ${first}`, 'forgets', 'stuck', 'ConfigMap shop/a-copy: expected'],
  ['answer-500 at get configmaps shop/a-copy #1', 'forgets', 'stuck', 'ConfigMap shop/a-copy: expected'],
  [
    'crash-after-write at patch configmaps shop/a #1',
    'marks-first',
    'stuck',
    'ConfigMap shop/a-copy: expected',
  ],
  [`answer-403 at ${first}`, 'forgets', 'stuck', 'ConfigMap shop/a-copy: expected'],
  [`answer-409 at ${first}`, 'takes-409-for-done', 'stuck', 'ConfigMap shop/a-copy: expected'],
  [`answer-429 at ${first}`, 'forgets', 'stuck', 'ConfigMap shop/a-copy: expected'],
  [`answer-504 at ${first}`, 'forgets', 'stuck', 'ConfigMap shop/a-copy: expected'],
  [
    'reset-after at patch configmaps shop/count #1',
    'counts-first',
    'stuck',
    'ConfigMap shop/count.data.copies',
  ],
  [`handover-before-write at ${first}`, 'counts-first', 'stuck', 'ConfigMap shop/count.data.copies'],
];

/** What an operator without a fault copes with. */
export const sound: readonly string[] = [
  'event-delayed: DELETED ConfigMap shop/a #1 to ADDED ConfigMap shop/a #2',
];

export const soundToo: readonly string[] = [
  `crash-before-write at ${first}`,
  `reset-after at ${first}`,
  'stale-restart at create configmaps shop #2, before DELETED ConfigMap shop/a-copy #1 is seen',
  'event-hidden: DELETED ConfigMap shop/a #1',
  `answer-409 at ${first}`,
  'answer-410 at watch configmaps shop #1',
  `handover-before-write at ${first}`,
];

/** Two handovers, one of which might wait for the other. */
export const pairs: readonly (readonly [string, string])[] = [
  // The process that has taken over comes to the second while the other is stopped for the first.
  [`handover-before-write at ${first}`, 'handover-before-write at create configmaps shop #2'],
  [`handover-before-write at ${first}`, 'handover-after-write at create configmaps shop #2'],
  // One write is at the place of both.
  [`handover-before-write at ${first}`, `handover-after-write at ${first}`],
];

/** The orders of an operator that orders outside. */
export const orders: readonly OrderRow[] = [[`crash-after-write at ${order}`, undefined, 'held']];

export const ordersToo: readonly OrderRow[] = [
  [`crash-before-write at ${order}`, 'orders-last', 'stuck'],
  [`reset-before at ${order}`, 'orders-last', 'stuck'],
  [`crash-before-write at ${order}`, undefined, 'held'],
  [`reset-before at ${order}`, undefined, 'held'],
  [`reset-after at ${order}`, undefined, 'held'],
  [`handover-before-write at ${order}`, undefined, 'held'],
];
