import type { ApiResource, KubernetesObject } from '@holdfast/core';
import type { ApiClient, List, ListOptions, WatchEvent, WatchOptions } from '../../src/client/api-client.ts';
import { ApiError } from '../../src/client/api-error.ts';

/** A page of a list: its objects and the version of the snapshot. */
export interface Page {
  readonly version: string;
  readonly items: readonly KubernetesObject[];
}

/** The pages of a list, until one of them fails; or the failure of the first. */
export type Answer = readonly (Page | Error)[] | Error;

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
  answerList(answer: Answer, namespace?: string): void;
  /**
   * The version that a list of one object is answered with; such a list is no other's business. Default: newer than
   * all.
   */
  setNewestVersion(version: string): void;
  /** The lists in pages. */
  readonly lists: readonly ListOptions[];
  /** The lists in one answer, without a limit. */
  readonly fullLists: readonly ListOptions[];
  readonly watches: readonly OpenWatch[];
  lastWatch(): OpenWatch;
}

/**
 * @param streams whether the server sends its first state as a watch when asked, or refuses to as one that does not
 *   know how
 */
export function createScriptedClient({ streams = false } = {}): ScriptedClient {
  const answers = new Map<string, Answer[]>();
  const waiting = new Map<string, () => void>();
  const lists: ListOptions[] = [];
  const fullLists: ListOptions[] = [];
  const watches: OpenWatch[] = [];
  let newestVersion = '1000000';
  const unscripted = (): Promise<never> => Promise.reject(new Error('the script has no such request'));

  const answerTo = async ({
    namespace: scope = '',
    signal,
  }: ListOptions): Promise<readonly (Page | Error)[]> => {
    let answer = answers.get(scope)?.shift();
    if (answer === undefined) {
      await new Promise<void>((resolve, reject) => {
        waiting.set(scope, resolve);
        signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      });
      answer = answers.get(scope)?.shift() ?? [];
    }
    return answer instanceof Error ? [answer] : answer;
  };

  return {
    get: unscripted,
    list: async <T extends KubernetesObject>(_resource: ApiResource<T>, options: ListOptions = {}) => {
      if (options.limit === 1) {
        return { metadata: { resourceVersion: newestVersion }, items: [] };
      }
      fullLists.push(options);
      const [answer = new Error('the script has no page')] = await answerTo(options);
      if (answer instanceof Error) {
        throw answer;
      }
      return { metadata: { resourceVersion: answer.version }, items: answer.items as readonly T[] };
    },
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
      for (const page of await answerTo(options)) {
        if (page instanceof Error) {
          throw page;
        }
        yield { metadata: { resourceVersion: page.version }, items: page.items as readonly T[] };
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
    fullLists,
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
