import { randomUUID } from 'node:crypto';
import { type BootstrapObject, bootstrapPolicy } from '../auth/bootstrap-policy.ts';
import type { UserInfo } from '../auth/user-info.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { canonicalObject } from '../resources/decode-object.ts';
import { priorityClasses, systemPriorities } from '../resources/described/classes.ts';
import { serviceCidrs } from '../resources/described/networking.ts';
import { services } from '../resources/described/services.ts';
import { namespaces } from '../resources/namespace.ts';
import { keyspaceOf } from '../resources/resource-definition.ts';
import { formatTime } from '../schema/decode.ts';
import { createObject } from './create-object.ts';
import type { ServerState } from './server-state.ts';

const systemNamespaces = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

const criticalUses: Readonly<Record<string, string>> = {
  'system-cluster-critical':
    'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  'system-node-critical': 'Used for system critical pods that must not be moved from their current node.',
};

/** Where clients in the cluster find the API server. */
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

/** The addresses that services get. */
const ownAddresses: BootstrapObject = {
  definition: serviceCidrs,
  namespace: '',
  object: { metadata: { name: 'kubernetes' }, spec: { cidrs: ['10.0.0.0/24'] } },
};

function everyObject(): readonly BootstrapObject[] {
  return [
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
  ];
}

let wanted: readonly BootstrapObject[] | undefined;
/** As the first server of the process made them: making them takes longer than all else of a start. */
const made = new Map<BootstrapObject, KubeObject>();

/** Creates what every cluster has and is not there yet; what an earlier server on the same storage changed stays. */
export async function bootstrap(server: ServerState, user: UserInfo): Promise<void> {
  for (const each of (wanted ??= everyObject())) {
    const { definition, namespace, object } = each;
    const { name = '' } = (object as KubeObject).metadata;
    if (server.storage.get(keyspaceOf(definition), namespace, name) !== undefined) {
      continue;
    }
    const known = made.get(each);
    if (known === undefined) {
      made.set(each, await create(server, user, each));
    } else {
      server.storage.put(keyspaceOf(definition), asNew(known, server.now()));
    }
  }
}

function create(
  server: ServerState,
  user: UserInfo,
  { definition, namespace, object: content }: BootstrapObject,
): Promise<KubeObject> {
  const object = canonicalObject(definition, { kind: '', apiVersion: '', metadata: {}, ...content });
  return createObject(server, definition, object, {
    namespace,
    isDryRun: false,
    user,
    manager: 'kube-apiserver',
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
