import { keyspaceOf } from '../../resources/resource-definition.ts';
import { deleteObject, warnOfOrphans } from '../delete-object.ts';
import { parseDeleteOptions } from '../delete-options.ts';
import { parseListOptions } from '../list-options.ts';
import { listPage } from '../list-page.ts';
import { type Handler, answerList } from './target.ts';

/** Deletes the objects of a list one after the other, and answers with that list. */
export const deleteCollection: Handler = async (target) => {
  const { server, definition, info, body, user, mediaType, warnings } = target;
  const options = parseDeleteOptions(body, mediaType, info.query);
  const listOptions = parseListOptions(info.query, definition, '', false);
  const page = await listPage(server, definition, info.namespace, listOptions);
  const warn = (text: string): unknown => warnings.add(text);
  warnOfOrphans(definition, options, warn);
  // Webhooks are not shown the names, since the request has none.
  const collected = { ...options, isCollection: true };
  for (const { namespace, name, object } of page.entries) {
    const { uid } = object.metadata;
    // The uid keeps a new object of the same name from being deleted; the client's preconditions override it.
    const preconditions = { ...(uid === undefined ? undefined : { uid }), ...options.preconditions };
    try {
      await deleteObject(server, definition, namespace, name, { ...collected, preconditions }, user, warn);
    } catch (error) {
      // The object is gone or was replaced in the meantime, so nothing of the collection is left there.
      if (server.storage.get(keyspaceOf(definition), namespace, name)?.object.metadata.uid === uid) {
        throw error;
      }
    }
  }
  return answerList(target, page);
};
