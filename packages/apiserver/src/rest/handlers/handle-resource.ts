import { type Answer, pageNotFound } from '../../http/answer.ts';
import {
  StatusError,
  badRequest,
  methodNotAllowed,
  methodNotSupported,
  notFound,
  unknownResource,
} from '../../meta/status-error.ts';
import type { Verb } from '../../meta/verb.ts';
import { type ResourceDefinition, groupResource, verbsOf } from '../../resources/resource-definition.ts';
import type { ServerState } from '../server-state.ts';
import { create } from './create.ts';
import { deleteOne } from './delete.ts';
import { deleteCollection } from './delete-collection.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { getObserved, listObserved } from './observe.ts';
import { patch } from './patch.ts';
import { hasSubresource, subresource } from './subresource.ts';
import { type Handler, type ResourceCall, targetOf } from './target.ts';
import { update } from './update.ts';
import { watch } from './watch.ts';

const handlers: Readonly<Record<Verb, Handler>> = {
  get,
  list,
  watch,
  create,
  update,
  patch,
  delete: deleteOne,
  deletecollection: deleteCollection,
};

/** Serves one request about a resource of the registry. Throws StatusError. */
export async function handleResource(server: ServerState, call: ResourceCall): Promise<Answer> {
  const { group, version, resource } = call.info;
  const definition = server.registry.find(group, version, resource);
  if (definition === undefined) {
    if (server.registry.isBuiltIn(group)) {
      throw unknownResource();
    }
    return pageNotFound;
  }
  if (definition.struct === undefined) {
    if (!hasCustomPath(definition, call)) {
      return pageNotFound;
    }
    checkCustomVerb(definition, call);
  } else {
    checkPath(definition, call);
  }
  const target = targetOf(server, definition, call);
  try {
    return warnedOf(definition, await handlerOf(definition, call)(target));
  } catch (error) {
    if (error instanceof StatusError) {
      error.warnings = withDeprecation(definition, target.warnings);
    }
    throw error;
  }
}

function warnedOf(definition: ResourceDefinition, answer: Answer): Answer {
  return definition.deprecation === undefined || answer.kind === 'text'
    ? answer
    : { ...answer, warnings: withDeprecation(definition, answer.warnings ?? []) };
}

function withDeprecation({ deprecation }: ResourceDefinition, warnings: Iterable<string>): string[] {
  return [...(deprecation === undefined ? [] : [deprecation]), ...warnings];
}

/** Whether the method stands for no verb. */
function isVerbless(method: string): boolean {
  return method === 'OPTIONS' || method === 'TRACE';
}

/**
 * Whether a custom kind has the path. The real server's handler of custom kinds passes unknown paths on, and
 * nothing answers them.
 */
function hasCustomPath(
  { namespaced }: ResourceDefinition,
  { info: { namespace, name, verb, method } }: ResourceCall,
): boolean {
  if (!namespaced) {
    return namespace === '';
  }
  // Across all namespaces there are only list and watch.
  return namespace !== '' || (name === '' && (verb === 'list' || verb === 'watch') && !isVerbless(method));
}

/**
 * Throws 404 for a part that the kind does not have, 405 for a method that is not supported there, 400 for a
 * request that lacks a name.
 */
function checkCustomVerb(
  definition: ResourceDefinition,
  { info: { name, verb, method, subresource: part } }: ResourceCall,
): void {
  const resource = groupResource(definition);
  if (part !== '' && !hasSubresource(definition, part)) {
    throw notFound(resource, name);
  }
  if (isVerbless(method) || (part !== '' && !['get', 'update', 'patch'].includes(verb))) {
    throw methodNotSupported(resource, isVerbless(method) ? '' : verb);
  }
  if (name === '' && (verb === 'update' || verb === 'patch')) {
    throw badRequest('name must be provided');
  }
}

/** Throws 404 for a path that the kind does not have, 405 for a method that is not supported there. */
function checkPath(
  definition: ResourceDefinition,
  { info: { namespace, name, verb, method, subresource: part, isDeeper } }: ResourceCall,
): void {
  const { namespaced, isReview = false } = definition;
  if (isDeeper || (part !== '' && !hasSubresource(definition, part))) {
    throw unknownResource();
  }
  // Namespaced objects are reached only through their namespace; across all namespaces there are only list
  // and watch.
  const crossesNamespaces = namespaced && namespace === '';
  if (crossesNamespaces && name !== '') {
    throw unknownResource();
  }
  // The only path of a review is the one at which it is created.
  if (isReview && (crossesNamespaces || name !== '')) {
    throw unknownResource();
  }
  if (!namespaced && namespace !== '') {
    throw unknownResource();
  }
  if (crossesNamespaces && verb !== 'list' && verb !== 'watch') {
    throw methodNotAllowed();
  }
  if (method === 'HEAD' || isVerbless(method)) {
    throw methodNotAllowed();
  }
}

function handlerOf(definition: ResourceDefinition, { info }: ResourceCall): Handler {
  if (info.subresource !== '') {
    return subresource;
  }
  if (!verbsOf(definition).includes(info.verb)) {
    throw methodNotAllowed();
  }
  const { observe } = definition;
  if (observe !== undefined) {
    return (target) => (info.verb === 'get' ? getObserved(target, observe) : listObserved(target, observe));
  }
  return handlers[info.verb];
}
