import type { Deployment, KubernetesObject, ReplicaSet } from '@holdfast/core';

/** What a Deployment writes on its ReplicaSets, and on itself, to number its templates and to scale in proportion. */
export const annotations = {
  /** On both: the number of the template, which grows. */
  revision: 'deployment.kubernetes.io/revision',
  /** On a set whose template came back: the numbers it had before. */
  revisionHistory: 'deployment.kubernetes.io/revision-history',
  /** On a set: `replicas` of the Deployment when the set was sized. */
  desiredReplicas: 'deployment.kubernetes.io/desired-replicas',
  /** On a set: the same with the surge. */
  maxReplicas: 'deployment.kubernetes.io/max-replicas',
} as const;

/** Those of a Deployment that its sets do not get. */
const notCopied: ReadonlySet<string> = new Set([
  ...Object.values(annotations),
  'kubectl.kubernetes.io/last-applied-configuration',
  'deprecated.deployment.rollback.to',
]);

/** The longest list of former revisions, in characters. */
const longestHistory = 2000;

type Annotations = Readonly<Record<string, string>>;

/** The whole number in an annotation; undefined for none, and for what is none. */
export function numberIn({ metadata }: KubernetesObject, annotation: string): number | undefined {
  const text = metadata.annotations?.[annotation];
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

/** The highest number among the sets; 0 when there is none. */
export function maxRevision(sets: readonly ReplicaSet[]): number {
  return Math.max(0, ...sets.map((set) => numberIn(set, annotations.revision) ?? 0));
}

/**
 * The annotations of the set with the present template: the Deployment's, and its revision, which is above those of all other sets. A set that
 * had a lower one remembers it: the Deployment went back to its template.
 *
 * @param revision one above those of the other sets
 * @param set undefined when it is to be made
 */
export function newSetAnnotations(
  deployment: Deployment,
  set: ReplicaSet | undefined,
  revision: number,
): Annotations {
  const present = set?.metadata.annotations ?? {};
  const copied = Object.entries(deployment.metadata.annotations ?? {}).filter(([key]) => !notCopied.has(key));
  const result = { ...present, ...Object.fromEntries(copied) };
  const before = present[annotations.revision];
  const number = before === undefined ? 0 : Number(before);
  // What is no number was not written by a Deployment's controller, and stays.
  if (Number.isNaN(number) || number >= revision) {
    return result;
  }
  return {
    ...result,
    [annotations.revision]: String(revision),
    ...(before === undefined ? {} : historyWith(present[annotations.revisionHistory], before)),
  };
}

/** The oldest numbers go when the list grows too long. */
function historyWith(history: string | undefined, revision: string): Annotations {
  const numbers = [...(history ?? '').split(',').filter((number) => number !== ''), revision];
  while (numbers.join(',').length > longestHistory) {
    numbers.shift();
  }
  return { [annotations.revisionHistory]: numbers.join(',') };
}

/** What a set is told of the Deployment's size. */
export function sizeAnnotations(replicas: number, surge: number): Annotations {
  return {
    [annotations.desiredReplicas]: String(replicas),
    [annotations.maxReplicas]: String(replicas + surge),
  };
}

/** Whether all of these are on the object. */
export function hasAnnotations({ metadata }: KubernetesObject, wanted: Annotations): boolean {
  return Object.entries(wanted).every(([key, value]) => metadata.annotations?.[key] === value);
}
