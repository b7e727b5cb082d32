import { answerReview } from '../../auth/review.ts';
import { methodNotAllowed } from '../../meta/status-error.ts';
import { identityOf } from '../../resources/decode-object.ts';
import { admitAction } from '../admit-action.ts';
import { createObject } from '../create-object.ts';
import { ensureNamespace } from '../path-identity.ts';
import { parseWriteQuery } from '../write-options.ts';
import { type Handler, answerObject, decodeSent, writeOptions } from './target.ts';

/** Creates an object, or answers a review. */
export const create: Handler = async (target) => {
  const { server, definition, info, user } = target;
  if (info.name !== '') {
    throw methodNotAllowed();
  }
  const query = parseWriteQuery(info.query, 'CreateOptions');
  const object = decodeSent(target, identityOf(definition), query);
  const options = writeOptions(target, query);
  if (definition.isReview === true) {
    ensureNamespace(definition, object, info.namespace);
    const action = { name: '', operation: 'CREATE' } as const;
    await admitAction(server, definition, action, '', object, undefined, options);
    return answerObject(target, 201, answerReview(server, definition, object, user));
  }
  return answerObject(target, 201, await createObject(server, definition, object, options));
};
