import { expect, test } from '@jest/globals';
import { appCommand } from '../../src/flags/app-command.ts';
import { switchFlag } from '../../src/flags/flags.ts';

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

test.each(['dryRun', 'kubeconfig', 'config', 'help', 'version'])(
  'own flag %s, which every program has -> refused, since one of the two would be lost',
  (key) => {
    const flags = { [key]: switchFlag({ description: 'Tries it.', default: 'false' }) };
    expect(() => appCommand({ ...program, flags, gates: {} })).toThrow(
      /^flag --[a-z-]+ is one that every program has; give yours another name$/,
    );
  },
);

test.each(['AllAlpha', 'AllBeta', 'Mark=ing', 'Mark,ing', 'Mark ing', ''])(
  'gate "%s", which nobody could set by itself -> refused',
  (gate) => {
    const gates = { [gate]: { stage: 'beta', default: true, since: '1', description: 'Marks.' } } as const;
    expect(() => appCommand({ ...program, gates })).toThrow(
      `feature gate ${JSON.stringify(gate)} can't be one; give a name such as MarkSites, of letters and digits`,
    );
  },
);
