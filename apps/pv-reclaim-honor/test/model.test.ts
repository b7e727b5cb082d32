import { describe, expect, test } from '@jest/globals';
import type { PersistentVolume } from '@holdfast/core';
import fc from 'fast-check';
import { decide } from '../src/decide.ts';
import type { Decision, FinalizerChange } from '../src/decide/decision.ts';
import type { Keeper } from '../src/decide/snapshot.ts';
import { csiFinalizer, heldByAnnotation, volume } from './objects.ts';

/*
 * One volume, its claim, attachment and storage, and the controller before them with a cache that lags. What the API
 * server would refuse is refused here too: a patch whose list or policy is not what it was, a finalizer for what is
 * terminating.
 */

interface Facts {
  readonly exists: boolean;
  readonly finalizers: readonly string[];
  readonly annotations: Readonly<Record<string, string>>;
  readonly deleted: boolean;
  readonly policy: 'Delete' | 'Retain';
  readonly claimUid: string | null;
  readonly phase: 'Available' | 'Bound' | 'Released';
}

interface World {
  facts: Facts;
  claim: string | undefined;
  attached: boolean;
  storage: boolean;
  cache: { facts: Facts; claim: string | undefined; attached: boolean };
  honor: boolean;
  driverWorks: boolean;
  /** The process's memory that the storage is deleted. */
  remembers: boolean;
  /** The volume was held when its policy was last Delete and its claim went. */
  claims: number;
}

const keeper: Keeper = { kind: 'csi', name: 'd', finalizer: csiFinalizer, stale: undefined, canDelete: true };

function newWorld(): World {
  const facts: Facts = {
    exists: true,
    finalizers: [],
    annotations: {},
    deleted: false,
    policy: 'Delete',
    claimUid: null,
    phase: 'Available',
  };
  return {
    facts,
    claim: undefined,
    attached: false,
    storage: true,
    cache: { facts, claim: undefined, attached: false },
    honor: true,
    driverWorks: true,
    remembers: false,
    claims: 0,
  };
}

function set(world: World, change: Partial<Facts>): void {
  const facts = { ...world.facts, ...change };
  world.facts = facts.deleted && facts.finalizers.length === 0 ? { ...facts, exists: false } : facts;
}

function objectOf(facts: Facts): PersistentVolume | undefined {
  return facts.exists ? volume(facts) : undefined;
}

function decideOn(world: World, source: 'cache' | 'server'): Decision {
  const { facts, claim, attached } = source === 'cache' ? world.cache : world;
  return decide({
    volume: objectOf(facts),
    keeper,
    claimUid: claim,
    attachedTo: attached ? ['node'] : [],
    claimBound: false,
    boundElsewhere: undefined,
    unlisted: undefined,
    sharedWith: [],
    freeOver: [],
    source,
    storageDeleted: world.remembers,
    honor: world.honor,
    mode: 'reclaim',
  });
}

function changeFinalizers(world: World, { volume: seen, add, remove }: FinalizerChange): void {
  const { finalizers, policy, exists, deleted } = world.facts;
  const isStale =
    String(seen.metadata.finalizers ?? []) !== String(finalizers) ||
    seen.spec?.persistentVolumeReclaimPolicy !== policy;
  if (exists && !isStale && !(deleted && add.length > 0)) {
    const [record] = add;
    set(world, {
      finalizers: [...finalizers.filter((each) => !remove.includes(each)), ...add],
      annotations: record === undefined ? {} : { [heldByAnnotation]: record },
    });
  }
}

/** One look of the controller; `crash`: after this many of the steps of a reclaim the process is gone. */
function look(world: World, crash: number): void {
  let decision = decideOn(world, 'cache');
  if (decision.kind === 'askServer') {
    decision = decideOn(world, 'server');
  }
  switch (decision.kind) {
    case 'changeFinalizers':
      changeFinalizers(world, decision);
      return;
    case 'reclaim':
      if (!world.driverWorks) {
        return;
      }
      expectSafe(world);
      world.storage = false;
      world.remembers = true;
      finish(world, crash - 1);
      return;
    case 'finish':
      finish(world, crash);
      return;
    default:
      return;
  }
}

function finish(world: World, crash: number): void {
  if (crash <= 0) {
    world.remembers = false;
    return;
  }
  expect(world.storage).toBe(false);
  if (world.facts.exists) {
    set(world, { deleted: true });
  }
  if (crash <= 1) {
    world.remembers = false;
    return;
  }
  if (world.facts.exists) {
    set(world, { finalizers: world.facts.finalizers.filter((each) => each !== csiFinalizer) });
  }
}

/** What must hold whenever a storage volume is deleted. */
function expectSafe({ facts, claim, attached }: World): void {
  const isSafe =
    facts.exists &&
    facts.policy === 'Delete' &&
    facts.finalizers.includes(csiFinalizer) &&
    facts.claimUid !== null &&
    facts.claimUid !== claim &&
    !attached;
  if (!isSafe) {
    throw new Error(`storage deleted of ${JSON.stringify({ facts, claim, attached })}`);
  }
}

const actions: Readonly<Record<string, (world: World) => void>> = {
  createClaim: (world) => {
    world.claim ??= `claim-${String((world.claims += 1))}`;
  },
  bind: (world) => {
    if (world.facts.exists && world.facts.claimUid === null && world.claim !== undefined) {
      set(world, { claimUid: world.claim, phase: 'Bound' });
    }
  },
  deleteClaim: (world) => {
    world.claim = undefined;
  },
  release: (world) => {
    const { exists, claimUid } = world.facts;
    if (exists && claimUid !== null && claimUid !== world.claim) {
      set(world, { phase: 'Released' });
    }
  },
  deleteVolume: (world) => {
    if (world.facts.exists) {
      set(world, { deleted: true });
    }
  },
  retain: (world) => {
    if (world.facts.exists) {
      set(world, { policy: 'Retain' });
    }
  },
  delete: (world) => {
    if (world.facts.exists) {
      set(world, { policy: 'Delete' });
    }
  },
  attach: (world) => {
    // Only for a claim that lives; and the claim's going waits for no detach here.
    if (world.claim !== undefined && world.claim === world.facts.claimUid) {
      world.attached = true;
    }
  },
  detach: (world) => {
    world.attached = false;
  },
  see: (world) => {
    world.cache = { facts: world.facts, claim: world.claim, attached: world.attached };
  },
  seeVolume: (world) => {
    world.cache = { ...world.cache, facts: world.facts };
  },
  seeClaim: (world) => {
    world.cache = { ...world.cache, claim: world.claim };
  },
  seeAttachment: (world) => {
    world.cache = { ...world.cache, attached: world.attached };
  },
  gateOff: (world) => {
    world.honor = false;
    world.remembers = false;
  },
  gateOn: (world) => {
    world.honor = true;
    world.remembers = false;
  },
  driverDown: (world) => {
    world.driverWorks = false;
  },
  driverUp: (world) => {
    world.driverWorks = true;
  },
  look: (world) => look(world, 3),
  crashAfterStorage: (world) => look(world, 1),
  crashAfterObject: (world) => look(world, 2),
};

/** Everything is seen and the controller looks until nothing changes. */
function settle(world: World): void {
  world.driverWorks = true;
  for (let round = 0; round < 8; round++) {
    actions['seeVolume']?.(world);
    actions['seeClaim']?.(world);
    actions['seeAttachment']?.(world);
    actions['release']?.(world);
    look(world, 3);
  }
}

const runs = { numRuns: 3_000 };
/** Most of what happens in a cluster is seen and looked at; most volumes are bound. */
const often: readonly string[] = ['see', 'look', 'release', 'see', 'look', 'deleteClaim', 'attach', 'detach'];
const bound: readonly string[] = ['createClaim', 'bind', 'see', 'look'];
const plans = fc
  .tuple(
    fc.constantFrom(
      [],
      [...bound],
      [...bound, 'attach'],
      [...bound, 'see', 'deleteClaim', 'release'],
      [...bound, 'attach', 'see', 'deleteClaim', 'release'],
    ),
    fc.array(fc.oneof(fc.constantFrom(...Object.keys(actions)), fc.constantFrom(...often)), {
      minLength: 5,
      maxLength: 60,
      size: 'max',
    }),
  )
  .map(([beginning, rest]): readonly string[] => [...beginning, ...rest]);

function play(plan: readonly string[]): World {
  const world = newWorld();
  for (const name of plan) {
    const held = world.facts.exists && world.facts.finalizers.includes(csiFinalizer);
    const { storage, facts } = world;
    actions[name]?.(world);
    // Our finalizer goes only with the storage, or because it no longer is to hold: another policy, gate off, never
    // bound.
    const isTaken = held && !world.facts.finalizers.includes(csiFinalizer) && storage && world.storage;
    if (isTaken && facts.policy === 'Delete' && world.honor && facts.claimUid !== null) {
      throw new Error(`finalizer taken off ${JSON.stringify(facts)} by ${name}`);
    }
  }
  return world;
}

describe('any story of one volume', () => {
  test('storage is deleted only when it may be, and the finalizer stays until it is', () => {
    fc.assert(
      fc.property(plans, (plan) => void play(plan)),
      runs,
    );
  });

  test('enough of the stories reclaim, and enough have a claim that goes while attached', () => {
    const worlds = fc.sample(plans, 1_000).map(play);
    expect(worlds.filter(({ storage }) => !storage).length).toBeGreaterThan(40);
    expect(
      worlds.filter(({ attached, claim, storage }) => attached && claim === undefined && storage).length,
    ).toBeGreaterThan(20);
  });

  test('storage of a volume that is not to be reclaimed is there at the end', () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const kept = ['retain', ...plan.filter((name) => name !== 'delete')];
        const world = play(kept);
        settle(world);
        expect(world.storage).toBe(true);
      }),
      runs,
    );
  });

  test('driver healthy, gate on, volume held when its claim goes -> storage and volume go, and nothing hangs', () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const world = play(plan);
        actions['gateOn']?.(world);
        actions['detach']?.(world);
        settle(world);
        const isHeld = world.facts.exists && world.facts.finalizers.includes(csiFinalizer);
        actions['deleteClaim']?.(world);
        settle(world);
        if (isHeld && world.facts.claimUid !== null) {
          expect(world).toMatchObject({ storage: false, facts: { exists: false } });
        }
        // Whatever came before: a volume that is deleted now does not stay for ever.
        actions['deleteVolume']?.(world);
        settle(world);
        expect(world.facts.exists).toBe(false);
      }),
      runs,
    );
  });
});
