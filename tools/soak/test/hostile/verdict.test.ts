import { describe, expect, test } from '@jest/globals';
import type { ProcessLife } from '../../src/hostile/replica.ts';
import { judgeHostile, type HostileRun } from '../../src/hostile/verdict.ts';
import type { Finding } from '../../src/verdict.ts';

const mebibyte = 2 ** 20;
const hour = 3_600;

/** A process that lives for an hour and stays as it is, up to a saw of garbage; sampled every ten seconds. */
function lifeOf(
  replica: string,
  change: (seconds: number) => { readonly mebibytes?: number; readonly descriptors?: number } = () => ({}),
  length = hour,
): ProcessLife {
  return {
    replica,
    from: 0,
    footprints: Array.from({ length: length / 10 }, (_, index) => {
      const seconds = index * 10;
      const { mebibytes = 0, descriptors = 0 } = change(seconds);
      return {
        seconds,
        residentBytes: (80 + (index % 7) + mebibytes) * mebibyte,
        descriptors: 30 + (index % 3) + descriptors,
      };
    }),
    end: undefined,
  };
}

/** A lease of a, renewed every two seconds, that b takes in the end. */
const leaseWrites = [
  ...Array.from({ length: hour / 2 - 20 }, (_, index) => ({
    replica: 'app-a',
    holder: 'a1',
    duration: 15_000,
    receivedAt: index * 2_000,
    version: index,
  })),
  { replica: 'app-b', holder: 'b1', duration: 15_000, receivedAt: (hour - 20) * 1_000, version: hour },
];

const act = { replica: 'app-a', what: 'patch claims shop/x', sentAt: 60_000, receivedAt: 60_001 };

/** An hour in which all went as it must. */
function runOf(change: Partial<HostileRun> = {}): HostileRun {
  return {
    beganAt: 0,
    seconds: hour,
    apps: [{ name: 'app', lease: 'holdfast-app', replicas: ['app-a', 'app-b'] }],
    changes: 10_000,
    faults: { freeze: 60, storm: 55 },
    planned: ['freeze', 'storm'],
    writes: { leases: new Map([['holdfast-app', leaseWrites]]), acts: [act], eventsRecorded: 3 },
    lives: [lifeOf('app-a'), lifeOf('app-b')],
    accusations: [],
    unfinished: [],
    strayLines: [],
    errors: {},
    exits: ['exit code 0', 'exit code 0'],
    ...change,
  };
}

function faults(change: Partial<HostileRun>): Readonly<Record<string, Finding['outcome']>> {
  return Object.fromEntries(
    judgeHostile(runOf(change)).flatMap(({ about, outcome }) =>
      outcome === 'holds' ? [] : [[about, outcome]],
    ),
  );
}

const ended = (how: string, hadLostLease: boolean): ProcessLife => ({
  ...lifeOf('app-a', undefined, 60),
  end: { how, hadLostLease, lastLines: '' },
});

describe('judgeHostile', () => {
  test('an hour without fault -> everything holds, with its figures', () => {
    expect(faults({})).toEqual({});
    const one = judgeHostile(runOf()).find(({ about }) => about === 'exactly one app acts');
    expect(one?.figures).toBe(
      '1 writes, 0 out of tenure; 0 sent in time and held up on the way; 2 tenures, 1 changes of replica; at the most 22.0 s without a leader',
    );
  });

  test.each<{ state: string; change: Partial<HostileRun>; fails: string }>([
    { state: 'a fault was planned and never played', change: { faults: { freeze: 60 } }, fails: 'hostility' },
    { state: 'nothing was changed', change: { changes: 0 }, fails: 'hostility' },
    {
      state: 'the standby wrote',
      change: { writes: { ...runOf().writes, acts: [act, { ...act, replica: 'app-b' }] } },
      fails: 'exactly one app acts',
    },
    {
      state: 'no replica ever wrote',
      change: { writes: { ...runOf().writes, acts: [] } },
      fails: 'exactly one app acts',
    },
    {
      state: 'the lease was taken before it had run out',
      change: {
        writes: {
          ...runOf().writes,
          leases: new Map([
            [
              'holdfast-app',
              leaseWrites.map((write) =>
                write.replica === 'app-b' ? { ...write, receivedAt: (hour - 35) * 1_000 } : write,
              ),
            ],
          ]),
        },
      },
      fails: 'exactly one app acts',
    },
    {
      state: 'nobody led for more than a minute',
      change: {
        writes: {
          ...runOf().writes,
          leases: new Map([
            [
              'holdfast-app',
              leaseWrites.filter(({ replica, receivedAt }) => replica === 'app-b' || receivedAt < 3_500_000),
            ],
          ]),
        },
      },
      fails: 'exactly one app acts',
    },
    {
      state: 'a process crashed',
      change: { lives: [...runOf().lives, ended('exit code 1', false)] },
      fails: 'process ends',
    },
    {
      state: 'a process had to be killed',
      change: { lives: [...runOf().lives, ended('signal SIGKILL', true)] },
      fails: 'process ends',
    },
    { state: 'the writer accuses', change: { accusations: ['claim a/b went'] }, fails: 'safety' },
    { state: 'work is left', change: { unfinished: ['claim a/b is there'] }, fails: 'work done' },
    { state: 'Node warned', change: { strayLines: ['(node:7) Warning'] }, fails: 'listeners' },
    {
      state: 'one did not end in good order',
      change: { exits: ['exit code 0', 'exit code 1'] },
      fails: 'shutdown',
    },
    {
      state: '12 MiB more in an hour',
      change: {
        lives: [lifeOf('app-a', (seconds) => ({ mebibytes: (seconds / hour) * 16 })), lifeOf('app-b')],
      },
      fails: 'resident memory',
    },
    {
      state: 'a descriptor every five minutes',
      change: {
        lives: [lifeOf('app-a'), lifeOf('app-b', (seconds) => ({ descriptors: Math.floor(seconds / 300) }))],
      },
      fails: 'descriptors',
    },
  ])('$state -> $fails fails', ({ change, fails }) => {
    expect(faults(change)).toEqual({ [fails]: 'fails' });
  });

  test('no replica ever led -> nobody acts, and no leader is there to be measured', () => {
    expect(faults({ writes: { ...runOf().writes, leases: new Map() } })).toEqual({
      'exactly one app acts': 'fails',
      'resident memory': 'undecided',
      descriptors: 'undecided',
    });
  });

  test('a process left because it had lost its lease -> everything holds', () => {
    expect(faults({ lives: [...runOf().lives, ended('exit code 1', true)] })).toEqual({});
  });

  test('30 MiB and 20 descriptors more in the first five minutes -> warming up, everything holds', () => {
    const warming = lifeOf('app-a', (seconds) => {
      const cold = Math.max(0, 300 - seconds) / 300;
      return { mebibytes: -30 * cold, descriptors: Math.round(-20 * cold) };
    });
    expect(faults({ lives: [warming, lifeOf('app-b')] })).toEqual({});
  });

  test('bursts in the last quarter, whose 20 connections stay for a minute each -> given back, everything holds', () => {
    const busy = lifeOf('app-a', (seconds) => ({
      descriptors: seconds >= 0.75 * hour && seconds % 120 < 70 ? 20 : 0,
    }));
    expect(faults({ lives: [busy, lifeOf('app-b')] })).toEqual({});
  });

  test('storm after storm in the last quarter, with a quiet moment between -> the connections are no growth', () => {
    const inStorms = (seconds: number) => ({
      descriptors: seconds >= 0.75 * hour && seconds % 600 < 500 ? 20 : 0,
    });
    expect(faults({ lives: [lifeOf('app-a', inStorms), lifeOf('app-b', inStorms)] })).toEqual({});
  });

  test('all connections are cut for a moment in the first quarter -> those opened anew are no growth', () => {
    const cut = lifeOf('app-a', (seconds) => ({ descriptors: seconds === 600 ? -4 : 0 }));
    expect(faults({ lives: [cut, lifeOf('app-b')] })).toEqual({});
  });

  test('a replica takes over in the middle, which takes 4 MiB and 6 descriptors -> judged apart, everything holds', () => {
    const half = hour / 2;
    const taken = [
      ...leaseWrites.filter(
        ({ replica, receivedAt }) => replica === 'app-a' && receivedAt < (half - 20) * 1_000,
      ),
      ...Array.from({ length: half / 2 }, (_, index) => ({
        replica: 'app-b',
        holder: 'b1',
        duration: 15_000,
        receivedAt: (half + index * 2) * 1_000,
        version: hour + index,
      })),
    ];
    const leads = (seconds: number) => (seconds < half ? {} : { mebibytes: 4, descriptors: 6 });
    const stands = (seconds: number) => (seconds < half ? { mebibytes: 4, descriptors: 6 } : {});
    const writes = { ...runOf().writes, leases: new Map([['holdfast-app', taken]]) };
    expect(faults({ writes, lives: [lifeOf('app-a', stands), lifeOf('app-b', leads)] })).toEqual({});
    const wrong = { ...writes, leases: new Map([['holdfast-app', leaseWrites]]) };
    expect(faults({ writes: wrong, lives: [lifeOf('app-a', stands), lifeOf('app-b', leads)] })).toEqual({
      descriptors: 'fails',
    });
  });

  test('nobody led or stood by for fourteen minutes without a break -> memory and descriptors undecided', () => {
    const short = [lifeOf('app-a', undefined, 830), lifeOf('app-b', undefined, 600)];
    expect(faults({ lives: short })).toEqual({ 'resident memory': 'undecided', descriptors: 'undecided' });
  });

  test('no standby for fourteen minutes -> undecided, and it says of whom', () => {
    const run = runOf({ lives: [lifeOf('app-a'), lifeOf('app-b', undefined, 600)] });
    const memory = judgeHostile(run).find(({ about }) => about === 'resident memory');
    expect(memory?.outcome).toBe('undecided');
    expect(memory?.figures).toContain('no standby of app for 14 minutes without a break');
  });
});
