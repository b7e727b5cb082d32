import type { AccessRequest } from '../auth/access-request.ts';
import type { UserInfo } from '../auth/user-info.ts';
import type { Flow } from '../http/flow-headers.ts';
import {
  compareFlowSchemas,
  flowSchemas,
  priorityLevelConfigurations,
} from '../resources/described/flow-control.ts';
import type { FlowSchema } from '../resources/described/flow-schema-validation.ts';
import {
  catchAllName,
  exemptName,
  suggestedFlowSchemas,
} from '../resources/described/suggested-flow-control.ts';
import { keyspaceOf } from '../resources/resource-definition.ts';
import type { Storage } from '../storage/storage.ts';
import { hasPriorityLevel } from './dangling.ts';
import { matchesFlowSchema } from './flow-schema-matching.ts';

/*
 * Priority and fairness as far as clients can see it: which flow schema a request matches, and therefore its
 * priority level. No request is queued or refused because of it.
 */

export interface FlowControl {
  /** Returns the flow of a request. The user may be anonymous. */
  flowOf(user: UserInfo, access: AccessRequest): Flow;
  /** Stops following the stored objects. */
  stop(): void;
}

interface Candidate {
  readonly schema: FlowSchema;
  readonly flow: Flow;
}

/**
 * The maximum number of flows that are cached per user. Beyond that, all flows of the user are looked up
 * again.
 */
const memoLimit = 1000;

/**
 * Classifies requests by the stored flow schemas. The schemas are sorted when they are first needed after a
 * change, and classifications are cached until the next change.
 */
export function createFlowControl(storage: Storage): FlowControl {
  let candidates: readonly Candidate[] | undefined;
  /**
   * Keyed by what the classification depends on. The entries of a user are garbage collected with the user.
   */
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

/** The flow schemas in the order in which they are checked, without those whose priority level is missing. */
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
