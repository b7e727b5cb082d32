import type { KubernetesObject } from '@holdfast/core';
import type { Informer, Scope } from '../cache/informer.ts';

/** The part of an informer that the manager needs, whatever its kind. */
export type Follower = Pick<
  Informer<KubernetesObject>,
  | 'name'
  | 'isOptional'
  | 'scopes'
  | 'run'
  | 'synced'
  | 'answered'
  | 'hasSynced'
  | 'isFollowing'
  | 'holdHandlers'
  | 'startHandlers'
  | 'listAgain'
>;

/** Returns the namespaces that are followed separately, each once. */
export function namespacesOf(informers: readonly Follower[]): readonly string[] {
  const scopes = new Set(informers.flatMap(({ scopes }) => scopes));
  return [...scopes].filter((scope) => scope !== undefined);
}

/** Returns the informers that follow this scope. */
export function followersOf<F extends Pick<Follower, 'scopes'>>(
  informers: readonly F[],
  scope: Scope,
): readonly F[] {
  return informers.filter(({ scopes }) => scopes.includes(scope));
}
