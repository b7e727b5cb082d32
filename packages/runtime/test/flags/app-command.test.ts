import { expect, test } from '@jest/globals';
import { appCommand } from '../../src/flags/app-command.ts';

const program = { name: 'app', version: '1', description: 'does.', flags: {} };

test('app with a gate -> --help ends with it', () => {
  const gates = { Marking: { stage: 'beta', default: true, since: '1', description: 'Marks.' } } as const;
  expect(appCommand({ ...program, gates }).epilogue).toBe(
    'Feature gates:\n  Marking (beta, default true): Marks.',
  );
});

test('app without gates -> --help says that there are none', () => {
  expect(appCommand({ ...program, gates: {} }).epilogue).toBe('Feature gates: none');
});
