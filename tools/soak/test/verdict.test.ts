import { describe, expect, test } from '@jest/globals';
import { judge, type Finding, type Run } from '../src/verdict.ts';
import { runOf } from './run.ts';

const mebibyte = 2 ** 20;

function outcomes(run: Run): Readonly<Record<string, Finding['outcome']>> {
  return Object.fromEntries(judge(run).map(({ about, outcome }) => [about, outcome]));
}

/** What is not as it is in a run without fault. */
function faults(run: Run): Readonly<Record<string, Finding['outcome']>> {
  return Object.fromEntries(Object.entries(outcomes(run)).filter(([, outcome]) => outcome !== 'holds'));
}

/** A number in [-1, 1) that looks like chance and is the same each time. */
function jitter(seconds: number): number {
  return ((Math.imul(seconds + 1, 0x9e3779b1) >>> 0) / 2 ** 32) * 2 - 1;
}

describe('judge', () => {
  test('level saw of garbage collection, all work done -> everything holds', () => {
    expect(Object.values(outcomes(runOf()))).toHaveLength(12);
    expect(faults(runOf())).toEqual({});
  });

  test('warm-up of 80 MiB in the first third -> everything holds', () => {
    const warmUp = (seconds: number) => Math.max(0, 200 - seconds) * -0.4 * mebibyte;
    const run = runOf(({ seconds, residentBytes, heapUsedBytes }) => ({
      residentBytes: residentBytes + warmUp(seconds),
      heapUsedBytes: heapUsedBytes + warmUp(seconds) / 10,
    }));
    expect(faults(run)).toEqual({});
  });

  test('a relist now and then doubles the heap for a moment -> everything holds', () => {
    const run = runOf(({ seconds, residentBytes, heapUsedBytes }) =>
      seconds % 150 === 0
        ? { residentBytes: residentBytes + 40 * mebibyte, heapUsedBytes: heapUsedBytes * 2 }
        : {},
    );
    expect(faults(run)).toEqual({});
  });

  test.each([
    { bytes: 20, fails: ['heap used'] },
    { bytes: 60, fails: ['heap used'] },
    { bytes: 80, fails: ['heap used', 'resident memory'] },
  ])('$bytes bytes a change are never given back -> $fails fails', ({ bytes, fails }) => {
    const run = runOf(({ seconds, residentBytes, heapUsedBytes }) => ({
      residentBytes: residentBytes + seconds * 200 * bytes,
      heapUsedBytes: heapUsedBytes + seconds * 200 * bytes,
    }));
    expect(faults(run)).toEqual(Object.fromEntries(fails.map((about) => [about, 'fails'])));
  });

  test('10 bytes a change are never given back -> less than any key takes, everything holds', () => {
    const run = runOf(({ seconds, heapUsedBytes }) => ({
      heapUsedBytes: heapUsedBytes + seconds * 200 * 10,
    }));
    expect(faults(run)).toEqual({});
  });

  test('the same leak at a tenth of the rate -> the limit goes with the rate, heap used fails', () => {
    const run = runOf(({ seconds, heapUsedBytes }) => ({ heapUsedBytes: heapUsedBytes + seconds * 20 * 60 }));
    expect(faults({ ...run, asked: 20, changes: 12_000 })).toEqual({ 'heap used': 'fails' });
  });

  test('heap jumps about by 10 MiB -> undecided', () => {
    const run = runOf(({ seconds, heapUsedBytes }) => ({
      heapUsedBytes: heapUsedBytes + jitter(Math.floor(seconds / 20)) * 10 * mebibyte,
    }));
    expect(faults(run)).toEqual({ 'heap used': 'undecided' });
  });

  test.each(['handles', 'requests', 'resources', 'openFiles'] as const)(
    'one more of %s every ten seconds -> it fails',
    (name) => {
      const run = runOf((sample) => ({ [name]: (sample[name] ?? 0) + Math.floor(sample.seconds / 10) }));
      expect(faults(run)).toEqual({ [name === 'openFiles' ? 'open files' : name]: 'fails' });
    },
  );

  test('30 sockets for a while, then given back -> everything holds', () => {
    const run = runOf(({ seconds }) => ({ handles: seconds % 60 < 30 ? 35 : 5, openFiles: 50 }));
    expect(faults(run)).toEqual({});
  });

  test('a system that does not tell open files -> not judged by them', () => {
    expect(outcomes(runOf(() => ({ openFiles: undefined })))).not.toHaveProperty('open files');
  });

  test.each([30, 180])('%d seconds -> too short to tell anything of memory and handles', (seconds) => {
    expect(faults(runOf(undefined, seconds))).toEqual({
      'heap used': 'undecided',
      'resident memory': 'undecided',
      handles: 'undecided',
      requests: 'undecided',
      resources: 'undecided',
      'open files': 'undecided',
    });
  });

  test('five minutes -> long enough', () => {
    expect(faults(runOf(undefined, 300))).toEqual({});
  });

  test.each([
    { what: 'nine tenths of the rate', change: { changes: 108_000 }, about: 'rate' },
    { what: 'a claim went in use', change: { accusations: ['claim a/b went'] }, about: 'safety' },
    { what: 'a claim is left', change: { unfinished: ['claim a/b is there'] }, about: 'work done' },
    { what: 'a key is queued', change: { queued: 1 }, about: 'queues' },
    {
      what: 'listeners pile up',
      change: { strayLines: ['(node:7) MaxListenersExceededWarning: 11 abort listeners'] },
      about: 'listeners',
    },
    { what: 'it had to be killed', change: { exit: 'signal SIGKILL' }, about: 'shutdown' },
  ])('$what -> $about fails', ({ change, about }) => {
    expect(faults({ ...runOf(), ...change })).toEqual({ [about]: 'fails' });
  });

  test('figures name both halves, the trend and the limit', () => {
    const heap = judge(runOf()).find(({ about }) => about === 'heap used');
    expect(heap?.figures).toBe(
      '20.0 MiB in the first half after warming up, 20.0 in the second; trend 0 KiB a minute (give or take 0), limit 188; 0.0 bytes a change, limit 16',
    );
  });
});
