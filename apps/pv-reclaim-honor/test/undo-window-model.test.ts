import { expect, test } from '@jest/globals';
import type { PersistentVolume } from '@holdfast/core';
import fc from 'fast-check';
import { decide } from '../src/decide.ts';
import type { Decision } from '../src/decide/decision.ts';
import type { Keeper, UndoFacts } from '../src/decide/snapshot.ts';
import { newMark, undoMarkOf } from '../src/decide/undo-mark.ts';
import { withUndoFinalizer } from '../src/undo/undo-finalizer.ts';
import { csiFinalizer, volume } from './objects.ts';

/*
 * One volume, its claims, an administrator who changes his mind, two clocks that may leap, and the controller before
 * them with a cache that lags. What the API server would refuse is refused here too.
 */

interface Facts {
  readonly exists: boolean;
  readonly finalizers: readonly string[];
  readonly deleted: boolean;
  readonly policy: 'Delete' | 'Retain';
  readonly claimUid: string | null;
  readonly phase: 'Available' | 'Bound' | 'Released';
  readonly annotations: Readonly<Record<string, string>>;
  readonly version: number;
}

interface Claim {
  readonly uid: string;
  readonly asks: boolean;
}

type Grace = number | 'unusable' | undefined;

interface State {
  readonly facts: Facts;
  readonly claim: Claim | undefined;
  readonly grace: Grace;
}

interface World {
  live: State;
  cache: State;
  gate: boolean;
  now: number;
  serverNow: number;
  storage: boolean;
  /** Time that has really passed. */
  time: number;
  /** When the volume was last released, or its window last began anew, in real time. */
  releasedAt: number;
  claims: number;
}

const keeper: Keeper = { kind: 'csi', name: 'd', finalizer: csiFinalizer, stale: undefined, canDelete: true };
const meant = 'holdfast.dev/reclaim-policy';
const start = Date.parse('2026-01-01T00:00:00Z');
const minute = 60_000;
const window = 10;

function objectOf(facts: Facts): PersistentVolume | undefined {
  return facts.exists ? volume(facts) : undefined;
}

function undoOf({ gate, now, serverNow }: World, { facts, claim, grace }: State): UndoFacts {
  return {
    enabled: gate,
    grace: grace === undefined ? undefined : gate ? grace : 'unusable',
    askedBack: claim?.asks === true && claim.uid !== facts.claimUid,
    now,
    serverNow,
    noneOverBefore: undefined,
  };
}

function decideOn(world: World, source: 'cache' | 'server'): Decision {
  const state = source === 'cache' ? world.cache : world.live;
  const object = objectOf(state.facts);
  return decide({
    volume: object,
    keeper: object === undefined ? keeper : withUndoFinalizer(keeper, object),
    claimUid: state.claim?.uid,
    attachedTo: [],
    claimBound: false,
    boundElsewhere: undefined,
    unlisted: undefined,
    sharedWith: [],
    freeOver: [],
    source,
    storageDeleted: !world.storage,
    honor: true,
    mode: 'reclaim',
    undo: undoOf(world, state),
  });
}

function set(world: World, change: Partial<Facts>): void {
  const facts = { ...world.live.facts, ...change, version: world.live.facts.version + 1 };
  const exists = facts.exists && !(facts.deleted && facts.finalizers.length === 0);
  world.live = { ...world.live, facts: { ...facts, exists } };
}

function without(annotations: Facts['annotations'], prefix: string): Facts['annotations'] {
  return Object.fromEntries(Object.entries(annotations).filter(([name]) => !name.startsWith(prefix)));
}

const mark = 'holdfast.dev/delete-after';

/** One look of the controller. Between what the API server says and the write, `meanwhile` happens. */
function look(world: World, meanwhile: () => void): void {
  let decision = decideOn(world, 'cache');
  if (decision.kind === 'askServer') {
    decision = decideOn(world, 'server');
  }
  const seen = world.live;
  meanwhile();
  const { facts } = world.live;
  const unchanged = seen.facts.version === facts.version;
  switch (decision.kind) {
    case 'changeFinalizers': {
      const { add, remove } = decision;
      const fits = String(decision.volume.metadata.finalizers ?? []) === String(facts.finalizers);
      const samePolicy = decision.volume.spec?.persistentVolumeReclaimPolicy === facts.policy;
      if (facts.exists && fits && samePolicy && !(facts.deleted && add.length > 0)) {
        set(world, {
          finalizers: [...facts.finalizers.filter((each) => !remove.includes(each)), ...add],
        });
      }
      return;
    }
    case 'mark':
      if (facts.exists && facts.claimUid === seen.facts.claimUid) {
        const annotations = { ...facts.annotations, ...newMark(decision.volume, decision.due) };
        set(world, { annotations });
      }
      return;
    case 'unmark':
      if (facts.exists && unchanged) {
        set(world, { annotations: without(facts.annotations, mark) });
      }
      return;
    case 'giveBack':
      // Its patch tests the mark, the claim's UID, and that the volume is not terminating.
      if (facts.exists && !facts.deleted && unchanged) {
        expect(world.storage).toBe(true);
        set(world, { claimUid: null, phase: 'Available', annotations: without(facts.annotations, mark) });
      }
      return;
    case 'deleteObject':
      if (facts.exists && unchanged) {
        expectOver(world, seen);
        set(world, { deleted: true });
      }
      return;
    case 'reclaim':
      if (seen.grace !== undefined && world.gate) {
        // It can't be given back any more.
        expect(seen.facts.deleted).toBe(true);
      }
      expectOver(world, seen);
      world.storage = false;
      return;
    case 'finish':
      expect(world.storage).toBe(false);
      set(world, { deleted: true });
      set(world, { finalizers: [] });
      return;
    default:
      return;
  }
}

/** What must hold when a volume is deleted. */
function expectOver(world: World, { facts, claim, grace }: State): void {
  expect(facts.claimUid).not.toBeNull();
  expect(claim?.uid).not.toBe(facts.claimUid);
  const isMeant = facts.policy === 'Delete' || (world.gate && facts.annotations[meant] === 'Delete');
  expect(isMeant).toBe(true);
  expect(grace).not.toBe('unusable');
  if (grace !== undefined) {
    expect(world.gate).toBe(true);
    expect(claim?.asks === true && !facts.deleted).toBe(false);
  }
  const found = undoMarkOf(volume(facts));
  if (grace !== undefined || found?.kind === 'valid') {
    expect(found?.kind).toBe('valid');
    const due = found?.kind === 'valid' ? found.due : Infinity;
    expect(Math.min(world.now, world.serverNow)).toBeGreaterThanOrEqual(due);
  }
  if (grace !== undefined) {
    // No leap of one clock shortens it.
    expect(world.time - world.releasedAt).toBeGreaterThanOrEqual(window);
  }
}

type Action = (world: World) => void;

function actionOf(name: string, world: World): Action {
  const { facts } = world.live;
  const actions: Readonly<Record<string, Action>> = {
    bind: () => {
      const { claim } = world.live;
      if (facts.exists && facts.claimUid === null && claim !== undefined) {
        set(world, { claimUid: claim.uid, phase: 'Bound' });
      }
    },
    newClaim: () => {
      world.live = {
        ...world.live,
        claim: world.live.claim ?? { uid: `c${String((world.claims += 1))}`, asks: true },
      };
    },
    otherClaim: () => {
      world.live = {
        ...world.live,
        claim: world.live.claim ?? { uid: `c${String((world.claims += 1))}`, asks: false },
      };
    },
    deleteClaim: () => {
      if (world.live.claim?.uid === facts.claimUid) {
        world.releasedAt = world.time;
      }
      world.live = { ...world.live, claim: undefined };
    },
    release: () => {
      if (facts.claimUid !== null && facts.claimUid !== world.live.claim?.uid) {
        set(world, { phase: 'Released' });
      }
    },
    deleteVolume: () => {
      set(world, { deleted: true });
    },
    retain: () => {
      set(world, { policy: 'Retain' });
    },
    deletePolicy: () => {
      set(world, { policy: 'Delete' });
    },
    mean: () => {
      set(world, { annotations: { ...facts.annotations, [meant]: 'Delete' } });
    },
    meanNot: () => {
      set(world, { annotations: without(facts.annotations, meant) });
    },
    window: () => {
      if (world.live.grace === undefined) {
        world.live = { ...world.live, grace: window * minute };
        // A window that begins only now is no shorter than what its mark has left, unless a mark lasts from before.
        world.releasedAt = undoMarkOf(volume(facts))?.kind === 'valid' ? world.releasedAt : world.time;
      }
    },
    badWindow: () => {
      world.live = { ...world.live, grace: 'unusable' };
    },
    goodWindow: () => {
      if (world.live.grace === 'unusable') {
        world.live = { ...world.live, grace: window * minute };
      }
    },
    noWindow: () => {
      world.live = { ...world.live, grace: undefined };
    },
    gate: () => {
      world.gate = !world.gate;
    },
    otherMark: () => {
      const backup = { [mark]: '2025-01-01T00:00:00Z', [`${mark}-uid`]: 'x', [`${mark}-claim-uid`]: 'y' };
      set(world, { annotations: { ...facts.annotations, ...backup } });
    },
    badMark: () => {
      if (undoMarkOf(volume(facts))?.kind === 'valid') {
        set(world, { annotations: { ...facts.annotations, [mark]: 'soon' } });
      }
    },
    cache: () => {
      world.cache = world.live;
    },
    ourClockAhead: () => {
      world.now += 60 * minute;
    },
    serverClockAhead: () => {
      world.serverNow += 60 * minute;
    },
    clocksRight: () => {
      world.now = start + world.time * minute;
      world.serverNow = world.now;
    },
    pass: () => {
      world.time += 4;
      world.now += 4 * minute;
      world.serverNow += 4 * minute;
    },
  };
  return actions[name] ?? (() => undefined);
}

const names = [
  'bind',
  'newClaim',
  'otherClaim',
  'deleteClaim',
  'release',
  'deleteVolume',
  'retain',
  'deletePolicy',
  'mean',
  'meanNot',
  'window',
  'badWindow',
  'goodWindow',
  'noWindow',
  'gate',
  'otherMark',
  'badMark',
  'cache',
  'pass',
] as const;
/** Of one clock: against both no window is proof. */
const leaps = ['ourClockAhead', 'clocksRight'] as const;

function newWorld(): World {
  const facts: Facts = {
    exists: true,
    finalizers: [],
    deleted: false,
    policy: 'Delete',
    claimUid: null,
    phase: 'Available',
    annotations: {},
    version: 1,
  };
  const live: State = { facts, claim: undefined, grace: window * minute };
  return {
    live,
    cache: live,
    gate: true,
    now: start,
    serverNow: start,
    storage: true,
    time: 0,
    releasedAt: 0,
    claims: 0,
  };
}

/** A gate is turned when no look is under way: the process starts anew. */
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ action: fc.constantFrom(...names) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      meanwhile: fc.option(fc.constantFrom(...names.filter((name) => name !== 'gate')), { freq: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ action: fc.constant('pass') }) },
);
/** The usual beginning, so that most courses come to a window. */
const released = ['newClaim', 'bind', 'cache', 'look', 'cache', 'deleteClaim', 'release', 'cache'] as const;

function play(world: World, name: string): void {
  if (name === 'look') {
    look(world, () => undefined);
  } else {
    actionOf(name, world)(world);
  }
}

test('any course of claims, policies, windows, gates and lagging caches -> nothing goes before its time, nor what is asked for', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40, size: 'max' }), (steps) => {
      const world = newWorld();
      released.forEach((name) => play(world, name));
      for (const each of steps) {
        if ('action' in each) {
          play(world, each.action);
        } else {
          look(world, () => {
            if (each.meanwhile !== null) {
              play(world, each.meanwhile);
            }
          });
        }
      }
    }),
    { numRuns: 5_000 },
  );
});

test('one clock leaps forward and is put right again -> the window is not shorter', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('ourClockAhead', 'serverClockAhead'),
      fc.array(fc.constantFrom('pass', 'look', 'cache', 'leap', 'clocksRight'), {
        maxLength: 40,
        size: 'max',
      }),
      (leap, steps) => {
        const world = newWorld();
        released.forEach((name) => play(world, name));
        steps.forEach((name) => play(world, name === 'leap' ? leap : name));
      },
    ),
    { numRuns: 2_000 },
  );
});

test.each(['Delete', 'Retain'] as const)(
  'policy %s, however the course was -> once the window can be had and nobody asks, the storage goes',
  (policy) => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...names, ...leaps, 'look'), { maxLength: 30, size: 'max' }),
        (steps) => {
          const world = newWorld();
          released.forEach((name) => play(world, name));
          steps.filter((name) => name !== 'deleteVolume').forEach((name) => play(world, name));
          if (!world.live.facts.exists) {
            return;
          }
          const last = [
            policy === 'Delete' ? 'deletePolicy' : 'retain',
            'mean',
            'newClaim',
            'bind',
            'noWindow',
            'window',
            ...(world.gate ? [] : ['gate']),
            'deleteClaim',
            'release',
            'clocksRight',
          ];
          last.forEach((name) => play(world, name));
          // A mark that can't be read stays until somebody puts it right.
          set(world, { annotations: without(world.live.facts.annotations, mark) });
          world.time += 120;
          for (let round = 0; round < 12; round++) {
            ['cache', 'look', 'cache', 'look', 'pass'].forEach((name) => play(world, name));
          }
          expect(world.storage).toBe(false);
          expect(world.live.facts.exists).toBe(false);
        },
      ),
      { numRuns: 1_000 },
    );
  },
);
