import type { ServiceAddresses } from '../admission/webhook-call.ts';
import { type UserInfo, privilegedGroup } from '../auth/user-info.ts';
import { cloneJson, jsonEqual } from '../meta/json.ts';
import { StatusError } from '../meta/status-error.ts';
import { type ResourceDefinition, keyspaceOf } from '../resources/resource-definition.ts';
import { deleteObject } from '../rest/delete-object.ts';
import type { ServerState } from '../rest/server-state.ts';
import { updateObject } from '../rest/update-object.ts';
import {
  type Condition,
  type CustomResourceDefinition,
  cleanupFinalizer,
  isTrue,
  withCondition,
} from './custom-resource-definition.ts';
import { customResourceDefinitions } from './definition-resource.ts';
import { decideNames } from './naming.ts';
import { type DefinedResources, definedResources } from './served-resources.ts';
import { compareVersions } from './version-priority.ts';

/*
 * What the server itself does with definitions: it serves their kinds, decides their names, and deletes the
 * objects of a definition that is being deleted. On the real server these are controllers, which lag a moment
 * behind; here it is done before the next request.
 */

const keyspace = keyspaceOf(customResourceDefinitions);

/** How long to wait, in milliseconds, before retrying to delete objects whose conversion webhook failed. */
const retryPeriod = 500;
const system: UserInfo = { name: 'system:apiserver', uid: '', groups: [privilegedGroup] };

export interface CustomResources {
  /** Stops following definitions. */
  stop(): void;
}

/** Serves the kinds of the stored definitions, and follows changes of definitions until it is stopped. */
export function startCustomResources(server: ServerState, services: ServiceAddresses): CustomResources {
  const { storage, registry } = server;
  const served = new Map<string, Served>();
  const waiting = new Set<string>();
  /** By keyspace, how to stop deleting the objects of a definition. */
  const emptying = new Map<string, () => void>();
  let isStopped = false;

  function serve(): void {
    const all = [...served.values()].flatMap(({ resources }) => resources.served);
    registry.replaceCustom(
      all.toSorted(
        (a, b) =>
          compareText(a.group, b.group) ||
          compareVersions(a.version, b.version) ||
          compareText(a.plural, b.plural),
      ),
    );
  }

  function read(name: string): CustomResourceDefinition | undefined {
    return storage.get(keyspace, '', name)?.object as CustomResourceDefinition | undefined;
  }

  function follow(name: string, definition: CustomResourceDefinition | undefined): void {
    const before = served.get(name);
    if (definition === undefined) {
      served.delete(name);
    } else if (before === undefined || !isServedAlike(before.definition, definition)) {
      served.set(name, servedBy(name, definition));
    } else {
      return;
    }
    serve();
  }

  function servedBy(name: string, definition: CustomResourceDefinition): Served {
    const isTerminating = (): boolean => {
      const now = read(name);
      return now !== undefined && isTrue(now, 'Terminating');
    };
    const surroundings = { services, after: server.after };
    return { definition, resources: definedResources(definition, isTerminating, surroundings) };
  }

  /** Settles after the write that woke it, so that watchers see that write first. */
  function wake(name: string): void {
    if (!waiting.has(name)) {
      waiting.add(name);
      queueMicrotask(() => {
        waiting.delete(name);
        void settle(name).catch(passOver);
      });
    }
  }

  /** Wakes the other definitions of a group, which may be waiting for a name. */
  function wakeOthers(name: string, group: string): void {
    for (const { object } of storage.list(keyspace)) {
      const other = object as CustomResourceDefinition;
      if (other.spec.group === group && other.metadata.name !== name && !isTrue(other, 'NamesAccepted')) {
        wake(other.metadata.name ?? '');
      }
    }
  }

  async function settle(name: string): Promise<void> {
    const definition = read(name);
    if (isStopped || definition === undefined) {
      return;
    }
    if (
      definition.metadata.deletionTimestamp !== undefined &&
      definition.metadata.finalizers?.includes(cleanupFinalizer) === true
    ) {
      await empty(definition);
    } else if (!jsonEqual(definition.spec.names, definition.status.acceptedNames)) {
      await settleNames(definition);
    }
    const settled = read(name);
    if (settled !== undefined && isTrue(settled, 'NamesAccepted') && !isTrue(settled, 'Established')) {
      await setConditions(name, [
        {
          type: 'Established',
          status: 'True',
          reason: 'InitialNamesAccepted',
          message: 'the initial names have been accepted',
        },
      ]);
    }
  }

  async function settleNames(definition: CustomResourceDefinition): Promise<void> {
    const { name = '' } = definition.metadata;
    const others = storage
      .list(keyspace)
      .map(({ object }) => object as CustomResourceDefinition)
      .filter((other) => other.metadata.name !== name);
    const { acceptedNames, condition } = decideNames(definition, others);
    const present = definition.status.conditions?.find(({ type }) => type === condition.type);
    const isDone =
      present?.status === condition.status &&
      present.reason === condition.reason &&
      present.message === condition.message;
    if (isDone && jsonEqual(acceptedNames, definition.status.acceptedNames)) {
      return;
    }
    const isAccepted = condition.status === 'True';
    const established: Condition = isAccepted
      ? {
          type: 'Established',
          status: 'False',
          reason: 'Installing',
          message: 'the initial names have been accepted',
        }
      : {
          type: 'Established',
          status: 'False',
          reason: 'NotAccepted',
          message: 'not all names are accepted',
        };
    const isEstablished = isTrue(definition, 'Established');
    await setConditions(name, isEstablished ? [condition] : [condition, established], (changed) => {
      changed.status.acceptedNames = cloneJson(acceptedNames);
    });
    wakeOthers(name, definition.spec.group);
  }

  async function setConditions(
    name: string,
    conditions: readonly Condition[],
    change: (definition: CustomResourceDefinition) => void = () => undefined,
  ): Promise<void> {
    if (read(name) === undefined) {
      return;
    }
    await updateObject(
      server,
      customResourceDefinitions,
      {
        namespace: '',
        name,
        subresource: 'status',
        isDryRun: false,
        isReplace: false,
        isSystemWrite: true,
        isAdmitted: true,
        user: system,
        manager: 'kube-apiserver',
        warn: () => undefined,
      },
      (existing) => {
        const changed = cloneJson(existing) as CustomResourceDefinition;
        for (const condition of conditions) {
          changed.status.conditions = withCondition(changed, condition, server.now());
        }
        change(changed);
        return changed;
      },
    );
  }

  /** Deletes the objects of a definition, and removes the finalizer of the definition when none is left. */
  async function empty(definition: CustomResourceDefinition): Promise<void> {
    const { name = '' } = definition.metadata;
    const objects = `${definition.spec.group}/${definition.spec.names.plural}`;
    const resource = served.get(name)?.resources.stored;
    if (resource === undefined || !isTrue(definition, 'Established')) {
      await release(name, 'NeverEstablished', 'resource was never established');
      return;
    }
    if (emptying.has(name)) {
      return;
    }
    const unsubscribe = storage.subscribe(objects, () => {
      if (storage.list(objects).length === 0) {
        queueMicrotask(() => void finish().catch(passOver));
      }
    });
    let retry: { cancel(): void } | undefined;
    const stop = (): void => {
      unsubscribe();
      retry?.cancel();
      emptying.delete(name);
    };
    emptying.set(name, stop);
    const finish = async (): Promise<void> => {
      if (emptying.get(name) === stop && storage.list(objects).length === 0) {
        stop();
        await release(name, 'InstanceDeletionCompleted', 'removed all instances');
      }
    };
    await setConditions(name, [
      {
        type: 'Terminating',
        status: 'True',
        reason: 'InstanceDeletionInProgress',
        message: 'CustomResource deletion is in progress',
      },
    ]);
    // Each round reads the definition again, because it may name another webhook now than the one that
    // failed.
    const isOver = (): boolean => isStopped || emptying.get(name) !== stop;
    for (;;) {
      const problems = await deleteAll(served.get(name)?.resources.stored ?? resource);
      if (problems.length === 0 || isOver()) {
        break;
      }
      const listed = problems.length === 1 ? problems.join('') : `[${problems.join(', ')}]`;
      await setConditions(name, [
        {
          type: 'Terminating',
          status: 'True',
          reason: 'InstanceDeletionFailed',
          message: `could not issue all deletes: ${listed}`,
        },
      ]);
      await new Promise<void>((resolve) => (retry = server.after(retryPeriod, resolve)));
    }
    await finish();
  }

  /** Deletes all objects. Returns the reasons why some could not be deleted. */
  async function deleteAll(resource: ResourceDefinition): Promise<readonly string[]> {
    const problems = new Set<string>();
    for (const { namespace, name } of storage.list(keyspaceOf(resource))) {
      const options = {
        isDryRun: false,
        gracePeriodSeconds: undefined,
        propagationPolicy: undefined,
        preconditions: {},
        sent: {},
        isAdmitted: true,
      };
      try {
        await deleteObject(server, resource, namespace, name, options, system, () => undefined);
      } catch (error) {
        // Other errors mean that another client deleted or changed the object in the meantime.
        if (error instanceof StatusError && error.code === 500) {
          problems.add(error.message);
        }
      }
    }
    return [...problems];
  }

  async function release(name: string, reason: string, message: string): Promise<void> {
    await setConditions(name, [{ type: 'Terminating', status: 'False', reason, message }], ({ metadata }) => {
      const finalizers = metadata.finalizers?.filter((finalizer) => finalizer !== cleanupFinalizer) ?? [];
      if (finalizers.length === 0) {
        delete metadata.finalizers;
      } else {
        metadata.finalizers = finalizers;
      }
    });
  }

  for (const { object, name } of storage.list(keyspace)) {
    served.set(name, servedBy(name, object as CustomResourceDefinition));
    wake(name);
  }
  serve();
  const unsubscribe = storage.subscribe(keyspace, ({ type, entry }) => {
    const definition = type === 'DELETED' ? undefined : (entry.object as CustomResourceDefinition);
    follow(entry.name, definition);
    if (definition === undefined) {
      wakeOthers(entry.name, (entry.object as CustomResourceDefinition).spec.group);
    } else {
      wake(entry.name);
    }
  });

  return {
    stop() {
      isStopped = true;
      unsubscribe();
      for (const stop of [...emptying.values()]) {
        stop();
      }
    },
  };
}

interface Served {
  readonly definition: CustomResourceDefinition;
  readonly resources: DefinedResources;
}

/** Whether both serve the same kind. Changes of other conditions must not interrupt watches. */
function isServedAlike(before: CustomResourceDefinition, after: CustomResourceDefinition): boolean {
  const isServed = (definition: CustomResourceDefinition): boolean =>
    isTrue(definition, 'NamesAccepted') || isTrue(definition, 'Established');
  return (
    isServed(before) === isServed(after) &&
    jsonEqual(before.spec, after.spec) &&
    jsonEqual(before.status.acceptedNames, after.status.acceptedNames)
  );
}

/** Ignores that a definition was deleted or changed in the meantime, because that change wakes it again. */
function passOver(error: unknown): void {
  if (error instanceof StatusError && (error.status.code === 404 || error.status.code === 409)) {
    return;
  }
  throw error;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
