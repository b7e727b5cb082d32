import type { OwnerReference, Pod } from '@holdfast/core';
import type { NamelessDraft } from '../api-client.ts';

/** A pod template as in a ReplicaSet or a Job. */
export interface PodTemplate {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
  };
  readonly spec?: Pod['spec'];
}

/**
 * Returns the pod that a template describes, with a name that the server generates.
 *
 * @param generateName the prefix of the name
 */
export function podFromTemplate(
  { metadata = {}, spec }: PodTemplate,
  { namespace, generateName, owner }: { namespace: string; generateName: string; owner: OwnerReference },
): NamelessDraft {
  const { labels, annotations, finalizers } = metadata;
  return {
    metadata: {
      generateName,
      namespace,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ownerReferences: [owner],
    },
    spec,
  };
}

const longestName = 253;

/**
 * The prefix of the names of an owner's pods: the owner's name and a dash, unless the prefix would not be
 * valid in a pod's name.
 */
export function podPrefix(ownerName: string): string {
  return ownerName.length < longestName ? `${ownerName}-` : ownerName;
}
