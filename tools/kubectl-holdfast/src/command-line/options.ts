import { parseArgs } from 'node:util';
import { quoted, UsageError } from '@holdfast/runtime';

const options = {
  kubeconfig: { type: 'string' },
  context: { type: 'string' },
  namespace: { type: 'string', short: 'n' },
  'all-namespaces': { type: 'boolean', short: 'A' },
  output: { type: 'string', short: 'o' },
  'insecure-http': { type: 'boolean' },
  assume: { type: 'string', multiple: true },
  workloads: { type: 'string' },
  replicas: { type: 'string' },
  delete: { type: 'boolean' },
  cascade: { type: 'string' },
  wait: { type: 'boolean' },
  watch: { type: 'boolean', short: 'w' },
  timeout: { type: 'string' },
  all: { type: 'boolean' },
  yes: { type: 'boolean' },
  port: { type: 'string' },
  'no-open': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const;

/** The options as they were given, with the texts of their values. */
export type Values = ReturnType<typeof parse>['values'];

const optionNames = Object.keys(options) as readonly (keyof Values)[];

/**
 * Options by which an alias or a wrapper names the cluster and the namespace. Every command takes them, also
 * one without namespaces, as `kubectl get nodes -n shop` does: they change nothing there.
 */
const takenEverywhere: ReadonlySet<keyof Values> = new Set([
  'kubeconfig',
  'context',
  'namespace',
  'insecure-http',
]);

/**
 * Splits a command line into options and other words.
 *
 * @throws UsageError for an unknown option, and for a value too many or too few
 */
export function parse(argv: readonly string[]) {
  // kubectl accepts `-o=json` as well as `-o json` and `-ojson`.
  const args = argv.map((word) => word.replace(/^-([a-zA-Z])=/, '-$1'));
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const ambiguous = /^Option '([^']+)' argument is ambiguous[^]* use '(--[^=']+)=/.exec(message);
    if (ambiguous !== null) {
      const [, given = '', flag = ''] = ambiguous;
      const value = args.find((word, index) => args[index - 1] === given && word.startsWith('-')) ?? '';
      throw new UsageError(`${given} needs a value; if ${quoted(value)} is it, write ${flag}=${value}`);
    }
    const [first = ''] = message.split('. ');
    throw new UsageError(`${first}; see kubectl holdfast --help`);
  }
}

/** Splits an incomplete command line, whatever is wrong with it. */
export function parseLeniently(argv: readonly string[]) {
  return parseArgs({ args: [...argv], options, allowPositionals: true, strict: false });
}

/** @throws UsageError if one of these options was given */
export function refuse(values: Values, names: readonly (keyof Values)[], command: string): void {
  const given = names.find((name) => values[name] !== undefined);
  if (given !== undefined) {
    throw new UsageError(`${command} takes no --${given}; leave it out`);
  }
}

/** @throws UsageError if an option was given that does more than name the cluster and the namespace */
export function refuseAllButPlace(values: Values, command: string): void {
  refuse(
    values,
    optionNames.filter((name) => !takenEverywhere.has(name)),
    command,
  );
}

/** @throws UsageError if there is a word */
export function refuseWords([word]: readonly string[], command: string): void {
  if (word !== undefined) {
    throw new UsageError(`${command} takes no argument ${quoted(word)}; leave it out`);
  }
}
