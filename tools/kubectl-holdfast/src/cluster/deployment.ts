import type { ApiResource, KubernetesObject } from '@holdfast/core';

/** As much of a Deployment as says what runs in it. StatefulSets and DaemonSets look the same. */
export interface Deployment extends KubernetesObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly template?: {
      readonly spec?: { readonly serviceAccountName?: string; readonly containers?: readonly Container[] };
    };
  };
  readonly status?: { readonly replicas?: number; readonly readyReplicas?: number };
}

export interface Container {
  readonly name?: string;
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly {
    readonly name?: string;
    readonly value?: string;
    readonly valueFrom?: { readonly fieldRef?: { readonly fieldPath?: string } };
  }[];
}

export const deployments: ApiResource<Deployment> = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
};

export function containersOf({ spec }: Deployment): readonly Container[] {
  return spec?.template?.spec?.containers ?? [];
}

/** The last part of an image's name, and its tag; without the registry and the digest. */
export function readImage(image: string): { readonly name: string; readonly tag: string | undefined } {
  const [reference = ''] = image.split('@');
  const last = reference.slice(reference.lastIndexOf('/') + 1);
  const [name = '', tag] = last.split(':');
  return { name, tag };
}

/**
 * The containers in which a controller of Holdfast runs: those of its name or image, or else all. Beside pv-reclaim-honor there can be a driver and its
 * csi-provisioner, whose flags have the same names.
 */
export function containersOfApp(deployment: Deployment, app: string): readonly Container[] {
  const all = containersOf(deployment);
  const own = all.filter(({ name, image = '' }) => name === app || readImage(image).name === app);
  return own.length > 0 ? own : all;
}

/**
 * The flags of a container, by their names without dashes; those of the command line win over Holdfast's environment, as the runtime has it.
 *
 * @param namespace of its pod, which component one-namespace gives to `--namespaces` by a field reference.
 */
export function flagsOf(
  { env = [], command = [], args = [] }: Container,
  namespace: string,
): ReadonlyMap<string, string> {
  const flags = new Map<string, string>();
  for (const { name = '', value: given, valueFrom } of env) {
    const value = valueFrom?.fieldRef?.fieldPath === 'metadata.namespace' ? namespace : given;
    if (name.startsWith('HOLDFAST_') && value !== undefined) {
      flags.set(name.slice('HOLDFAST_'.length).toLowerCase().replaceAll('_', '-'), value);
    }
  }
  const words = [...command, ...args];
  words.forEach((word, index) => {
    const [, name = '', value] = /^--?([^=-][^=]*)(?:=(.*))?$/s.exec(word) ?? [];
    if (name !== '') {
      const next = words[index + 1];
      flags.set(name, value ?? (next === undefined || next.startsWith('-') ? 'true' : next));
    }
  });
  return flags;
}

/** What `--namespaces` names, as the runtime reads it; empty: all. */
export function namespacesIn(value: string): readonly string[] {
  return value
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}
