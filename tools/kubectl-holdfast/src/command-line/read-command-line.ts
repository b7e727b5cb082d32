import { quoted, UsageError } from '@holdfast/runtime';
import { stockFeatures, type AppName } from '../cluster/release.ts';
import { completionScript } from '../completion-script.ts';
import { cascadeOf, flagsOf, namespaceOf, portOf, replicasOf, timeoutOf } from './flag-values.ts';
import { commands, helpOf } from './help.ts';
import { kindOf, objectOf, setOf } from './named-objects.ts';
import { parse, parseLeniently, refuse, refuseAllButPlace, refuseWords, type Values } from './options.ts';
import type { CommandLine, GlobalFlags, Request } from './request.ts';

/**
 * Reads the command line.
 *
 * @throws UsageError naming the argument, its value and what is allowed
 */
export function readCommandLine(argv: readonly string[], version: string): CommandLine {
  if (argv[0] === '__complete') {
    return { kind: 'complete', words: argv.slice(1) };
  }
  const { values, positionals } = parse(argv);
  const [verb, ...words] = positionals;
  if (values.version === true) {
    return { kind: 'print', text: `kubectl-holdfast ${version}` };
  }
  if (verb === 'completion' && values.help !== true) {
    refuseWords(words, verb);
    refuseAllButPlace(values, verb);
    return { kind: 'print', text: completionScript.trimEnd() };
  }
  if (verb === undefined || verb === 'help' || values.help === true) {
    return { kind: 'print', text: helpOf(verb === 'help' ? words[0] : verb) };
  }
  const request = requestOf(verb, words, values);
  const watch = values.watch === true;
  if (watch && request.kind !== 'explain' && request.kind !== 'status') {
    throw new UsageError(`${verb} takes no --watch; explain and status do`);
  }
  if (request.kind === 'status' && request.patience !== undefined && watch) {
    throw new UsageError('--wait and --watch contradict each other; leave one out');
  }
  const yes = values.yes === true;
  if (yes && request.kind !== 'keep' && request.kind !== 'uninstall') {
    throw new UsageError(`${verb} writes nothing, and takes no --yes; leave it out`);
  }
  if (values.all === true && request.kind !== 'keep') {
    throw new UsageError(`${verb} takes no --all; leave it out`);
  }
  if (verb !== 'view') {
    refuse(values, ['port', 'no-open'], verb);
  }
  const flags = flagsOf(values);
  if (flags.allNamespaces) {
    refuseEverywhere(request, verb);
  }
  return { kind: 'run', request, flags, watch, yes };
}

/** Reads the flags of an incomplete command line, for completion. Invalid flags count as not given. */
export function readFlags(
  words: readonly string[],
): Pick<GlobalFlags, 'kubeconfig' | 'context' | 'namespace' | 'insecureHttp'> {
  const { values } = parseLeniently(words.slice(0, -1));
  const text = (name: 'kubeconfig' | 'context' | 'namespace'): string | undefined => {
    const value = values[name];
    return typeof value === 'string' ? value : undefined;
  };
  return {
    kubeconfig: text('kubeconfig'),
    context: text('context'),
    namespace: text('namespace'),
    insecureHttp: values['insecure-http'] === true,
  };
}

function requestOf(verb: string, words: readonly string[], values: Values): Request {
  switch (verb) {
    case 'explain': {
      refuse(values, ['replicas', 'delete', 'cascade', 'wait', 'timeout', 'workloads'], verb);
      const { kind, name } = objectOf(words, 'explain pvc|pv|sts|sc NAME');
      if (kind === 'pv' || kind === 'sc') {
        refuse(values, ['assume'], `explain ${kind}`);
      }
      return { kind: 'explain', of: kind, name };
    }
    case 'plan': {
      refuse(values, ['wait', 'timeout'], verb);
      const { of, name } = setOf(words);
      if ((values.replicas === undefined) === (values.delete !== true)) {
        throw new UsageError('plan needs either --replicas N or --delete; see kubectl holdfast plan --help');
      }
      if (values.replicas !== undefined) {
        refuse(values, ['cascade'], 'plan --replicas');
        return { kind: 'scale', of, name, replicas: replicasOf(values.replicas) };
      }
      return { kind: 'delete', of, name, cascade: cascadeOf(values.cascade ?? 'background') };
    }
    case 'status':
      refuse(values, ['replicas', 'delete', 'cascade', 'workloads', 'assume', 'all-namespaces'], verb);
      refuseWords(words, verb);
      if (values.timeout !== undefined && values.wait !== true) {
        throw new UsageError('--timeout is for --wait; add that, or leave it out');
      }
      return {
        kind: 'status',
        patience: values.wait === true ? timeoutOf(values.timeout ?? '5m') : undefined,
      };
    case 'undo': {
      refuse(values, ['replicas', 'delete', 'cascade', 'wait', 'timeout', 'workloads', 'assume'], verb);
      return undoOf(words, values.all === true);
    }
    case 'uninstall':
      refuse(values, ['replicas', 'delete', 'cascade', 'wait', 'workloads', 'assume'], verb);
      return {
        kind: 'uninstall',
        apps: words.map(appOf),
        namespace: namespaceOf(values),
        timeout: timeoutOf(values.timeout ?? '10m'),
      };
    case 'preflight':
    case 'gates':
    case 'leaks':
      refuse(values, ['replicas', 'delete', 'cascade', 'wait', 'timeout', 'workloads', 'assume'], verb);
      refuse(values, ['all-namespaces'], verb);
      refuseWords(words, verb);
      return { kind: verb };
    case 'view':
      refuse(
        values,
        ['replicas', 'delete', 'cascade', 'wait', 'timeout', 'workloads', 'output', 'assume'],
        verb,
      );
      refuseWords(words, verb);
      return { kind: 'view', port: portOf(values.port ?? '0'), open: values['no-open'] !== true };
    default:
      throw new UsageError(`there is no command ${quoted(verb)}; there are ${commands.join(', ')}`);
  }
}

/**
 * Without words, lists what is in an undo window; with `pvc a b`, `pvc/a pvc/b` or `--all`, keeps these
 * objects.
 */
function undoOf(words: readonly string[], all: boolean): Request {
  const [first] = words;
  if (first === undefined) {
    return all ? { kind: 'keep', these: undefined } : { kind: 'undo' };
  }
  if (all) {
    throw new UsageError(`--all and ${quoted(first)} contradict each other; leave one out`);
  }
  const [type = ''] = first.split('/');
  const kind = kindOf(type);
  if (kind !== 'pvc' && kind !== 'pv') {
    throw new UsageError(`undo keeps claims and volumes, not ${quoted(type)}: undo pvc NAME...`);
  }
  const names = first.includes('/')
    ? words.map((word) => (word.startsWith(`${type}/`) ? word.slice(type.length + 1) : ''))
    : words.slice(1);
  if (names.length === 0 || names.some((name) => name === '' || name.includes('/'))) {
    throw new UsageError(`name what is to be kept, all of one kind: undo ${type} NAME...`);
  }
  return { kind: 'keep', these: { of: kind, names: [...new Set(names)] } };
}

function appOf(word: string): AppName {
  const known = Object.keys(stockFeatures) as readonly AppName[];
  const app = known.find((each) => each === word);
  if (app === undefined) {
    throw new UsageError(`${quoted(word)} is no controller of Holdfast; there are ${known.join(', ')}`);
  }
  return app;
}

/**
 * An object is looked up by name in one namespace. Without this error, --all-namespaces would silently mean
 * the namespace of the context.
 */
function refuseEverywhere(request: Request, command: string): void {
  const named =
    request.kind === 'explain' || request.kind === 'scale' || request.kind === 'delete'
      ? request.name
      : request.kind === 'keep' && request.these?.of === 'pvc'
        ? request.these.names.join(' ')
        : undefined;
  if (named !== undefined) {
    throw new UsageError(
      `${command} of ${quoted(named)} is in one namespace: name it with -n instead of --all-namespaces`,
    );
  }
}
