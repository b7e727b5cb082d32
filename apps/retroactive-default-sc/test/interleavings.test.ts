import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { eventually } from '@holdfast/scenario';
import {
  createFaultPlan,
  startEmbeddedControlPlane,
  type EmbeddedControlPlane,
  type FaultRequest,
} from '@holdfast/testing';
import { isDefaultClass, isDefaultClassBeta } from './objects.ts';
import { handOf, openStage, type Hand } from './stage.ts';

/** What a user, an administrator or bad luck does. */
type Step =
  | { readonly kind: 'createClaim' | 'deleteClaim' | 'chooseClass'; readonly claim: number }
  | { readonly kind: 'toggleClass' | 'mark' | 'unmark'; readonly class: number }
  | { readonly kind: 'cutWatches' | 'restartController' | 'pause' };

const claim = fc.nat({ max: 4 });
const aClass = fc.nat({ max: 2 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('createClaim' as const), claim }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('deleteClaim' as const, 'chooseClass' as const), claim }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom('toggleClass' as const, 'mark' as const, 'unmark' as const),
      class: aClass,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('cutWatches' as const, 'restartController' as const, 'pause' as const),
    }),
  },
);

const chosenByUser = 'chosen';
const ours = { userAgent: /^retroactive-default-sc\// };

/** Written anew from the specification: of the newest marked classes the first by name. */
function defaultOf({ apiServer }: EmbeddedControlPlane): string | undefined {
  const marked = apiServer.storage
    .list('storage.k8s.io/storageclasses')
    .map(({ object }) => object.metadata)
    .filter(({ annotations = {}, deletionTimestamp }) =>
      deletionTimestamp === undefined
        ? [isDefaultClass, isDefaultClassBeta].some((name) => annotations[name] === 'true')
        : false,
    );
  const newest = marked
    .map(({ creationTimestamp = '' }) => creationTimestamp)
    .sort()
    .at(-1);
  return marked
    .filter(({ creationTimestamp }) => creationTimestamp === newest)
    .map(({ name }) => name ?? '')
    .sort()[0];
}

function classOf(claim: { readonly [field: string]: unknown }): string | undefined {
  return (claim['spec'] as { readonly storageClassName?: string }).storageClassName;
}

async function take(
  one: Step,
  hand: Hand,
  plane: EmbeddedControlPlane,
  restart: () => Promise<void>,
): Promise<void> {
  switch (one.kind) {
    case 'createClaim':
      await hand.createClaim(`c${String(one.claim)}`);
      return;
    case 'deleteClaim':
      await hand.deleteClaim(`c${String(one.claim)}`);
      return;
    case 'chooseClass':
      await hand.patchClaim(`c${String(one.claim)}`, [
        { op: 'test', path: '/spec/storageClassName', value: null },
        { op: 'add', path: '/spec/storageClassName', value: chosenByUser },
      ]);
      return;
    case 'toggleClass': {
      const name = `s${String(one.class)}`;
      await hand.deleteClass(name).catch(() => hand.createClass(name));
      return;
    }
    case 'mark':
      await hand.mark(`s${String(one.class)}`, 'true');
      return;
    case 'unmark':
      await hand.mark(`s${String(one.class)}`, 'false');
      return;
    case 'cutWatches':
      plane.apiServer.cutWatches();
      return;
    case 'restartController':
      await restart();
      return;
    case 'pause':
      await new Promise((resolve) => setTimeout(resolve, 20));
      return;
  }
}

describe('whatever users and administrators do', () => {
  test('no class is ever changed, none is given that was not the default, and in the end none lacks one', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 40 }),
        fc.integer(),
        fc.constantFrom(1, 10),
        async (steps, seed, workers) => {
          /**
           * The default over time, as far as it matters: a mark for each live list of ours. A list of one class
           * is not such a list: after a broken watch, the cache asks for the version of the data that way.
           */
          const history: (string | undefined)[] = [];
          const plan = createFaultPlan(seed);
          const plane = await startEmbeddedControlPlane({
            tls: false,
            disableAdmissionPlugins: ['DefaultStorageClass'],
            faults: plan,
          });
          const stage = await openStage(plane);
          const namespace = await stage.namespace();
          const hand = handOf(stage.client, namespace);
          const violations: string[] = [];
          const given = new Map<string, string>();
          /** What was the default since the list on which the last patch of a claim rested, or one before. */
          const allowed = new Map<string, Set<string | undefined>>();
          /** Terminating without a class: they never get one. */
          const withoutInTheEnd = new Set<string>();
          const look = (): void => {
            for (const { object } of plane.apiServer.storage.list('persistentvolumeclaims')) {
              const { metadata } = object;
              const now = classOf(object);
              const before = given.get(metadata.uid ?? '');
              if (before !== undefined && before !== now) {
                violations.push(`${metadata.name ?? ''} had ${before} and has ${String(now)}`);
              }
              if (now !== undefined && now !== chosenByUser && withoutInTheEnd.has(metadata.uid ?? '')) {
                violations.push(`${metadata.name ?? ''} has ${now}, given while it was terminating`);
              }
              if (now === undefined && metadata.deletionTimestamp !== undefined) {
                withoutInTheEnd.add(metadata.uid ?? '');
              }
              if (now !== undefined && before === undefined) {
                given.set(metadata.uid ?? '', now);
                if (now !== chosenByUser && allowed.get(metadata.name ?? '')?.has(now) !== true) {
                  violations.push(`${metadata.name ?? ''} has ${now}, which was no default`);
                }
              }
            }
          };
          const onPatch = ({ name }: FaultRequest): void => {
            // As many batches may be under way as there are workers, each with its list.
            const lists = history.flatMap((entry, index) => (entry === 'list' ? [index] : []));
            const defaults = [...history.slice(lists.at(-workers) ?? 0), defaultOf(plane)];
            allowed.set(name, new Set([...(allowed.get(name) ?? []), ...defaults]));
          };
          const onList = ({ query }: FaultRequest): void => {
            if (query.get('limit') !== '1') {
              history.push('list', defaultOf(plane));
            }
          };
          const observe = (): void => {
            plan
              .on({ ...ours, verb: 'list', resource: 'storageclasses' }, { kind: 'call', run: onList })
              .on(
                { ...ours, verb: 'patch', resource: 'persistentvolumeclaims' },
                { kind: 'call', run: onPatch },
              );
          };
          observe();
          plan
            .on(
              { verb: 'patch', resource: 'persistentvolumeclaims' },
              { kind: 'reset', when: 'after' },
              { probability: 0.1 },
            )
            .on({ verb: 'watch' }, { kind: 'delay', milliseconds: 30 }, { probability: 0.5 })
            .on({ ...ours, verb: 'patch' }, { kind: 'delay', milliseconds: 15 }, { probability: 0.5 });
          try {
            const start = () =>
              stage.startController({ concurrentSyncs: workers }, { clock: stage.fastClock() });
            await start();
            const restart = async (): Promise<void> => {
              await stage.stopControllers();
              await start();
            };
            for (const one of steps) {
              // What is not there, or is done already, is no step.
              await take(one, hand, plane, restart).catch(() => undefined);
              history.push(defaultOf(plane));
              look();
            }
            plan.clear();
            observe();
            await hand.deleteAllClasses();
            history.push(undefined);
            look();
            await hand.createClass('last');
            history.push('last');
            await eventually('every claim that is not terminating has a class', () =>
              plane.apiServer.storage
                .list('persistentvolumeclaims')
                .every(
                  ({ object }) =>
                    object.metadata.deletionTimestamp !== undefined || classOf(object) !== undefined,
                ),
            );
            look();
            expect(violations).toStrictEqual([]);
          } finally {
            await stage.close();
            await plane.stop();
          }
        },
      ),
      { numRuns: 25, endOnFailure: true },
    );
  }, 240_000);
});
