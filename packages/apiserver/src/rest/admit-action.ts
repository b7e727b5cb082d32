import type { KubeObject } from '../meta/kube-object.ts';
import type { ResourceDefinition } from '../resources/resource-definition.ts';
import type { WriteOptions } from './create-object.ts';
import type { ServerState } from './server-state.ts';

export interface AdmittedAction {
  /** The name of the subresource. */
  readonly name: string;
  readonly operation: 'CREATE' | 'UPDATE';
}

/**
 * Runs admission on the object that was sent to an action, which is of another kind than the resource.
 * Mutating plugins change `object` in place.
 */
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
