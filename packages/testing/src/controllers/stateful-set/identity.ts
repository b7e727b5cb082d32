import type { OwnerReference, Pod, StatefulSet } from '@holdfast/core';
import type { Draft } from '../api-client.ts';

/** What makes a pod the pod of an ordinal: its name, labels and volumes. */

export const podNameLabel = 'statefulset.kubernetes.io/pod-name';
export const podIndexLabel = 'apps.kubernetes.io/pod-index';
export const revisionLabel = 'controller-revision-hash';

export type ClaimTemplate = NonNullable<NonNullable<StatefulSet['spec']>['volumeClaimTemplates']>[number];
export type PodTemplate = NonNullable<StatefulSet['spec']>['template'];

/** The first ordinal, and the one after the last. */
export function ordinalRange({ spec }: StatefulSet): { readonly start: number; readonly end: number } {
  const start = spec?.ordinals?.start ?? 0;
  return { start, end: start + (spec?.replicas ?? 1) };
}

export function isWanted(set: StatefulSet, ordinal: number): boolean {
  const { start, end } = ordinalRange(set);
  return ordinal >= start && ordinal < end;
}

/** The ordinal in the name of one of the set's pods; undefined if the name does not have that form. */
export function ordinalOf(set: StatefulSet, podName: string): number | undefined {
  const prefix = `${set.metadata.name}-`;
  const rest = podName.startsWith(prefix) ? podName.slice(prefix.length) : '';
  return /^\d+$/.test(rest) ? Number(rest) : undefined;
}

export function claimName(set: StatefulSet, template: ClaimTemplate, ordinal: number): string {
  return `${template.metadata?.name ?? ''}-${set.metadata.name}-${ordinal}`;
}

export function claimTemplates(set: StatefulSet): readonly ClaimTemplate[] {
  return set.spec?.volumeClaimTemplates ?? [];
}

/** The claim that a template describes for an ordinal. The selector's labels override the template's. */
export function claimDraft(set: StatefulSet, template: ClaimTemplate, ordinal: number): Draft {
  const { labels, annotations } = template.metadata ?? {};
  return {
    metadata: {
      name: claimName(set, template, ordinal),
      namespace: set.metadata.namespace ?? '',
      labels: { ...labels, ...set.spec?.selector.matchLabels },
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec: template.spec,
  };
}

export function podDraft(set: StatefulSet, template: PodTemplate, revision: string, ordinal: number): Draft {
  const name = `${set.metadata.name}-${ordinal}`;
  const { labels, annotations, finalizers } = template.metadata ?? {};
  const claimed = claimTemplates(set).map((claim) => ({
    name: claim.metadata?.name ?? '',
    persistentVolumeClaim: { claimName: claimName(set, claim, ordinal) },
  }));
  const others = (template.spec?.volumes ?? []).filter(
    (volume) => !claimed.some((claim) => claim.name === volume.name),
  );
  return {
    metadata: {
      name,
      namespace: set.metadata.namespace ?? '',
      labels: {
        ...labels,
        [podNameLabel]: name,
        [podIndexLabel]: String(ordinal),
        [revisionLabel]: revision,
      },
      ...(annotations === undefined ? {} : { annotations }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ownerReferences: [controllerReference('apps/v1', 'StatefulSet', set)],
    },
    spec: {
      ...template.spec,
      hostname: name,
      subdomain: set.spec?.serviceName,
      volumes: [...claimed, ...others],
    },
  };
}

export function controllerReference(
  apiVersion: string,
  kind: string,
  { metadata: { name, uid } }: StatefulSet | Pod,
): OwnerReference {
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}
