import { describe, expect, test } from '@jest/globals';
import { apps } from '../src/apps.ts';
import { readCommand, UsageError } from '../src/command.ts';

const read = (...args: readonly string[]) => readCommand(args, apps);

describe('the command line of perturb', () => {
  test('nothing given -> all apps, all places, a shard for each core', () => {
    const command = read();
    expect(command).toMatchObject({ kind: 'perturb', scenario: undefined, at: undefined, pairs: 0 });
    expect(command.kind === 'perturb' && command.apps).toEqual(apps);
  });

  test('as a failure names itself -> that app, scenario and perturbation', () => {
    expect(read('pvc-protection', '--scenario=in-use', '--at=7,12')).toMatchObject({
      apps: [{ name: 'pvc-protection' }],
      scenario: 'in-use',
      at: [7, 12],
    });
  });

  test.each([
    [['nothing'], 'APP: "nothing" is none of pvc-protection'],
    [['pvc-protection', 'pv-reclaim-honor'], 'unexpected argument "pv-reclaim-honor"'],
    [['--at=3'], '--at takes one number or two, and needs a controller and --scenario'],
    [['pvc-protection', '--scenario=in-use', '--at=1,2,3'], '--at takes one number or two'],
    [['pvc-protection', '--scenario=orphan'], '--scenario: "orphan" is none of unused'],
    [['--kind=flood'], '--kind: "flood" is none of crash-before-write'],
    [['--shards=0'], '--shards: "0" is no whole number of at least 1'],
    [['--pairs=some'], '--pairs: "some" is no whole number'],
    [['--bundle=main.js'], '--bundle needs a controller'],
    [['--speed=9'], "Unknown option '--speed'"],
  ])('%j -> refused: %s', (args, message) => {
    expect(() => read(...args)).toThrow(UsageError);
    expect(() => read(...args)).toThrow(message);
  });
});
