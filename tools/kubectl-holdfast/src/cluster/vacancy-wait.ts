import type { Lease } from '@holdfast/core';
import { waitAfterVacancy } from '@holdfast/runtime';
import { shortestWait, type SeenWait } from '../plan/vacancy-wait.ts';
import type { AppName } from './release.ts';

/**
 * Returns until when a controller lets no undo window end. Without leader election, and in a dry run, it never waits.
 *
 * @param leases those that count, of its name; undefined if they may not be read
 * @param serverTime by the API server's clock, milliseconds since 1970
 */
export function waitOf(
  app: AppName,
  flags: ReadonlyMap<string, string>,
  leases: readonly Lease[] | undefined,
  serverTime: number,
): SeenWait {
  if (flags.get('leader-elect') === 'false' || flags.get('dry-run') === 'true') {
    return { kind: 'none' };
  }
  const program = { name: app, domain: 'holdfast.dev', suite: 'holdfast' };
  return leases === undefined
    ? { kind: 'unread' }
    : shortestWait(leases.map((lease) => waitAfterVacancy(lease, program, serverTime)));
}
