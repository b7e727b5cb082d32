import { success } from '../../http/answer.ts';
import { deleteObject } from '../delete-object.ts';
import { parseDeleteOptions } from '../delete-options.ts';
import { type Handler, answerObject, answerOther } from './target.ts';

export const deleteOne: Handler = async (target) => {
  const { server, definition, info, body, user, mediaType, warnings } = target;
  const options = parseDeleteOptions(body, mediaType, info.query);
  const warn = (text: string): unknown => warnings.add(text);
  const {
    object,
    isGone,
    isShown = false,
  } = await deleteObject(server, definition, info.namespace, info.name, options, user, warn);
  if (!isGone || isShown || definition.returnsDeletedObject === true) {
    return answerObject(target, 200, object);
  }
  const { group, plural } = definition;
  return answerOther(
    target,
    200,
    success({
      name: info.name,
      ...(group === '' ? undefined : { group }),
      kind: plural,
      ...(object.metadata.uid === undefined ? undefined : { uid: object.metadata.uid }),
    }),
    'meta.v1.Status',
  );
};
