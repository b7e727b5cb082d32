import type { BootstrapObject } from '../auth/bootstrap-policy.ts';
import type { UserInfo } from '../auth/user-info.ts';
import type { CustomResourceDefinition } from '../custom-resources/custom-resource-definition.ts';
import { customResourceDefinitions } from '../custom-resources/definition-resource.ts';
import { cloneJson, type JsonObject, jsonEqual } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { StatusError } from '../meta/status-error.ts';
import { canonicalObject } from '../resources/decode-object.ts';
import { apiServices } from '../resources/described/api-services.ts';
import { keyspaceOf } from '../resources/resource-definition.ts';
import { createObject } from './create-object.ts';
import { deleteObject } from './delete-object.ts';
import { customPriority, groupPriorities } from './group-priorities.ts';
import type { ServerState } from './server-state.ts';
import { updateObject } from './update-object.ts';

/*
 * The API server says in APIServices which group versions it serves itself: those of built-in kinds once, when it starts, those of
 * CustomResourceDefinitions for as long as there is one that serves them.
 */

/** Says of an APIService that the server made it, and how long it looks after it. */
const managedLabel = 'kube-aggregator.kubernetes.io/automanaged';
const whileServed = 'true';

const system: UserInfo = {
  name: 'system:apiserver',
  uid: '',
  groups: ['system:masters', 'system:authenticated'],
};

function apiService(
  group: string,
  version: string,
  managed: string,
  priority: { readonly group: number; readonly version: number },
): JsonObject {
  return {
    metadata: { name: `${version}.${group}`, labels: { [managedLabel]: managed } },
    spec: {
      ...(group === '' ? undefined : { group }),
      version,
      groupPriorityMinimum: priority.group,
      versionPriority: priority.version,
    },
  };
}

/** Of the built-in kinds. One that is deleted is not made again before the next start. */
export function builtInApiServices(): readonly BootstrapObject[] {
  return Object.entries(groupPriorities).map(([groupVersion, priority]) => {
    const [version = '', group = ''] = groupVersion.split('/').reverse();
    return {
      definition: apiServices,
      namespace: '',
      object: apiService(group, version, 'onstart', priority),
    };
  });
}

export interface ApiServiceRegistration {
  /** Writes nothing more. */
  stop(): void;
}

/** Registers the group versions of custom kinds, and takes them back, as their definitions come and go. */
export function startApiServiceRegistration(server: ServerState): ApiServiceRegistration {
  const { storage } = server;
  const keyspace = keyspaceOf(apiServices);
  let isWaiting = false;
  let isStopped = false;

  /** Not within the write that gives the reason: its watchers see it before what follows from it. */
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
          wanted.set(`${name}.${group}`, apiService(group, name, whileServed, customPriority));
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
      // Somebody else looks after it.
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
  // Nobody is told of warnings: no client asked for the write.
}

/** One that was changed meanwhile is looked at again for that; one that admission refuses, with the next change. */
function passOver(error: unknown): void {
  if (!(error instanceof StatusError)) {
    throw error;
  }
}
