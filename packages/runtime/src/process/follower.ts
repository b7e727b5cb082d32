import type { KubernetesObject } from '@holdfast/core';
import type { Informer, Scope } from '../cache/informer.ts';

/** The side of an informer that the manager needs, whatever it informs of. */
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
>;

/** The namespaces that are followed by themselves, each once. */
export function namespacesOf(informers: readonly Follower[]): readonly string[] {
  const scopes = new Set(informers.flatMap(({ scopes }) => scopes));
  return [...scopes].filter((scope) => scope !== undefined);
}

/** The informers that follow the scope by itself. */
export function followersOf<F extends Pick<Follower, 'scopes'>>(
  informers: readonly F[],
  scope: Scope,
): readonly F[] {
  return informers.filter(({ scopes }) => scopes.includes(scope));
}
