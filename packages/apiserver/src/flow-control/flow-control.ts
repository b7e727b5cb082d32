import type { AccessRequest } from '../auth/access-request.ts';
import type { UserInfo } from '../auth/user-info.ts';
import type { Flow } from '../http/flow-headers.ts';
import {
  type FlowSchema,
  compareFlowSchemas,
  flowSchemas,
  priorityLevelConfigurations,
} from '../resources/described/flow-control.ts';
import { keyspaceOf } from '../resources/resource-definition.ts';
import type { Storage } from '../storage/storage.ts';
import { hasPriorityLevel } from './dangling.ts';
import { matchesFlowSchema } from './flow-schema-matching.ts';
import { catchAllName, exemptName, suggestedFlowSchemas } from './suggested-configuration.ts';

/*
 * Priority and fairness as far as clients see it: which flow schema a request matches, and so which priority level it is of. Nothing is queued or refused for it.
 */

export interface FlowControl {
  /** The flow of a request of an authenticated user, anonymous or not. */
  flowOf(user: UserInfo, access: AccessRequest): Flow;
  /** Stops following the stored objects. */
  stop(): void;
}

interface Candidate {
  readonly schema: FlowSchema;
  readonly flow: Flow;
}

/** Flows that are remembered of a user, at most: beyond that all of the user's are found anew. */
const memoLimit = 1000;

/**
 * Classifies by the stored flow schemas. They are put in order when first asked after a change of any of them, and what a user asks for again is
 * not looked for again until then.
 */
export function createFlowControl(storage: Storage): FlowControl {
  let candidates: readonly Candidate[] | undefined;
  /** By what the classification depends on. Users who are gone take theirs along. */
  let memo = new WeakMap<UserInfo, Map<string, Flow>>();
  const stops = [flowSchemas, priorityLevelConfigurations].map((definition) =>
    storage.subscribe(keyspaceOf(definition), () => {
      candidates = undefined;
      memo = new WeakMap();
    }),
  );

  return {
    flowOf(user, access) {
      let known = memo.get(user);
      if (known === undefined) {
        memo.set(user, (known = new Map<string, Flow>()));
      }
      const key = keyOf(access);
      let flow = known.get(key);
      if (flow === undefined) {
        candidates ??= candidatesOf(storage);
        flow = candidates.find(({ schema }) => matchesFlowSchema(schema, user, access))?.flow ?? noFlow;
        if (known.size >= memoLimit) {
          known.clear();
        }
        known.set(key, flow);
      }
      return flow;
    },
    stop() {
      for (const stop of stops) {
        stop();
      }
    },
  };
}

const noFlow: Flow = { flowSchemaUid: '', priorityLevelUid: '' };

function keyOf(access: AccessRequest): string {
  return access.kind === 'path'
    ? `${access.verb} ${access.path}`
    : `${access.verb} ${access.group}/${access.resource}/${access.subresource} ${access.namespace}`;
}

/** In the order in which they are asked. Those without a priority level are passed over. */
function candidatesOf(storage: Storage): readonly Candidate[] {
  const stored = storage
    .list(keyspaceOf(flowSchemas))
    .map(({ object }) => object as FlowSchema)
    .filter(({ spec }) => hasPriorityLevel(storage, spec.priorityLevelConfiguration.name))
    .sort(compareFlowSchemas);
  const mandatory = (name: string): FlowSchema[] =>
    stored.some((schema) => nameOf(schema) === name)
      ? []
      : suggestedFlowSchemas
          .filter(({ metadata }) => metadata.name === name)
          .map((schema) => schema as unknown as FlowSchema);
  return [...mandatory(exemptName), ...stored, ...mandatory(catchAllName)].map((schema) => ({
    schema,
    flow: {
      flowSchemaUid: schema.metadata.uid ?? '',
      priorityLevelUid: uidOfLevel(storage, schema.spec.priorityLevelConfiguration.name),
    },
  }));
}

function uidOfLevel(storage: Storage, name: string): string {
  return storage.get(keyspaceOf(priorityLevelConfigurations), '', name)?.object.metadata.uid ?? '';
}

function nameOf({ metadata: { name = '' } }: FlowSchema): string {
  return name;
}
