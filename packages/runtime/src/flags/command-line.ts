import { parseArgs } from 'node:util';
import { loadAll } from 'js-yaml';
import { environmentPrefix, objectName, type ProgramIdentity } from '../identity/program-identity.ts';
import { legible } from '../logging/legible.ts';
import { quoted } from '../logging/quoted.ts';
import { builtIn, flagName } from './flag-name.ts';
import type { FlagTable, FlagValues } from './flags.ts';
import { isOneSlip, lettersOf } from './misspelling.ts';
import { readNamedFile } from './read-file.ts';
import { serviceVariables } from './service-variables.ts';

/** A program with its purpose and its flags. */
export interface Command<Table extends FlagTable> extends ProgramIdentity {
  readonly version: string;
  /** One or two sentences at the top of `--help`. */
  readonly description: string;
  readonly flags: Table;
  /**
   * Checks all flags together, for example two that contradict each other; returns what is wrong, in one
   * line.
   */
  readonly check?: (values: FlagValues<Table>) => string | undefined;
  /** Printed below the flags. */
  readonly epilogue?: string;
}

/**
 * Thrown for an invalid command line, environment or config file; the message is one line that names the
 * cause and the way out.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError';

  constructor(message: string) {
    super(legible(message));
  }
}

/** The result of a command line: a run with these values, or a text to print, such as that of `--help`. */
export type CommandLine<Table extends FlagTable> =
  | {
      readonly kind: 'run';
      readonly values: FlagValues<Table>;
      /** The texts that the values were parsed from, including defaults, by the flags' names. */
      readonly texts: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'print'; readonly text: string };

interface Given {
  readonly text: string;
  /**
   * Where the text was given, for messages: `--kube-api-qps`, `ACME_SITES_KUBE_API_QPS`, `kube-api-qps in
   * FILE`.
   */
  readonly source: string;
}

/**
 * Reads the values of all flags. The command line wins over the environment, the environment over the config
 * file (`--config`, YAML with the flags' names), and the config file over the defaults. If a flag is given
 * twice, the last one counts; a list flag joins all of them.
 *
 * @throws UsageError naming the flag, the value and what is allowed; also for what the command's own check
 *   finds wrong.
 */
export function parseCommandLine<Table extends FlagTable>(
  command: Command<Table>,
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): CommandLine<Table> {
  const names = new Map(Object.keys(command.flags).map((key) => [flagName(key), key]));
  const fromArguments = readArguments(command.flags, names, argv);
  if (fromArguments.has('help')) {
    return { kind: 'print', text: helpText(command) };
  }
  if (fromArguments.has('version')) {
    return { kind: 'print', text: `${command.name} ${command.version}` };
  }
  const fromEnvironment = readEnvironment(command, names, env);
  const file = fromArguments.get('config') ?? fromEnvironment.get('config');
  const fromFile = file === undefined ? new Map<string, Given>() : readConfigFile(file, names);

  const values: Record<string, unknown> = {};
  const texts: Record<string, string> = {};
  for (const [name, key] of names) {
    const flag = command.flags[key];
    const fallback = flag?.default === undefined ? undefined : { text: flag.default, source: `--${name}` };
    const given = fromArguments.get(name) ?? fromEnvironment.get(name) ?? fromFile.get(name) ?? fallback;
    if (flag === undefined || given === undefined) {
      continue;
    }
    const result = flag.schema.safeParse(given.text);
    if (!result.success) {
      const problems = result.error.issues.map((issue) => issue.message);
      throw new UsageError(`${given.source}: ${quoted(given.text)} can't be taken: ${problems.join('; ')}`);
    }
    values[key] = result.data;
    texts[name] = given.text;
  }
  const problem = command.check?.(values as FlagValues<Table>);
  if (problem !== undefined) {
    throw new UsageError(problem);
  }
  return { kind: 'run', values: values as FlagValues<Table>, texts };
}

function readArguments(
  flags: FlagTable,
  names: ReadonlyMap<string, string>,
  argv: readonly string[],
): Map<string, Given> {
  const isSwitch = (name: string): boolean => {
    const key = names.get(name);
    return key === undefined ? name !== 'config' : flags[key]?.placeholder === undefined;
  };
  const isList = (name: string): boolean => flags[names.get(name) ?? '']?.isList === true;
  const known = [...names.keys(), ...builtIn];
  const { tokens } = parseArgs({
    args: [...argv],
    strict: false,
    tokens: true,
    allowPositionals: true,
    options: {
      ...Object.fromEntries(
        known.map((name) => [name, { type: isSwitch(name) ? 'boolean' : 'string' }] as const),
      ),
      help: { type: 'boolean', short: 'h' },
    },
  });
  const given = new Map<string, Given>();
  for (const token of tokens) {
    if (token.kind === 'positional') {
      throw new UsageError(
        `unexpected argument ${quoted(token.value)}: flags take their value as --flag=value; see --help`,
      );
    }
    if (token.kind === 'option') {
      if (!known.includes(token.name)) {
        throw new UsageError(`unknown flag ${token.rawName}${nearest(token.name, known)}; see --help`);
      }
      const text = token.value ?? (isSwitch(token.name) ? 'true' : undefined);
      if (text === undefined) {
        throw new UsageError(`--${token.name} needs a value; see --help`);
      }
      const before = isList(token.name) ? given.get(token.name)?.text : undefined;
      const joined = [before, text].filter((each) => each !== undefined && each !== '').join(',');
      given.set(token.name, { text: joined, source: `--${token.name}` });
    }
  }
  return given;
}

function nearest(name: string, known: readonly string[]): string {
  const close =
    known.find((each) => lettersOf(each) === lettersOf(name)) ??
    known.find((each) => each.startsWith(name)) ??
    known.find((each) => name.startsWith(each)) ??
    known.find((each) => isOneSlip(lettersOf(each), lettersOf(name)));
  return close === undefined ? '' : ` (is it --${close}?)`;
}

/**
 * @throws UsageError for a variable that is misspelled. To ignore `..._DRYRUN` or `..._NAMESAPCES` would write
 *   what was to be tried only, or everywhere instead of in one namespace. So would `ACME_SITES_DRY_RUN` of a
 *   program whose suite is `acme`, where the variable is `ACME_DRY_RUN`. Variables that resemble no flag are
 *   others', and so are those that Kubernetes sets for each Service. In a name of three letters, one that is
 *   another is no slip. In one of four, it can be another word, such as `NODE` for `MODE`, and is a slip only with
 *   a value that the flag takes.
 */
function readEnvironment(
  program: ProgramIdentity & { readonly flags: FlagTable },
  names: ReadonlyMap<string, string>,
  env: Readonly<Record<string, string | undefined>>,
): Map<string, Given> {
  const given = new Map<string, Given>();
  const prefix = environmentPrefix(program);
  const ofServices = serviceVariables(env);
  const sources = [...names.keys(), 'config'].map((name) => ({
    name,
    source: `${prefix}${name.replaceAll('-', '_').toUpperCase()}`,
  }));
  for (const { name, source } of sources) {
    const text = env[source];
    if (text !== undefined && text !== '' && !ofServices.has(source)) {
      given.set(name, { text, source });
    }
  }
  const own = objectName(program);
  const spellings = sources.flatMap(({ name, source }) =>
    [lettersOf(`${own}${name}`), lettersOf(source)].map((letters) => ({ letters, name, source })),
  );
  const meant = new Map(spellings.map(({ letters, source }) => [letters, source]));
  const long = spellings.filter(({ name }) => name.length > 3);
  const takes = (name: string, text: string): boolean =>
    program.flags[names.get(name) ?? '']?.schema.safeParse(text).success !== false;
  const almost = (letters: string, text: string): string | undefined =>
    long.find((each) => isOneSlip(each.letters, letters) && (each.name.length > 4 || takes(each.name, text)))
      ?.source;
  const read = new Set(sources.map(({ source }) => source));
  for (const [variable, text = ''] of Object.entries(env)) {
    if (read.has(variable) || ofServices.has(variable)) {
      continue;
    }
    const letters = lettersOf(variable);
    const close = meant.get(letters) ?? almost(letters, text);
    // On Windows, names have no case, so the flag has this text already.
    if (close !== undefined && text !== '' && env[close] !== text) {
      throw new UsageError(`${variable} sets no flag (is it ${close}?)`);
    }
  }
  return given;
}

function readConfigFile(file: Given, names: ReadonlyMap<string, string>): Map<string, Given> {
  let content: unknown;
  try {
    const documents = loadAll(readNamedFile(file.text).toString('utf8'));
    if (documents.length > 1) {
      throw new Error('it holds more than one YAML document');
    }
    content = documents[0];
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error);
    throw new UsageError(`${file.source}: ${file.text} can't be read: ${reason}`);
  }
  if (content === undefined || content === null) {
    return new Map();
  }
  if (typeof content !== 'object' || Array.isArray(content)) {
    throw new UsageError(`${file.source}: ${file.text} must be a mapping of flag names to values`);
  }
  const given = new Map<string, Given>();
  for (const [name, value] of Object.entries(content)) {
    const source = `${name} in ${file.text}`;
    if (!names.has(name)) {
      throw new UsageError(`${source}: there is no such flag${nearest(name, [...names.keys()])}`);
    }
    given.set(name, { text: flagText(value, source), source });
  }
  return given;
}

/** Writes lists and mappings as on the command line: `a,b` and `A=true,B=false`. */
function flagText(value: unknown, source: string): string {
  if (Array.isArray(value)) {
    return value.map((each) => scalarText(each, source)).join(',');
  }
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value)
      .map(([key, each]) => `${key}=${scalarText(each, source)}`)
      .join(',');
  }
  return scalarText(value, source);
}

function scalarText(value: unknown, source: string): string {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    return String(value);
  }
  throw new UsageError(
    value === undefined || value === null
      ? `${source}: has no value`
      : // Without the value: somebody might have put a kubeconfig in here.
        `${source}: ${Array.isArray(value) ? 'a list' : 'a mapping'} can't be taken: expected a text, a number or true or false`,
  );
}

function helpText(command: Omit<Command<FlagTable>, 'check'>): string {
  const rows = Object.entries(command.flags).map(([key, flag]) => {
    const name = `--${flagName(key)}`;
    const shown = flag.placeholder === undefined ? `${name}[=BOOL]` : `${name} ${flag.placeholder}`;
    const fallback = flag.default === undefined || flag.default === '' ? '' : ` (default ${flag.default})`;
    return [shown, `${flag.description}${fallback}`] as const;
  });
  rows.push(
    [
      '--config FILE',
      'YAML file with values for these flags, by name; the command line and the environment override it.',
    ],
    ['--version', 'Print the version and exit.'],
    ['-h, --help', 'Print this and exit.'],
  );
  const width = Math.max(...rows.map(([shown]) => shown.length)) + 2;
  return [
    `${command.name} ${command.version}: ${command.description}`,
    '',
    `Flags (each can also be set in the environment as ${environmentPrefix(command)}<NAME>, in upper case with _ for -):`,
    ...rows.map(([shown, description]) => `  ${shown.padEnd(width)}${description}`),
    ...(command.epilogue === undefined ? [] : ['', command.epilogue]),
  ].join('\n');
}
