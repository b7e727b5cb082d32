import type { ApiResource, KubernetesObject } from '@holdfast/core';
import type { ApiClient, List, ListOptions, WatchEvent, WatchOptions } from '../../src/client/api-client.ts';
import { ApiError } from '../../src/client/api-error.ts';

/** A page of a list: its objects and the version of the snapshot. */
export interface Page {
  readonly version: string;
  readonly items: readonly KubernetesObject[];
}

/** A watch that the code under test has opened, for the test to play the server's part. */
export interface OpenWatch {
  readonly options: WatchOptions;
  send(event: WatchEvent<KubernetesObject>): void;
  /** Whether the client called for the end, which it then got. */
  readonly isEnded: boolean;
  /** The server ends the watch in the normal way. */
  end(): void;
  fail(error: Error): void;
}

/** An API client without a server: lists are answered from a script, watches are held by the test. */
export interface ScriptedClient extends ApiClient {
  /** What the next lists of the namespace (none: of all) are answered with; a list waits for its answer. */
  answerList(answer: readonly Page[] | Error, namespace?: string): void;
  /** The version that a list of one object is answered with; such a list is no other's business. Default: newer than all. */
  setNewestVersion(version: string): void;
  readonly lists: readonly ListOptions[];
  readonly watches: readonly OpenWatch[];
  lastWatch(): OpenWatch;
}

/**
 * @param streams whether the server sends its first state as a watch when asked, or refuses to as one that does not know how
 */
export function createScriptedClient({ streams = false } = {}): ScriptedClient {
  const answers = new Map<string, (readonly Page[] | Error)[]>();
  const waiting = new Map<string, () => void>();
  const lists: ListOptions[] = [];
  const watches: OpenWatch[] = [];
  let newestVersion = '1000000';
  const unscripted = (): Promise<never> => Promise.reject(new Error('the script has no such request'));

  return {
    get: unscripted,
    list: (_resource, options) =>
      options?.limit === 1
        ? Promise.resolve({ metadata: { resourceVersion: newestVersion }, items: [] })
        : unscripted(),
    setNewestVersion: (version) => {
      newestVersion = version;
    },
    create: unscripted,
    patch: unscripted,
    delete: unscripted,
    serverTime: () => undefined,
    close: () => Promise.resolve(),
    listPages: async function* <T extends KubernetesObject>(
      _resource: ApiResource<T>,
      options: ListOptions,
    ): AsyncGenerator<List<T>> {
      lists.push(options);
      const scope = options.namespace ?? '';
      const { signal } = options;
      let answer = answers.get(scope)?.shift();
      if (answer === undefined) {
        await new Promise<void>((resolve, reject) => {
          waiting.set(scope, resolve);
          signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        });
        answer = answers.get(scope)?.shift() ?? [];
      }
      if (answer instanceof Error) {
        throw answer;
      }
      for (const { version, items } of answer) {
        yield { metadata: { resourceVersion: version }, items: items as readonly T[] };
      }
    },
    watch: <T extends KubernetesObject>(
      _resource: ApiResource<T>,
      options: WatchOptions,
      onEvent: (event: WatchEvent<T>, end: () => void) => void,
    ) =>
      new Promise<void>((resolve, reject) => {
        if (options.sendInitialEvents === true && !streams) {
          reject(
            new ApiError('GET /watch', 422, { reason: 'Invalid', message: 'sendInitialEvents is forbidden' }),
          );
          return;
        }
        let isEnded = false;
        const end = (): void => {
          isEnded = true;
          resolve();
        };
        watches.push({
          options,
          send: (event) => onEvent(event as WatchEvent<T>, end),
          end: resolve,
          fail: reject,
          get isEnded() {
            return isEnded;
          },
        });
        options.signal.addEventListener('abort', () => reject(options.signal.reason as Error), {
          once: true,
        });
      }),
    answerList: (answer, namespace = '') => {
      answers.set(namespace, [...(answers.get(namespace) ?? []), answer]);
      waiting.get(namespace)?.();
      waiting.delete(namespace);
    },
    lists,
    watches,
    lastWatch: () => {
      const last = watches.at(-1);
      if (last === undefined) {
        throw new Error('no watch was opened');
      }
      return last;
    },
  };
}

/** The version is too old, as the API server says it in an answer and, by the client's leave, in a stream. */
export function gone(): ApiError {
  return new ApiError('GET /watch', 410, { reason: 'Expired', message: 'too old resource version' });
}
