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
 * While a CustomResourceDefinition serves a group version, an APIService says so, as for built-in kinds (local-api-services.ts).
 */

/** The value of the label while a definition serves the group version. */
const whileServed = 'true';

const system: UserInfo = {
  name: 'system:apiserver',
  uid: '',
  groups: ['system:masters', 'system:authenticated'],
};

export interface ApiServiceRegistration {
  /** No write begins after this. */
  stop(): void;
}

/**
 * Creates an APIService for each group version that a CustomResourceDefinition serves, restores one that is changed or deleted, and deletes it
 * with the last definition that served the version.
 */
export function startApiServiceRegistration(server: ServerState): ApiServiceRegistration {
  const { storage } = server;
  const keyspace = keyspaceOf(apiServices);
  let isWaiting = false;
  let isStopped = false;

  /** Settles after the write that gives the reason, so that watchers see that write first. */
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
      // Without the label it belongs to somebody else.
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
  // No client asked for the write, so that its warnings have no reader.
}

/**
 * A write that the API server refuses is not an error: the change that made it outdated wakes the registration again, and a write that
 * admission refused is tried again at the next change.
 */
function passOver(error: unknown): void {
  if (!(error instanceof StatusError)) {
    throw error;
  }
}
