import { describe, expect, test } from '@jest/globals';
import type { StorageClass } from '@holdfast/core';
import { decide, defaultClass, isWaiting, type Snapshot } from '../src/decide.ts';
import { slimClaim, slimStorageClass } from '../src/slim.ts';
import {
  betaClass,
  bindCompleted,
  claim,
  isDefaultClass,
  isDefaultClassBeta,
  storageClass,
  type ClaimShape,
} from './objects.ts';

const gold = storageClass();

/** A waiting claim, a default that was asked for live, nothing in the way. */
const ready: Snapshot = {
  claim: claim(),
  cachedDefault: gold,
  live: { askedUnder: gold, defaultClass: gold },
  rehearsed: true,
  wait: 0,
};

describe('decide', () => {
  const waiting: readonly { readonly name: string; readonly shape: ClaimShape }[] = [
    { name: 'no class', shape: {} },
    { name: 'no class, annotations of others', shape: { annotations: { 'example.com/note': 'x' } } },
    { name: 'no class, the volume is an empty text', shape: { volumeName: '' } },
  ];
  test.each(waiting)('$name -> the default class', ({ shape }) => {
    expect(isWaiting(claim(shape))).toBe(true);
    expect(decide({ ...ready, claim: claim(shape) })).toMatchObject({ kind: 'assign', class: gold });
    expect(decide({ ...ready, claim: slimClaim.fromJson(claim(shape)) })).toMatchObject({ kind: 'assign' });
  });

  const notWaiting: readonly {
    readonly name: string;
    readonly shape: ClaimShape;
    readonly reason: string;
  }[] = [
    { name: 'class chosen', shape: { className: 'silver' }, reason: 'ClassChosen' },
    { name: 'empty class chosen', shape: { className: '' }, reason: 'ClassChosen' },
    {
      name: 'class chosen by the beta annotation',
      shape: { annotations: { [betaClass]: 'silver' } },
      reason: 'BetaClassChosen',
    },
    {
      name: 'empty class chosen by the beta annotation',
      shape: { annotations: { [betaClass]: '' } },
      reason: 'BetaClassChosen',
    },
    { name: 'volume set', shape: { volumeName: 'pv-1' }, reason: 'VolumeSet' },
    { name: 'bound', shape: { annotations: { [bindCompleted]: 'yes' } }, reason: 'BindCompleted' },
    {
      name: 'bind-completed without a value',
      shape: { annotations: { [bindCompleted]: '' } },
      reason: 'BindCompleted',
    },
    { name: 'terminating', shape: { deleted: true }, reason: 'Terminating' },
  ];
  test.each(notWaiting)('$name -> nothing', ({ shape, reason }) => {
    expect(decide({ ...ready, claim: claim(shape) })).toEqual({ kind: 'none', reason });
    // The fields that the cache keeps are enough to decide so, and no such claim is worth a dry run.
    expect(isWaiting(slimClaim.fromJson(claim(shape)))).toBe(false);
    expect(decide({ ...ready, rehearsed: false, claim: slimClaim.fromJson(claim(shape)) }).kind).toBe('none');
  });

  test('claim is gone -> nothing', () => {
    expect(decide({ ...ready, claim: undefined })).toEqual({ kind: 'none', reason: 'ClaimGone' });
  });

  test('no default class -> nothing', () => {
    expect(decide({ ...ready, cachedDefault: undefined, live: undefined })).toEqual({
      kind: 'none',
      reason: 'NoDefaultClass',
    });
  });

  test.each([
    { name: 'a default', cachedDefault: gold },
    { name: 'no default', cachedDefault: undefined },
  ])('API server not known yet, $name -> dry run first', ({ cachedDefault }) => {
    expect(decide({ ...ready, rehearsed: false, cachedDefault })).toMatchObject({
      kind: 'rehearse',
      class: cachedDefault,
    });
  });

  test('default in the cache, not asked live -> ask', () => {
    expect(decide({ ...ready, live: undefined })).toMatchObject({ kind: 'askLive', cachedDefault: gold });
  });

  test.each([
    { name: 'another default', since: storageClass({ name: 'silver' }) },
    { name: 'the same default, changed', since: storageClass({ resourceVersion: '4' }) },
  ])('asked live, $name in the cache since -> ask again', ({ since }) => {
    expect(decide({ ...ready, cachedDefault: since })).toMatchObject({
      kind: 'askLive',
      cachedDefault: since,
    });
  });

  test('default in the cache, none live -> nothing now, look again later', () => {
    expect(decide({ ...ready, live: { askedUnder: gold, defaultClass: undefined } })).toMatchObject({
      kind: 'postpone',
      reason: 'DefaultGone',
    });
  });

  test('another default live than in the cache -> the live one', () => {
    const silver = storageClass({ name: 'silver' });
    expect(decide({ ...ready, live: { askedUnder: gold, defaultClass: silver } })).toMatchObject({
      kind: 'assign',
      class: silver,
    });
  });

  test('refused a while ago -> not before its time, and nothing asked', () => {
    expect(decide({ ...ready, live: undefined, wait: 1_234 })).toMatchObject({
      kind: 'postpone',
      reason: 'Refused',
      delay: 1_234,
    });
  });
});

test('refused a while ago, its time in a millisecond -> not before it', () => {
  expect(decide({ ...ready, wait: 1 })).toMatchObject({ kind: 'postpone', delay: 1 });
});

describe('defaultClass', () => {
  const older = storageClass({ name: 'older', made: '2025-12-31T23:59:59Z' });
  const cases: readonly {
    readonly name: string;
    readonly classes: readonly StorageClass[];
    readonly chosen: string | undefined;
  }[] = [
    { name: 'no class', classes: [], chosen: undefined },
    { name: 'no mark', classes: [storageClass({ annotations: {} })], chosen: undefined },
    { name: 'marked', classes: [gold], chosen: 'gold' },
    {
      name: 'marked by the beta annotation',
      classes: [storageClass({ annotations: { [isDefaultClassBeta]: 'true' } })],
      chosen: 'gold',
    },
    {
      name: 'marked by one annotation, and not by the other',
      classes: [storageClass({ annotations: { [isDefaultClass]: 'false', [isDefaultClassBeta]: 'true' } })],
      chosen: 'gold',
    },
    ...['false', 'True', 'TRUE', '1', 'yes', ' true', ''].map((value) => ({
      name: `marked "${value}"`,
      classes: [storageClass({ annotations: { [isDefaultClass]: value, [isDefaultClassBeta]: value } })],
      chosen: undefined,
    })),
    { name: 'marked and terminating', classes: [storageClass({ deleted: true })], chosen: undefined },
    { name: 'two, the first older', classes: [older, gold], chosen: 'gold' },
    { name: 'two, the second older', classes: [gold, older], chosen: 'gold' },
    {
      name: 'two, the older first by name',
      classes: [storageClass({ name: 'a', made: '2025-12-31T23:59:59Z' }), gold],
      chosen: 'gold',
    },
    {
      name: 'two, the newer terminating',
      classes: [older, storageClass({ deleted: true })],
      chosen: 'older',
    },
    {
      name: 'two, the newer not marked',
      classes: [older, storageClass({ annotations: {} })],
      chosen: 'older',
    },
    {
      name: 'two of the same second',
      classes: [storageClass({ name: 'b' }), storageClass({ name: 'a' }), storageClass({ name: 'c' })],
      chosen: 'a',
    },
  ];
  test.each(cases)('$name -> $chosen', ({ classes, chosen }) => {
    expect(defaultClass(classes)?.metadata.name).toBe(chosen);
    expect(defaultClass(classes.map(slimStorageClass.fromJson))?.metadata.name).toBe(chosen);
  });
});
