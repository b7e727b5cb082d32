import type { Deployment, KubernetesObject, ReplicaSet } from '@holdfast/core';

/**
 * The annotations that a Deployment's controller writes on ReplicaSets and on the Deployment, to number its
 * templates and to scale proportionally.
 */
export const annotations = {
  /** On both: the number of the template, which increases. */
  revision: 'deployment.kubernetes.io/revision',
  /** On a set whose template was used again: the numbers that it had before. */
  revisionHistory: 'deployment.kubernetes.io/revision-history',
  /** On a set: the Deployment's `replicas` when the set was sized. */
  desiredReplicas: 'deployment.kubernetes.io/desired-replicas',
  /** On a set: the Deployment's `replicas` plus the surge when the set was sized. */
  maxReplicas: 'deployment.kubernetes.io/max-replicas',
} as const;

/** Annotations of a Deployment that are not copied to its sets. */
const notCopied: ReadonlySet<string> = new Set([
  ...Object.values(annotations),
  'kubectl.kubernetes.io/last-applied-configuration',
  'deprecated.deployment.rollback.to',
]);

/** The maximum length of the list of former revisions, in characters. */
const longestHistory = 2000;

type Annotations = Readonly<Record<string, string>>;

/** The integer in an annotation; undefined if there is no annotation or it holds no integer. */
export function numberIn({ metadata }: KubernetesObject, annotation: string): number | undefined {
  const text = metadata.annotations?.[annotation];
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

/** The highest revision among the sets; 0 if there is none. */
export function maxRevision(sets: readonly ReplicaSet[]): number {
  return Math.max(0, ...sets.map((set) => numberIn(set, annotations.revision) ?? 0));
}

/**
 * The annotations for the set with the present template: the Deployment's own, plus a revision above those of
 * all other sets. If the set had a lower revision, the Deployment went back to that set's template, and the
 * set keeps the lower number in its history.
 *
 * @param revision one above those of the other sets
 * @param set undefined if it is yet to be created
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
  // A value that is no number was not written by a Deployment's controller, so it stays.
  if (Number.isNaN(number) || number >= revision) {
    return result;
  }
  return {
    ...result,
    [annotations.revision]: String(revision),
    ...(before === undefined ? {} : historyWith(present[annotations.revisionHistory], before)),
  };
}

/** Drops the oldest numbers if the list grows too long. */
function historyWith(history: string | undefined, revision: string): Annotations {
  const numbers = [...(history ?? '').split(',').filter((number) => number !== ''), revision];
  while (numbers.join(',').length > longestHistory) {
    numbers.shift();
  }
  return { [annotations.revisionHistory]: numbers.join(',') };
}

/** What a set records about the size of its Deployment. */
export function sizeAnnotations(replicas: number, surge: number): Annotations {
  return {
    [annotations.desiredReplicas]: String(replicas),
    [annotations.maxReplicas]: String(replicas + surge),
  };
}

/** Whether the object has all of these annotations. */
export function hasAnnotations({ metadata }: KubernetesObject, wanted: Annotations): boolean {
  return Object.entries(wanted).every(([key, value]) => metadata.annotations?.[key] === value);
}
