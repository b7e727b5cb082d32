import { priorityLevelConfigurations } from '../resources/described/flow-control.ts';
import type { FlowSchemaCondition } from '../resources/described/flow-schema-validation.ts';
import { catchAllName, exemptName } from '../resources/described/suggested-flow-control.ts';
import { keyspaceOf } from '../resources/resource-definition.ts';
import { formatTime } from '../schema/decode.ts';
import type { Storage } from '../storage/storage.ts';

/** Whether requests can have this priority level. The mandatory ones apply even without an object. */
export function hasPriorityLevel(storage: Storage, name: string): boolean {
  return (
    name === exemptName ||
    name === catchAllName ||
    storage.get(keyspaceOf(priorityLevelConfigurations), '', name) !== undefined
  );
}

/**
 * Returns the condition Dangling, worded as the real server does.
 *
 * @param now milliseconds since the epoch
 */
export function danglingCondition(priorityLevel: string, isThere: boolean, now: number): FlowSchemaCondition {
  const reference = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(priorityLevel)}`;
  return {
    type: 'Dangling',
    status: isThere ? 'False' : 'True',
    lastTransitionTime: formatTime(now),
    reason: isThere ? 'Found' : 'NotFound',
    message: `${reference} ${isThere ? 'and it exists' : 'but there is no such object'}`,
  };
}

/** Whether two conditions are equal except for their transition times. */
export function isSaidAlready(
  present: FlowSchemaCondition | undefined,
  { status, reason, message }: FlowSchemaCondition,
): boolean {
  return present?.status === status && present.reason === reason && present.message === message;
}
