import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseCommandLine, UsageError } from '@holdfast/runtime';
import fc from 'fast-check';
import { appNames, commandOf, type AppName } from '../apps.ts';
import { anyText } from '../any-text.ts';
import type { Target } from '../target.ts';

interface CommandLineInput {
  readonly app: AppName;
  /** `CONFIG` stands for the path of the file. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The content of the config file. */
  readonly hex: string;
}

/** The longest message of a process that a person can still read. */
const longestMessage = 1_000;
/** The maximum number of workers of one process. */
const mostWorkers = 1_000;

const values: readonly string[] = [
  '',
  ' ',
  '0',
  '-1',
  '1e9',
  '1e308',
  'Infinity',
  'NaN',
  '0x10',
  '9007199254740993',
  '1.5',
  'true',
  'TRUE',
  'yes',
  '1s',
  '0s',
  '-1s',
  '1d',
  '99999999999999999999h',
  '0.0000000001ns',
  '1h'.repeat(60),
  'a,b,',
  ',',
  'A=true',
  'AllAlpha=true,AllBeta=false',
  '__proto__=true',
  'constructor',
  ':0',
  ':65536',
  '[::1]:0',
  '[::::]:1',
  '0:0:0',
  'unix:///csi.sock',
  '/',
  '/../etc',
  'none',
  'apps/v1/StatefulSet',
  'apps/v1/StatefulSet,apps/v1/StatefulSet',
  'https://example.com',
  '名前',
  '\u202egnp.exe',
  'a\nb',
  '\u001b[31mred\u001b[0m',
  'x'.repeat(100_000),
  '"quoted"',
  '--',
  '=',
];

const files: readonly string[] = [
  '',
  '\ufeff',
  '\ufeffdry-run: true\n',
  'dry-run: true\r\nlog-level: warn\r\n',
  'dry-run: [true, [false]]\n',
  'dry-run:\n',
  'a: &a [x]\nb: &b [*a,*a]\nc: [*b,*b]\n',
  '- dry-run\n',
  'dry-run\n',
  '7\n',
  '---\na: b\n---\nc: d\n',
  '{',
  'namespaces: [1, true, 2026-01-01]\n',
  '__proto__: x\n',
  'constructor: x\n',
  'kube-api-qps: .inf\n',
  'kube-api-qps: !!binary aGVsbG8=\n',
  'kubeconfig: |\n  users:\n  - token: x\n',
  '? {a: b}\n: c\n',
  `log-level: ${'x'.repeat(100_000)}\n`,
  `${'x'.repeat(100_000)}: 1\n`,
  '[ '.repeat(5_000),
  '\u0000\u0001\u0002',
  'log-level: "\\e[31m"\n',
];

const value = fc.oneof(fc.constantFrom(...values), anyText(20));

const input: fc.Arbitrary<CommandLineInput> = fc.constantFrom(...appNames).chain((app) => {
  const names = [...Object.keys(commandOf(app).flags).map(kebab), 'config', 'help', 'version'];
  const name = fc.oneof({ arbitrary: fc.constantFrom(...names), weight: 8 }, { arbitrary: value, weight: 1 });
  const argument = fc.oneof(
    { arbitrary: fc.tuple(name, value).map(([flag, text]) => [`--${flag}=${text}`]), weight: 6 },
    { arbitrary: fc.tuple(name, value).map(([flag, text]) => [`--${flag}`, text]), weight: 3 },
    { arbitrary: name.map((flag) => [`--${flag}`]), weight: 1 },
    { arbitrary: name.map((flag) => [`--no-${flag}`]), weight: 1 },
    { arbitrary: value.map((text) => [text]), weight: 1 },
    { arbitrary: fc.constant(['--config=CONFIG']), weight: 3 },
  );
  const variable = fc.tuple(
    name.map((flag) => `HOLDFAST_${flag.replaceAll('-', '_').toUpperCase()}`),
    value,
  );
  return fc.record({
    app: fc.constant(app),
    argv: fc.array(argument, { maxLength: 3 }).map((all) => all.flat()),
    env: fc.array(variable, { maxLength: 2 }).map((all) => Object.fromEntries(all)),
    hex: fc
      .oneof(
        fc.constantFrom(...files).map((text) => Buffer.from(text)),
        fc
          .tuple(fc.constantFrom(...names), value)
          .map(([flag, text]) => Buffer.from(`${flag}: ${JSON.stringify(text)}\n`)),
        fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
      )
      .map((bytes) => bytes.toString('hex')),
  });
});

/**
 * A command line, an environment and a config file: they are accepted, or refused in one line that a person
 * can read.
 */
export const commandLines: Target<CommandLineInput> = {
  name: 'command-lines',
  input,
  play: ({ app, argv, env, hex }) => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-fuzz-'));
    try {
      const file = join(folder, 'config.yaml');
      writeFileSync(file, Buffer.from(hex, 'hex'));
      const given = argv.map((each) => each.replace('CONFIG', () => file));
      const names = [...given, ...Object.keys(env), file];
      check(() => parseCommandLine(commandOf(app), given, env), names);
    } finally {
      rmSync(folder, { recursive: true });
    }
    return Promise.resolve();
  },
};

function check(parse: () => ReturnType<typeof parseCommandLine>, given: readonly string[]): void {
  let line: ReturnType<typeof parseCommandLine>;
  try {
    line = parse();
  } catch (error) {
    if (!(error instanceof UsageError)) {
      throw new Error(`something else than a UsageError: ${String(error)}`, { cause: error });
    }
    const { message } = error;
    if (/\p{Cc}|\p{Bidi_Control}/u.test(message)) {
      throw new Error(`the message has control characters: ${JSON.stringify(message.slice(0, 200))}`, {
        cause: error,
      });
    }
    if (message.length > longestMessage) {
      throw new Error(`the message has ${String(message.length)} characters: ${message.slice(0, 200)}`, {
        cause: error,
      });
    }
    const isNamed =
      /--|HOLDFAST_|argument|flag/.test(message) || given.some((each) => message.includes(each));
    if (!isNamed) {
      throw new Error(`the message names no flag: ${message}`, { cause: error });
    }
    return;
  }
  if (line.kind === 'run') {
    const workers = (line.values as { readonly concurrentSyncs: number }).concurrentSyncs;
    if (workers > mostWorkers) {
      throw new Error(`${String(workers)} workers would be started`);
    }
  }
}

function kebab(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
