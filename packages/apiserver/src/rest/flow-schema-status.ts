import type { UserInfo } from '../auth/user-info.ts';
import { danglingCondition, hasPriorityLevel, isSaidAlready } from '../flow-control/dangling.ts';
import { applyConfiguration } from '../managed-fields/field-manager.ts';
import type { JsonObject } from '../meta/json.ts';
import { StatusError } from '../meta/status-error.ts';
import { decodeAs, identityOf } from '../resources/decode-object.ts';
import { flowSchemas, priorityLevelConfigurations } from '../resources/described/flow-control.ts';
import type { FlowSchema, FlowSchemaCondition } from '../resources/described/flow-schema-validation.ts';
import { apiVersionOf, keyspaceOf } from '../resources/resource-definition.ts';
import type { ServerState } from './server-state.ts';
import { updateObject } from './update-object.ts';

/** The field manager that writes in the status of a flow schema whether its priority level exists. */
export const flowSchemaStatusWriter = 'api-priority-and-fairness-config-consumer-v1';

const system: UserInfo = {
  name: 'system:apiserver',
  uid: '',
  groups: ['system:masters', 'system:authenticated'],
};

export interface FlowSchemaStatus {
  /** Stops writing statuses. */
  stop(): void;
}

/**
 * Updates the condition Dangling of all flow schemas as their priority levels come and go. The condition
 * changes soon after the write that is the reason.
 */
export function startFlowSchemaStatus(server: ServerState): FlowSchemaStatus {
  const { storage } = server;
  let isWaiting = false;
  let isStopped = false;

  /** Not within the write that is the reason, so that watchers see that write before its consequences. */
  function wake(): void {
    if (!isWaiting) {
      isWaiting = true;
      queueMicrotask(() => {
        isWaiting = false;
        void settle();
      });
    }
  }

  async function settle(): Promise<void> {
    for (const { object } of storage.list(keyspaceOf(flowSchemas))) {
      if (isStopped) {
        return;
      }
      const { metadata, spec, status } = object as FlowSchema;
      const { name: level } = spec.priorityLevelConfiguration;
      const wanted = danglingCondition(level, hasPriorityLevel(storage, level), server.now());
      if (
        !isSaidAlready(
          status.conditions?.find(({ type }) => type === wanted.type),
          wanted,
        )
      ) {
        await say(metadata.name ?? '', wanted).catch(passOver);
      }
    }
  }

  async function say(name: string, condition: FlowSchemaCondition): Promise<void> {
    const config: JsonObject = {
      kind: flowSchemas.kind,
      apiVersion: apiVersionOf(flowSchemas),
      metadata: { name },
      status: { conditions: [condition] },
    };
    const writer = { name: flowSchemaStatusWriter, subresource: 'status', now: server.now() };
    const write = {
      namespace: '',
      name,
      subresource: 'status',
      isDryRun: false,
      isReplace: false,
      isAdmitted: true,
      user: system,
      warn: () => undefined,
    };
    await updateObject(server, flowSchemas, write, (existing) => {
      const applied = applyConfiguration(flowSchemas, existing, config, writer, true);
      return decodeAs(applied, identityOf(flowSchemas)).object;
    });
  }

  const stops = [flowSchemas, priorityLevelConfigurations].map((definition) =>
    storage.subscribe(keyspaceOf(definition), wake),
  );
  wake();
  return {
    stop() {
      isStopped = true;
      for (const stop of stops) {
        stop();
      }
    },
  };
}

/** A flow schema that was deleted or changed in the meantime is looked at again because of that change. */
function passOver(error: unknown): void {
  if (error instanceof StatusError && (error.status.code === 404 || error.status.code === 409)) {
    return;
  }
  throw error;
}
