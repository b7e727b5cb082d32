import type { Scope } from '../cache/informer.ts';
import type { Controller } from '../controller/controller.ts';
import { followersOf, namespacesOf, type Follower } from './follower.ts';

/** What a process works with. */
export interface WorkingParts {
  readonly informers: readonly Follower[];
  readonly controllers: readonly Pick<Controller, 'run'>[];
}

/**
 * Runs controllers on informers that are being run and whose handlers are held, until `stop` is aborted. Never rejects.
 *
 * Handlers are started scope by scope, when each informer of the scope is full, those of optional resources aside that can't be read. What
 * is not of one namespace comes first: the controllers begin when it is there, and with it the first of the namespaces, if they are
 * followed by themselves. A namespace that can't be read holds up no other: it is taken up when it can be.
 *
 * So no handler hears of an object of a namespace before all caches have what is there. A handler of another scope's objects must ask the
 * informer before it wakes a key there: see `hasSynced`.
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
      // Stopped before.
      () => undefined,
    );
  }
  await Promise.all(controllers.map((controller) => controller.run(stop, abandon)));
}

/** The first that is fulfilled, by itself; of none, none. */
async function anyOf<T>(promises: readonly Promise<T>[]): Promise<readonly T[]> {
  return promises.length === 0 ? [] : [await Promise.any(promises)];
}
