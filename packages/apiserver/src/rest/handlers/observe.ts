import type { Answer } from '../../http/answer.ts';
import { notFound } from '../../meta/status-error.ts';
import type { ResourceDefinition } from '../../resources/resource-definition.ts';
import { parseListOptions } from '../list-options.ts';
import { checkListForm } from './list.ts';
import { type Target, answerList, answerObject, checkObjectForm } from './target.ts';

/*
 * Serves kinds that are not stored: each read determines the present state. It has no version, so it cannot
 * be watched.
 */

type Observe = NonNullable<ResourceDefinition['observe']>;

/** Returns one object as it is now. Throws 404. */
export async function getObserved(target: Target, observe: Observe): Promise<Answer> {
  const { server, definition, info } = target;
  checkObjectForm(target);
  const [object] = await observe(server.after, info.name);
  if (object === undefined) {
    throw notFound({ group: definition.group, name: definition.singular }, info.name);
  }
  return answerObject(target, 200, object);
}

/** Returns all objects that match the selectors. Only stored kinds have pages. */
export async function listObserved(target: Target, observe: Observe): Promise<Answer> {
  const { server, definition, info } = target;
  checkListForm(target);
  const { selects } = parseListOptions(info.query, definition, '', false);
  const entries = (await observe(server.after, ''))
    .filter((object) => selects === undefined || selects(object))
    .map((object) => ({ namespace: '', name: object.metadata.name ?? '', object, revision: 0 }));
  const page = { entries, revision: undefined, continueToken: '', remaining: undefined };
  return answerList(target, page);
}
