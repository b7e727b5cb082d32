import { describe, expect, test } from '@jest/globals';
import { readAudit } from '../../src/hostile/audit-log.ts';
import { markSent } from '../../src/hostile/sent-mark.ts';

const received = Date.parse('2026-01-01T00:00:10.250Z');

/** An event as kube-apiserver 1.36 writes it, cut down to what matters. */
function event(change: object): string {
  return JSON.stringify({
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'Metadata',
    auditID: '5d9a7a1e-6d3f-4b0c-9a83-6b6f1c3e2d10',
    stage: 'ResponseComplete',
    verb: 'patch',
    user: { username: 'system:serviceaccount:holdfast-system:app-a' },
    objectRef: { resource: 'persistentvolumeclaims', namespace: 'shop', name: 'data', apiVersion: 'v1' },
    responseStatus: { metadata: {}, code: 200 },
    requestReceivedTimestamp: '2026-01-01T00:00:10.250000Z',
    stageTimestamp: '2026-01-01T00:00:10.300000Z',
    ...change,
  });
}

const lease = (code: number, spec: object | undefined): string =>
  event({
    objectRef: { resource: 'leases', namespace: 'holdfast-system', name: 'holdfast-app' },
    responseStatus: { code },
    responseObject:
      spec === undefined ? undefined : { metadata: { name: 'holdfast-app', resourceVersion: '7' }, spec },
  });

describe('readAudit', () => {
  test('write of an object -> an act of the replica, by the time that its Audit-ID says', async () => {
    const { acts } = await readAudit([event({ auditID: markSent('app-a', received - 750, 3) })]);
    expect(acts).toEqual([
      {
        replica: 'app-a',
        what: 'patch persistentvolumeclaims shop/data, answered 200',
        sentAt: received - 750,
        receivedAt: received,
      },
    ]);
  });

  test.each([
    { state: 'without a mark', change: {}, what: 'patch persistentvolumeclaims shop/data, answered 200' },
    {
      state: 'of a subresource, refused',
      change: {
        objectRef: { resource: 'pods', subresource: 'status', namespace: 'shop', name: 'web' },
        responseStatus: { code: 403 },
      },
      what: 'patch pods/status shop/web, answered 403',
    },
    {
      state: 'of an object without a namespace',
      change: { verb: 'delete', objectRef: { resource: 'persistentvolumes', name: 'disk' } },
      what: 'delete persistentvolumes disk, answered 200',
    },
  ])('$state -> an act all the same, sent when it was received', async ({ change, what }) => {
    const { acts } = await readAudit([event(change)]);
    expect(acts).toEqual([{ replica: 'app-a', what, sentAt: received, receivedAt: received }]);
  });

  test.each([
    {
      state: 'taken',
      spec: { holderIdentity: 'host_1', leaseDurationSeconds: 15 },
      holder: 'host_1',
      duration: 15_000,
    },
    { state: 'released', spec: { holderIdentity: '', leaseDurationSeconds: 1 }, holder: '', duration: 1_000 },
    {
      state: 'released, the empty holder left out',
      spec: { leaseDurationSeconds: 1 },
      holder: '',
      duration: 1_000,
    },
  ])('lease $state -> a write of the lease, no act', async ({ spec, holder, duration }) => {
    const { leases, acts } = await readAudit([lease(200, spec)]);
    expect(acts).toStrictEqual([]);
    expect([...leases]).toEqual([
      ['holdfast-app', [{ replica: 'app-a', holder, duration, receivedAt: received, version: 7 }]],
    ]);
  });

  test('write of a lease that was refused -> neither', async () => {
    const { leases, acts } = await readAudit([lease(409, undefined), lease(422, { holderIdentity: 'x' })]);
    expect({ leases: leases.size, acts: acts.length }).toEqual({ leases: 0, acts: 0 });
  });

  test('Event -> counted, no act', async () => {
    const recorded = event({ verb: 'create', objectRef: { resource: 'events', namespace: 'shop' } });
    expect(await readAudit([recorded, recorded])).toMatchObject({ acts: [], eventsRecorded: 2 });
  });

  test('stage before the end of a request -> not counted twice', async () => {
    const { acts } = await readAudit([event({ stage: 'RequestReceived' }), event({})]);
    expect(acts).toHaveLength(1);
  });

  test('line that was cut off -> an error', async () => {
    await expect(readAudit([event({}).slice(0, 50)])).rejects.toThrow(SyntaxError);
  });
});
