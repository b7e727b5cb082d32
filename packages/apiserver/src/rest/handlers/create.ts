import type { Answer } from '../../http/answer.ts';
import { answerReview } from '../../auth/review.ts';
import { trackUpdate } from '../../managed-fields/field-manager.ts';
import { methodNotAllowed } from '../../meta/status-error.ts';
import { identityOf } from '../../resources/decode-object.ts';
import { admitAction } from '../admit-action.ts';
import { createObject } from '../create-object.ts';
import { ensureNamespace } from '../path-identity.ts';
import { parseWriteQuery } from '../write-options.ts';
import { act } from './act.ts';
import { type Handler, type Target, answerObject, decodeSent, writeOptions } from './target.ts';

/** Creates an object, or answers a review. */
export const create: Handler = async (target) => {
  const { server, definition, info, user } = target;
  // The handler of custom kinds takes the name from the object and ignores one in the path.
  if (info.name !== '' && definition.struct !== undefined) {
    throw methodNotAllowed();
  }
  if (definition.createdAs !== undefined) {
    return createAs(target, definition.createdAs);
  }
  const query = parseWriteQuery(info.query, 'CreateOptions');
  const object = decodeSent(target, identityOf(definition), query);
  const options = writeOptions(target, query);
  if (definition.isReview === true) {
    ensureNamespace(definition, object, info.namespace);
    const { manager = '' } = options;
    trackUpdate(definition, undefined, object, { name: manager, subresource: '', now: server.now() });
    const action = { name: '', operation: 'CREATE' } as const;
    await admitAction(server, definition, action, '', object, undefined, options);
    return answerObject(target, 201, answerReview(server, definition, object, user));
  }
  return answerObject(target, 201, await createObject(server, definition, object, options));
};

/** Runs an action by creating an object, whose name is that of the object to act on. */
function createAs(
  target: Target,
  { plural, action: name }: { plural: string; action: string },
): Promise<Answer> {
  const { server, definition, info } = target;
  const query = parseWriteQuery(info.query, 'CreateOptions');
  const { metadata } = decodeSent(target, identityOf(definition), query);
  const acted = server.registry.find(definition.group, definition.version, plural);
  const action = acted?.actions?.find((candidate) => candidate.name === name);
  if (acted === undefined || action === undefined) {
    throw methodNotAllowed();
  }
  const object = { ...info, resource: plural, name: metadata.name ?? '', subresource: name };
  return act({ ...target, definition: acted, info: object }, action);
}
