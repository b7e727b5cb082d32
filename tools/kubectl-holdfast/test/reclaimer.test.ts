import { describe, expect, test } from '@jest/globals';
import type { PersistentVolume } from '@holdfast/core';
import type { AtWork } from '../src/cluster/holdfast-at-work.ts';
import { reclaimerOf } from '../src/cluster/reclaimer.ts';
import { volumeOf } from './objects.ts';

const socket = { 'csi-address': 'unix:///csi/csi.sock' };
const windows = { ...socket, 'feature-gates': 'ReclaimGracePeriod=true' };
const renamed = { ...socket, 'csi-finalizer': 'example.com/reclaim' };

function deployed(flags: Readonly<Record<string, string>>, more: Partial<AtWork> = {}): AtWork {
  return { state: 'atWork', isDeployed: true, flags: new Map(Object.entries(flags)), because: '', ...more };
}

/** Deployed once for each of the flags. */
function atWork(...flags: readonly [Record<string, string>, ...Record<string, string>[]]): AtWork {
  const [first, ...others] = flags;
  return { ...deployed(first), others: others.map((each) => deployed(each)) };
}

const heldBy = (finalizer: string) =>
  volumeOf('Delete', { finalizers: [finalizer], annotations: { 'holdfast.dev/held-by': finalizer } });

describe('the Deployment that serves a volume', () => {
  test('one, for a driver -> its gates and its finalizer', () => {
    const { reclaimer, hidden } = reclaimerOf(atWork({ ...windows, ...renamed }), volumeOf('Delete'));
    expect(reclaimer?.gates.enabled('ReclaimGracePeriod')).toBe(true);
    expect(reclaimer).toMatchObject({ mode: 'reclaim', csiFinalizer: 'example.com/reclaim' });
    expect(hidden).toBeUndefined();
  });

  test('only for the hostPath volumes of a node -> not at work for a CSI volume', () => {
    expect(reclaimerOf(atWork({ 'host-path-root': '/srv' }), volumeOf('Delete')).reclaimer).toBeUndefined();
  });

  test('for another namespace than the claim’s -> not at work for its volume', () => {
    const elsewhere = atWork({ ...socket, namespaces: 'bank' }, { ...windows, namespaces: 'shop' });
    expect(reclaimerOf(elsewhere, volumeOf('Delete')).reclaimer?.gates.enabled('ReclaimGracePeriod')).toBe(
      true,
    );
    expect(
      reclaimerOf(atWork({ ...socket, namespaces: 'bank' }), volumeOf('Delete')).reclaimer,
    ).toBeUndefined();
  });

  test('two for different drivers, with the same flags -> as both', () => {
    expect(reclaimerOf(atWork(socket, { ...socket, mode: 'reclaim' }), volumeOf('Delete'))).toMatchObject({
      ...{ reclaimer: { mode: 'reclaim' }, hidden: undefined },
    });
  });

  test('two for different drivers, only one with undo windows -> no window is promised, and why is said', () => {
    expect(reclaimerOf(atWork(windows, socket), volumeOf('Delete'))).toMatchObject({
      reclaimer: undefined,
      hidden: 'its Deployments have different ones, and nothing shows which has driver disks.example.com',
    });
  });

  test('two for different drivers, the volume is held by the finalizer of one -> as that', () => {
    const { reclaimer } = reclaimerOf(atWork(windows, renamed), heldBy('example.com/reclaim'));
    expect(reclaimer?.csiFinalizer).toBe('example.com/reclaim');
    expect(reclaimer?.gates.enabled('ReclaimGracePeriod')).toBe(false);
  });

  test('one of two is not at work -> as the other', () => {
    const idle = deployed(windows, { state: 'absent' });
    expect(
      reclaimerOf({ ...deployed(socket), others: [idle] }, volumeOf('Delete')).reclaimer?.gates.enabled(
        'ReclaimGracePeriod',
      ),
    ).toBe(false);
  });

  test('holds a lease, its Deployment can’t be read -> at work with its defaults', () => {
    const unseen = deployed({}, { isDeployed: false });
    expect(reclaimerOf(unseen, volumeOf('Delete')).reclaimer?.mode).toBe('reclaim');
  });
});

describe('who ends the undo window of a volume', () => {
  const hour = { kind: 'until', time: 5 } as const;
  const later = { kind: 'until', time: 6 } as const;
  const none = { kind: 'none' } as const;
  const onHost = (): PersistentVolume => {
    const { spec: { claimRef = {} } = {}, ...volume } = volumeOf('Delete');
    return { ...volume, spec: { claimRef, hostPath: { path: '/srv/a' } } };
  };
  const keeperOf = (first: AtWork, others: readonly AtWork[] = [], volume = volumeOf('Delete')) =>
    reclaimerOf({ ...first, others }, volume).keeper;

  test('one Deployment -> by its lease', () => {
    expect(keeperOf(deployed(socket, { wait: hour }))).toEqual({ absent: undefined, wait: hour });
  });

  test('several alike, and nothing shows which has the driver -> no longer than any of them waits', () => {
    const [first, second] = [deployed(socket, { wait: later }), deployed(socket, { wait: hour })];
    expect(keeperOf(first, [second]).wait).toEqual(hour);
    expect(keeperOf(first, [second, deployed(socket, { wait: none })]).wait).toEqual(none);
  });

  test('one that is not at work, or serves another namespace -> does not count', () => {
    const idle = deployed(socket, { state: 'absent', wait: none });
    const elsewhere = deployed({ ...socket, namespaces: 'bank' }, { wait: none });
    expect(keeperOf(deployed(socket, { wait: hour }), [idle, elsewhere]).wait).toEqual(hour);
  });

  test('the volume is held by the finalizer of one -> by the lease of that', () => {
    const other = deployed(renamed, { wait: hour });
    const keeper = keeperOf(deployed(windows, { wait: none }), [other], heldBy('example.com/reclaim'));
    expect(keeper.wait).toEqual(hour);
  });

  test.each<readonly [string, AtWork, PersistentVolume, string | undefined]>([
    ['it is at work', deployed(socket), volumeOf('Delete'), undefined],
    [
      'no process',
      deployed(socket, { state: 'absent', because: 'no lease' }),
      volumeOf('Delete'),
      'no lease',
    ],
    ['leases may not be read', deployed(socket, { state: 'unknown' }), volumeOf('Delete'), undefined],
    [
      'no process is seen, but its flags are not known',
      deployed(socket, { state: 'absent', hidden: '--config names a file' }),
      volumeOf('Delete'),
      undefined,
    ],
    [
      'at work, without a socket',
      deployed({ 'host-path-root': '/srv' }),
      volumeOf('Delete'),
      'none of its Deployments serves CSI volumes of namespace shop',
    ],
    ['at work for hostPath', deployed({}), onHost(), undefined],
    [
      'at work, not for hostPath',
      deployed({ ...socket, 'host-path-root': 'none' }),
      onHost(),
      'none of its Deployments serves hostPath volumes of namespace shop',
    ],
  ])('%s -> why it is not at work', (_, atWorkAs, volume, absent) => {
    expect(keeperOf(atWorkAs, [], volume).absent).toBe(absent);
  });
});
