import { apiVersionOf, type ApiResource } from './api-resource.ts';
import { guardedPatch, pointer, testAbsent, type JsonPatch } from './json-patch.ts';
import { keyOf } from './object-key.ts';
import { controllerOf, type Dependent } from './owner-references.ts';
import type { KubernetesObject, OwnerReference } from './resources.ts';

/** The role of the owner. */
export interface OwnerReferenceOptions {
  /** The owner manages the dependent. An object has at most one such owner. Default: false. */
  readonly controller?: boolean;
  /**
   * Foreground deletion of the owner waits for the dependent. The admission plugin
   * OwnerReferencesPermissionEnforcement, if enabled, requires permission to update the owner's finalizers.
   * Default: the same as `controller`.
   */
  readonly blockOwnerDeletion?: boolean;
}

/**
 * Returns the reference that makes the garbage collector delete the dependent after its owner. The kind comes
 * from the resource, since items of a list come without one.
 *
 * @throws Error for an owner that no reference can name: it has no UID, name, kind or version, or is of
 *   another kind than the resource. Also for a namespaced owner whose dependent is in another namespace or in
 *   none: the garbage collector would consider the owner gone and delete the dependent, or never delete it.
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

/** The result of {@link setOwnerReference}. */
export type OwnerReferenceChange =
  /** Write these references, with {@link ownerReferencesPatch} or in the object to be created. */
  | { readonly kind: 'set'; readonly ownerReferences: readonly OwnerReference[] }
  /** The dependent already has this reference. */
  | { readonly kind: 'present' }
  /** Another object manages the dependent; leave the dependent alone. */
  | { readonly kind: 'taken'; readonly controller: OwnerReference };

/**
 * Adds the reference to those of the dependent. Owners are compared by UID, so an earlier object of the same
 * name is another owner. All other references stay, in their order.
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
 * Returns a patch that replaces the object's owner references. It tests the whole list, so any change made
 * meanwhile fails the patch. Without references the patch removes the list.
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

/** Leaves out a flag that is not set: to the API server that is the same as false. */
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
