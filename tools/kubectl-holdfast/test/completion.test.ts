import { describe, expect, test } from '@jest/globals';
import type { ConnectedClient } from '@holdfast/runtime';
import { readCommandLine } from '../src/command-line/read-command-line.ts';
import { complete, type Sources } from '../src/complete/complete.ts';

/** A cluster whose objects of each kind are named after it. */
const sources = (isThere = true): Sources => ({
  client: () =>
    ({
      list: (
        { plural }: { readonly plural: string },
        { namespace = 'all' }: { readonly namespace?: string },
      ) =>
        isThere
          ? Promise.resolve({
              items: ['a', 'b'].map((each) => ({ metadata: { name: `${plural}-${namespace}-${each}` } })),
            })
          : Promise.reject(new Error('connection refused')),
      close: () => Promise.resolve(),
    }) as unknown as ConnectedClient,
  namespace: () => 'shop',
  contexts: () => ['kind-one', 'kind-two'],
});

const wordsFor = async (words: readonly string[], isThere = true) => {
  const lines = (await complete(words, sources(isThere))).split('\n');
  expect(lines.slice(-2)).toEqual([':4', '']);
  return lines.slice(0, -2).map((line) => line.split('\t')[0]);
};

test.each<readonly [readonly string[], readonly string[]]>([
  [['ex'], ['explain']],
  [['u'], ['undo', 'uninstall']],
  [
    ['explain', ''],
    ['pvc', 'pv', 'sts', 'sc'],
  ],
  [
    ['explain', 'pv'],
    ['pvc', 'pv'],
  ],
  [
    ['explain', 'sc', ''],
    ['storageclasses-all-a', 'storageclasses-all-b'],
  ],
  [
    ['explain', 'pvc', ''],
    ['persistentvolumeclaims-shop-a', 'persistentvolumeclaims-shop-b'],
  ],
  [['explain', 'pvc', 'persistentvolumeclaims-shop-b'], ['persistentvolumeclaims-shop-b']],
  [
    ['explain', 'sts/'],
    ['sts/statefulsets-shop-a', 'sts/statefulsets-shop-b'],
  ],
  [['explain', 'pvc', 'a', ''], []],
  [['explain', 'deploy', ''], []],
  [['-n', 'bank', 'plan', ''], ['sts']],
  [['plan', 'sts', 'web', '--cas'], ['--cascade']],
  [['plan', 'sts', 'web', '--cascade', 'f'], ['foreground']],
  [['plan', 'sts', 'web', '--cascade=o'], ['--cascade=orphan']],
  [['plan', 'sts', 'web', '--replicas', ''], []],
  [['undo', 'pvc', 'persistentvolumeclaims-shop-a', ''], ['persistentvolumeclaims-shop-b']],
  [['undo', 'pv/persistentvolumes-all-a', 'pv/'], ['pv/persistentvolumes-all-b']],
  [['uninstall', 'pvc-protection', 'pv'], ['pv-reclaim-honor']],
  [['status', '-o', 'y'], ['yaml']],
  [
    ['status', '--w'],
    ['--watch', '--wait'],
  ],
  [['leaks', ''], []],
  [
    ['status', '--namespace', ''],
    ['namespaces-all-a', 'namespaces-all-b'],
  ],
  [['status', '--context', 'kind-t'], ['kind-two']],
])('%j -> %j', async (words, expected) => {
  expect(await wordsFor(words)).toEqual(expected);
});

test('cluster does not answer -> no names, and no error at the prompt', async () => {
  expect(await wordsFor(['explain', 'pvc', ''], false)).toStrictEqual([]);
});

test('a file is wanted -> the shell completes it', async () => {
  expect(await complete(['status', '--kubeconfig', ''], sources())).toBe(':0\n');
});

describe('command line', () => {
  test('__complete -> the words as they are, flags among them', () => {
    expect(readCommandLine(['__complete', 'plan', '--cas'], '0')).toEqual({
      ...{ kind: 'complete', words: ['plan', '--cas'] },
    });
  });

  test('every command that is completed has a help of its own', async () => {
    for (const command of (await wordsFor([''])).filter((each) => each !== 'help')) {
      const line = readCommandLine(['help', command ?? ''], '0');
      expect(line.kind === 'print' && line.text).toMatch(new RegExp(`kubectl holdfast ${command ?? ''}\\b`));
    }
  });

  test('completion -> the program that kubectl looks for', () => {
    const line = readCommandLine(['completion'], '0');
    expect(line.kind === 'print' && line.text).toMatch(
      /^#!\/bin\/sh\n[^]*exec kubectl-holdfast __complete "\$@"$/,
    );
  });

  test('every flag that is completed is one that the command takes', async () => {
    const values: Readonly<Record<string, string>> = {
      '--output': 'json',
      '--assume': 'kube-controller-manager=on',
      '--replicas': '1',
      '--cascade': 'orphan',
      '--workloads': 'apps/v1/StatefulSet',
      '--timeout': '5s',
    };
    const plain: Readonly<Record<string, readonly string[]>> = {
      explain: ['pvc', 'a'],
      plan: ['sts', 'a'],
      undo: [],
      uninstall: [],
      status: [],
      leaks: [],
      gates: [],
      preflight: [],
    };
    const needs: Readonly<Record<string, readonly string[]>> = {
      'plan --cascade': ['--delete'],
      'plan --workloads': ['--delete'],
      'plan --output': ['--delete'],
      'status --timeout': ['--wait'],
      'undo --yes': ['--all'],
    };
    for (const [command, words] of Object.entries(plain)) {
      for (const flag of await wordsFor([command, '--'])) {
        const own = [flag ?? '', ...(values[flag ?? ''] === undefined ? [] : [values[flag ?? ''] ?? ''])];
        const isText = ['--namespace', '--context', '--kubeconfig'].includes(flag ?? '');
        const rest =
          needs[`${command} ${flag ?? ''}`] ??
          (command === 'plan' && !['--replicas', '--delete'].includes(flag ?? '') ? ['--delete'] : []);
        const argv = [command, ...words, ...own, ...(isText ? ['x'] : []), ...rest];
        expect(() => readCommandLine(argv, '0')).not.toThrow();
      }
    }
  });
});
