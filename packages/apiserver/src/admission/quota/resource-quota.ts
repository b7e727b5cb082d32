import { forbidden } from '../../meta/status-error.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import type { Pod } from '../../resources/pod-object.ts';
import { groupResource } from '../../resources/resource-definition.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts';
import { type ResourceQuota, chargeQuotas } from './charge.ts';
import { isTerminating } from './scopes.ts';
import { countedAs } from './usage.ts';

export interface QuotaServer {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Writes the status of a quota to storage before it returns. Rejects if it could not. */
  writeStatus(quota: KubeObject): Promise<void>;
}

/**
 * Refuses writes for which ResourceQuotas have no room, and records their usage at once.
 * kube-controller-manager counts what is released, and what existed before the quota. Until it has done so,
 * the status of a new quota is empty and limits nothing.
 */
export function resourceQuota({ now, writeStatus }: QuotaServer): AdmissionPlugin {
  return {
    name: 'ResourceQuota',
    validate(request) {
      const { definition, namespace, name, object, oldObject, subresource, isDryRun, storage } = request;
      if (object === undefined || !mayUse(request)) {
        return undefined;
      }
      const quotas = storage.list('resourcequotas', namespace).map((entry) => entry.object as ResourceQuota);
      if (quotas.length === 0) {
        return undefined;
      }
      // Nothing is awaited between reading quotas and writing them, so two writes cannot take the same room.
      const charge = chargeQuotas(quotas, {
        plural: definition.group === '' ? definition.plural : '',
        object,
        oldObject,
        counted: countedAs(definition.group, definition.plural),
        isStatus: subresource === 'status',
        now: now(),
      });
      if (charge.kind === 'refused') {
        throw forbidden(groupResource(definition), name, charge.problem);
      }
      if (isDryRun) {
        return undefined;
      }
      const writes = quotas.flatMap((quota) => {
        const used = charge.used.get(quota.metadata.name ?? '');
        return used === undefined ? [] : [writeStatus({ ...quota, status: { ...quota.status, used } })];
      });
      return Promise.all(writes).then(() => undefined);
    },
  };
}

/** Reviews and bindings, which are not stored, and events, which the real server does not count. */
const ignored: ReadonlySet<string> = new Set([
  'bindings.',
  'events.',
  'events.events.k8s.io',
  'localsubjectaccessreviews.authorization.k8s.io',
]);

/** Whether such a write may increase usage. */
function mayUse({
  operation,
  definition: { group, plural, namespaced },
  subresource,
  object,
  oldObject,
}: AdmissionRequest): boolean {
  if (!namespaced || operation === 'DELETE' || ignored.has(`${plural}.${group}`)) {
    return false;
  }
  const isCreate = operation === 'CREATE';
  const isCore = group === '';
  if (isCore && plural === 'pods' && !isCreate) {
    return (
      subresource === 'resize' ||
      (subresource === '' && isTerminating(object as Pod) !== isTerminating(oldObject as Pod))
    );
  }
  if (isCore && plural === 'persistentvolumeclaims' && subresource === 'status') {
    return !isCreate;
  }
  const mayGrow =
    (isCore && (plural === 'services' || plural === 'persistentvolumeclaims')) ||
    (group === 'resource.k8s.io' && plural === 'resourceclaims');
  return subresource === '' && (isCreate || mayGrow);
}
