import { isDeepStrictEqual } from 'node:util';
import type { JsonPatch, Lease } from '@holdfast/core';
import type { ApiClient } from '../../src/client/api-client.ts';
import { ApiError } from '../../src/client/api-error.ts';
import type { Clock } from '../../src/time/clock.ts';

/** How one request fares on its way. Milliseconds; `lost` means that it, or its answer, never arrives. */
export interface Journey {
  readonly there: number | 'lost';
  readonly back: number | 'lost';
  /** The client gives up after this many milliseconds. */
  readonly timeout: number;
}

/**
 * The lease endpoints of an API server, as much of them as leader election uses: one lease, whatever name it is asked
 * for by.
 */
export interface LeaseServer {
  /**
   * A client whose requests travel by the clock as `journey` says; what was sent arrives even when the client has given
   * up.
   *
   * @param serverTime by the server's wall clock. Default: not known.
   */
  clientOf(clock: Clock, journey?: () => Journey, serverTime?: () => Date | undefined): ApiClient;
  readonly lease: Lease | undefined;
  /** Another program writes the lease. */
  write(spec: Lease['spec']): void;
  /** Another program writes the annotations. */
  annotate(annotations: Readonly<Record<string, string>>): void;
  /** Another program changes something else of the lease, as a label. */
  touch(): void;
  /** Makes a backup. */
  save(): Backup;
  /** Restores a backup: versions continue from there. */
  load(backup: Backup): void;
  /** Others write as many other objects. */
  passVersions(count: number): void;
  /** Somebody deletes the lease. */
  remove(): void;
  /** From now on admission takes the annotations off whatever is written. */
  stripAnnotations(): void;
}

export interface Backup {
  readonly lease: Lease | undefined;
  readonly version: number;
}

type Annotations = Lease['metadata']['annotations'];

export function createLeaseServer(): LeaseServer {
  let lease: Lease | undefined;
  let version = 0;
  let generation = 1;
  let isStripping = false;

  const store = (spec: Lease['spec'], annotations = lease?.metadata.annotations): Lease => {
    version += 1;
    const metadata = {
      name: 'lock',
      namespace: 'ops',
      uid: `uid-${String(generation)}`,
      resourceVersion: String(version),
      annotations: isStripping ? undefined : annotations,
    };
    lease = JSON.parse(JSON.stringify({ metadata, spec })) as Lease;
    return lease;
  };

  const get = (): Lease => {
    if (lease === undefined) {
      throw new ApiError('GET /lock', 404, { reason: 'NotFound' });
    }
    return lease;
  };

  const create = (object: unknown): Lease => {
    if (lease !== undefined) {
      throw new ApiError('POST /leases', 409, { reason: 'AlreadyExists' });
    }
    const { spec, metadata } = object as Lease;
    return store(spec, metadata.annotations);
  };

  /** What changes nothing is no write. */
  const update = (spec: Lease['spec'], annotations: Annotations): Lease => {
    if ((spec?.leaseTransitions ?? 0) > 2 ** 31 - 1) {
      throw new ApiError('PATCH /lock', 422, {
        reason: 'Invalid',
        message: 'cannot unmarshal number into int32',
      });
    }
    return lease !== undefined && JSON.stringify(lease.spec) === JSON.stringify(spec)
      ? lease
      : store(spec, annotations);
  };

  const patch = (operations: JsonPatch): Lease => {
    const current = get();
    let spec = current.spec;
    let { annotations } = current.metadata;
    for (const operation of operations) {
      if (operation.op === 'test') {
        const actual = {
          '/metadata/uid': current.metadata.uid,
          '/metadata/annotations': annotations,
          '/spec': spec,
        }[operation.path];
        if (!isDeepStrictEqual(JSON.stringify(actual ?? null), JSON.stringify(operation.value))) {
          throw new ApiError('PATCH /lock', 422, {
            reason: 'Invalid',
            message: 'the server rejected our request due to an error in our request',
          });
        }
      } else if (operation.op === 'add' && operation.path === '/spec') {
        spec = operation.value as Lease['spec'];
      } else if (operation.op === 'add' && operation.path === '/metadata/annotations') {
        annotations = operation.value as Annotations;
      } else if (operation.op === 'add' && operation.path.startsWith('/metadata/annotations/')) {
        annotations = {
          ...annotations,
          [operation.path.slice(22).replaceAll('~1', '/')]: operation.value as string,
        };
      } else {
        throw new Error(`the lease server does not know ${JSON.stringify(operation)}`);
      }
    }
    return update(spec, annotations);
  };

  return {
    get lease() {
      return lease;
    },
    write: (spec) => void store(spec),
    annotate: (annotations) => void store(lease?.spec, annotations),
    touch: () => {
      store(lease?.spec);
    },
    save: () => ({ lease, version }),
    load: (backup) => {
      ({ lease, version } = backup);
    },
    passVersions: (count) => {
      version += count;
    },
    remove: () => {
      lease = undefined;
      generation += 1;
    },
    stripAnnotations: () => {
      isStripping = true;
    },
    clientOf: (clock, journey = () => ({ there: 0, back: 0, timeout: 30_000 }), serverTime) => {
      const travel = <T>(signal: AbortSignal | undefined, request: () => unknown): Promise<T> => {
        const { there, back, timeout } = journey();
        return new Promise<T>((resolve, reject) => {
          if (signal?.aborted === true) {
            reject(signal.reason as Error);
            return;
          }
          const patience = clock.after(timeout, () => reject(new Error('request timed out')));
          const end = (settle: () => void): void => {
            patience.cancel();
            settle();
          };
          signal?.addEventListener('abort', () => end(() => reject(signal.reason as Error)), { once: true });
          if (there === 'lost') {
            return;
          }
          clock.after(there, () => {
            let settle: () => void;
            try {
              const answer = request() as T;
              settle = () => resolve(answer);
            } catch (error) {
              const reason = error instanceof Error ? error : new Error(String(error));
              settle = () => reject(reason);
            }
            if (back !== 'lost') {
              clock.after(back, () => end(settle));
            }
          });
        });
      };
      const unused = (): Promise<never> => Promise.reject(new Error('leader election has no use for this'));
      return {
        get: (_resource, { name }, options) =>
          travel(options?.signal, () => ({ ...get(), metadata: { ...get().metadata, name } })),
        create: (_resource, _namespace, object, options) => travel(options?.signal, () => create(object)),
        patch: (_resource, _ref, operations, options) => travel(options?.signal, () => patch(operations)),
        list: unused,
        listPages: () => {
          throw new Error('leader election has no use for this');
        },
        delete: unused,
        watch: unused,
        serverTime: () => serverTime?.(),
        close: () => Promise.resolve(),
      };
    },
  };
}
