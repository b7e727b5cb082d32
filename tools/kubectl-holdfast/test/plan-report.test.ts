import { expect, test } from '@jest/globals';
import type { SeenRetainers } from '../src/cluster/retainers.ts';
import { plan } from '../src/plan/plan.ts';
import type { Action } from '../src/plan/world.ts';
import { planReport } from '../src/report/plan-report.ts';
import { bySet, claimOf, podOf, setOf, volumeOf, worldOf } from './objects.ts';

const retainers: SeenRetainers = {
  release: undefined,
  stock: 'atWork',
  holdfast: 'absent',
  because: { stock: 'as it is', holdfast: 'as it is' },
};
const deletion: Action = { kind: 'delete', cascade: 'background' };

/** Of the claim of a set that is deleted with its claims. */
function reported(
  annotations: Readonly<Record<string, string>>,
  grace: Readonly<Record<string, string>> = {},
  deletedAt?: string,
) {
  const claim = claimOf(0, { owners: [bySet], annotations, volumeName: 'pv-1' });
  const world = worldOf(setOf({ replicas: 1, whenDeleted: 'Delete' }), [claim], [podOf(0)]);
  const volume = volumeOf('Delete', { annotations: grace }, deletedAt === undefined ? {} : { deletedAt });
  const volumes = new Map([['pv-1', volume]]);
  return planReport(world, deletion, retainers, plan(world, deletion, retainers, volumes));
}

test('volume asks for an undo window -> the window might bring it back', () => {
  const { parts } = reported({}, { 'holdfast.dev/reclaim-grace': '24h' });
  expect(JSON.stringify(parts)).toMatch(/"volume for 24h, if it is given"/);
});

test('volume is being deleted, and nothing holds it -> its storage is left behind', () => {
  const { parts } = reported({}, {}, '2026-03-01T11:00:00Z');
  expect(JSON.stringify(parts)).toMatch(
    /"new volume by hand","left behind: pv-1 is being deleted, and no finalizer holds it until its storage is deleted"/,
  );
});

test('claim has annotation holdfast.dev/deletion-protection -> said that it stays if the policy is applied', () => {
  const { parts, object } = reported({ 'holdfast.dev/deletion-protection': '' });
  expect(JSON.stringify(parts)).toMatch(
    /If policy holdfast-deletion-protection is applied, data-web-0 stays as long as it has annotation holdfast\.dev\/deletion-protection\./,
  );
  expect(object).toMatchObject({ claims: [{ name: 'data-web-0', deletionProtection: true }] });
});

test('no claim has that annotation -> nothing is said of the policy', () => {
  expect(JSON.stringify(reported({}))).not.toMatch(/deletion-?protection/i);
});
