import type { IncomingHttpHeaders } from 'node:http';
import type { UserInfo } from '../../auth/user-info.ts';
import { type Answer, jsonAnswer, protobufAnswer } from '../../http/answer.ts';
import {
  type ResponseForm,
  formNotServed,
  mediaType,
  negotiate,
  protobuf,
  unsupportedBody,
  wrongMetadataForm,
} from '../../http/negotiation.ts';
import type { ResourceRequest } from '../../http/request-info.ts';
import { managerName } from '../../managed-fields/field-manager.ts';
import type { JsonObject } from '../../meta/json.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import { badRequest, internalError } from '../../meta/status-error.ts';
import type { TypeIdentity } from '../../resources/decode-object.ts';
import { type ResourceDefinition, groupKind } from '../../resources/resource-definition.ts';
import type { WriteOptions } from '../create-object.ts';
import { type SentObject, decodeBody, decodeProtobuf, decodeYaml, strictError } from '../decode-body.ts';
import type { Page } from '../list-page.ts';
import type { ServerState } from '../server-state.ts';
import type { IncludeObject } from '../table.ts';
import { listJson, objectJson } from '../write-form.ts';
import { listProtobuf, objectProtobuf } from '../write-form-protobuf.ts';
import type { WriteQuery } from '../write-options.ts';

/** A request about a resource, authenticated and authorized. */
export interface ResourceCall {
  readonly info: ResourceRequest;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly user: UserInfo;
}

/** A request with everything that its handler needs. */
export interface Target {
  readonly server: ServerState;
  readonly definition: ResourceDefinition;
  readonly info: ResourceRequest;
  readonly body: Buffer;
  readonly user: UserInfo;
  /** The media type of the body. */
  readonly mediaType: string;
  readonly userAgent: string;
  /** The form in which the client wants objects. */
  readonly form: ResponseForm;
  readonly include: IncludeObject;
  /** The texts of Warning headers, also of a failure; each text once. */
  readonly warnings: Set<string>;
}

/** Serves a request. Throws StatusError. */
export type Handler = (target: Target) => Promise<Answer>;

/** Prepares a request for its handler. Throws 406 for a form that is not served. */
export function targetOf(
  server: ServerState,
  definition: ResourceDefinition,
  { info, headers, body, user }: ResourceCall,
): Target {
  const form = negotiate(headers.accept, definition.struct !== undefined);
  if (definition.isReview === true && form.as === 'Table') {
    throw formNotServed();
  }
  return {
    server,
    definition,
    info,
    body,
    user,
    mediaType: mediaType(headers['content-type']),
    userAgent: headers['user-agent'] ?? '',
    form,
    include: form.as === 'Table' ? readInclude(info.query.get('includeObject') ?? '') : 'Metadata',
    warnings: new Set(),
  };
}

/** Throws 400 for an unknown value. */
function readInclude(text: string): IncludeObject {
  switch (text) {
    case 'None':
    case 'Object':
      return text;
    case '':
    case 'Metadata':
      return 'Metadata';
    default: {
      const problem = `Invalid value: ${JSON.stringify(text)}: must be 'Metadata', 'Object', 'None', or empty`;
      throw badRequest(`Unable to convert to Table as requested: includeObject: ${problem}`);
    }
  }
}

/**
 * Decodes the object that was sent. Throws 400 for a body that is none, 415 for a media type that is not
 * served.
 */
export function decodeSent(
  target: Target,
  identity: TypeIdentity,
  { fieldValidation }: WriteQuery,
): KubeObject {
  const { object, findings } = decodeAnyForm(target, identity, fieldValidation === 'Ignore');
  if (fieldValidation === 'Ignore') {
    return object;
  }
  const found = findings();
  if (fieldValidation === 'Strict' && found.length > 0) {
    throw strictError(identity, found);
  }
  warnOfFindings(target, found);
  return object;
}

function decodeAnyForm(
  { mediaType, body, server }: Target,
  identity: TypeIdentity,
  isLenient: boolean,
): SentObject {
  switch (mediaType) {
    case '':
    case 'application/json':
      return decodeBody(body, identity, server.registry, isLenient);
    case 'application/yaml':
      return decodeYaml(body, identity, server.registry, isLenient);
    case protobuf:
      return decodeProtobuf(body, identity, server.registry);
    default:
      throw unsupportedBody();
  }
}

/** Findings of two lines are dropped, because a header cannot hold them. */
export function warnOfFindings({ warnings }: Target, findings: readonly string[]): void {
  for (const finding of findings) {
    warnings.add(finding);
  }
}

export function writeOptions(
  { info, user, userAgent, warnings }: Target,
  { isDryRun, fieldManager, sent }: WriteQuery,
): WriteOptions {
  return {
    manager: managerName(fieldManager, userAgent),
    sentOptions: sent,
    namespace: info.namespace,
    isDryRun,
    user,
    warn: (text) => warnings.add(text),
  };
}

/** Throws for the form of a list: 406, of an object of no type of Go's 500. */
export function checkObjectForm({ definition, form }: Target): void {
  if (form.as !== 'PartialObjectMetadataList') {
    return;
  }
  const { struct, kind } = definition;
  if (struct === undefined) {
    throw internalError('content is not a list');
  }
  const { group } = groupKind(definition);
  throw wrongMetadataForm(form.as, `not a list (*${group.split('.', 1)[0] || 'core'}.${kind})`);
}

/**
 * Writes the object in the form that the client asked for. If objects have no such form, this throws, and an
 * earlier write is not undone.
 */
export function answerObject(target: Target, code: number, object: KubeObject): Answer {
  checkObjectForm(target);
  const { definition, form, include, server, warnings } = target;
  if (form.isProtobuf) {
    return bytesAnswer(target, code, objectProtobuf(definition, object, form));
  }
  const json = objectJson(definition, object, form, include, server.now());
  return { kind: 'json', code, json, warnings: [...warnings] };
}

/** Writes a page of a list in the form that the client asked for. */
export function answerList(target: Target, page: Page): Answer {
  const { definition, form, include, server, warnings } = target;
  if (form.isProtobuf) {
    return bytesAnswer(target, 200, listProtobuf(definition, page, form));
  }
  const json = listJson(definition, page, form, include, server.now());
  return { kind: 'json', code: 200, json, warnings: [...warnings] };
}

/** Writes an object that is not of the resource's kind, such as a Status, completely. */
export function answerOther(
  { form, warnings }: Target,
  code: number,
  object: JsonObject,
  struct: string,
): Answer {
  return form.isProtobuf
    ? protobufAnswer(code, object, struct, [...warnings])
    : jsonAnswer(code, object, [...warnings]);
}

/** Answers with protobuf as it was written. */
export function bytesAnswer({ warnings }: Target, code: number, bytes: Buffer): Answer {
  return { kind: 'bytes', code, bytes, contentType: protobuf, warnings: [...warnings] };
}
