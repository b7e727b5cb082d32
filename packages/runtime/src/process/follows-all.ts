import type { KubernetesObject } from '@holdfast/core';
import type { Watched } from './watched.ts';

/** A requirement that an object meets for ever, or never. */
const ofIdentity = /^metadata\.(name|namespace)\s*(!=|==?)/;

/**
 * Checks that no object of the kind can leave the cache before it is gone. One that loses a label would keep its
 * finalizer for ever, since nothing would show it any more, not even after a restart.
 *
 * @throws Error for a kind that is followed by labels, or by fields that change.
 */
export function checkFollowsAll<T extends KubernetesObject>(
  { resource, selectors }: Pick<Watched<T>, 'resource' | 'selectors'>,
  finalizer: string,
): void {
  const { labelSelector = '', fieldSelector = '' } = selectors;
  const changing = fieldSelector
    .split(',')
    .filter((each) => each.trim() !== '' && !ofIdentity.test(each.trim()));
  if (labelSelector.trim() === '' && changing.length === 0) {
    return;
  }
  const [what, selector] =
    labelSelector.trim() === '' ? ['fieldSelector', fieldSelector] : ['labelSelector', labelSelector];
  throw new Error(
    `${resource.plural} are followed with ${what} "${selector}", and a ${resource.kind} that stops matching it would keep finalizer ${finalizer} for ever: ` +
      'follow all of them, and say in `concerns` which of them the controller is for',
  );
}
