import { expect, test } from '@jest/globals';
import { parseCommand } from '../src/command.ts';
import { targets } from '../src/targets.ts';

test('no argument -> every target, with a second look', () => {
  expect(parseCommand([])).toEqual({ kind: 'play', targets, isQuick: false, isRecorded: false });
});

test('two parts of paths -> the files that have one of them', () => {
  const command = parseCommand(['--quick', 'decide/hold.ts', 'core/src/timestamp']);
  expect(command.kind === 'play' && command.targets.map(({ file }) => file)).toEqual([
    'packages/core/src/timestamp.ts',
    'apps/statefulset-pvc-retention/src/decide/hold.ts',
    'apps/pv-reclaim-honor/src/decide/hold.ts',
  ]);
  expect(command).toMatchObject({ isQuick: true });
});

test('--record -> the figures are written', () => {
  expect(parseCommand(['--record'])).toMatchObject({ isRecorded: true, isQuick: false });
});

test('--help -> the usage', () => {
  expect(parseCommand(['--help'])).toMatchObject({
    kind: 'help',
    text: expect.stringContaining('npm run mutate') as unknown,
  });
});

test.each([
  [['--qiuck'], "Unknown option '--qiuck'; see --help"],
  [['--quick', '--record'], '--record has no use for --quick, which takes for survivors what might be none'],
  [['decide', 'nowhere.ts'], 'no file of tools/mutate/src/targets.ts has "nowhere.ts" in its path'],
])('%j -> says what is wrong', (args, message) => {
  expect(parseCommand(args)).toEqual({ kind: 'wrong', message });
});
