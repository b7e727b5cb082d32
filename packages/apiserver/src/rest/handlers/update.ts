import { methodNotAllowed } from '../../meta/status-error.ts';
import { identityOf } from '../../resources/decode-object.ts';
import { checkName, ensureNamespace } from '../path-identity.ts';
import { updateObject } from '../update-object.ts';
import { parseWriteQuery } from '../write-options.ts';
import { type Handler, answerObject, decodeSent, writeOptions } from './target.ts';

export const update: Handler = async (target) => {
  const { server, definition, info } = target;
  if (info.name === '') {
    throw methodNotAllowed();
  }
  const query = parseWriteQuery(info.query, 'UpdateOptions');
  let sent = decodeSent(target, identityOf(definition), query);
  ensureNamespace(definition, sent, info.namespace);
  checkName(sent, info.name);
  let isUsed = false;
  const { object, isCreated } = await updateObject(
    server,
    definition,
    {
      ...writeOptions(target, query),
      name: info.name,
      subresource: info.subresource,
      isReplace: true,
    },
    () => {
      // Strategies change the object that they get, so a second attempt decodes the body again.
      if (isUsed) {
        sent = decodeSent(target, identityOf(definition), query);
      }
      isUsed = true;
      return sent;
    },
  );
  return answerObject(target, isCreated ? 201 : 200, object);
};
