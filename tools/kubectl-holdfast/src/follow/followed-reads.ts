import { objectKey, type ApiResource, type KubernetesObject, type UrlPath } from '@holdfast/core';
import {
  ApiError,
  createInformer,
  type Clock,
  type ConnectedClient,
  type Informer,
  type InformerMetrics,
  type InformerOptions,
  type List,
  type Projected,
  type SelectionOptions,
} from '@holdfast/runtime';

/**
 * Follows reads: whatever was read once is watched from then on, and further reads are answered from memory.
 */
export interface FollowedReads {
  /**
   * Answers `get` and lists by watches. It starts a watch at the first read and shares it among equal reads.
   * What may not be watched is requested, and remembered until something else changes; documents are
   * remembered for good. Everything else is forwarded to the client.
   */
  readonly client: ConnectedClient;
  /**
   * Calls `ask`, and then ends the watches that it did not use: for example, when a claim is bound to another
   * volume, the first volume is no longer watched.
   */
  round<T>(ask: () => Promise<T>): Promise<T>;
  /** Makes the next read request again what cannot be watched. */
  forget(): void;
  /** The number of open watches. */
  readonly size: number;
  /** Ends all watches. */
  close(): Promise<void>;
}

export interface FollowOptions extends Pick<InformerOptions<KubernetesObject>, 'logger'> {
  readonly client: ConnectedClient;
  readonly clock: Clock;
  /** Called when something that was read has changed. */
  readonly onChange: () => void;
  /**
   * Called when something that was followed cannot be followed for now; it is retried. Not called again until
   * it could be followed in between.
   *
   * @param what the resource's plural
   */
  readonly onTrouble: (what: string) => void;
}

interface Followed {
  readonly informer: Informer<KubernetesObject>;
  readonly ended: Promise<void>;
  stop(): void;
}

export function followReads(options: FollowOptions): FollowedReads {
  const { client, onChange } = options;
  const closing = new AbortController();
  const followed = new Map<string, Followed>();
  const documents = new Map<UrlPath, Promise<unknown>>();
  /** The latest answers for what cannot be watched. */
  const asked = new Map<string, Promise<unknown>>();
  let read = new Set<string>();

  const changed = (): void => {
    asked.clear();
    onChange();
  };

  const follow = (key: string, start: () => Followed): Followed => {
    const known = followed.get(key) ?? start();
    followed.set(key, known);
    read.add(key);
    return known;
  };

  /** Returns the informer of a selection once it has synced; undefined if it cannot be watched. */
  const informerFor = async <T extends KubernetesObject>(
    key: string,
    resource: ApiResource<T>,
    selection: SelectionOptions & Projected<T>,
  ): Promise<Informer<T> | undefined> => {
    const { informer } = follow(key, () =>
      startInformer(resource, selection, { ...options, onChange: changed }),
    );
    await informer.answered(closing.signal);
    return informer.isFollowing() ? (informer as unknown as Informer<T>) : undefined;
  };

  const remember = <T>(
    memory: Map<string, Promise<unknown>>,
    key: string,
    ask: () => Promise<T>,
  ): Promise<T> => {
    const known = memory.get(key) as Promise<T> | undefined;
    if (known !== undefined) {
      return known;
    }
    const asking = ask();
    memory.set(key, asking);
    // A request that failed is repeated.
    asking.catch(() => memory.delete(key));
    return asking;
  };

  const list: ConnectedClient['list'] = async (resource, request = {}) => {
    const { namespace, labelSelector, fieldSelector, projection } = request;
    const selection = {
      ...(namespace === undefined ? {} : { namespace }),
      ...(labelSelector === undefined ? {} : { labelSelector }),
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
      ...(projection === undefined ? {} : { projection }),
    };
    const key = keyOf(resource, selection);
    const informer = await informerFor(key, resource, selection);
    return informer === undefined
      ? await remember(asked, key, () => client.list(resource, selection))
      : listOf([...informer.store.values()]);
  };

  return {
    client: {
      ...client,
      list,
      listPages: async function* (resource, request) {
        yield await list(resource, request);
      },
      get: async (resource, ref, { projection } = {}) => {
        const selection = {
          ...(ref.namespace === undefined ? {} : { namespace: ref.namespace }),
          fieldSelector: `metadata.name=${ref.name}`,
          ...(projection === undefined ? {} : { projection }),
        };
        const key = keyOf(resource, selection);
        const informer = await informerFor(key, resource, selection);
        if (informer === undefined) {
          return remember(asked, `get ${key}`, () =>
            client.get(resource, ref, projection === undefined ? {} : { projection }),
          );
        }
        const found = informer.store.get(objectKey({ metadata: { ...noIdentity, ...ref } }));
        if (found === undefined) {
          throw gone(resource, ref.name);
        }
        return found;
      },
      document: (path) => remember(documents, path, () => client.document(path)),
    },
    round: async (ask) => {
      read = new Set();
      try {
        return await ask();
      } finally {
        for (const [key, each] of followed) {
          if (!read.has(key)) {
            followed.delete(key);
            each.stop();
          }
        }
      }
    },
    forget: () => asked.clear(),
    get size() {
      return followed.size;
    },
    close: async () => {
      closing.abort(new Error('closed'));
      const all = [...followed.values()];
      all.forEach((each) => each.stop());
      await Promise.all(all.map(({ ended }) => ended));
    },
  };
}

const noIdentity = { uid: '', resourceVersion: '' };

function startInformer<T extends KubernetesObject>(
  resource: ApiResource<T>,
  { namespace, ...selection }: SelectionOptions & Projected<T>,
  { client, logger, clock, onChange, onTrouble }: FollowOptions,
): Followed {
  const stop = new AbortController();
  let isTroubled = false;
  const metrics: InformerMetrics = {
    listed: () => undefined,
    skipped: () => undefined,
    follow: () => undefined,
    watchStarted: () => {
      isTroubled = false;
    },
    failed: () => {
      // What could never be watched is requested instead.
      if (!isTroubled && informer.hasSynced()) {
        isTroubled = true;
        onTrouble(resource.plural);
      }
    },
  };
  const informer = createInformer<T>({
    ...{ client, resource, logger, metrics, clock, optional: true },
    ...(namespace === undefined ? {} : { namespaces: [namespace] }),
    ...selection,
  });
  const tell = (_: T, inInitialList = false): void => {
    if (!inInitialList) {
      onChange();
    }
  };
  informer.addHandler({ added: tell, updated: () => onChange(), deleted: () => onChange() });
  return {
    informer,
    ended: informer.run(stop.signal),
    stop: () => stop.abort(new Error('not read any more')),
  };
}

function listOf<T>(items: readonly T[]): List<T> {
  return { metadata: { resourceVersion: '' }, items };
}

const projections = new WeakMap<object, number>();
let projectionCount = 0;

/** Reads of the same selection with the same projection share a watch. */
function keyOf<T extends KubernetesObject>(
  { group, version, plural }: ApiResource<T>,
  { projection, namespace, labelSelector, fieldSelector }: SelectionOptions & Projected<T>,
): string {
  if (projection !== undefined && !projections.has(projection)) {
    projections.set(projection, (projectionCount += 1));
  }
  const number = projection === undefined ? 0 : projections.get(projection);
  return JSON.stringify([group, version, plural, number, namespace, labelSelector, fieldSelector]);
}

/** The error that the API server returns for a missing object. */
function gone({ plural }: ApiResource<KubernetesObject>, name: string): ApiError {
  return new ApiError(`GET ${plural}`, 404, {
    reason: 'NotFound',
    message: `${plural} "${name}" not found`,
    details: { name, kind: plural },
  });
}
