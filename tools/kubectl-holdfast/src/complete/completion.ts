import { assumable, type Kind } from '../command-line/request.ts';
import { stockFeatures } from '../cluster/release.ts';
import { outputs } from '../output/print.ts';

/** A word that is possible at this place, and its meaning. */
export type Suggestion = readonly [word: string, what?: string];

/** What is possible at the cursor. */
export type Completion =
  | { readonly kind: 'words'; readonly words: readonly Suggestion[] }
  /** Names of objects, which the cluster knows; each is preceded by `prefix`. */
  | {
      readonly kind: 'names';
      readonly of: Kind | 'namespace';
      readonly prefix: string;
      readonly taken: readonly string[];
    }
  /** Contexts of the kubeconfig. */
  | { readonly kind: 'contexts'; readonly prefix: string }
  | { readonly kind: 'files' };

const commands: readonly Suggestion[] = [
  ['explain', 'Explain the state of an object: what holds it, and what happens next'],
  ['plan', 'Predict what happens to the claims of a StatefulSet that is scaled or deleted'],
  ['preflight', 'Check what the cluster does by itself, and which obstacles there are'],
  ['status', 'Show whether the controllers of Holdfast are at work'],
  ['gates', 'List feature gates of Kubernetes and of Holdfast'],
  ['leaks', 'List volumes whose storage is left behind, or might be'],
  ['view', 'Serve a page that draws live what holds what'],
  ['undo', 'List what waits for the end of an undo window, or keep it'],
  ['uninstall', 'Stop controllers, and remove what they have put on objects'],
  ['completion', 'Print the program that lets shells complete these commands'],
  ['help', 'Print help about a command'],
];

const flags: readonly Suggestion[] = [
  ['--namespace', 'Namespace'],
  ['--context', 'Context of the kubeconfig'],
  ['--kubeconfig', 'Kubeconfig file'],
  ['--output', 'json, yaml or name'],
  ['--help', 'Help'],
];

const assume: Suggestion = ['--assume', 'Whether a controller counts as at work'];

const own: Readonly<Record<string, readonly Suggestion[]>> = {
  explain: [['--watch', 'Answer again whenever the answer changes'], assume],
  plan: [
    ['--replicas', 'Plan for this number of replicas'],
    ['--delete', 'Plan for the deletion of the set'],
    ['--cascade', 'background, foreground or orphan'],
    ['--workloads', 'Kinds like StatefulSets'],
    assume,
  ],
  status: [
    ['--watch', 'Answer again whenever the answer changes'],
    ['--wait', 'Wait until all that are deployed are at work'],
    ['--timeout', 'For how long'],
  ],
  undo: [
    ['--all', 'Keep all that wait'],
    ['--all-namespaces', 'Of all namespaces'],
    ['--yes', "Don't ask"],
  ],
  view: [
    ['--all-namespaces', 'All namespaces'],
    ['--port', 'Port of 127.0.0.1 to listen on'],
    ['--no-open', 'Open no browser'],
  ],
  uninstall: [
    ['--yes', "Don't ask"],
    ['--timeout', 'For how long'],
  ],
};

/** Flags whose value is the next word. */
const valued = new Map([
  ...[
    'namespace',
    'context',
    'kubeconfig',
    'output',
    'assume',
    'replicas',
    'cascade',
    'workloads',
    'timeout',
    'port',
  ].map((name) => [`--${name}`, name] as const),
  ['-n', 'namespace'],
  ['-o', 'output'],
]);

/**
 * Returns what can take the place of the last word, given those before it. kubectl gets this from the program
 * `kubectl_complete-holdfast` and passes it to the shell.
 *
 * @param words all words after `kubectl holdfast`; the last one is to be completed, and is empty if nothing
 *   of it is typed yet
 */
export function completionOf(words: readonly string[]): Completion {
  const before = words.slice(0, -1);
  const word = words.at(-1) ?? '';
  const awaited = valued.get(before.at(-1) ?? '');
  if (awaited !== undefined) {
    return valuesOf(awaited, '');
  }
  const [, flag = ''] = /^(--[^=]+)=/.exec(word) ?? [];
  if (flag !== '') {
    return valuesOf(flag.slice(2), `${flag}=`);
  }
  const [verb, ...rest] = positionalsOf(before);
  if (word.startsWith('-')) {
    return { kind: 'words', words: [...flags, ...(own[verb ?? ''] ?? [])] };
  }
  return verb === undefined ? { kind: 'words', words: commands } : argumentsOf(verb, rest, word);
}

function positionalsOf(words: readonly string[]): readonly string[] {
  return words.filter((word, index) => !word.startsWith('-') && !valued.has(words[index - 1] ?? ''));
}

function argumentsOf(verb: string, rest: readonly string[], word: string): Completion {
  const kindsOf: Readonly<Record<string, readonly Kind[]>> = {
    explain: ['pvc', 'pv', 'sts', 'sc'],
    plan: ['sts'],
    undo: ['pvc', 'pv'],
  };
  const kinds = kindsOf[verb];
  if (kinds !== undefined) {
    return objectsOf(kinds, rest, word, verb === 'undo');
  }
  switch (verb) {
    case 'uninstall':
      return {
        kind: 'words',
        words: Object.keys(stockFeatures).flatMap((app) => (rest.includes(app) ? [] : [[app] as const])),
      };
    case 'help':
      return { kind: 'words', words: rest.length === 0 ? commands : [] };
    default:
      return { kind: 'words', words: [] };
  }
}

/** @param several whether more than one name can be given */
function objectsOf(
  kinds: readonly Kind[],
  rest: readonly string[],
  word: string,
  several: boolean,
): Completion {
  const [first = '', ...names] = rest;
  const [typed = ''] = (first === '' ? word : first).split('/');
  const kind = kinds.find((each) => each === typed);
  if (first === '' && !word.includes('/')) {
    return { kind: 'words', words: kinds.map((each) => [each, kindWords[each]] as const) };
  }
  if (kind === undefined) {
    return { kind: 'words', words: [] };
  }
  const isSlashed = first === '' || first.includes('/');
  const prefix = isSlashed ? `${kind}/` : '';
  const taken = isSlashed ? rest.map((each) => each.slice(prefix.length)) : names;
  return taken.length > 0 && !several
    ? { kind: 'words', words: [] }
    : { kind: 'names', of: kind, prefix, taken };
}

const kindWords: Readonly<Record<Kind, string>> = {
  pvc: 'PersistentVolumeClaim',
  pv: 'PersistentVolume',
  sts: 'StatefulSet',
  sc: 'StorageClass',
};

function valuesOf(flag: string, prefix: string): Completion {
  const wordsOf = (values: readonly string[]): Completion => ({
    kind: 'words',
    words: values.map((each) => [`${prefix}${each}`] as const),
  });
  switch (flag) {
    case 'output':
      return wordsOf(outputs);
    case 'cascade':
      return wordsOf(['background', 'foreground', 'orphan']);
    case 'assume':
      return wordsOf(assumable.flatMap((each) => [`${each}=on`, `${each}=off`]));
    case 'namespace':
      return { kind: 'names', of: 'namespace', prefix, taken: [] };
    case 'context':
      return { kind: 'contexts', prefix };
    case 'kubeconfig':
      return { kind: 'files' };
    default:
      return wordsOf([]);
  }
}
