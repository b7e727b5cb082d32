import { randomUUID } from 'node:crypto';
import { type BootstrapObject, bootstrapPolicy } from '../auth/bootstrap-policy.ts';
import type { UserInfo } from '../auth/user-info.ts';
import { danglingCondition } from '../flow-control/dangling.ts';
import type { JsonObject } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { canonicalObject } from '../resources/decode-object.ts';
import { flowSchemas, priorityLevelConfigurations } from '../resources/described/flow-control.ts';
import type { FlowSchema } from '../resources/described/flow-schema-validation.ts';
import { priorityClasses, systemPriorities } from '../resources/described/priority-classes.ts';
import { serviceCidrs } from '../resources/described/service-networks.ts';
import { services } from '../resources/described/services.ts';
import {
  suggestedFlowSchemas,
  suggestedPriorityLevels,
} from '../resources/described/suggested-flow-control.ts';
import { configMaps } from '../resources/config-map.ts';
import { leases } from '../resources/lease.ts';
import { namespaces } from '../resources/namespace.ts';
import { apiVersionOf, keyspaceOf } from '../resources/resource-definition.ts';
import { formatTime } from '../schema/decode.ts';
import { builtInApiServices } from './local-api-services.ts';
import { createObject } from './create-object.ts';
import { flowSchemaStatusWriter } from './flow-schema-status.ts';
import type { ServerState } from './server-state.ts';

const serverId = 'apiserver-l2yubf4cvcl5c7a3wrubrwqdve';

const systemNamespaces = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

const criticalUses: Readonly<Record<string, string>> = {
  'system-cluster-critical':
    'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  'system-node-critical': 'Used for system critical pods that must not be moved from their current node.',
};

/** The service by which clients in the cluster find the API server. */
const ownService: BootstrapObject = {
  definition: services,
  namespace: 'default',
  object: {
    metadata: { name: 'kubernetes', labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: {
      clusterIP: '10.0.0.1',
      ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: 6443 }],
    },
  },
};

/** The range from which services get their addresses. */
const ownAddresses: BootstrapObject = {
  definition: serviceCidrs,
  namespace: '',
  object: { metadata: { name: 'kubernetes' }, spec: { cidrs: ['10.0.0.0/24'] } },
};

/** An object that a new server creates. */
interface FirstObject extends BootstrapObject {
  /** The field manager. Default: the server's own. */
  readonly manager?: string;
  /** Adds what the real server writes to the object after its creation. Default: nothing. */
  complete?(object: KubeObject, now: number): void;
}

/**
 * The Lease by which the API servers of a cluster know one another. Like the real one, its name is derived
 * from a host and a program.
 */
const ownIdentity: FirstObject = {
  definition: leases,
  namespace: 'kube-system',
  object: {
    metadata: {
      name: serverId,
      labels: { 'apiserver.kubernetes.io/identity': 'kube-apiserver', 'kubernetes.io/hostname': 'localhost' },
    },
    spec: { holderIdentity: serverId, leaseDurationSeconds: 3600, renewTime: '1970-01-01T00:00:00.000000Z' },
  },
  complete(object, now) {
    object['spec'] = {
      ...(object['spec'] as JsonObject),
      holderIdentity: `${serverId}_${randomUUID()}`,
      renewTime: new Date(now).toISOString().replace('Z', '000Z'),
    };
  },
};

/**
 * Records since when the use of service account tokens from Secrets is tracked: on a new cluster, from its
 * first day.
 */
const tokenTracking: FirstObject = {
  definition: configMaps,
  namespace: 'kube-system',
  object: {
    metadata: { name: 'kube-apiserver-legacy-service-account-token-tracking' },
    data: { since: '1970-01-01' },
  },
  complete(object, now) {
    object['data'] = { since: new Date(now).toISOString().slice(0, 10) };
  },
};

const flowControl = { namespace: '', manager: 'api-priority-and-fairness-config-producer-v1' };

/**
 * Creates flow schemas together with their status: one more write for each of them would take longer than the
 * rest of the start.
 */
function completeFlowSchema(object: KubeObject, now: number): void {
  const schema = object as FlowSchema;
  const condition = danglingCondition(schema.spec.priorityLevelConfiguration.name, true, now);
  schema.status = { conditions: [condition] };
  const { lastTransitionTime: time } = condition;
  const owned = Object.keys(condition)
    .sort()
    .map((field) => [`f:${field}`, {}] as const);
  schema.metadata.managedFields = [
    {
      manager: flowSchemaStatusWriter,
      operation: 'Apply',
      apiVersion: apiVersionOf(flowSchemas),
      time,
      fieldsType: 'FieldsV1',
      fieldsV1: {
        'f:status': {
          'f:conditions': { 'k:{"type":"Dangling"}': { '.': {}, ...Object.fromEntries(owned) } },
        },
      },
      subresource: 'status',
    },
    ...(schema.metadata.managedFields ?? []),
  ];
}

function everyObject(): readonly FirstObject[] {
  return [
    ...suggestedPriorityLevels.map((object) => ({
      ...flowControl,
      definition: priorityLevelConfigurations,
      object,
    })),
    ...suggestedFlowSchemas.map((object) => ({
      ...flowControl,
      definition: flowSchemas,
      object,
      complete: completeFlowSchema,
    })),
    ...systemNamespaces.map((name) => ({
      definition: namespaces,
      namespace: '',
      object: { metadata: { name } },
    })),
    ...bootstrapPolicy(),
    ...Object.entries(systemPriorities).map(([name, value]) => ({
      definition: priorityClasses,
      namespace: '',
      object: { metadata: { name }, value, description: criticalUses[name] ?? '' },
    })),
    ownAddresses,
    ownService,
    ...builtInApiServices(),
    ownIdentity,
    tokenTracking,
  ];
}

let wanted: readonly FirstObject[] | undefined;
/**
 * The objects as the first server of the process created them. Later servers reuse them, because creating
 * them takes longer than the rest of the start.
 */
const made = new Map<FirstObject, KubeObject>();

/**
 * Creates the objects that every cluster has, unless they already exist: what an earlier server on the same
 * storage changed must stay.
 */
export async function bootstrap(server: ServerState, user: UserInfo): Promise<void> {
  for (const each of (wanted ??= everyObject())) {
    const { definition, namespace, object: wantedObject } = each;
    const { name = '' } = (wantedObject as KubeObject).metadata;
    if (server.storage.get(keyspaceOf(definition), namespace, name) !== undefined) {
      continue;
    }
    let known = made.get(each);
    if (known === undefined) {
      known = await create(server, user, each);
      made.set(each, known);
      if (each.complete === undefined) {
        continue;
      }
    }
    const now = server.now();
    const object = asNew(known, now);
    each.complete?.(object, now);
    server.storage.put(keyspaceOf(definition), object);
  }
}

/**
 * An object that is yet to be completed is created as a dry run, so that it is stored only once it is
 * complete.
 */
function create(
  server: ServerState,
  user: UserInfo,
  { definition, namespace, object: content, manager = 'kube-apiserver', complete }: FirstObject,
): Promise<KubeObject> {
  const object = canonicalObject(definition, { kind: '', apiVersion: '', metadata: {}, ...content });
  return createObject(server, definition, object, {
    namespace,
    isDryRun: complete !== undefined,
    user,
    manager,
    warn: () => undefined,
  });
}

function asNew(object: KubeObject, now: number): KubeObject {
  const { metadata } = object;
  const time = formatTime(now);
  return {
    ...object,
    metadata: {
      ...metadata,
      uid: randomUUID(),
      creationTimestamp: time,
      managedFields: (metadata.managedFields ?? []).map((entry) => ({ ...entry, time })),
    },
  };
}
