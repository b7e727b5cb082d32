import { describe, expect, test } from '@jest/globals';
import { apiServerComparison } from '../src/api-server/comparison.ts';
import type { Benchmark } from '../src/benchmark.ts';
import { benchmarks } from '../src/benchmarks/index.ts';
import { help, readCommand, UsageError } from '../src/command-line.ts';
import { trials } from '../src/trials/index.ts';
import type { Trial } from '../src/trials/trial.ts';

const lift: Benchmark = {
  name: 'lift',
  summary: 'stones, until all are up',
  sizes: { stones: { default: 12, description: 'stones to lift' } },
  disabledAdmissionPlugins: [],
  holdfast: { app: 'lifter', flags: [] },
  upstream: { program: 'kube-controller-manager', controllers: ['lift-controller'] },
  prepare: () => Promise.resolve(),
  goal: () => {
    throw new Error('nothing is raced here');
  },
};
const carry: Benchmark = {
  ...lift,
  name: 'carry',
  sizes: {
    stones: { default: 3, description: 'stones to carry' },
    miles: { default: 7, description: 'way' },
  },
};
const rest: Trial = {
  name: 'rest',
  summary: 'how long a lifter sleeps',
  sizes: { hours: { default: 8, description: 'of the night' } },
  apps: ['lifter'],
  disabledAdmissionPlugins: [],
  measure: () => Promise.resolve([]),
};
const read = (...args: readonly string[]) => readCommand(args, [lift, carry], [rest]);

describe('readCommand', () => {
  test('name alone -> that benchmark, five rounds, its own sizes, no report', () => {
    expect(read('lift')).toEqual({
      kind: 'race',
      benchmark: lift,
      rounds: 5,
      sizes: { stones: 12 },
      json: undefined,
    });
  });

  test.each([
    { args: ['carry', '--rounds', '3', '--miles', '9', '--json', 'out.json'] },
    { args: ['--rounds=3', '--miles=9', '--json=out.json', 'carry'] },
    { args: ['carry', '--miles', '1', '--miles', '9', '--rounds', '3', '--json', 'out.json'] },
  ])('$args -> flags in any order and spelling, the last wins', ({ args }) => {
    expect(read(...args)).toEqual({
      kind: 'race',
      benchmark: carry,
      rounds: 3,
      sizes: { stones: 3, miles: 9 },
      json: 'out.json',
    });
  });

  test.each([
    { args: ['rest'], rounds: 1, hours: 8 },
    { args: ['rest', '--rounds=4', '--hours=6'], rounds: 4, hours: 6 },
  ])('$args -> that trial, $rounds rounds', ({ args, rounds, hours }) => {
    expect(read(...args)).toEqual({ kind: 'trial', trial: rest, rounds, sizes: { hours }, json: undefined });
  });

  test('start -> no race, five rounds, no sizes', () => {
    expect(read('start', '--json', 'out.json')).toEqual({ kind: 'start', rounds: 5, json: 'out.json' });
  });

  test('api-server -> no race, five rounds, sizes of its own', () => {
    expect(read('api-server', '--watchers', '3')).toEqual({
      kind: 'api-server',
      rounds: 5,
      sizes: { writes: 2000, writers: 16, watchers: 3 },
      json: undefined,
    });
  });

  test.each([
    { args: ['growth'], counts: [1_000, 10_000, 50_000], apps: undefined, rounds: 1 },
    {
      args: ['growth', '--sizes=20,300', '--apps=pvc-protection,pv-reclaim-honor', '--rounds', '3'],
      counts: [20, 300],
      apps: ['pvc-protection', 'pv-reclaim-honor'],
      rounds: 3,
    },
  ])('$args -> growth at $counts, $rounds rounds', ({ args, counts, apps, rounds }) => {
    expect(read(...args)).toEqual({ kind: 'growth', counts, apps, rounds, json: undefined });
  });

  test('growth --report -> no run, the page of these reports', () => {
    expect(read('growth', '--report', 'growth.json,again.json')).toEqual({
      kind: 'growth-page',
      reports: ['growth.json', 'again.json'],
    });
  });

  test.each([['--help'], ['-h'], ['lift', '--help']])('%s %s -> help', (...args) => {
    expect(read(...args)).toEqual({ kind: 'help' });
  });

  test.each([
    { args: [], says: 'name a benchmark: lift, carry, rest, start, growth, api-server' },
    {
      args: ['fly'],
      says: 'no benchmark is called "fly": there is lift, carry, rest, start, growth, api-server',
    },
    { args: ['lift', 'carry'], says: 'one benchmark at a time: unexpected argument "carry"' },
    { args: ['lift', '--bogus=1'], says: '--bogus is no flag of lift, which has --rounds, --json, --stones' },
    {
      args: ['lift', '--miles', '1'],
      says: '--miles is no flag of lift, which has --rounds, --json, --stones',
    },
    {
      args: ['api-server', '--stones', '1'],
      says: '--stones is no flag of api-server, which has --rounds, --json, --writes, --writers, --watchers',
    },
    {
      args: ['lift', '--writes', '1'],
      says: '--writes is no flag of lift, which has --rounds, --json, --stones',
    },
    {
      args: ['start', '--stones', '1'],
      says: '--stones is no flag of start, which has --rounds, --json',
    },
    { args: ['lift', '--rounds', '0'], says: '--rounds is "0": it must be a whole number, 1 or more' },
    { args: ['lift', '--rounds=-1'], says: '--rounds is "-1": it must be a whole number, 1 or more' },
    { args: ['lift', '--stones', '1e3'], says: '--stones is "1e3": it must be a whole number, 1 or more' },
    { args: ['lift', '--stones', '1.5'], says: '--stones is "1.5": it must be a whole number, 1 or more' },
    { args: ['lift', '--rounds='], says: '--rounds is "": it must be a whole number, 1 or more' },
    {
      args: ['growth', '--sizes=10,10'],
      says: '--sizes is "10,10": each must be larger than the one before it',
    },
    { args: ['growth', '--sizes=10,x'], says: '--sizes is "x": it must be a whole number, 1 or more' },
    {
      args: ['growth', '--apps=pvc'],
      says: '--apps has "pvc": there is pvc-protection, statefulset-pvc-retention, pv-reclaim-honor, retroactive-default-sc',
    },
    {
      args: ['growth', '--report='],
      says: '--report is "": it must name files that --json has written, with a comma between two',
    },
    {
      args: ['growth', '--report=a.json', '--rounds=2'],
      says: '--report makes the page of figures that are there: --rounds says nothing to it',
    },
    { args: ['lift', '--sizes=1'], says: '--sizes is no flag of lift, which has --rounds, --json, --stones' },
    { args: ['lift', '--json'], says: '--json needs a value' },
    { args: ['lift', '--json='], says: '--json is "": it must name a file' },
  ])('$args -> refused, naming what is wrong and what would do', ({ args, says }) => {
    expect(() => read(...args)).toThrow(new UsageError(says));
  });
});

describe('help', () => {
  test('names every benchmark with its sizes and their defaults', () => {
    const text = help([lift, carry], [rest]);
    expect(text).toMatch(/^ {2}lift +stones, until all are up\n {4}--stones N +stones to lift, default 12$/m);
    expect(text).toMatch(/^ {4}--miles N +way, default 7$/m);
    expect(text).toMatch(/^ {2}rest +how long a lifter sleeps\n {4}--hours N +of the night, default 8$/m);
    expect(text).toMatch(/^ {2}api-server +.*\n {4}--writes N +writes of each kind, default 2000$/m);
  });
});

describe('the benchmarks', () => {
  test('names are unique, and no size takes the name of a flag that all have', () => {
    const names = [...benchmarks, ...trials, apiServerComparison].map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { sizes } of [...benchmarks, ...trials, apiServerComparison]) {
      expect(Object.keys(sizes)).not.toEqual(expect.arrayContaining(['rounds']));
      expect(Object.keys(sizes)).not.toEqual(expect.arrayContaining(['json']));
      expect(Object.keys(sizes)).not.toEqual(expect.arrayContaining(['help']));
    }
  });
});
