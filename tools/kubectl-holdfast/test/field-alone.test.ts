import { expect, test } from '@jest/globals';
import type { SeenRetainers } from '../src/cluster/retainers.ts';
import { explainSet } from '../src/explain/explain-set.ts';
import { planReport } from '../src/report/plan-report.ts';
import { gatesWith, setOf, worldOf, type SetShape } from './objects.ts';

const both: SeenRetainers = {
  ...{ release: undefined, stock: 'atWork', holdfast: gatesWith() },
  because: { stock: 'always on in v1.36.3', holdfast: 'it holds its lease' },
};

/** What `plan` and `explain` say of kube-controller-manager. */
function said(shape: SetShape, retainers: SeenRetainers = both): readonly (string | undefined)[] {
  const world = worldOf(setOf(shape), [], []);
  const [text] = planReport(world, { kind: 'scale', replicas: 1 }, retainers, []).parts;
  const { next } = explainSet({ world, retainers, onScaleDown: [], onDeletion: [] });
  return [text?.kind === 'text' ? text.lines[2] : undefined, next[0]?.does];
}

const annotated: SetShape = {
  annotations: { 'holdfast.dev/when-scaled': 'Delete', 'holdfast.dev/scale-down-grace': '30m' },
};
const fieldOnly = 'the field alone (whenScaled Retain, whenDeleted Retain)';

test('annotation in place of the field -> kube-controller-manager is not said to carry the policy out', () => {
  expect(said(annotated)).toEqual([
    `kube-controller-manager carries out ${fieldOnly}: always on in v1.36.3.`,
    `carries out ${fieldOnly}: always on in v1.36.3`,
  ]);
});

test.each([
  ['policy of the field', { whenScaled: 'Delete' }],
  ['annotation that counts for nothing', { annotations: { 'holdfast.dev/when-scaled': 'Delete' } }],
] as const)('%s -> kube-controller-manager carries the policy out', (_, shape) => {
  expect(said(shape)).toEqual([
    'kube-controller-manager carries it out: always on in v1.36.3.',
    'carries the policy out: always on in v1.36.3',
  ]);
});

test('annotation, the API server drops the field -> kube-controller-manager carries nothing out', () => {
  const absent: SeenRetainers = { ...both, stock: 'absent' };
  expect(said({ ...annotated, field: false }, absent)).toEqual([
    'kube-controller-manager does not carry it out: always on in v1.36.3.',
    'does not carry the policy out: always on in v1.36.3',
  ]);
});
