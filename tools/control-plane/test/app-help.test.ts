import { describe, expect, test } from '@jest/globals';
import { readHelp } from '../src/app-help.ts';

const help = `app 0.1.0: does something.

Flags (each also as HOLDFAST_<NAME> in the environment, upper case with _ for -):
  --namespaces a,b        Only objects in these namespaces. Default: all.
  --dry-run[=BOOL]        Have every write checked. (default false)
  --concurrent-syncs N    Objects worked on at once. (default 10)
  --version               Print the version and exit.
  -h, --help              Print this and exit.

Feature gates:
  WaitForVolumeDetach (beta, default true): A pod holds its claims (for a while): until then.
`;

describe('readHelp', () => {
  test('text of --help -> flags with values, and gates', () => {
    expect(readHelp(help)).toEqual({
      flags: [
        {
          name: 'namespaces',
          placeholder: 'a,b',
          description: 'Only objects in these namespaces. Default: all.',
        },
        { name: 'dry-run', placeholder: 'BOOL', description: 'Have every write checked. (default false)' },
        {
          name: 'concurrent-syncs',
          placeholder: 'N',
          description: 'Objects worked on at once. (default 10)',
        },
      ],
      gates: [
        {
          name: 'WaitForVolumeDetach',
          stage: 'beta',
          default: true,
          description: 'A pod holds its claims (for a while): until then.',
        },
      ],
    });
  });

  test.each([
    ['no gates', help.slice(0, help.indexOf('Feature gates'))],
    ['nothing', ''],
  ])('%s in it -> an error, not an empty schema', (_, text) => {
    expect(() => readHelp(text)).toThrow('no flags or no feature gates');
  });
});
