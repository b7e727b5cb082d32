import { parseArgs } from 'node:util';
import { durationFlag, quoted, UsageError } from '@holdfast/runtime';
import { workloadsFlag, type WorkloadResource } from '@holdfast/statefulset-pvc-retention/decide';
import { stockFeatures, type AppName } from './cluster/release.ts';
import { completionScript } from './completion-script.ts';
import { outputs, type Output } from './output/print.ts';
import type { Cascade } from './plan/world.ts';

/** Flags that every command takes. */
export interface GlobalFlags {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  /** Undefined: that of the context, else `default`. */
  readonly namespace: string | undefined;
  readonly allNamespaces: boolean;
  readonly output: Output | undefined;
  readonly insecureHttp: boolean;
  /** By controller, whether it counts as at work whatever the cluster shows. */
  readonly assume: ReadonlyMap<AssumableName, boolean>;
  /** Kinds of sets besides those that statefulset-pvc-retention is seen to look after. */
  readonly workloads: readonly WorkloadResource[];
}

export const assumable = ['kube-controller-manager', 'statefulset-pvc-retention'] as const;
export type AssumableName = (typeof assumable)[number];

export type Kind = 'pvc' | 'pv' | 'sts' | 'sc';

export type Request =
  | { readonly kind: 'explain'; readonly of: Kind; readonly name: string }
  | {
      readonly kind: 'scale';
      /** The resource and its group, as kubectl has them; undefined: StatefulSets of `apps`. */
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
      /** How long to wait until all that are deployed are at work, milliseconds; undefined: not at all. */
      readonly patience: number | undefined;
    }
  | {
      readonly kind: 'keep';
      /** Undefined: all. */
      readonly these: { readonly of: 'pvc' | 'pv'; readonly names: readonly string[] } | undefined;
    }
  | {
      readonly kind: 'uninstall';
      /** None: all that are deployed. */
      readonly apps: readonly AppName[];
      /** Of their Deployments; undefined: any. */
      readonly namespace: string | undefined;
      /** For each wait, milliseconds. */
      readonly timeout: number;
    }
  | { readonly kind: 'preflight' | 'gates' | 'leaks' | 'undo' }
  | ViewRequest;

export interface ViewRequest {
  readonly kind: 'view';
  /** 0: a free one. */
  readonly port: number;
  /** Whether a browser is asked to show the page. */
  readonly open: boolean;
}

export type CommandLine =
  | {
      readonly kind: 'run';
      readonly request: Request;
      readonly flags: GlobalFlags;
      /** Answer anew whenever the answer changes. */
      readonly watch: boolean;
      /** Write without asking. */
      readonly yes: boolean;
    }
  | { readonly kind: 'print'; readonly text: string }
  /** What a shell asks; the last word is to be completed. */
  | { readonly kind: 'complete'; readonly words: readonly string[] };

/** The names that kubectl takes for the kinds. */
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

/**
 * Reads the command line.
 *
 * @throws UsageError naming the argument, its value and what is allowed.
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

/** The flags of a command line that is not whole yet, for its completion; what can't be read counts as not given. */
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
  // kubectl takes `-o=json` besides `-o json` and `-ojson`.
  const args = argv.map((word) => word.replace(/^-([a-zA-Z])=/, '-$1'));
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    const [first = ''] = (error instanceof Error ? error.message : String(error)).split('. ');
    throw new UsageError(`${first}; see kubectl holdfast --help`);
  }
}

function requestOf(verb: string, words: readonly string[], values: Values): Request {
  switch (verb) {
    case 'explain': {
      refuse(values, ['replicas', 'delete', 'cascade', 'wait', 'timeout', 'workloads'], verb);
      const { kind, name } = objectOf(words, 'explain pvc|pv|sts|sc NAME');
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
      refuse(values, ['replicas', 'delete', 'cascade', 'workloads'], verb);
      refuseWords(words, verb);
      if (values.timeout !== undefined && values.wait !== true) {
        throw new UsageError('--timeout is for --wait; add that, or leave it out');
      }
      return {
        kind: 'status',
        patience: values.wait === true ? timeoutOf(values.timeout ?? '5m') : undefined,
      };
    case 'undo': {
      refuse(values, ['replicas', 'delete', 'cascade', 'wait', 'timeout', 'workloads'], verb);
      return undoOf(words, values.all === true);
    }
    case 'uninstall':
      refuse(values, ['replicas', 'delete', 'cascade', 'wait', 'workloads'], verb);
      return {
        kind: 'uninstall',
        apps: words.map(appOf),
        namespace: namespaceOf(values),
        timeout: timeoutOf(values.timeout ?? '10m'),
      };
    case 'preflight':
    case 'gates':
    case 'leaks':
      refuse(values, ['replicas', 'delete', 'cascade', 'wait', 'timeout', 'workloads'], verb);
      refuseWords(words, verb);
      return { kind: verb };
    case 'view':
      refuse(values, ['replicas', 'delete', 'cascade', 'wait', 'timeout', 'workloads', 'output'], verb);
      refuseWords(words, verb);
      return { kind: 'view', port: portOf(values.port ?? '0'), open: values['no-open'] !== true };
    default:
      throw new UsageError(`there is no command ${quoted(verb)}; there are ${Object.keys(helps).join(', ')}`);
  }
}

/** Nothing: what waits is listed. `pvc a b`, `pvc/a pvc/b` or `--all`: these are kept. */
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

/** `pvc data-web-0` or `pvc/data-web-0`, as kubectl has them. */
function objectOf(words: readonly string[], usage: string): { readonly kind: Kind; readonly name: string } {
  const { type, name } = typeAndName(words, usage);
  const kind = Object.hasOwn(kinds, type.toLowerCase()) ? kinds[type.toLowerCase()] : undefined;
  if (kind === undefined) {
    throw new UsageError(`${quoted(type)} is no kind that is known here; take pvc, pv, sts or sc`);
  }
  return { kind, name: name() };
}

/** `sts web`, or `statefulsets.apps.kruise.io web`, whose kind the cluster knows. */
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

/** @returns `name` throws UsageError when there is not one: what is wrong with the type comes first. */
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

/** A name is looked for in one namespace; without this it would be that of the context, unasked. */
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
    throw new UsageError(`--timeout: ${quoted(value)} can't be taken: expected a duration such as 90s or 5m`);
  }
  return read.data;
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (!(port <= 65_535)) {
    throw new UsageError(`--port: ${quoted(text)} can't be taken: expected a number from 0 to 65535`);
  }
  return port;
}

function replicasOf(text: string): number {
  const replicas = /^\d{1,10}$/.test(text) ? Number(text) : NaN;
  if (!(replicas <= 0x7fffffff)) {
    throw new UsageError(`--replicas: ${quoted(text)} can't be taken: expected a whole number from 0 on`);
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
        `--cascade: ${quoted(text)} can't be taken: expected background, foreground or orphan`,
      );
  }
}

function flagsOf(values: Values): GlobalFlags {
  const output = outputs.find((each) => each === values.output);
  if (values.output !== undefined && output === undefined) {
    throw new UsageError(`--output: ${quoted(values.output)} can't be taken: expected ${outputs.join(', ')}`);
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

/** As kubectl has it, an empty one is none: what a script gives whose variable is not set. */
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
            `--assume: ${quoted(text)} can't be taken: expected ${assumable.map((each) => `${each}=on|off`).join(' or ')}`,
          );
        }
        return [known, value === 'on'] as const;
      }),
  );
}

const helps: Readonly<Record<string, string>> = {
  explain: `Why an object is as it is, who holds it, what happens next, and what happens if something is deleted.

Usage:
  kubectl holdfast explain pvc|pv|sts|sc NAME [flags]

Examples:
  # Why is this claim still terminating?
  kubectl holdfast explain pvc data-web-0 -n shop
  # Who deletes this volume, and when?
  kubectl holdfast explain pv/pv-0042
  # What becomes of the claims of this set?
  kubectl holdfast explain sts web -n shop -o yaml
  # Follow it until it is gone.
  kubectl holdfast explain pvc data-web-0 -n shop -w

Flags:
  -w, --watch         Answer again whenever the answer changes, until the object is gone or Ctrl-C.`,
  plan: `What becomes of each claim of a StatefulSet when it is scaled or deleted. Nothing is written.

Usage:
  kubectl holdfast plan sts NAME --replicas N [flags]
  kubectl holdfast plan sts NAME --delete [--cascade background|foreground|orphan] [flags]
  kubectl holdfast plan RESOURCE.GROUP NAME ...

Other kinds than StatefulSets are those of --workloads of statefulset-pvc-retention.

Examples:
  # Which claims go when web is scaled to one?
  kubectl holdfast plan sts web --replicas 1 -n shop
  # And when it is deleted?
  kubectl holdfast plan sts web --delete -n shop
  # A kind of Kruise that statefulset-pvc-retention looks after.
  kubectl holdfast plan statefulsets.apps.kruise.io web --delete
  # What would go were Holdfast at work?
  kubectl holdfast plan sts web --delete --assume statefulset-pvc-retention=on

Flags:
  --replicas N        Plan for this number of replicas.
  --delete            Plan for the deletion of the set.
  --cascade HOW       How it is deleted: background (default), foreground or orphan, as kubectl delete has it.
  --workloads GROUP/VERSION/KIND,...
                      Kinds like StatefulSets, besides those that statefulset-pvc-retention is seen to look after.`,
  status: `Whether the controllers of Holdfast that are deployed are at work.

Usage:
  kubectl holdfast status [--wait [--timeout 5m] | --watch] [flags]

Examples:
  # After an upgrade: wait until each has its lease again.
  kubectl holdfast status --wait --timeout 2m

Flags:
  --wait              Wait until all that are deployed are at work.
  --timeout DURATION  For how long. Default: 5m.
  -w, --watch         Answer again whenever the answer changes, until Ctrl-C.`,
  preflight: `Before Holdfast is installed, or upgraded: what the control plane does by itself, which controllers are needed, and what stands in
the way.

Usage:
  kubectl holdfast preflight [flags]

Examples:
  kubectl holdfast preflight
  # In a pipeline: exit code 3 if something stands in the way.
  kubectl holdfast preflight -o json`,
  gates: `The feature gates of Kubernetes that Holdfast stands for, and those of its controllers.

Usage:
  kubectl holdfast gates [flags]

Examples:
  kubectl holdfast gates -o yaml`,
  leaks: `Volumes whose storage is left behind, or will be if they are deleted before their claims.

Usage:
  kubectl holdfast leaks [flags]

Examples:
  kubectl holdfast leaks -o name`,
  completion: `Prints the program by which kubectl completes these commands, in bash, zsh and fish, where that of kubectl is set up.

Usage:
  kubectl holdfast completion

Examples:
  kubectl holdfast completion > ~/.local/bin/kubectl_complete-holdfast
  chmod +x ~/.local/bin/kubectl_complete-holdfast`,
  undo: `Claims and volumes that are deleted at the end of an undo window. Without a name they are listed, with one they are kept.

Usage:
  kubectl holdfast undo [flags]
  kubectl holdfast undo pvc|pv NAME... [--yes] [flags]
  kubectl holdfast undo --all [--yes] [flags]

A claim loses its mark; a volume gets policy Retain. Each write tests that nothing has changed since it was looked at.

Examples:
  # What goes soon, anywhere?
  kubectl holdfast undo -A
  # Keep these two.
  kubectl holdfast undo pvc data-web-1 data-web-2 -n shop

Flags:
  --all               All that wait in the namespace, or with -A anywhere.
  --yes               Don't ask.`,
  view: `A page on this machine that draws what holds what, live, until Ctrl-C. It prints the address.

Usage:
  kubectl holdfast view [flags]

Examples:
  # The namespace shop, in a browser
  kubectl holdfast view -n shop
  # All namespaces, on a port that is forwarded from elsewhere
  kubectl holdfast view -A --port 8090 --no-open

Flags:
  --port N            Port of 127.0.0.1 to listen on. Default: a free one.
  --no-open           Open no browser, only print the address. Who has the address sees the page.`,
  uninstall: `Has controllers take back what they have put on claims and volumes, and stops them. Shows what would be done, and asks.

Usage:
  kubectl holdfast uninstall [CONTROLLER...] [--yes] [--timeout 10m] [flags]

For each: its webhook configurations are deleted, its Deployment is scaled to zero, and a Job with its pod's spec and flags runs --uninstall. What was
applied is then yours to delete: docs/leave.md. It can be run again.

Examples:
  kubectl holdfast uninstall pvc-protection
  # Those of a namespace alone, see docs/one-namespace.md.
  kubectl holdfast uninstall -n shop

Flags:
  --timeout DURATION  For how long the pods to go, and then the Job to end, are waited for. Default: 10m.
  --yes               Don't ask.`,
};

const globalHelp = `Flags of all commands:
  --kubeconfig PATH   Kubeconfig file. Default: $KUBECONFIG, in-cluster, ~/.kube/config.
  --context NAME      Context of the kubeconfig to use. Default: its current one.
  -n, --namespace NS  Default: that of the context, else default.
  -A, --all-namespaces
                      For undo and view: all namespaces.
  -o, --output HOW    json, yaml or name. Default: tables for people.
  --assume NAME=on|off
                      Whether a controller counts as at work, whatever the cluster shows: kube-controller-manager (its
                      retention of claims) or statefulset-pvc-retention. Default: what the cluster shows.
  --insecure-http     Send credentials to an API server whose URL is plain http.
  --version           Print the version and exit.
  -h, --help          Print this and exit.

Exit codes: 0 answered; 1 there is no such object, the API server could not be asked, or not all was done; 2 wrong usage or kubeconfig;
3 status, preflight: a controller that is deployed is not at work, or something stands in the way.`;

function helpOf(command: string | undefined): string {
  const own = command !== undefined && Object.hasOwn(helps, command) ? helps[command] : undefined;
  return [
    own ??
      `Why storage is still there, and what will go. Reads only, but for undo of something and uninstall, which ask first.

Usage:
  kubectl holdfast COMMAND [flags]

Commands:
  explain  Why an object is as it is, who holds it, and what happens next.
  plan     What becomes of the claims of a StatefulSet that is scaled or deleted.
  preflight
           What the cluster does by itself, which controllers it needs, and what stands in the way.
  status   Whether the controllers of Holdfast are at work.
  gates    Feature gates of Kubernetes and of Holdfast.
  leaks    Volumes whose storage is left behind, or might be.
  view     A page that draws what holds what, live.
  undo     What waits for the end of an undo window; keeps it.
  uninstall
           Has controllers take back what they have put on objects, and stops them.
  completion
           How shells complete these commands.`,
    globalHelp,
  ].join('\n\n');
}
