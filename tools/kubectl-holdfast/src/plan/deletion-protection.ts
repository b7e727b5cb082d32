import { isTerminating, type KubernetesObject } from '@holdfast/core';

const annotation = 'holdfast.dev/deletion-protection';
const policy = 'holdfast-deletion-protection';

/**
 * Whether an admission policy of Holdfast refuses to delete the object. Only an administrator knows whether the
 * policy is applied, so all answers say what happens with it and without.
 */
export function isProtected(object: KubernetesObject): boolean {
  return Object.hasOwn(object.metadata.annotations ?? {}, annotation) && !isTerminating(object);
}

/** Begins a sentence about the deletion of a protected object; what happens without the policy follows. */
export const refusal = `refused while it has annotation ${annotation}, if policy ${policy} is applied; else `;

/** A sentence about objects that are deleted as a consequence. */
export function stayWords(names: readonly string[]): string {
  const [stay, have] = names.length === 1 ? ['stays', 'it has'] : ['stay', 'they have'];
  return `if policy ${policy} is applied, ${names.join(', ')} ${stay} as long as ${have} annotation ${annotation}`;
}

/** The end of a sentence about a volume that a controller deletes. */
export const stayingVolume = `, which stays if policy ${policy} is applied`;
