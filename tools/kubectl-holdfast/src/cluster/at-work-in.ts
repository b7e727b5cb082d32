import { shortestWait } from '../plan/vacancy-wait.ts';
import { looksAfter, type AtWork } from './holdfast-at-work.ts';

type One = Omit<AtWork, 'others'>;

/**
 * Returns how the controller works in a namespace:
 *
 * | Deployments that serve the namespace, and are meant | answer                                             |
 * |-----------------------------------------------------|----------------------------------------------------|
 * | one is at work                                      | that one                                           |
 * | several are at work, with the same gates            | the first, with the shortest of their waits        |
 * | the same, with different gates, or with flags that  | the same, and its gates are not known (`hidden`)   |
 * | are not known                                       |                                                    |
 * | none is at work                                     | the first that serves the namespace, or the first  |
 *
 * Nothing shows which of several decides: whoever may create Deployments and Leases in some namespace can have one
 * there that looks like the controller and says that it serves all. So it must not outdo the flags of another.
 *
 * @param isMeant whether a Deployment counts, if any such is at work. Default: all do.
 */
export function atWorkIn(
  atWork: AtWork,
  namespace: string,
  isMeant: (each: One) => boolean = () => true,
): One {
  const here = servingIn(atWork, namespace);
  const working = here.filter(({ state }) => state === 'atWork');
  const meant = working.filter(isMeant);
  const [first, ...others] = meant.length > 0 ? meant : working;
  return first === undefined ? (here[0] ?? atWork) : together(first, others);
}

/** Returns the Deployments that serve a namespace, whether they are at work or not. */
export function servingIn(atWork: AtWork, namespace: string): readonly One[] {
  return [atWork, ...(atWork.others ?? [])].filter((each) => looksAfter(each, namespace));
}

function together(first: One, others: readonly One[]): One {
  if (others.length === 0) {
    return first;
  }
  const all = [first, ...others];
  const wait = shortestWait(all.map((each) => each.wait ?? { kind: 'none' }));
  const unknown = all.find(({ hidden }) => hidden !== undefined);
  const hidden =
    unknown !== undefined
      ? `${unknown.deployment ?? ''}: ${unknown.hidden ?? ''}`
      : new Set(all.map(({ flags }) => flags.get('feature-gates'))).size > 1
        ? `${all.map(({ deployment = '' }) => deployment).join(' and ')} have different feature gates`
        : undefined;
  if (hidden === undefined) {
    return { ...first, wait };
  }
  const flags = new Map([...first.flags].filter(([name]) => name !== 'feature-gates'));
  return {
    ...first,
    wait,
    flags,
    hidden,
    because: `${first.because}; which gates count is not known: ${hidden}`,
  };
}
