import { methodNotAllowed, notFound } from '../../meta/status-error.ts';
import { identityOf } from '../../resources/decode-object.ts';
import { groupResource } from '../../resources/resource-definition.ts';
import { parsePatch, patchObject, patchTypeOf } from '../patch-object.ts';
import { checkName } from '../path-identity.ts';
import { updateObject } from '../update-object.ts';
import { parseWriteQuery } from '../write-options.ts';
import { apply } from './apply.ts';
import { type Handler, answerObject, warnOfFindings, writeOptions } from './target.ts';

/** A patch of one of three types, or server-side apply, which is sent as a patch. */
export const patch: Handler = async (target) => {
  const { server, definition, info } = target;
  if (info.name === '') {
    throw methodNotAllowed();
  }
  const identity = identityOf(definition);
  const type = patchTypeOf(target.mediaType, identity);
  if (type === 'apply') {
    return apply(target);
  }
  const query = parseWriteQuery(info.query, 'PatchOptions');
  const body = parsePatch(target.body, type);
  const options = {
    ...writeOptions(target, query),
    name: info.name,
    subresource: info.subresource,
    isReplace: false,
  };
  const { object, isCreated } = await updateObject(server, definition, options, (existing) => {
    if (existing === undefined) {
      throw notFound(groupResource(definition), info.name);
    }
    const decoded = patchObject(existing, body, identity, query.fieldValidation);
    checkName(decoded.object, info.name);
    if (query.fieldValidation === 'Warn') {
      warnOfFindings(target, decoded.findings);
    }
    return decoded.object;
  });
  return answerObject(target, isCreated ? 201 : 200, object);
};
