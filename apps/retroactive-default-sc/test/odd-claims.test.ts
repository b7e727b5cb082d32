import { afterEach, describe, expect, test } from '@jest/globals';
import { eventually } from '@holdfast/scenario';
import { createFaultPlan, startEmbeddedControlPlane, type EmbeddedControlPlane } from '@holdfast/testing';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { createHoldOff } from '../src/hold-off.ts';
import { claim } from './objects.ts';
import { handOf, openStage, type Stage } from './stage.ts';

let plane: EmbeddedControlPlane | undefined;
let stage: Stage | undefined;

afterEach(async () => {
  await stage?.close();
  await plane?.stop();
});

const disableAdmissionPlugins = ['DefaultStorageClass'];
const immutable =
  'PersistentVolumeClaim "odd" is invalid: spec: Forbidden: spec is immutable after creation except resources.requests for bound claims';

describe('one claim whose every write fails', () => {
  const faults = [
    {
      name: '422 in the words of a server that forbids all',
      fault: { kind: 'status', code: 422, reason: 'Invalid', message: immutable },
    },
    { name: '403', fault: { kind: 'status', code: 403, reason: 'Forbidden', message: 'exceeded quota' } },
    { name: '409', fault: { kind: 'status', code: 409, reason: 'Conflict', message: 'modified' } },
    { name: '500', fault: { kind: 'status', code: 500, reason: 'InternalError', message: 'etcd' } },
    { name: '429', fault: { kind: 'status', code: 429, reason: 'TooManyRequests', message: 'later' } },
    { name: 'cut connection', fault: { kind: 'reset', when: 'before' } },
  ] as const;

  test.each(faults)(
    'R1: $name, the dry run too -> all others, in its namespace and elsewhere, have their class without any delay',
    async ({ fault }) => {
      const plan = createFaultPlan(1).on(
        { verb: 'patch', resource: 'persistentvolumeclaims', name: 'odd' },
        fault,
      );
      plane = await startEmbeddedControlPlane({ tls: false, disableAdmissionPlugins, faults: plan });
      const opened = (stage = await openStage(plane));
      const here = handOf(opened.client, await opened.namespace());
      const elsewhere = handOf(opened.client, await opened.namespace());
      await here.createClaim('odd');
      // Time stands still: whoever waits for a delay waits for ever.
      await opened.startController({}, { clock: createFakeClock() });
      await eventually('the dry run has met the odd one', () => plan.injected.length > 0);
      for (const hand of [here, elsewhere]) {
        await hand.createClaim('good');
      }
      await here.createClass('gold');
      for (const hand of [here, elsewhere]) {
        await eventually('good has its class', async () => (await hand.classOf('good')) === 'gold');
      }
      expect(await here.classOf('odd')).toBeUndefined();
      const later = handOf(opened.client, await opened.namespace());
      await later.createClaim('good');
      await eventually('a later one has its class', async () => (await later.classOf('good')) === 'gold');
      for (const hand of [here, elsewhere, later]) {
        expect((await hand.eventsOn('good')).map(({ reason }) => reason)).toEqual(['StorageClassAssigned']);
      }
    },
  );

  test('R1: an odd one in each of two namespaces -> others wait for one delay, then all have their class', async () => {
    const plan = createFaultPlan(1).on(
      { verb: 'patch', resource: 'persistentvolumeclaims', name: 'odd' },
      { kind: 'status', code: 422, reason: 'Invalid', message: immutable },
    );
    plane = await startEmbeddedControlPlane({ tls: false, disableAdmissionPlugins, faults: plan });
    const opened = (stage = await openStage(plane));
    const hands = [
      handOf(opened.client, await opened.namespace()),
      handOf(opened.client, await opened.namespace()),
    ] as const;
    for (const hand of hands) {
      await hand.createClaim('odd');
    }
    const clock = createFakeClock();
    await opened.startController({}, { clock });
    await hands[0].createClass('gold');
    await eventually('both were refused', () => plan.injected.length >= 2);
    for (const hand of hands) {
      await hand.createClaim('good');
    }
    await clock.advance(5_000);
    for (const hand of hands) {
      await eventually('good has its class', async () => (await hand.classOf('good')) === 'gold');
    }
    // The odd ones are refused once more, and hold up nobody any longer.
    const later = handOf(opened.client, await opened.namespace());
    for (const name of ['later-0', 'later-1']) {
      await clock.advance(60_000);
      await later.createClaim(name);
      await eventually('a later one has its class', async () => (await later.classOf(name)) === 'gold');
    }
  });

  test('name of 253 characters, 200 KiB of annotations -> has its class like any other', async () => {
    plane = await startEmbeddedControlPlane({ tls: false, disableAdmissionPlugins });
    const opened = (stage = await openStage(plane));
    const hand = handOf(opened.client, await opened.namespace());
    const long = `${'a.b-'.repeat(63)}a`;
    await hand.createClaim(long, { annotations: { 'example.com/huge': 'x'.repeat(200 * 1024) } });
    await hand.createClass('gold');
    await opened.startController({});
    await eventually('it has its class', async () => (await hand.classOf(long)) === 'gold');
  });
});

test('R1: 5,000 claims of one namespace wait, the server forbids all -> at most 25 tries in ten minutes, each of another claim', () => {
  const clock = createFakeClock();
  const holdOff = createHoldOff({ now: () => now, after: clock.after });
  let now = 0;
  const claims = Array.from({ length: 5_000 }, (_, index) => claim({ name: `data-${String(index)}` }));
  const tried: string[] = [];
  for (; now < 600_000; now += 1_000) {
    // Ten workers, each with one try under way.
    for (let isDone = false; !isDone;) {
      const underway = [];
      for (const each of claims) {
        if (underway.length < 10 && holdOff.wait(each, 'gold') === 0) {
          underway.push([each, holdOff.trying(each)] as const);
        }
      }
      for (const [each, round] of underway) {
        tried.push(each.metadata.name);
        holdOff.forbidden(each, 'gold', 'no', round);
      }
      isDone = underway.length === 0;
    }
  }
  expect(tried.length).toBeGreaterThan(10);
  expect(tried.length).toBeLessThanOrEqual(25);
  expect(new Set(tried).size).toBe(tried.length);
});

test('classes could not be asked for, another class is changed -> the claim has its class without any delay', async () => {
  const plan = createFaultPlan(1).on(
    { verb: 'list', resource: 'storageclasses', userAgent: /^retroactive/ },
    { kind: 'status', code: 500, reason: 'InternalError', message: 'broken class' },
    { times: 1 },
  );
  plane = await startEmbeddedControlPlane({ tls: false, disableAdmissionPlugins, faults: plan });
  const opened = (stage = await openStage(plane));
  const hand = handOf(opened.client, await opened.namespace());
  await hand.createClass('silver', { annotations: { 'example.com/tier': 'slow' } });
  await hand.createClass('gold');
  await hand.createClaim('data');
  // Time stands still: whoever waits for a delay waits for ever.
  await opened.startController({}, { clock: createFakeClock() });
  await eventually('it was asked', () => plan.injected.length === 1);
  await hand.mark('silver', 'false');
  await eventually('data has its class', async () => (await hand.classOf('data')) === 'gold');
});
