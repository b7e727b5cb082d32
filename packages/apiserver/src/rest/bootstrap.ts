import { bootstrapPolicy } from '../auth/bootstrap-policy.ts';
import type { UserInfo } from '../auth/user-info.ts';
import type { JsonObject } from '../meta/json.ts';
import { canonicalObject } from '../resources/decode-object.ts';
import { namespaces } from '../resources/namespace.ts';
import { type ResourceDefinition, keyspaceOf } from '../resources/resource-definition.ts';
import { createObject } from './create-object.ts';
import type { ServerState } from './server-state.ts';

const systemNamespaces = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

/** Creates what every cluster has and is not there yet; what an earlier server on the same storage changed stays. */
export async function bootstrap(server: ServerState, user: UserInfo): Promise<void> {
  for (const name of systemNamespaces) {
    await createAbsent(server, user, namespaces, { metadata: { name } });
  }
  for (const { definition, object } of bootstrapPolicy) {
    await createAbsent(server, user, definition, object);
  }
}

async function createAbsent(
  server: ServerState,
  user: UserInfo,
  definition: ResourceDefinition,
  content: JsonObject,
): Promise<void> {
  const object = canonicalObject(definition, { kind: '', apiVersion: '', metadata: {}, ...content });
  if (server.storage.get(keyspaceOf(definition), '', object.metadata.name ?? '') !== undefined) {
    return;
  }
  await createObject(server, definition, object, {
    namespace: '',
    isDryRun: false,
    user,
    manager: 'kube-apiserver',
    warn: () => undefined,
  });
}
