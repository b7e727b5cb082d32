import type { JsonPatch } from '@holdfast/core';
import type { HttpRequest, Transport } from '@holdfast/runtime';
import { serveBytes, type Answer } from './bytes-server.ts';
import { applyPatch } from './json-patch.ts';
import { objectIn, type Mutable } from './json.ts';

/**
 * Where the server stores an object, whatever the object itself says: `pods/shop/web-0`, or
 * `persistentvolumes//pv-1` for a cluster-scoped object. The first part is the plural, followed by the group
 * unless that is the core group: `statefulsets.apps`.
 */
export type Location = string;

/** A write as it was requested. */
export interface Write {
  readonly verb: 'patch' | 'delete' | 'create';
  readonly location: Location;
  /** The object before the write; undefined if there was none. */
  readonly before: Readonly<Mutable> | undefined;
  /** The object after the write; undefined if there is none. For a creation, the requested object. */
  readonly after: Readonly<Mutable> | undefined;
  /** All objects just before the write. */
  readonly objects: Objects;
}

export type Objects = ReadonlyMap<Location, Readonly<Mutable>>;

/** An API server that validates nothing: it stores, lists and sends objects of any shape, in JSON. */
export interface OddServer {
  readonly transport: Transport;
  /** The number of requests so far, including watches. */
  readonly requests: number;
  readonly objects: Objects;
  /** Returns the version for the object that is put next. */
  nextVersion(): string;
  put(location: Location, object: Mutable): void;
  remove(location: Location): void;
}

/** @param onWrite called for each write, once it has been carried out */
export function createOddServer(onWrite: (write: Write) => void): OddServer {
  const objects = new Map<Location, Readonly<Mutable>>();
  const watches = new Map<string, Set<(type: string, object: unknown) => void>>();
  let version = 100;
  let requests = 0;

  const tell = (location: Location, type: string, object: unknown): void => {
    const [plural = '', namespace = ''] = location.split('/');
    for (const scope of [`${plural}/`, `${plural}/${namespace}`]) {
      watches.get(scope)?.forEach((send) => send(type, object));
    }
  };
  const put = (location: Location, object: Mutable): void => {
    const type = objects.has(location) ? 'MODIFIED' : 'ADDED';
    objects.set(location, object);
    tell(location, type, object);
  };
  const remove = (location: Location): void => {
    const last = objects.get(location);
    objects.delete(location);
    tell(location, 'DELETED', last);
  };
  const nextVersion = (): string => String(++version);

  /** Stores the result of a write. An object that is terminating and that nothing holds is removed. */
  const store = (location: Location, changed: Mutable): Mutable | undefined => {
    const metadata = (objectIn(changed['metadata']) ?? {}) as Mutable;
    metadata['resourceVersion'] = nextVersion();
    const held = metadata['finalizers'];
    if (metadata['deletionTimestamp'] !== undefined && (!Array.isArray(held) || held.length === 0)) {
      objects.set(location, changed);
      remove(location);
      return undefined;
    }
    put(location, changed);
    return changed;
  };

  const write = (request: HttpRequest, target: Target): Answer => {
    const location = `${target.plural}/${target.namespace}/${target.name}`;
    const before = objects.get(location);
    const isDry = target.query.has('dryRun');
    const earlier = new Map(objects);
    const done = (verb: Write['verb'], after: Mutable | undefined): void => {
      if (!isDry) {
        onWrite({ verb, location, before, after, objects: earlier });
      }
    };
    if (request.method === 'POST') {
      const body = JSON.parse(request.body ?? '{}') as Mutable;
      done('create', body);
      return { status: 201, body: JSON.stringify(body) };
    }
    if (before === undefined) {
      return status(404, 'NotFound', `${target.plural} "${target.name}" not found`);
    }
    if (request.method === 'DELETE') {
      const { preconditions } = JSON.parse(request.body ?? '{}') as { preconditions?: { uid?: string } };
      const metadata = objectIn(before['metadata']) ?? {};
      if (preconditions?.uid !== undefined && preconditions.uid !== metadata['uid']) {
        return status(409, 'Conflict', 'the UID in the precondition does not match');
      }
      const after = structuredClone(before) as Mutable;
      (after['metadata'] as Mutable)['deletionTimestamp'] = '2026-01-02T00:00:00Z';
      done('delete', isDry ? undefined : store(location, after));
      return { body: JSON.stringify(before) };
    }
    const changed = applyPatch(before, JSON.parse(request.body ?? '[]') as JsonPatch) as Mutable | undefined;
    if (changed === undefined) {
      return status(422, 'Invalid', 'the server rejected our request due to an error in our request');
    }
    done('patch', isDry ? undefined : store(location, changed));
    return { body: JSON.stringify(changed) };
  };

  const serve = (request: HttpRequest): Answer => {
    requests += 1;
    const target = targetOf(request.path);
    const { plural, namespace, name, query } = target;
    if (request.method !== 'GET') {
      return write(request, target);
    }
    if (name !== '') {
      const object = objects.get(`${plural}/${namespace}/${name}`);
      return object === undefined
        ? status(404, 'NotFound', `${plural} "${name}" not found`)
        : { body: JSON.stringify(object) };
    }
    if (query.get('sendInitialEvents') === 'true') {
      return status(422, 'Invalid', 'sendInitialEvents is forbidden');
    }
    const scope = `${plural}/${namespace}`;
    if (query.get('watch') === 'true') {
      return {
        stream: (send) => {
          const sends = watches.get(scope) ?? new Set();
          watches.set(scope, sends);
          const one = (type: string, object: unknown): void =>
            send(Buffer.from(`${JSON.stringify({ type, object })}\n`));
          sends.add(one);
          request.signal?.addEventListener('abort', () => sends.delete(one), { once: true });
        },
      };
    }
    const wanted = /^metadata\.name=(.*)$/s.exec(query.get('fieldSelector') ?? '')?.[1];
    const items = [...objects].flatMap(([location, object]) => {
      const isThere = namespace === '' ? location.startsWith(`${plural}/`) : location.startsWith(`${scope}/`);
      const isNamed = wanted === undefined || objectIn(object['metadata'])?.['name'] === wanted;
      return isThere && isNamed ? [object] : [];
    });
    return {
      body: JSON.stringify({ kind: 'List', metadata: { resourceVersion: String(version) }, items }),
    };
  };

  return {
    transport: serveBytes(serve),
    get requests() {
      return requests;
    },
    objects,
    nextVersion,
    put,
    remove,
  };
}

/** The object or collection of a request. */
interface Target {
  readonly plural: string;
  readonly namespace: string;
  /** Empty for the collection. */
  readonly name: string;
  readonly query: URLSearchParams;
}

function targetOf(path: string): Target {
  const [place = '', query = ''] = path.split('?');
  const [root, ...parts] = place.split('/').slice(1).map(decodeURIComponent);
  const group = root === 'api' ? '' : (parts.shift() ?? '');
  const [, ...rest] = parts;
  const namespace = rest[0] === 'namespaces' ? (rest[1] ?? '') : '';
  const [plural = '', name = ''] = rest[0] === 'namespaces' ? rest.slice(2) : rest;
  return {
    plural: group === '' ? plural : `${plural}.${group}`,
    namespace,
    name,
    query: new URLSearchParams(query),
  };
}

function status(code: number, reason: string, message: string): Answer {
  return {
    status: code,
    body: JSON.stringify({ kind: 'Status', status: 'Failure', code, reason, message }),
  };
}
