import { cloneJson } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import type { UserInfo } from '../auth/user-info.ts';
import type { ResourceDefinition } from '../resources/resource-definition.ts';
import type { ServerState } from './server-state.ts';
import { updateObject } from './update-object.ts';

const apiServer: UserInfo = {
  name: 'system:apiserver',
  uid: '',
  groups: ['system:masters', 'system:authenticated'],
};

/**
 * Writes the status of an object for the server itself, such as the usage of a quota. The write happens
 * before this returns, so a caller that read the object and has not awaited anything since can rely on its
 * being unchanged. Nevertheless it rejects with 404 and 409.
 */
export async function writeStatus(
  server: ServerState,
  definition: ResourceDefinition,
  object: KubeObject,
): Promise<void> {
  const { namespace = '', name = '' } = object.metadata;
  const write = {
    namespace,
    name,
    subresource: 'status',
    isDryRun: false,
    isReplace: true,
    isAdmitted: true,
    user: apiServer,
    manager: 'kube-apiserver',
    warn: () => undefined,
  };
  await updateObject(server, definition, write, () => cloneJson(object));
}
