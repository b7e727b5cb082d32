import type { UserInfo } from '../auth/user-info.ts';
import { cloneJson, type JsonObject, jsonEqual } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { StatusError } from '../meta/status-error.ts';
import { canonicalObject } from '../resources/decode-object.ts';
import { apiServices } from '../resources/described/api-services.ts';
import { keyspaceOf } from '../resources/resource-definition.ts';
import { createObject } from '../rest/create-object.ts';
import { deleteObject } from '../rest/delete-object.ts';
import { customPriority } from '../rest/group-priorities.ts';
import { localApiService, managedLabel } from '../rest/local-api-services.ts';
import type { ServerState } from '../rest/server-state.ts';
import { updateObject } from '../rest/update-object.ts';
import type { CustomResourceDefinition } from './custom-resource-definition.ts';
import { customResourceDefinitions } from './definition-resource.ts';

/*
 * Keeps an APIService for each group version that a CustomResourceDefinition serves, as local-api-services.ts
 * does for built-in kinds.
 */

/** The value of the label on APIServices that exist as long as a definition serves the group version. */
const whileServed = 'true';

const system: UserInfo = {
  name: 'system:apiserver',
  uid: '',
  groups: ['system:masters', 'system:authenticated'],
};

export interface ApiServiceRegistration {
  /** Starts no further writes. */
  stop(): void;
}

/**
 * Creates an APIService for each group version that a CustomResourceDefinition serves, restores one that is
 * changed or deleted, and deletes it when no definition serves the version any more.
 */
export function startApiServiceRegistration(server: ServerState): ApiServiceRegistration {
  const { storage } = server;
  const keyspace = keyspaceOf(apiServices);
  let isWaiting = false;
  let isStopped = false;

  /** Settles after the write that woke it, so that watchers see that write first. */
  function wake(): void {
    if (!isWaiting) {
      isWaiting = true;
      queueMicrotask(() => {
        isWaiting = false;
        void (isStopped ? undefined : settle());
      });
    }
  }

  function wantedServices(): ReadonlyMap<string, JsonObject> {
    const wanted = new Map<string, JsonObject>();
    for (const { object } of storage.list(keyspaceOf(customResourceDefinitions))) {
      const { group, versions } = (object as CustomResourceDefinition).spec;
      for (const { name, served } of versions ?? []) {
        if (served) {
          wanted.set(`${name}.${group}`, localApiService(group, name, whileServed, customPriority));
        }
      }
    }
    return wanted;
  }

  async function settle(): Promise<void> {
    const wanted = wantedServices();
    const names = new Set(wanted.keys());
    for (const { name, object } of storage.list(keyspace)) {
      if (object.metadata.labels?.[managedLabel] === whileServed) {
        names.add(name);
      }
    }
    await Promise.all([...names].map((name) => register(name, wanted.get(name)).catch(passOver)));
  }

  async function register(name: string, wanted: JsonObject | undefined): Promise<void> {
    const present = storage.get(keyspace, '', name)?.object;
    const write = { namespace: '', isDryRun: false, user: system, manager: 'kube-apiserver', warn: ignore };
    if (present === undefined) {
      if (wanted !== undefined) {
        await createObject(server, apiServices, decoded(wanted), write);
      }
    } else if (present.metadata.labels?.[managedLabel] !== whileServed) {
      // Without the label, a user owns the APIService.
      return;
    } else if (wanted === undefined) {
      const { uid = '' } = present.metadata;
      await deleteObject(
        server,
        apiServices,
        '',
        name,
        { ...deletion, preconditions: { uid } },
        system,
        ignore,
      );
    } else if (!jsonEqual(present['spec'], wanted['spec'])) {
      const update = { ...write, name, subresource: '', isReplace: true };
      const spec = wanted['spec'];
      await updateObject(server, apiServices, update, () => ({
        ...cloneJson(present),
        spec: cloneJson(spec),
      }));
    }
  }

  const stops = [apiServices, customResourceDefinitions].map((definition) =>
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

const deletion = {
  isDryRun: false,
  gracePeriodSeconds: undefined,
  propagationPolicy: undefined,
  sent: {},
};

function decoded(object: JsonObject): KubeObject {
  return canonicalObject(apiServices, { kind: '', apiVersion: '', metadata: {}, ...cloneJson(object) });
}

function ignore(): void {
  // No client sent the write, so nobody reads its warnings.
}

/**
 * Ignores a write that the API server refuses. If a concurrent change made the write outdated, that change
 * wakes the registration again. If admission refused the write, the next change tries it again.
 */
function passOver(error: unknown): void {
  if (!(error instanceof StatusError)) {
    throw error;
  }
}
