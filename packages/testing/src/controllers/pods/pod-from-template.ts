import type { OwnerReference, Pod } from '@holdfast/core';
import type { NamelessDraft } from '../api-client.ts';

/** A pod template, as a ReplicaSet or a Job has it. */
export interface PodTemplate {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
  };
  readonly spec?: Pod['spec'];
}

/**
 * The pod that a template makes, under a name of the server's choice.
 *
 * @param generateName what its name begins with
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

/** What the names of an owner's pods begin with: a dash follows its name, unless the prefix would be no name for a pod then. */
export function podPrefix(ownerName: string): string {
  return ownerName.length < longestName ? `${ownerName}-` : ownerName;
}
