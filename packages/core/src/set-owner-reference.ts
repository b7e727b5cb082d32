import { apiVersionOf, type ApiResource } from './api-resource.ts';
import { guardedPatch, pointer, testAbsent, type JsonPatch } from './json-patch.ts';
import { keyOf } from './object-key.ts';
import { controllerOf, type Dependent } from './owner-references.ts';
import type { KubernetesObject, OwnerReference } from './resources.ts';

/** What the owner is to its dependent. */
export interface OwnerReferenceOptions {
  /** The owner manages the dependent, of which an object has one at the most. Default false. */
  readonly controller?: boolean;
  /**
   * Foreground deletion of the owner waits for the dependent. Admission may ask for the right to update the owner's finalizers
   * (OwnerReferencesPermissionEnforcement). Default: as `controller`.
   */
  readonly blockOwnerDeletion?: boolean;
}

/**
 * The reference that makes the garbage collector delete the dependent after its owner. The kind comes from the resource, since items of a list
 * do not name theirs.
 *
 * @throws Error for an owner that no reference can name (it has no UID, name, kind or version, or is of another kind than the resource), and for
 *   an owner in a namespace whose dependent is in another or in none: the garbage collector would take the owner for gone and delete the dependent,
 *   or never delete it.
 */
export function ownerReference<Owner extends KubernetesObject>(
  resource: ApiResource<Owner>,
  owner: Owner,
  dependent: Dependent,
  { controller = false, blockOwnerDeletion = controller }: OwnerReferenceOptions = {},
): OwnerReference {
  checkOwner(resource, owner);
  checkNamespaces(resource, owner, dependent);
  const { name, uid } = owner.metadata;
  const { kind } = resource;
  return withFlags({ apiVersion: apiVersionOf(resource), kind, name, uid }, controller, blockOwnerDeletion);
}

/** What {@link setOwnerReference} came to. */
export type OwnerReferenceChange =
  /** These references are to be written, by {@link ownerReferencesPatch} or in the object that is created. */
  | { readonly kind: 'set'; readonly ownerReferences: readonly OwnerReference[] }
  /** The dependent says all of it already. */
  | { readonly kind: 'present' }
  /** Another object manages the dependent, and is to be left alone. */
  | { readonly kind: 'taken'; readonly controller: OwnerReference };

/**
 * Adds the reference to those of the dependent. Owners are told apart by UID: one of the same name before it is another, and its reference stays
 * as do all others, in their order.
 *
 *     the dependent's owners                         the reference          answer
 *     another is controller                          controller             taken
 *     without this owner                             any                    set, at the end
 *     this owner, with the same version and flags    any                    present
 *     this owner, controller or blocking             says neither           present: flags are not taken away
 *     this owner, with other version or fewer flags  any                    set, in its place
 */
export function setOwnerReference(dependent: Dependent, reference: OwnerReference): OwnerReferenceChange {
  const controller = controllerOf(dependent);
  if (reference.controller === true && controller !== undefined && controller.uid !== reference.uid) {
    return { kind: 'taken', controller };
  }
  const references = dependent.metadata.ownerReferences ?? [];
  const index = references.findIndex(({ uid }) => uid === reference.uid);
  const before = references[index];
  if (before === undefined) {
    return { kind: 'set', ownerReferences: [...references, reference] };
  }
  const after = withFlags(
    reference,
    before.controller === true || reference.controller === true,
    before.blockOwnerDeletion === true || reference.blockOwnerDeletion === true,
  );
  return saysTheSame(before, after)
    ? { kind: 'present' }
    : { kind: 'set', ownerReferences: references.with(index, after) };
}

/**
 * Replaces the object's owner references, and tests them whole: any change made meanwhile fails the patch. Without references the list goes.
 */
export function ownerReferencesPatch(
  object: KubernetesObject,
  references: readonly OwnerReference[],
): JsonPatch {
  const path = pointer('metadata', 'ownerReferences');
  const present = object.metadata.ownerReferences ?? [];
  const test = present.length === 0 ? testAbsent(path) : ({ op: 'test', path, value: present } as const);
  if (references.length > 0) {
    return guardedPatch(object, [test, { op: 'add', path, value: references }]);
  }
  return guardedPatch(object, present.length === 0 ? [test] : [test, { op: 'remove', path }]);
}

function checkOwner(resource: ApiResource<KubernetesObject>, owner: KubernetesObject): void {
  const { group, version, kind, plural } = resource;
  for (const [field, value] of Object.entries({ version, kind })) {
    if (value === '') {
      throw new Error(
        `resource "${plural}" of group "${group}" has no ${field}: an owner reference needs it`,
      );
    }
  }
  const { name, uid } = owner.metadata;
  for (const [field, value] of Object.entries<unknown>({ name, uid })) {
    if (typeof value !== 'string' || value === '') {
      throw new Error(
        `owner ${describe(resource, owner)}: metadata.${field} is ${JSON.stringify(value)}; give an object that the API server has stored`,
      );
    }
  }
  const wanted = apiVersionOf(resource);
  const { apiVersion = wanted, kind: own = kind } = owner;
  if (apiVersion !== wanted || own !== kind) {
    throw new Error(
      `owner ${describe(resource, owner)} is of ${apiVersion} ${own}, and not of ${wanted} ${kind}; give the resource that it was read by`,
    );
  }
}

function checkNamespaces(
  resource: ApiResource<KubernetesObject>,
  owner: KubernetesObject,
  { metadata }: Dependent,
): void {
  const namespace = metadata.namespace ?? '';
  if (!resource.namespaced || (namespace !== '' && namespace === owner.metadata.namespace)) {
    return;
  }
  const name = metadata.name ?? '';
  throw new Error(
    namespace === ''
      ? `owner ${describe(resource, owner)}: dependent "${name}" has no namespace; set its metadata.namespace, and give what has none an owner without namespace`
      : `owner ${describe(resource, owner)}: dependent "${name}" is in namespace "${namespace}"; an owner must be in the namespace of its dependent, or in none`,
  );
}

function describe({ kind }: ApiResource<KubernetesObject>, { metadata }: KubernetesObject): string {
  return `${kind} "${keyOf(metadata)}"`;
}

/** A flag that is not set is left out: to the API server it says the same as false. */
function withFlags(
  { apiVersion, kind, name, uid }: OwnerReference,
  controller: boolean,
  blockOwnerDeletion: boolean,
): OwnerReference {
  const controls = controller ? { controller } : {};
  const blocks = blockOwnerDeletion ? { blockOwnerDeletion } : {};
  return { apiVersion, kind, name, uid, ...controls, ...blocks };
}

function saysTheSame(before: OwnerReference, after: OwnerReference): boolean {
  return (
    before.apiVersion === after.apiVersion &&
    before.kind === after.kind &&
    before.name === after.name &&
    (before.controller ?? false) === (after.controller ?? false) &&
    (before.blockOwnerDeletion ?? false) === (after.blockOwnerDeletion ?? false)
  );
}
