import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  persistentVolumeClaims,
  pods,
  volumeAttachments,
  type PersistentVolumeClaim,
  type Pod,
  type VolumeAttachment,
} from '@holdfast/core';
import { eventually, type StagedController } from '@holdfast/scenario';
import {
  createFaultPlan,
  startEmbeddedControlPlane,
  type Change,
  type EmbeddedControlPlane,
} from '@holdfast/testing';
import fc from 'fast-check';
import { protection } from './objects.ts';
import { handOf, openStage, type Stage } from './stage.ts';

/*
 * Safety and liveness, whatever the order of pods, claims, faults and crashes. The judge sits in the API server's
 * storage: it sees every write of a claim at the moment it takes effect, with the pods and attachments of the same
 * moment. The rules it judges by are written out from the specification, and share no code with the app.
 */

const foreign = 'example.com/keep';
const node = 'node-1';
/** One of them is behind in each run. */
const lagging = ['pods', 'volumeattachments'] as const;
const claimNames = ['c0', 'c1'] as const;
const podNames = ['p0', 'p1'] as const;

type ClaimName = (typeof claimNames)[number];
type PodName = (typeof podNames)[number];

type Step =
  | { readonly kind: 'createClaim'; readonly claim: ClaimName; readonly foreign: boolean }
  | { readonly kind: 'deleteClaim'; readonly claim: ClaimName }
  | { readonly kind: 'createPod'; readonly pod: PodName; readonly claim: ClaimName }
  | { readonly kind: 'bindPod'; readonly pod: PodName }
  | { readonly kind: 'finishPod'; readonly pod: PodName }
  | { readonly kind: 'deletePod'; readonly pod: PodName }
  | { readonly kind: 'detach'; readonly claim: ClaimName }
  | { readonly kind: 'cutWatches' }
  | { readonly kind: 'compact' }
  | { readonly kind: 'crash' }
  | { readonly kind: 'wait'; readonly milliseconds: number };

const claim = fc.constantFrom(...claimNames);
const pod = fc.constantFrom(...podNames);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('createClaim' as const), claim, foreign: fc.boolean() }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('deleteClaim' as const), claim }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('createPod' as const), pod, claim }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('bindPod' as const), pod }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('finishPod' as const), pod }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('deletePod' as const), pod }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('detach' as const), claim }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cutWatches' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('compact' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('crash' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      milliseconds: fc.integer({ min: 0, max: 15 }),
    }),
  },
);

/** A job's life, which single steps in any order seldom make: its claim is deleted when the pod has just ended. */
const job: fc.Arbitrary<readonly Step[]> = fc.record({ pod, claim }).map(({ pod, claim }) => [
  { kind: 'createClaim', claim, foreign: false },
  { kind: 'createPod', pod, claim },
  { kind: 'bindPod', pod },
  { kind: 'finishPod', pod },
  { kind: 'wait', milliseconds: 10 },
  { kind: 'deleteClaim', claim },
]);
const steps = fc
  .array(fc.oneof({ weight: 6, arbitrary: step.map((each) => [each]) }, { weight: 1, arbitrary: job }), {
    minLength: 8,
    maxLength: 40,
  })
  .map((parts) => parts.flat());

let plane: EmbeddedControlPlane;
let stage: Stage;
const faults = createFaultPlan(7);
/** What the judge found wrong in this run. */
const wrongs: string[] = [];

beforeAll(async () => {
  plane = await startEmbeddedControlPlane({
    disableAdmissionPlugins: ['StorageObjectInUseProtection'],
    faults,
  });
  stage = await openStage(plane);
  plane.apiServer.storage.subscribe('persistentvolumeclaims', judge);
}, 30_000);

afterAll(async () => {
  await stage.close();
  await plane.stop();
}, 30_000);

type Stored = Record<'claims', PersistentVolumeClaim> &
  Record<'pods', Pod> &
  Record<'attachments', VolumeAttachment>;
const keyspaces = {
  claims: 'persistentvolumeclaims',
  pods: 'pods',
  attachments: 'storage.k8s.io/volumeattachments',
} as const satisfies Record<keyof Stored, string>;

function stored<Kind extends keyof Stored>(kind: Kind, namespace?: string): readonly Stored[Kind][] {
  const entries = plane.apiServer.storage.list(keyspaces[kind], namespace);
  return entries.map(({ object }) => object as unknown as Stored[Kind]);
}

function holders(claim: PersistentVolumeClaim): readonly string[] {
  const { name, namespace, uid } = claim.metadata;
  const attached = stored('attachments').some(
    ({ spec }) => spec.source.persistentVolumeName === claim.spec?.volumeName && spec.nodeName === node,
  );
  return stored('pods', namespace)
    .filter((pod) => pod.spec?.nodeName === node)
    .filter((pod) => (pod.spec?.volumes ?? []).some((v) => v.persistentVolumeClaim?.claimName === name))
    .filter((pod) => !['Succeeded', 'Failed'].includes(pod.status?.phase ?? '') || attached)
    .map((pod) => `${pod.metadata.name} (${uid})`);
}

function judge({ type, previous, entry }: Change): void {
  const claim = entry.object as unknown as PersistentVolumeClaim;
  const before = (previous?.object.metadata.finalizers ?? []) as readonly string[];
  const now = type === 'DELETED' ? [] : (claim.metadata.finalizers ?? []);
  const lost = before.filter((finalizer) => !now.includes(finalizer));
  const { name, deletionTimestamp } = claim.metadata;
  if (lost.some((finalizer) => finalizer !== protection)) {
    wrongs.push(`${name} lost a foreign finalizer: ${lost.join()}`);
  }
  if (!lost.includes(protection)) {
    return;
  }
  const holding = holders(claim);
  if (deletionTimestamp === undefined || holding.length > 0) {
    wrongs.push(
      `${name}, deleted ${String(deletionTimestamp)}, lost its protection, used by ${holding.join()}`,
    );
  }
}

/** Faults that the controller meets again and again while the steps are played. */
function spoil(seed: number): void {
  faults.clear();
  const ours = { userAgent: /^pvc-protection\// };
  const patch = { ...ours, verb: 'patch' } as const;
  const watch = { ...ours, verb: 'watch' } as const;
  const probability = 0.1 + (seed % 3) / 10;
  faults
    .on(patch, { kind: 'reset', when: 'after' }, { probability })
    .on(patch, { kind: 'reset', when: 'before' }, { probability })
    .on(patch, { kind: 'delay', milliseconds: 5 }, { probability })
    .on(patch, { kind: 'status', code: 500 }, { probability: probability / 2 })
    .on({ ...ours, verb: 'list' }, { kind: 'status', code: 500 }, { probability: probability / 2 })
    .on({ ...ours, verb: 'list' }, { kind: 'delay', milliseconds: 10 }, { probability })
    .on(watch, { kind: 'cutWatch', afterEvents: 1 }, { probability })
    .on(watch, { kind: 'stale', behind: 5 }, { probability })
    // A cache that knows nothing new, with claims that it does know of.
    .on(
      { ...watch, resource: lagging[seed % lagging.length] ?? '' },
      { kind: 'stallWatch', afterEvents: 0 },
      { probability: 0.8 },
    )
    .on(watch, { kind: 'duplicateEvents' }, { probability });
}

/**
 * What a user, the scheduler, the kubelet and the attach-detach controller do; a step that does not apply is left out.
 */
async function play(steps: readonly Step[], namespace: string): Promise<void> {
  const { client } = stage;
  const hand = handOf(client, namespace);
  let controller: StagedController = await stage.startController({}, { clock: stage.fastClock() });
  const claimNow = (name: string) => stored('claims', namespace).find((c) => c.metadata.name === name);
  const podNow = (name: string) => stored('pods', namespace).find((p) => p.metadata.name === name);
  const volumeOf = (claim: string): string => `${namespace}-${claim}`;

  for (const step of steps) {
    switch (step.kind) {
      case 'createClaim':
        if (claimNow(step.claim) === undefined) {
          await hand.createClaim(step.claim, {
            volumeName: volumeOf(step.claim),
            ...(step.foreign ? { finalizers: [foreign] } : {}),
          });
        }
        break;
      case 'deleteClaim':
        if (claimNow(step.claim) !== undefined) {
          await client.delete(persistentVolumeClaims, { namespace, name: step.claim }).catch(ignoreGone);
        }
        break;
      case 'createPod':
        if (podNow(step.pod) === undefined) {
          await hand.createPod(step.pod, step.claim, { scheduled: false });
        }
        break;
      case 'bindPod': {
        const found = podNow(step.pod);
        const name = found?.spec?.volumes?.[0]?.persistentVolumeClaim?.claimName ?? '';
        const wanted = claimNow(name);
        // The scheduler gives no node to a pod whose claim is not there or is terminating.
        if (
          found !== undefined &&
          !found.spec?.nodeName &&
          wanted?.metadata.deletionTimestamp === undefined &&
          wanted !== undefined
        ) {
          await bind(namespace, step.pod);
          await attach(volumeOf(name)).catch(ignoreExists);
        }
        break;
      }
      case 'finishPod':
        if (podNow(step.pod)?.spec?.nodeName === node) {
          await hand.finishPod(step.pod, 'Succeeded');
        }
        break;
      case 'deletePod':
        if (podNow(step.pod) !== undefined) {
          await hand.deletePod(step.pod);
        }
        break;
      case 'detach': {
        const running = stored('pods', namespace).some(
          (p) =>
            p.spec?.nodeName === node &&
            p.status?.phase !== 'Succeeded' &&
            p.spec.volumes?.[0]?.persistentVolumeClaim?.claimName === step.claim,
        );
        if (!running) {
          await client.delete(volumeAttachments, { name: `va-${volumeOf(step.claim)}` }).catch(ignoreGone);
        }
        break;
      }
      case 'cutWatches':
        plane.apiServer.cutWatches();
        break;
      case 'compact':
        plane.apiServer.compact();
        break;
      case 'crash':
        await controller.abandon();
        controller = await stage.startController({}, { clock: stage.fastClock() });
        break;
      case 'wait':
        await new Promise((resolve) => setTimeout(resolve, step.milliseconds));
        break;
    }
  }
}

async function bind(namespace: string, name: string): Promise<void> {
  const target = { apiVersion: 'v1', kind: 'Node', name: node };
  await stage.client.create({ ...pods, kind: 'Binding', plural: `pods/${name}/binding` }, namespace, {
    metadata: { name },
    target,
  });
}

async function attach(volume: string): Promise<void> {
  await stage.client.create(volumeAttachments, undefined, {
    metadata: { name: `va-${volume}` },
    spec: { attacher: 'example.com', nodeName: node, source: { persistentVolumeName: volume } },
  });
}

function ignoreGone(error: unknown): void {
  if ((error as { code?: number }).code !== 404) {
    throw error;
  }
}

function ignoreExists(error: unknown): void {
  if ((error as { code?: number }).code !== 409) {
    throw error;
  }
}

async function terminating(namespace: string): Promise<readonly PersistentVolumeClaim[]> {
  const { items } = await stage.client.list(persistentVolumeClaims, { namespace });
  return items.filter(
    ({ metadata }) =>
      metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).includes(protection),
  );
}

test('any interleaving of pods, claims, faults and crashes -> no used claim is let go, every unused one is', async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.nat(), async (steps, seed) => {
      const namespace = await stage.namespace();
      wrongs.length = 0;
      spoil(seed);
      try {
        await play(steps, namespace);
        faults.clear();
        // Watches that were spoilt when they began stay so until they end.
        plane.apiServer.cutWatches();
        await eventually('only claims in use wait', async () =>
          (await terminating(namespace)).every((claim) => holders(claim).length > 0),
        );
        for (const { metadata } of stored('pods', namespace)) {
          await stage.client.delete(pods, { namespace, name: metadata.name }, { gracePeriodSeconds: 0 });
        }
        await eventually('no claim waits', async () => (await terminating(namespace)).length === 0);
        expect(wrongs).toStrictEqual([]);
      } finally {
        faults.clear();
        await stage.stopControllers();
      }
    }),
    { numRuns: 30 },
  );
}, 300_000);
