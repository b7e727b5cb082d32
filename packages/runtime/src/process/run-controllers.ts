import type { Scope } from '../cache/informer.ts';
import type { Controller } from '../controller/controller.ts';
import { followersOf, namespacesOf, type Follower } from './follower.ts';

/** What a process works with. */
export interface WorkingParts {
  readonly informers: readonly Follower[];
  readonly controllers: readonly Pick<Controller, 'run'>[];
}

/**
 * Runs controllers until `stop` is aborted, on informers that are running with held handlers. Never rejects.
 *
 * Handlers are started scope by scope, when each informer of the scope has its first list. Optional resources
 * that cannot be read do not count. The cluster-wide scope comes first. If namespaces are followed
 * separately, the controllers begin when that scope and the first of the namespaces are ready. A namespace
 * that cannot be read holds up no other; it is started when it can be read.
 *
 * So no handler is called for an object of a namespace before all caches have what exists there. A handler
 * for objects of another scope must ask the informer before it wakes a key there: see `hasSynced`.
 */
export async function runControllers(
  { informers, controllers }: WorkingParts,
  stop: AbortSignal,
  abandon: AbortSignal,
): Promise<void> {
  const full = async (scope: Scope): Promise<Scope> => {
    await Promise.all(
      followersOf(informers, scope).map((informer) =>
        informer.isOptional ? informer.answered(stop, scope) : informer.synced(stop, scope),
      ),
    );
    return scope;
  };
  const start = (scopes: readonly Scope[]): void => {
    for (const informer of informers) {
      for (const scope of scopes.filter((each) => informer.scopes.includes(each))) {
        informer.startHandlers(scope);
      }
    }
  };

  const openings = namespacesOf(informers).map(full);
  try {
    const [whole, first] = await Promise.all([full(undefined), anyOf(openings)]);
    start([whole, ...first]);
  } catch {
    return;
  }
  for (const opening of openings) {
    opening.then(
      (namespace) => start([namespace]),
      // Stopped before it was ready.
      () => undefined,
    );
  }
  await Promise.all(controllers.map((controller) => controller.run(stop, abandon)));
}

/** Returns the first that is fulfilled; an empty list if there are none. */
async function anyOf<T>(promises: readonly Promise<T>[]): Promise<readonly T[]> {
  return promises.length === 0 ? [] : [await Promise.any(promises)];
}
