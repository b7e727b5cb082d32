import { methodNotAllowed, unknownResource } from '../../meta/status-error.ts';
import type { ResourceDefinition } from '../../resources/resource-definition.ts';
import type { Verb } from '../../meta/verb.ts';
import { act } from './act.ts';
import { get } from './get.ts';
import { patch } from './patch.ts';
import { getScale, patchScale, updateScale } from './scale.ts';
import type { Handler } from './target.ts';
import { update } from './update.ts';

type Handlers = Readonly<Partial<Record<Verb, Handler>>>;

const partHandlers: Handlers = { get, update, patch };
const scaleHandlers: Handlers = { get: getScale, update: updateScale, patch: patchScale };

/** Whether the kind has the subresource: its status or another part, its scale, or an action of its own. */
export function hasSubresource(
  { status, scale, parts = {}, actions = [] }: ResourceDefinition,
  name: string,
): boolean {
  return (
    (name === 'status' && status !== undefined) ||
    (name === 'scale' && scale !== undefined) ||
    Object.hasOwn(parts, name) ||
    actions.some((action) => action.name === name)
  );
}

/**
 * Serves a subresource of the kind: its status or another part, its scale, or one of its actions. Throws 404
 * and 405 for everything else.
 */
export const subresource: Handler = (target) => {
  const { definition, info } = target;
  if (info.name === '') {
    throw methodNotAllowed();
  }
  if (info.subresource === 'status' && definition.status !== undefined) {
    return allowed(partHandlers[info.verb])(target);
  }
  if (info.subresource === 'scale' && definition.scale !== undefined) {
    return allowed(scaleHandlers[info.verb])(target);
  }
  if (Object.hasOwn(definition.parts ?? {}, info.subresource)) {
    return allowed(partHandlers[info.verb])(target);
  }
  const action = definition.actions?.find(({ name }) => name === info.subresource);
  if (action === undefined) {
    throw unknownResource();
  }
  if (!action.verbs.includes(info.verb)) {
    throw methodNotAllowed();
  }
  return act(target, action);
};

function allowed(handler: Handler | undefined): Handler {
  if (handler === undefined) {
    throw methodNotAllowed();
  }
  return handler;
}
