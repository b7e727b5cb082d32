import type { ApiResource, KubernetesObject } from '@holdfast/core';

/** The fields of a Deployment that show what runs in it. StatefulSets and DaemonSets have the same fields. */
export interface Deployment extends KubernetesObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly template?: {
      readonly spec?: {
        readonly serviceAccountName?: string;
        readonly initContainers?: readonly (Container & { readonly restartPolicy?: string })[];
        readonly containers?: readonly Container[];
      };
    };
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly readyReplicas?: number;
    /** Not set by releases before 1.35, in which nothing shows these pods. */
    readonly terminatingReplicas?: number;
  };
}

export interface Container {
  readonly name?: string;
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly {
    readonly name?: string;
    readonly value?: string;
    readonly valueFrom?: {
      readonly fieldRef?: { readonly fieldPath?: string };
      readonly configMapKeyRef?: object;
    };
  }[];
  readonly envFrom?: readonly object[];
}

export const deployments: ApiResource<Deployment> = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
};

/**
 * Whether pods of the Deployment run or are to run. A status of an older generation does not show that none
 * do.
 */
export function mightRun({ metadata, spec, status = {} }: Deployment): boolean {
  const { observedGeneration = 0, replicas = 0, terminatingReplicas = 0 } = status;
  return (
    (spec?.replicas ?? 1) > 0 ||
    replicas + terminatingReplicas > 0 ||
    observedGeneration < (metadata.generation ?? 0)
  );
}

export function containersOf({ spec }: Deployment): readonly Container[] {
  return spec?.template?.spec?.containers ?? [];
}

/** Returns the last part of an image's name, without registry and digest, and its tag. */
export function readImage(image: string): { readonly name: string; readonly tag: string | undefined } {
  const [reference = ''] = image.split('@');
  const last = reference.slice(reference.lastIndexOf('/') + 1);
  const [name = '', tag] = last.split(':');
  return { name, tag };
}

/**
 * Returns the containers in which a controller of Holdfast runs: those with its name or image, or all of them
 * if there is none. In pv-reclaim-honor's pod there might also be a driver and its csi-provisioner, whose
 * flags have the same names.
 */
export function containersOfApp(deployment: Deployment, app: string): readonly Container[] {
  const all = containersOf(deployment);
  const own = all.filter(({ name, image = '' }) => name === app || readImage(image).name === app);
  return own.length > 0 ? own : all;
}

/** Flags that are joined when they are given several times, as components of deploy/ give gates. */
const joinedFlags: ReadonlySet<string> = new Set(['feature-gates', 'namespaces']);

/**
 * Returns the flags of a container, by their names without dashes. Flags on the command line override
 * Holdfast's environment variables, and of one that is given twice the last one counts, as in the runtime. A
 * flag whose value rests on a variable that the Deployment does not state is left out.
 *
 * @param namespace of its pod, which component one-namespace passes to `--namespaces` by a field reference
 */
export function flagsOf(container: Container, namespace: string): ReadonlyMap<string, string> {
  const { command = [], args = [] } = container;
  const variables = variablesOf(container, namespace);
  const unread = unreadOf(container, variables);
  const flags = new Map<string, string>();
  for (const [name, value] of variables) {
    if (name.startsWith(prefix) && !isBasedOn(unread, value)) {
      flags.set(name.slice(prefix.length).toLowerCase().replaceAll('_', '-'), value);
    }
  }
  const words = [...command, ...args].map((word) => expanded(word, variables));
  const given = new Map<string, string>();
  words.forEach((word, index) => {
    const [, name = '', value] = /^--?([^=-][^=]*)(?:=(.*))?$/s.exec(word) ?? [];
    if (name !== '') {
      const next = words[index + 1];
      const text = value ?? (next === undefined || next.startsWith('-') ? 'true' : next);
      const before = joinedFlags.has(name) ? given.get(name) : undefined;
      given.set(name, before === undefined ? text : `${before},${text}`);
    }
  });
  return new Map([...flags, ...[...given].filter(([, value]) => !isBasedOn(unread, value))]);
}

/** Returns why {@link flagsOf} might lack some of these containers' flags; undefined if it has all of them. */
export function hiddenFlagsOf(containers: readonly Container[], namespace: string): string | undefined {
  return containers.map((each) => hiddenIn(each, namespace)).find((why) => why !== undefined);
}

function hiddenIn(container: Container, namespace: string): string | undefined {
  const { env = [], envFrom = [], command = [], args = [] } = container;
  if (flagsOf(container, namespace).has('config')) {
    return '--config names a file';
  }
  const texts = [...command, ...args, ...env.map(({ value = '' }) => value)];
  const unread = unreadOf(container, variablesOf(container, namespace)).find(
    (name) => name.startsWith(prefix) || texts.some((text) => isBasedOn([name], text)),
  );
  if (unread !== undefined) {
    return `${unread} has no value of its own`;
  }
  return envFrom.length > 0 ? 'variables come from a ConfigMap or a Secret' : undefined;
}

const prefix = 'HOLDFAST_';

/** Returns the environment variables whose values the Deployment itself states. */
function variablesOf({ env = [] }: Container, namespace: string): ReadonlyMap<string, string> {
  const variables = new Map<string, string>();
  for (const { name = '', value: given, valueFrom } of env) {
    const isNamespace = valueFrom?.fieldRef?.fieldPath === 'metadata.namespace';
    const value = isNamespace ? namespace : (given ?? (valueFrom === undefined ? '' : undefined));
    if (value !== undefined) {
      variables.set(name, isNamespace ? value : expanded(value, variables));
    }
  }
  return variables;
}

/** Returns the names of the environment variables whose values are elsewhere, such as in a ConfigMap. */
function unreadOf({ env = [] }: Container, variables: ReadonlyMap<string, string>): readonly string[] {
  return env.flatMap(({ name = '' }) => (variables.has(name) ? [] : [name]));
}

function isBasedOn(names: readonly string[], text: string): boolean {
  return names.some((name) => text.includes(`$(${name})`));
}

/** Expands `$(NAME)` as the kubelet does: what is not known stays as it is, and `$$` is a dollar sign. */
function expanded(text: string, variables: ReadonlyMap<string, string>): string {
  return text.replace(/\$(?:\$|\(([^)]*)\))/g, (whole, name?: string) =>
    name === undefined ? '$' : (variables.get(name) ?? whole),
  );
}

/** Returns the namespaces that `--namespaces` lists, as the runtime reads it; empty for all. */
export function namespacesIn(value: string): readonly string[] {
  return value
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}
