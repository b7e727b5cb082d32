import { describe, expect, test } from '@jest/globals';
import { UsageError } from '@holdfast/runtime';
import { readCommandLine } from '../src/command-line/read-command-line.ts';
import { print, type Answer } from '../src/output/print.ts';
import { table } from '../src/output/table.ts';

const read = (...argv: readonly string[]) => readCommandLine(argv, '0.1.0');
const requestOf = (...argv: readonly string[]) => {
  const line = read(...argv);
  return line.kind === 'run' ? line.request : undefined;
};

test.each([
  [['explain', 'pvc', 'data-web-0'], { kind: 'explain', of: 'pvc', name: 'data-web-0' }],
  [['explain', 'persistentvolumes/pv-1'], { kind: 'explain', of: 'pv', name: 'pv-1' }],
  [['explain', 'StatefulSet', 'web'], { kind: 'explain', of: 'sts', name: 'web' }],
  [['-n', 'shop', 'explain', 'sc', 'fast', '-o', 'json'], { kind: 'explain', of: 'sc', name: 'fast' }],
  [['plan', 'sts', 'web', '--replicas', '3'], { kind: 'scale', name: 'web', replicas: 3 }],
  [['plan', 'sts/web', '--replicas=0'], { kind: 'scale', name: 'web', replicas: 0 }],
  [
    ['plan', 'statefulsets.apps.kruise.io', 'web', '--delete'],
    { kind: 'delete', of: 'statefulsets.apps.kruise.io', name: 'web', cascade: 'background' },
  ],
  [['plan', 'sts', 'web', '--delete'], { kind: 'delete', name: 'web', cascade: 'background' }],
  [
    ['plan', 'sts', 'web', '--delete', '--cascade', 'orphan'],
    { kind: 'delete', name: 'web', cascade: 'orphan' },
  ],
  [['status'], { kind: 'status', patience: undefined }],
  [['status', '--wait'], { kind: 'status', patience: 300_000 }],
  [['status', '--wait', '--timeout=90s'], { kind: 'status', patience: 90_000 }],
  [['undo', '-A'], { kind: 'undo' }],
  [['view'], { kind: 'view', port: 0, open: true }],
  [['view', '-A', '--port', '8090', '--no-open'], { kind: 'view', port: 8090, open: false }],
  [['preflight'], { kind: 'preflight' }],
  [['undo', 'pvc', 'a', 'b', 'a'], { kind: 'keep', these: { of: 'pvc', names: ['a', 'b'] } }],
  [['undo', 'pv/a', 'pv/b', '--yes'], { kind: 'keep', these: { of: 'pv', names: ['a', 'b'] } }],
  [['undo', '--all', '-A'], { kind: 'keep', these: undefined }],
  [['uninstall'], { kind: 'uninstall', apps: [], namespace: undefined, timeout: 600_000 }],
  [['uninstall', '-n', 'shop'], { kind: 'uninstall', apps: [], namespace: 'shop', timeout: 600_000 }],
  [
    ['uninstall', 'pvc-protection', '--timeout', '30s'],
    { kind: 'uninstall', apps: ['pvc-protection'], timeout: 30_000 },
  ],
])('%j -> %j', (argv, request) => {
  expect(requestOf(...argv)).toEqual(request);
});

test.each([['status'], ['gates'], ['preflight'], ['leaks'], ['completion']])(
  '%s with -n, as an alias might add it -> taken, as kubectl takes it for nodes',
  (verb) => {
    expect(() => read(verb, '-n', 'shop', '--context', 'c', '--kubeconfig', '/x')).not.toThrow();
  },
);

test('namespace of no characters -> that of the context, as kubectl has it', () => {
  const line = read('undo', '--all', '-n', '');
  expect(line.kind === 'run' && line.flags.namespace).toBeUndefined();
});

test.each([
  [['explain', 'pvc', 'a', '-w'], true],
  [['status', '--watch'], true],
  [['status'], false],
])('%j -> followed: %s', (argv, watch) => {
  const line = read(...argv);
  expect(line.kind === 'run' && line.watch).toBe(watch);
});

test.each([['-o', 'json'], ['-o=json'], ['-ojson'], ['--output', 'json'], ['--output=json']])(
  '%s %s -> JSON',
  (...flag) => {
    const line = read('explain', 'pvc', 'a', ...flag);
    expect(line.kind === 'run' && line.flags.output).toBe('json');
  },
);

test.each([
  [['plna'], /no command "plna"; there are explain, plan, status/],
  [['explain'], /name an object/],
  [['explain', 'pod', 'web-0'], /"pod" is not a known kind.*pvc, pv, sts or sc/],
  [['explain', 'pvc'], /name one object/],
  [['explain', 'pvc', 'a', 'b'], /name one object/],
  [['explain', 'pvc', 'a', '--replicas', '1'], /explain takes no --replicas/],
  [['plan', 'sts', 'web'], /either --replicas N or --delete/],
  [['plan', 'sts', 'web', '--delete', '--replicas', '1'], /either --replicas N or --delete/],
  [['plan', 'pvc', 'web', '--delete'], /plan is for StatefulSets, .*not for "pvc"/],
  [['plan', 'cloneset', 'web', '--delete'], /with their group, not for "cloneset"/],
  [['plan', 'sts', 'web', '--delete', '--workloads', 'Set'], /--workloads: "Set".*group\/version\/Kind/],
  [['plan', 'sts', 'web', '--replicas', '-1'], /replicas/],
  [['plan', 'sts', 'web', '--replicas', '4294967296'], /--replicas: "4294967296"/],
  [
    ['plan', 'sts', 'web', '--delete', '--cascade', 'true'],
    /--cascade: "true".*background, foreground or orphan/,
  ],
  [['view', '--port', '65536'], /--port: "65536".*0 to 65535/],
  [['view', '--port', 'http'], /--port: "http"/],
  [['view', 'sts'], /view takes no argument "sts"/],
  [['view', '-o', 'json'], /view takes no --output/],
  [['undo', '--port', '1'], /undo takes no --port/],
  [['leaks', '--no-open'], /leaks takes no --no-open/],
  [['explain', 'pvc', 'a', '-o', 'wide'], /--output: "wide".*json, yaml, name/],
  [['explain', 'pvc', 'a', '-n', 'b', '-A'], /contradict/],
  [['explain', 'pvc', 'a', '-A'], /explain of "a" is in one namespace: name it with -n/],
  [['plan', 'sts', 'web', '--delete', '-A'], /plan of "web" is in one namespace/],
  [['undo', 'pvc', 'a', 'b', '-A'], /undo of "a b" is in one namespace/],
  [['explain', 'pvc', 'a', '--assume', 'me=on'], /--assume: "me=on".*kube-controller-manager=on\|off/],
  [['explain', 'pvc', 'a', '--nope'], /--nope/],
  [
    ['plan', 'sts', 'web', '--replicas', '-1'],
    /^--replicas needs a value; if "-1" is it, write --replicas=-1$/,
  ],
  [['status', '-n', '--wait'], /^-n needs a value; if "--wait" is it, write --namespace=--wait$/],
  [['status', '--timeout', '5m'], /--timeout is for --wait/],
  [['status', '--wait', '--timeout', 'long'], /--timeout: "long".*duration/],
  [['undo', 'pvc'], /name what is to be kept, all of one kind: undo pvc NAME/],
  [['undo', 'pvc/a', 'pv/b'], /all of one kind/],
  [['undo', 'sts', 'a'], /undo keeps claims and volumes, not "sts"/],
  [['undo', 'pvc', 'a', '--all'], /--all and "pvc" contradict/],
  [['undo', '--yes'], /undo writes nothing, and takes no --yes/],
  [['leaks', '--all'], /leaks takes no --all/],
  [['gates', '--assume', 'kube-controller-manager=off'], /gates takes no --assume; leave it out/],
  [['undo', '--assume', 'kube-controller-manager=off'], /undo takes no --assume; leave it out/],
  [['uninstall', '--assume', 'kube-controller-manager=off'], /uninstall takes no --assume/],
  [['explain', 'pv', 'a', '--assume', 'kube-controller-manager=off'], /explain pv takes no --assume/],
  [['status', '-A'], /status takes no --all-namespaces; leave it out/],
  [['leaks', '-A'], /leaks takes no --all-namespaces; leave it out/],
  [['completion', '-o', 'json'], /completion takes no --output; leave it out/],
  [['completion', '-A'], /completion takes no --all-namespaces; leave it out/],
  [['uninstall', 'everything'], /"everything" is no controller of Holdfast; there are pvc-protection/],
  [['leaks', 'pv-1'], /leaks takes no argument "pv-1"/],
  [['plan', 'sts', 'web', '--delete', '--wait'], /plan takes no --wait/],
  [['plan', 'sts', 'web', '--delete', '-w'], /plan takes no --watch; explain and status do/],
  [['status', '--wait', '-w'], /--wait and --watch contradict/],
])('%j -> refused, with what is wrong and the way out', (argv, message) => {
  const refused = () => read(...argv);
  expect(refused).toThrow(UsageError);
  expect(refused).toThrow(message);
});

test.each([[[]], [['--help']], [['explain', '-h']], [['help', 'plan']], [['plan', '--help']]])(
  '%j -> help, with exit codes',
  (argv: readonly string[]) => {
    const line = read(...argv);
    expect(line.kind === 'print' && line.text).toMatch(/Usage:\n.*kubectl holdfast[^]*Exit codes:/);
  },
);

test('no row ends with blanks, and a narrow column is as wide as its widest cell', () => {
  expect(
    table(
      ['A', 'WHY'],
      [
        ['long name', ''],
        [{ text: 'b', look: 'bad' }, 'c'],
      ],
      { colours: false },
    ),
  ).toEqual(['A           WHY', 'long name', 'b           c']);
});

test('colours -> they take no room', () => {
  const [, row = ''] = table(['A', 'B'], [[{ text: 'goes', look: 'bad' }, 'x']], { colours: true });
  expect(row).toBe('\u001b[31mgoes\u001b[0m   x');
});

describe('an answer', () => {
  const answer: Answer = {
    object: { kind: 'Explanation', ...{ state: 'Bound' } },
    names: ['persistentvolumeclaim/data-web-0'],
    parts: [
      { kind: 'text', lines: ['It is bound.'] },
      { kind: 'table', headings: ['A'], rows: [['b']] },
    ],
    code: 0,
  };

  test.each([
    [undefined, 'It is bound.\n\nA\nb\n'],
    ['name', 'persistentvolumeclaim/data-web-0\n'],
    ['yaml', 'apiVersion: kubectl.holdfast.dev/v1alpha1\nkind: Explanation\nstate: Bound\n'],
    [
      'json',
      '{\n  "apiVersion": "kubectl.holdfast.dev/v1alpha1",\n  "kind": "Explanation",\n  "state": "Bound"\n}\n',
    ],
  ] as const)('as %s -> %j', async (output, text) => {
    expect(await print(answer, output, false)).toBe(text);
  });
});

describe('what others have written', () => {
  /**
   * Colours, a new title, a line feed and a tab, C1, another direction, nothing to see, an astral one, half a
   * character.
   */
  const foul = 'a\u001b[31m\u001b]0;x\u0007\n\tb\u009b1m\u202ec\u200b\u{e0041}\ud800d';
  const escaped =
    'a\\u001b[31m\\u001b]0;x\\u0007\\u000a\\u0009b\\u009b1m\\u202ec\\u200b\\udb40\\udc41\\ud800d';
  const answer: Answer = {
    object: { kind: 'Explanation', ...{ state: foul } },
    names: [foul],
    parts: [
      { kind: 'text', lines: [foul] },
      { kind: 'table', headings: ['A', 'B'], rows: [[{ text: foul, look: 'bad' }, foul]] },
    ],
    code: 0,
  };

  test('as text -> what a terminal would obey, or hide, is written as an escape', async () => {
    const lines = (await print(answer, undefined, false)).split('\n');
    expect(lines[0]).toBe(escaped);
    expect(lines.at(-2)).toBe(`${escaped}   ${escaped}`);
  });

  test('as names -> the same', async () => {
    expect(await print(answer, 'name', false)).toBe(`${escaped}\n`);
  });

  test('as JSON -> nothing that a terminal would obey, and the same when it is read', async () => {
    const text = await print(answer, 'json', false);
    expect(text).not.toMatch(/[^\P{C}\n]/u);
    expect(JSON.parse(text)).toMatchObject({ state: foul });
  });

  test('as YAML -> nothing that a terminal would obey', async () => {
    expect(await print(answer, 'yaml', false)).not.toMatch(/[^\P{C}\n]/u);
  });

  test('too long for anybody to read -> cut, and how much is said', async () => {
    const long = 'x'.repeat(200_000);
    const text = await print({ ...answer, parts: [{ kind: 'text', lines: [long] }] }, undefined, false);
    expect(text).toMatch(/^x{2000}\.\.\. \(198000 characters more\)\n$/);
  });
});
