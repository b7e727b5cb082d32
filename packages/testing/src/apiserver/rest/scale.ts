import { invalid, invalidObject } from '../meta/field-error.ts';
import { type JsonObject, isObject } from '../meta/json.ts';
import type { KubeObject, LabelSelector } from '../meta/kube-object.ts';
import { conflict, modifiedMessage, notFound } from '../meta/status-error.ts';
import { type ResourceDefinition, groupResource } from '../resources/resource-definition.ts';
import { formatSelector } from '../selectors/label-selector.ts';
import { admitAction } from './admit-action.ts';
import type { WriteOptions } from './create-object.ts';
import type { ServerState } from './server-state.ts';
import { updateObject } from './update-object.ts';

/* The subresource scale: the replicas of an object as autoscaling/v1 Scale. */

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
export async function writeScale(
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
