import {
  apiVersionOf,
  collectionPath,
  isSameJson,
  objectPath,
  type ApiResource,
  type KubernetesObject,
  type ObjectRef,
  type UrlPath,
} from '@holdfast/core';
import { json, readObject } from './answer.ts';
import { answerOf } from './answered.ts';
import { unlessOfAnother } from './api-error.ts';
import type { ApiClient, Projected, RequestOptions } from './api-client.ts';
import { conflictsIn, type FieldConflict } from './apply-conflict.ts';
import { mustBeAskedFor } from './asked-for.ts';
import { selectorsOf } from './collection-choice.ts';
import { isKeptByBudget } from './disruption-budget.ts';
import { find } from './find.ts';
import { applyPath, selectionPath } from './request-path.ts';
import type { ApiRequest, SendRequest } from './request-sender.ts';
import type { HttpResponse } from './transport.ts';
import type { ClientVerbs, WriteOptions } from './verbs.ts';

/** What the write verbs need from a client. */
export interface Writer {
  readonly get: ApiClient['get'];
  readonly send: SendRequest;
  /** Builds a request with the client's limits, as a dry run if the client does dry runs. */
  requestOf<T extends KubernetesObject>(
    method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: UrlPath,
    type: string,
    body: object,
    options: RequestOptions & Projected<T>,
  ): ApiRequest;
  /** Builds the body of a DELETE, likewise. */
  deleteOptionsOf(how: object): object;
  /** The field manager of an apply that does not name one. */
  readonly fieldManager: string | undefined;
}

/** Creates the verbs of {@link ClientVerbs}. */
export function createWriteVerbs(writer: Writer): ClientVerbs {
  const { get, send, requestOf, deleteOptionsOf } = writer;
  return {
    apply: async (resource, ref, configuration, { fieldManager, force = false, ...options } = {}) => {
      const path = applyPath(
        objectPath(resource, ref, options.subresource),
        managerOf(fieldManager ?? writer.fieldManager),
        force,
      );
      const body = bodyOf(typeOf(resource), configuration, named(configuration, ref));
      // The body is sent as JSON, which is also YAML.
      const request = requestOf('PATCH', path, 'application/apply-patch+yaml', body, options);
      let conflicts: readonly FieldConflict[] = [];
      const answer = await answerOf(async () => {
        try {
          return readWritten(await send(request), resource, ref, options);
        } catch (error) {
          conflicts = conflictsIn(error);
          throw error;
        }
      });
      return conflicts.length > 0 ? { kind: 'conflict', conflicts } : answer;
    },
    mergePatch: async (resource, ref, patch, options = {}) => {
      const path = objectPath(resource, ref, options.subresource);
      return answerOf(async () => {
        const request = requestOf('PATCH', path, 'application/merge-patch+json', patch, options);
        const sent = unlessOfAnother(send(request), resource, ref, options.subresource);
        return readWritten(await sent, resource, ref, options);
      });
    },
    update: async (resource, ref, change, options = {}) => {
      const { subresource } = options;
      const request = limitsOf(options);
      const writing = subresource === undefined ? request : { ...request, subresource };
      const before = await find({ get }, resource, ref as ObjectRef, request);
      if (before === undefined) {
        return { kind: 'gone' };
      }
      // Plain JavaScript might change the object that it is given. If that were the only one, nothing would have
      // changed.
      const given = structuredClone(before);
      const after = change(given);
      checkReturned(after, () => isSameJson(given, before));
      if (after === undefined || (after === given && isSameJson(given, before))) {
        return { kind: 'unchanged', object: before };
      }
      const { uid, resourceVersion } = before.metadata;
      const metadata = { ...named(after, ref), uid, resourceVersion };
      const path = objectPath(resource, ref, subresource);
      return answerOf(async () => {
        const body = bodyOf(typeOf(resource), after, metadata);
        const sent = send(requestOf('PUT', path, json, body, request));
        return readWritten(await unlessOfAnother(sent, resource, ref, subresource), resource, ref, writing);
      });
    },
    deleteCollection: async (resource, namespace, choice, options = {}) => {
      const { gracePeriodSeconds, propagationPolicy } = options;
      const path = selectionPath(
        collectionPath(resource, namespace),
        selectorsOf(resource, namespace, choice),
      );
      const how = deleteOptionsOf({ gracePeriodSeconds, propagationPolicy });
      const request = requestOf('DELETE', path, json, how, limitsOf(options));
      await send({ ...request, mayRepeat: () => false });
    },
    createSubresource: async (subresource, ref, body, options = {}) => {
      const { of, name, apiVersion, kind } = subresource;
      const whole = bodyOf({ apiVersion, kind }, body, named(body, ref));
      const request = requestOf('POST', objectPath(of, ref, name), json, whole, options);
      return answerOf(async () => {
        const response = await send({ ...request, mayRepeat: (error) => !isKeptByBudget(error) });
        // A subresource can answer with any kind.
        const answer = readObject(response, undefined, () => undefined);
        return answer as object as NonNullable<typeof subresource.answer>;
      });
    },
  };
}

/** @throws TypeError if there is none: the API server accepts no apply without a field manager. */
function managerOf(fieldManager: string | undefined): string {
  if (fieldManager === undefined) {
    throw new TypeError('apply needs a fieldManager: name one, or give the client one');
  }
  return fieldManager;
}

/**
 * Plain JavaScript can return anything. A promise has no fields of its own, so that the object would be written empty,
 * without its labels and finalizers.
 *
 * @throws TypeError if it is no object to write, or nothing although the given one was changed.
 */
function checkReturned(after: object | undefined, isAsGiven: () => boolean): void {
  if (
    after === undefined ? !isAsGiven() : typeof (after as Partial<KubernetesObject>).metadata !== 'object'
  ) {
    throw new TypeError(
      after === undefined
        ? 'the function of the update changed the object, and returned nothing: return the object, or leave it as it is'
        : 'the function of the update did not return the object, with its metadata; return it, and not a promise of it',
    );
  }
}

/** Returns the options that every request has, without a projection: what is written back must be whole. */
function limitsOf({ signal, look, outlivesTenure }: RequestOptions): RequestOptions {
  return {
    ...(signal === undefined ? {} : { signal }),
    ...(look === undefined ? {} : { look }),
    ...(outlivesTenure === undefined ? {} : { outlivesTenure }),
  };
}

/** Adds the type, which items of lists lack and callers leave out. */
function bodyOf(type: object, object: object, metadata: object): object {
  return { ...type, ...object, metadata };
}

function typeOf(resource: ApiResource<KubernetesObject>) {
  return { apiVersion: apiVersionOf(resource), kind: resource.kind };
}

/** Returns the metadata to send, with the name and namespace of the reference, whatever the object has. */
function named(object: object, { name, namespace }: ObjectRef): object {
  const { metadata } = object as { readonly metadata?: object };
  return { ...metadata, name, namespace };
}

function readWritten<T extends KubernetesObject>(
  response: HttpResponse,
  resource: ApiResource<T>,
  ref: ObjectRef,
  { projection, subresource }: WriteOptions & Projected<T>,
): T {
  return readObject(response, projection, (kind, identity) => {
    // A subresource can be of another kind.
    if (subresource === undefined || subresource === 'status') {
      mustBeAskedFor(resource, kind, identity, ref);
    }
  });
}
