import { describe, expect, test } from '@jest/globals';
import { hostilitiesOf, type Hostility } from '../../src/hostile/hostilities.ts';

const minute = 60_000;
const apps = ['w', 'x', 'y', 'z'];
const replicas = apps.flatMap((app) => [`${app}-a`, `${app}-b`]);
const scene = { apps, replicas, withPlugin: ['w-b', 'x-b'], random: () => 0.3 };

const hour = hostilitiesOf(60 * minute, scene);
const of = (kind: Hostility['kind']) => hour.filter(({ hostility }) => hostility.kind === kind);

describe('hostilitiesOf', () => {
  test.each([
    { kind: 'freeze', times: 60 },
    { kind: 'reset', times: 60 },
    { kind: 'halfOpen', times: 60 },
    { kind: 'stall', times: 48 },
    { kind: 'storm', times: 48 },
    { kind: 'rotate', times: 89 },
    { kind: 'pluginHangs', times: 12 },
    { kind: 'cutOffLeader', times: 6 },
    { kind: 'freezeLeader', times: 6 },
    { kind: 'restartApiServer', times: 3 },
  ] as const)('an hour -> $kind $times times', ({ kind, times }) => {
    expect(of(kind)).toHaveLength(times);
  });

  test('an hour -> in order of time, all within the hour', () => {
    const times = hour.map(({ at }) => at);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times.at(-1)).toBeLessThan(60 * minute);
  });

  test('an hour -> every app loses a leader, and every replica has its credentials replaced', () => {
    const led = [...of('cutOffLeader'), ...of('freezeLeader')].map(
      ({ hostility }) => 'app' in hostility && hostility.app,
    );
    expect(new Set(led)).toEqual(new Set(apps));
    const rotated = of('rotate').map(({ hostility }) => 'replica' in hostility && hostility.replica);
    expect(new Set(rotated)).toEqual(new Set(replicas));
  });

  test('an hour -> no app loses a leader twice within ten minutes, so that processes get old', () => {
    for (const app of apps) {
      const times = [...of('cutOffLeader'), ...of('freezeLeader')]
        .filter(({ hostility }) => 'app' in hostility && hostility.app === app)
        .map(({ at }) => at)
        .toSorted((a, b) => a - b);
      const apart = times.slice(1).map((at, index) => at - (times[index] ?? 0));
      expect(Math.min(...apart)).toBeGreaterThan(10 * minute);
    }
  });
});
