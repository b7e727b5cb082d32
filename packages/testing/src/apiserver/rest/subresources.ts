import { invalid, invalidObject } from '../meta/field-error.ts';
import { type JsonObject, isObject } from '../meta/json.ts';
import type { KubeObject, LabelSelector } from '../meta/kube-object.ts';
import { formatSelector } from '../selectors/label-selector.ts';
import { type ResourceDefinition, groupResource, keyspaceOf } from '../resources/resource-definition.ts';
import type { Pod } from '../resources/pod.ts';
import { formatTime } from '../schema/decode.ts';
import type { ServerState } from './server-state.ts';
import { badRequest, conflict, internalError, modifiedMessage, notFound } from '../meta/status-error.ts';
import type { WriteOptions } from './create-object.ts';
import type { DeleteOptions } from './delete-options.ts';
import { checkPreconditions, deleteObject } from './delete-object.ts';
import { servedObject } from './stored-form.ts';
import { updateObject } from './update-object.ts';

/* Subresources that are neither the object nor its status. */

export interface AdmittedAction {
  /** The subresource. */
  readonly name: string;
  readonly operation: 'CREATE' | 'UPDATE';
}

/** Asks admission about what an action was sent, which is of a kind of its own. Mutating plugins change `object` in place. */
export async function admitAction(
  server: ServerState,
  definition: ResourceDefinition,
  { name: subresource, operation }: AdmittedAction,
  name: string,
  object: KubeObject,
  oldObject: KubeObject | undefined,
  { namespace, isDryRun, user, sentOptions = {}, warn }: WriteOptions,
): Promise<void> {
  const request = {
    operation,
    definition,
    subresource,
    namespace,
    name,
    object,
    oldObject,
    isDryRun,
    user,
    options: sentOptions,
    warn,
    storage: server.storage,
  };
  await server.admission.mutate(request);
  await server.admission.validate(request);
}

/** What the server writes to carry out an action belongs to nobody. */
function unmanaged({ namespace, isDryRun, user, warn }: WriteOptions): WriteOptions {
  return { namespace, isDryRun, user, warn };
}

interface Binding extends KubeObject {
  target: { kind?: string; name?: string };
}

/** pods/binding: puts a pod on a node, once. */
export async function bindPod(
  server: ServerState,
  definition: ResourceDefinition,
  name: string,
  body: KubeObject,
  options: WriteOptions,
): Promise<void> {
  const { metadata, target } = body as Binding;
  if (metadata.name !== name) {
    throw badRequest('name in URL does not match name in Binding object');
  }
  if ((target.kind ?? '') !== '' && target.kind !== 'Node') {
    throw internalError(
      `target.kind: Unsupported value: "${target.kind}": supported values: "Node", "<empty>"`,
    );
  }
  const node = target.name ?? '';
  if (node === '') {
    throw internalError('target.name: Required value');
  }
  await updateObject(
    server,
    definition,
    {
      ...unmanaged(options),
      name,
      subresource: 'binding',
      isReplace: false,
      prepare: () => undefined,
      isSystemWrite: true,
      isAdmitted: true,
    },
    (existing) => {
      const pod = existing as Pod;
      const resource = { group: '', name: 'pods/binding' };
      if (pod.metadata.deletionTimestamp !== undefined) {
        throw conflict(resource, name, `pod ${name} is being deleted, cannot be assigned to a host`);
      }
      if ((pod.spec.nodeName ?? '') !== '') {
        throw conflict(resource, name, `pod ${name} is already assigned to node "${pod.spec.nodeName}"`);
      }
      if ((pod.spec.schedulingGates ?? []).length > 0) {
        throw conflict(resource, name, `pod ${name} has non-empty .spec.schedulingGates`);
      }
      if (metadata.uid !== undefined && metadata.uid !== pod.metadata.uid) {
        throw conflict(
          resource,
          name,
          `Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${pod.metadata.uid ?? ''}`,
        );
      }
      const conditions = (pod.status.conditions ?? []).filter(
        (condition) => condition.type !== 'PodScheduled',
      );
      return {
        ...pod,
        metadata: {
          ...pod.metadata,
          ...(metadata.annotations === undefined
            ? undefined
            : { annotations: { ...pod.metadata.annotations, ...metadata.annotations } }),
        },
        spec: { ...pod.spec, nodeName: node },
        status: {
          ...pod.status,
          conditions: [
            ...conditions,
            {
              type: 'PodScheduled',
              status: 'True',
              lastProbeTime: null,
              lastTransitionTime: formatTime(server.now()),
            },
          ],
        },
      };
    },
  );
}

interface Eviction extends KubeObject {
  deleteOptions?: {
    gracePeriodSeconds?: number;
    preconditions?: { uid?: string; resourceVersion?: string };
    dryRun?: string[];
  };
}

/** pods/eviction: a delete that disruption budgets could refuse; none are served here, so none does. */
export async function evictPod(
  server: ServerState,
  definition: ResourceDefinition,
  name: string,
  body: KubeObject,
  options: WriteOptions,
): Promise<void> {
  const { metadata, deleteOptions } = body as Eviction;
  if (metadata.name !== undefined && metadata.name !== name) {
    throw badRequest('name in URL does not match name in Eviction object');
  }
  const isDryRun = options.isDryRun || (deleteOptions?.dryRun ?? []).length > 0;
  let preconditions: DeleteOptions['preconditions'] = deleteOptions?.preconditions ?? {};
  if (!isDryRun) {
    const marked = await markEvicted(server, definition, name, preconditions, options);
    const { resourceVersion } = marked.metadata;
    // It is the mark that has changed the version which was asked for.
    if (preconditions.resourceVersion !== undefined && resourceVersion !== undefined) {
      preconditions = { ...preconditions, resourceVersion };
    }
  }
  const deletion: DeleteOptions = {
    gracePeriodSeconds: deleteOptions?.gracePeriodSeconds,
    preconditions,
    propagationPolicy: undefined,
    isDryRun,
    sent: {},
    isAdmitted: true,
  };
  await deleteObject(server, definition, options.namespace, name, deletion, options.user, options.warn);
}

/** The pod says why it goes before it goes. */
async function markEvicted(
  server: ServerState,
  definition: ResourceDefinition,
  name: string,
  preconditions: DeleteOptions['preconditions'],
  options: WriteOptions,
): Promise<KubeObject> {
  const { object } = await updateObject(
    server,
    definition,
    {
      ...unmanaged(options),
      name,
      subresource: 'status',
      isReplace: false,
      isSystemWrite: true,
      isAdmitted: true,
    },
    (existing) => {
      const pod = existing as Pod;
      checkPreconditions(definition, pod.metadata, preconditions);
      const conditions = (pod.status.conditions ?? []).filter(
        (condition) => condition.type !== 'DisruptionTarget',
      );
      const condition = {
        type: 'DisruptionTarget',
        status: 'True',
        lastProbeTime: null,
        lastTransitionTime: formatTime(server.now()),
        reason: 'EvictionByEvictionAPI',
        message: 'Eviction API: evicting',
      };
      return {
        ...pod,
        metadata: { ...pod.metadata },
        status: { ...pod.status, conditions: [...conditions, condition] },
      };
    },
  );
  return object;
}

interface Scalable extends KubeObject {
  spec: { replicas?: number; selector?: LabelSelector } & JsonObject;
  status: { replicas?: number } & JsonObject;
}

const scaleAction = { name: 'scale', operation: 'UPDATE' } as const;

export const scaleIdentity = {
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  struct: 'autoscaling.v1.Scale',
} as const;

/** The Scale of an object that has replicas. */
export function scaleOf(object: KubeObject): KubeObject {
  const { metadata, spec, status } = object as Scalable;
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  return {
    kind: scaleIdentity.kind,
    apiVersion: scaleIdentity.apiVersion,
    metadata: {
      ...(name === undefined ? undefined : { name }),
      ...(namespace === undefined ? undefined : { namespace }),
      ...(uid === undefined ? undefined : { uid }),
      ...(resourceVersion === undefined ? undefined : { resourceVersion }),
      ...(creationTimestamp === undefined ? undefined : { creationTimestamp }),
    },
    spec: spec.replicas === undefined || spec.replicas === 0 ? {} : { replicas: spec.replicas },
    status: { replicas: status.replicas ?? 0, selector: formatSelector(spec.selector) },
  };
}

/** Writes spec.replicas through the scale subresource. */
export async function updateScale(
  server: ServerState,
  definition: ResourceDefinition,
  name: string,
  makeScale: (existing: KubeObject) => KubeObject,
  options: WriteOptions,
): Promise<KubeObject> {
  const { object } = await updateObject(
    server,
    definition,
    { ...options, name, subresource: 'scale', isReplace: false, prepare: () => undefined, isAdmitted: true },
    async (existing) => {
      if (existing === undefined) {
        throw notFound(groupResource(definition), name);
      }
      const oldScale = scaleOf(existing);
      const scale = makeScale(oldScale);
      await admitAction(server, definition, scaleAction, name, scale, oldScale, options);
      const spec = isObject(scale['spec']) ? scale['spec'] : {};
      const replicas = typeof spec['replicas'] === 'number' ? spec['replicas'] : 0;
      if (replicas < 0) {
        throw invalidObject({ group: 'autoscaling', name: 'Scale' }, name, [
          invalid('spec.replicas', replicas, 'must be greater than or equal to 0'),
        ]);
      }
      const { resourceVersion, uid } = scale.metadata;
      if (resourceVersion !== undefined && resourceVersion !== existing.metadata.resourceVersion) {
        throw conflict(groupResource(definition), name, modifiedMessage);
      }
      if (uid !== undefined && uid !== existing.metadata.uid) {
        throw conflict(groupResource(definition), name, modifiedMessage);
      }
      const scalable = existing as Scalable;
      return { ...scalable, metadata: { ...scalable.metadata }, spec: { ...scalable.spec, replicas } };
    },
  );
  return scaleOf(object);
}

/** namespaces/finalize: the only way to take finalizers out of a namespace's spec. */
export async function finalizeNamespace(
  server: ServerState,
  definition: ResourceDefinition,
  name: string,
  body: KubeObject,
  options: WriteOptions,
): Promise<KubeObject> {
  const { object } = await updateObject(
    server,
    definition,
    {
      ...options,
      name,
      subresource: 'finalize',
      isReplace: true,
      prepare: (next, old) => {
        next['status'] = old['status'];
      },
    },
    () => body,
  );
  return object;
}

/** The present object in the definition's form. Throws 404. */
export function readObject(
  server: ServerState,
  definition: ResourceDefinition,
  namespace: string,
  name: string,
): KubeObject {
  const entry = server.storage.get(keyspaceOf(definition), definition.namespaced ? namespace : '', name);
  if (entry === undefined) {
    throw notFound(groupResource(definition), name);
  }
  return servedObject(definition, entry.object);
}
