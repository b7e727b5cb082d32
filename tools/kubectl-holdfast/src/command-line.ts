import { parseArgs } from 'node:util';
import { durationFlag, quoted, UsageError } from '@holdfast/runtime';
import { workloadsFlag, type WorkloadResource } from '@holdfast/statefulset-pvc-retention/decide';
import { stockFeatures, type AppName } from './cluster/release.ts';
import { completionScript } from './completion-script.ts';
import { outputs, type Output } from './output/print.ts';
import type { Cascade } from './plan/world.ts';

/** Flags that every command accepts. */
export interface GlobalFlags {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  /** Undefined for the namespace of the context, or `default` if it has none. */
  readonly namespace: string | undefined;
  readonly allNamespaces: boolean;
  readonly output: Output | undefined;
  readonly insecureHttp: boolean;
  /** By controller: whether it counts as at work, whatever the cluster shows. */
  readonly assume: ReadonlyMap<AssumableName, boolean>;
  /** Kinds of sets in addition to those that statefulset-pvc-retention is seen to manage. */
  readonly workloads: readonly WorkloadResource[];
}

export const assumable = ['kube-controller-manager', 'statefulset-pvc-retention'] as const;
export type AssumableName = (typeof assumable)[number];

export type Kind = 'pvc' | 'pv' | 'sts' | 'sc';

export type Request =
  | { readonly kind: 'explain'; readonly of: Kind; readonly name: string }
  | {
      readonly kind: 'scale';
      /** The resource and its group, as in kubectl; undefined for StatefulSets of `apps`. */
      readonly of: string | undefined;
      readonly name: string;
      readonly replicas: number;
    }
  | {
      readonly kind: 'delete';
      readonly of: string | undefined;
      readonly name: string;
      readonly cascade: Cascade;
    }
  | {
      readonly kind: 'status';
      /** How many milliseconds to wait until all deployed controllers are at work; undefined: not at all. */
      readonly patience: number | undefined;
    }
  | {
      readonly kind: 'keep';
      /** Undefined for everything. */
      readonly these: { readonly of: 'pvc' | 'pv'; readonly names: readonly string[] } | undefined;
    }
  | {
      readonly kind: 'uninstall';
      /** Empty for all that are deployed. */
      readonly apps: readonly AppName[];
      /** The namespace of their Deployments; undefined for any. */
      readonly namespace: string | undefined;
      /** For each wait, in milliseconds. */
      readonly timeout: number;
    }
  | { readonly kind: 'preflight' | 'gates' | 'leaks' | 'undo' }
  | ViewRequest;

export interface ViewRequest {
  readonly kind: 'view';
  /** 0 for a free one. */
  readonly port: number;
  /** Whether to open the page in a browser. */
  readonly open: boolean;
}

export type CommandLine =
  | {
      readonly kind: 'run';
      readonly request: Request;
      readonly flags: GlobalFlags;
      /** Whether to answer again whenever the answer changes. */
      readonly watch: boolean;
      /** Whether to write without asking. */
      readonly yes: boolean;
    }
  | { readonly kind: 'print'; readonly text: string }
  /** A request of the shell for completions of the last word. */
  | { readonly kind: 'complete'; readonly words: readonly string[] };

/** The names that kubectl accepts for the kinds. */
const kinds: Readonly<Record<string, Kind>> = {
  pvc: 'pvc',
  persistentvolumeclaim: 'pvc',
  persistentvolumeclaims: 'pvc',
  pv: 'pv',
  persistentvolume: 'pv',
  persistentvolumes: 'pv',
  sts: 'sts',
  statefulset: 'sts',
  statefulsets: 'sts',
  'statefulset.apps': 'sts',
  'statefulsets.apps': 'sts',
  sc: 'sc',
  storageclass: 'sc',
  storageclasses: 'sc',
  'storageclass.storage.k8s.io': 'sc',
  'storageclasses.storage.k8s.io': 'sc',
};

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

type Values = ReturnType<typeof parse>['values'];

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
    refuse(
      values,
      optionNames.filter((name) => !takenEverywhere.has(name)),
      verb,
    );
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
  const { values } = parseArgs({ args: words.slice(0, -1), options, allowPositionals: true, strict: false });
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

function parse(argv: readonly string[]) {
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
      throw new UsageError(`there is no command ${quoted(verb)}; there are ${Object.keys(helps).join(', ')}`);
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
  const kind = Object.hasOwn(kinds, type.toLowerCase()) ? kinds[type.toLowerCase()] : undefined;
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

/** Reads `pvc data-web-0` or `pvc/data-web-0`, as kubectl does. */
function objectOf(words: readonly string[], usage: string): { readonly kind: Kind; readonly name: string } {
  const { type, name } = typeAndName(words, usage);
  const kind = Object.hasOwn(kinds, type.toLowerCase()) ? kinds[type.toLowerCase()] : undefined;
  if (kind === undefined) {
    throw new UsageError(`${quoted(type)} is not a known kind; use pvc, pv, sts or sc`);
  }
  return { kind, name: name() };
}

/** Reads `sts web`, or `statefulsets.apps.kruise.io web`, whose kind the cluster knows. */
function setOf(words: readonly string[]): { readonly of: string | undefined; readonly name: string } {
  const { type, name } = typeAndName(words, 'plan sts NAME --replicas N | --delete');
  const kind = Object.hasOwn(kinds, type.toLowerCase()) ? kinds[type.toLowerCase()] : undefined;
  if (kind !== 'sts' && (kind !== undefined || !type.includes('.'))) {
    throw new UsageError(
      `plan is for StatefulSets, and for kinds like them named with their group, not for ${quoted(type)}: plan sts NAME`,
    );
  }
  return { of: kind === 'sts' ? undefined : type, name: name() };
}

/**
 * Reads a type and a name.
 *
 * @returns `name`, which throws UsageError if there is not exactly one name; it throws late so that a wrong
 *   type is reported first
 */
function typeAndName(
  words: readonly string[],
  usage: string,
): { readonly type: string; readonly name: () => string } {
  const [first = '', ...rest] = words;
  const [type = '', ...names] = first.includes('/') ? [...first.split('/'), ...rest] : [first, ...rest];
  if (type === '') {
    throw new UsageError(`name an object: kubectl holdfast ${usage}`);
  }
  return {
    type,
    name: () => {
      const [only, ...more] = names;
      if (only === undefined || only === '' || more.length > 0) {
        throw new UsageError(`name one object: kubectl holdfast ${usage}`);
      }
      return only;
    },
  };
}

function refuse(values: Values, names: readonly (keyof Values)[], command: string): void {
  const given = names.find((name) => values[name] !== undefined);
  if (given !== undefined) {
    throw new UsageError(`${command} takes no --${given}; leave it out`);
  }
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

function refuseWords([word]: readonly string[], command: string): void {
  if (word !== undefined) {
    throw new UsageError(`${command} takes no argument ${quoted(word)}; leave it out`);
  }
}

const timeoutSchema = durationFlag({ description: '--timeout', default: '5m' }).schema;

function timeoutOf(value: string): number {
  const read = timeoutSchema.safeParse(value);
  if (!read.success) {
    throw new UsageError(`--timeout: ${quoted(value)} is invalid: expected a duration such as 90s or 5m`);
  }
  return read.data;
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (!(port <= 65_535)) {
    throw new UsageError(`--port: ${quoted(text)} is invalid: expected a number from 0 to 65535`);
  }
  return port;
}

function replicasOf(text: string): number {
  const replicas = /^\d{1,10}$/.test(text) ? Number(text) : NaN;
  if (!(replicas <= 0x7fffffff)) {
    throw new UsageError(`--replicas: ${quoted(text)} is invalid: expected a whole number from 0 on`);
  }
  return replicas;
}

function cascadeOf(text: string): Cascade {
  switch (text) {
    case 'background':
    case 'foreground':
    case 'orphan':
      return text;
    default:
      throw new UsageError(
        `--cascade: ${quoted(text)} is invalid: expected background, foreground or orphan`,
      );
  }
}

function flagsOf(values: Values): GlobalFlags {
  const output = outputs.find((each) => each === values.output);
  if (values.output !== undefined && output === undefined) {
    throw new UsageError(`--output: ${quoted(values.output)} is invalid: expected ${outputs.join(', ')}`);
  }
  if (values.namespace !== undefined && values['all-namespaces'] === true) {
    throw new UsageError('--namespace and --all-namespaces contradict each other; leave one out');
  }
  return {
    kubeconfig: values.kubeconfig,
    context: values.context,
    namespace: namespaceOf(values),
    allNamespaces: values['all-namespaces'] === true,
    output,
    insecureHttp: values['insecure-http'] === true,
    assume: assumptionsOf(values.assume ?? []),
    workloads: workloadsOf(values.workloads),
  };
}

/** As in kubectl, an empty namespace counts as none: a script passes it if a variable is not set. */
function namespaceOf({ namespace }: Values): string | undefined {
  return namespace === '' ? undefined : namespace;
}

function workloadsOf(value: string | undefined): GlobalFlags['workloads'] {
  const read = value === undefined ? undefined : workloadsFlag.schema.safeParse(value);
  if (read?.success === false) {
    throw new UsageError(
      `--workloads: ${quoted(value ?? '')} can't be taken: ${read.error.issues.map(({ message }) => message).join('; ')}`,
    );
  }
  return read?.data ?? [];
}

function assumptionsOf(texts: readonly string[]): ReadonlyMap<AssumableName, boolean> {
  return new Map(
    texts
      .flatMap((text) => text.split(','))
      .map((text) => {
        const [name, value, ...more] = text.split('=');
        const known = assumable.find((each) => each === name);
        if (known === undefined || (value !== 'on' && value !== 'off') || more.length > 0) {
          throw new UsageError(
            `--assume: ${quoted(text)} is invalid: expected ${assumable.map((each) => `${each}=on|off`).join(' or ')}`,
          );
        }
        return [known, value === 'on'] as const;
      }),
  );
}

const helps: Readonly<Record<string, string>> = {
  explain: `Explains the state of an object: what holds it, what happens next, and what happens if something is deleted.

Usage:
  kubectl holdfast explain pvc|pv|sts|sc NAME [flags]

Examples:
  # Why is this claim still terminating?
  kubectl holdfast explain pvc data-web-0 -n shop
  # Who deletes this volume, and when?
  kubectl holdfast explain pv/pv-0042
  # What happens to the claims of this set?
  kubectl holdfast explain sts web -n shop -o yaml
  # Watch the claim until it is gone.
  kubectl holdfast explain pvc data-web-0 -n shop -w

Flags:
  -w, --watch         Print the answer again whenever it changes, until the object is gone or Ctrl-C.`,
  plan: `Predicts what happens to each claim of a StatefulSet when the set is scaled or deleted. Writes nothing.

Usage:
  kubectl holdfast plan sts NAME --replicas N [flags]
  kubectl holdfast plan sts NAME --delete [--cascade background|foreground|orphan] [flags]
  kubectl holdfast plan RESOURCE.GROUP NAME ...

Kinds other than StatefulSet are those of flag --workloads of statefulset-pvc-retention.

Examples:
  # Which claims are deleted when web is scaled to one replica?
  kubectl holdfast plan sts web --replicas 1 -n shop
  # Which claims are deleted when web is deleted?
  kubectl holdfast plan sts web --delete -n shop
  # A kind of Kruise that statefulset-pvc-retention handles.
  kubectl holdfast plan statefulsets.apps.kruise.io web --delete
  # Which claims would be deleted if Holdfast were running?
  kubectl holdfast plan sts web --delete --assume statefulset-pvc-retention=on

Flags:
  --replicas N        Plan for this number of replicas.
  --delete            Plan for the deletion of the set.
  --cascade HOW       How the set is deleted: background (default), foreground or orphan, as in kubectl delete.
  --workloads GROUP/VERSION/KIND,...
                      Further kinds like StatefulSet, in addition to those that statefulset-pvc-retention handles in the cluster.`,
  status: `Shows whether the deployed controllers of Holdfast are at work.

Usage:
  kubectl holdfast status [--wait [--timeout 5m] | --watch] [flags]

Examples:
  # After an upgrade: wait until each controller has its lease again.
  kubectl holdfast status --wait --timeout 2m

Flags:
  --wait              Wait until all deployed controllers are at work.
  --timeout DURATION  Longest time to wait. Default: 5m.
  -w, --watch         Print the answer again whenever it changes, until Ctrl-C.`,
  preflight: `Checks a cluster before you install or upgrade Holdfast: what the control plane does by itself, which controllers the cluster
needs, and which obstacles there are.

Usage:
  kubectl holdfast preflight [flags]

Examples:
  kubectl holdfast preflight
  # In a pipeline: exit code 3 if there is an obstacle.
  kubectl holdfast preflight -o json`,
  gates: `Lists the feature gates of Kubernetes whose work Holdfast does, and those of its controllers.

Usage:
  kubectl holdfast gates [flags]

Examples:
  kubectl holdfast gates -o yaml`,
  leaks: `Lists volumes whose storage is left behind, or will be if they are deleted before their claims.

Usage:
  kubectl holdfast leaks [flags]

Examples:
  kubectl holdfast leaks -o name`,
  completion: `Prints the program that lets kubectl complete these commands, in bash, zsh and fish. kubectl's own completion must be set up.

Usage:
  kubectl holdfast completion

Examples:
  kubectl holdfast completion > ~/.local/bin/kubectl_complete-holdfast
  chmod +x ~/.local/bin/kubectl_complete-holdfast`,
  undo: `Lists claims and volumes that will be deleted at the end of an undo window. With names, keeps them instead.

Usage:
  kubectl holdfast undo [flags]
  kubectl holdfast undo pvc|pv NAME... [--yes] [flags]
  kubectl holdfast undo --all [--yes] [flags]

To keep a claim, undo removes its mark. To keep a volume, undo sets its policy to Retain. Each write tests that the object has not changed since it
was read.

Examples:
  # What will be deleted soon, in any namespace?
  kubectl holdfast undo -A
  # Keep these two claims.
  kubectl holdfast undo pvc data-web-1 data-web-2 -n shop

Flags:
  --all               Keep everything that waits in the namespace, or with -A in all namespaces.
  --yes               Do not ask for confirmation.`,
  view: `Serves a page on this machine that draws live what holds what, until Ctrl-C. Prints the address of the page.

Usage:
  kubectl holdfast view [flags]

Examples:
  # Show namespace shop in a browser.
  kubectl holdfast view -n shop
  # Show all namespaces, on a fixed port that you forward from another machine.
  kubectl holdfast view -A --port 8090 --no-open

Flags:
  --port N            Port of 127.0.0.1 to listen on. Default: a free port.
  --no-open           Open no browser, only print the address. Everyone who has the address can see the page.`,
  uninstall: `Stops controllers, and removes what they have put on claims and volumes. Shows what it would do, and asks for confirmation.

Usage:
  kubectl holdfast uninstall [CONTROLLER...] [--yes] [--timeout 10m] [flags]

For each controller, it deletes the webhook configurations, scales the Deployment to zero, and runs a Job with the spec and the flags of the controller's pod
and --uninstall. Afterwards, delete the manifests that you applied: docs/leave.md. You can run the command again.

Examples:
  kubectl holdfast uninstall pvc-protection
  # Only the controllers in a namespace, see docs/one-namespace.md.
  kubectl holdfast uninstall -n shop

Flags:
  --timeout DURATION  Longest time to wait for the pods to be gone, and again for the Job to end. Default: 10m.
  --yes               Do not ask for confirmation.`,
};

const globalHelp = `Flags of all commands:
  --kubeconfig PATH   Path of the kubeconfig file. Default: $KUBECONFIG, else in-cluster, else ~/.kube/config.
  --context NAME      Context of the kubeconfig to use. Default: its current one.
  -n, --namespace NS  Namespace to use. Default: that of the context, else default; for uninstall, all namespaces.
  -A, --all-namespaces
                      For undo, view and uninstall: all namespaces.
  -o, --output HOW    Output format: json, yaml or name. Default: tables for humans.
  --assume NAME=on|off
                      Assume that a controller is at work (on) or not (off), whatever the cluster shows: kube-controller-manager
                      (its retention of claims) or statefulset-pvc-retention. For plan, explain pvc and explain sts. Default:
                      what the cluster shows.
  --insecure-http     Send credentials to an API server whose URL is plain http. Everyone on the network path can read them.
  --version           Print the version and exit.
  -h, --help          Print this and exit.

Exit codes:
  0  The command succeeded.
  1  The object does not exist, the API server could not be reached, or not everything was done or could be read.
  2  Wrong usage, or a kubeconfig that can't be used.
  3  status: a deployed controller is not at work. preflight: there is an obstacle.`;

function helpOf(command: string | undefined): string {
  const own = command !== undefined && Object.hasOwn(helps, command) ? helps[command] : undefined;
  return [
    own ??
      `Explains why storage still exists, and what will be deleted. Only undo with a name and uninstall write, and they ask first.

Usage:
  kubectl holdfast COMMAND [flags]

Commands:
  explain  Explain the state of an object: what holds it, and what happens next.
  plan     Predict what happens to the claims of a StatefulSet that is scaled or deleted.
  preflight
           Check what the cluster does by itself, which controllers it needs, and which obstacles there are.
  status   Show whether the controllers of Holdfast are at work.
  gates    List feature gates of Kubernetes and of Holdfast.
  leaks    List volumes whose storage is left behind, or might be.
  view     Serve a page that draws live what holds what.
  undo     List what waits for the end of an undo window, or keep it.
  uninstall
           Stop controllers, and remove what they have put on objects.
  completion
           Print the program that lets shells complete these commands.`,
    globalHelp,
  ].join('\n\n');
}
