import type { WindowKeeper } from '../plan/vacancy-wait.ts';
import { atWorkIn } from './at-work-in.ts';
import { hiddenAmong, looksAfter, type AtWork } from './holdfast-at-work.ts';

/** Returns whether statefulset-pvc-retention ends the undo windows of the claims of a namespace. */
export function claimWindowKeeper(atWork: AtWork, namespace: string): WindowKeeper {
  const here = atWorkIn(atWork, namespace);
  const { state, because, wait = { kind: 'none' } } = here;
  const isKnown = hiddenAmong(here, ['namespaces', 'leader-elect-resource-name', 'dry-run']) === undefined;
  const absent = !looksAfter(here, namespace)
    ? `its --namespaces do not name ${namespace}`
    : state === 'absent' && isKnown
      ? because
      : undefined;
  return { absent, wait };
}
