import type { IncomingHttpHeaders } from 'node:http';
import { answerReview } from '../../auth/review.ts';
import { requestToken } from '../../auth/token-request.ts';
import { applyConfiguration, managerName } from '../../managed-fields/field-manager.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import { type ResponseForm, mediaType, negotiate, unsupportedBody } from '../../http/negotiation.ts';
import type { ResourceRequest } from '../../http/request-info.ts';
import {
  type ResourceDefinition,
  type SubresourceAction,
  type Verb,
  groupResource,
  keyspaceOf,
} from '../../resources/resource-definition.ts';
import type { ServerState } from '../server-state.ts';
import {
  badRequest,
  conflict,
  methodNotAllowed,
  notFound,
  StatusError,
  unknownResource,
} from '../../meta/status-error.ts';
import type { Entry } from '../../storage/storage.ts';
import type { IncludeObject } from '../../resources/table-columns.ts';
import type { UserInfo } from '../../auth/user-info.ts';
import { type Answer, jsonAnswer, success } from '../../http/answer.ts';
import { type WriteOptions, createObject, ensureNamespace } from '../create-object.ts';
import {
  type DecodedObject,
  type TypeIdentity,
  decodeBody,
  decodeProtobuf,
  decodeYaml,
  identityOf,
  strictError,
  unknownFieldMessage,
} from '../decode-body.ts';
import { parseDeleteOptions } from '../delete-options.ts';
import { deleteObject } from '../delete-object.ts';
import { listPage, parseRevision, waitForRevision } from '../list-page.ts';
import { parseListOptions } from '../list-options.ts';
import { decodeApplied, parseConfiguration, parsePatch, patchObject, patchTypeOf } from '../patch-object.ts';
import { servedJson, servedObject } from '../stored-form.ts';
import {
  admitAction,
  bindPod,
  evictPod,
  finalizeNamespace,
  readObject,
  scaleIdentity,
  scaleOf,
  updateScale,
} from '../subresources.ts';
import { updateObject } from '../update-object.ts';
import { openWatch } from '../open-watch.ts';
import { listJson, objectJson } from '../write-form.ts';
import { type WriteQuery, parseWriteQuery } from '../write-options.ts';

/** A request about a resource, authenticated and authorized. */
export interface ResourceCall {
  readonly info: ResourceRequest;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly user: UserInfo;
}

const allVerbs: readonly Verb[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
];

/** Serves one request about a resource of the registry. Throws StatusError. */
export async function handleResource(server: ServerState, call: ResourceCall): Promise<Answer> {
  const { info } = call;
  const definition = server.registry.find(info.group, info.version, info.resource);
  if (definition === undefined) {
    throw unknownResource();
  }
  // Objects with a namespace are reached only through it; across all namespaces there is list and watch.
  const crossesNamespaces = definition.namespaced && info.namespace === '';
  if (crossesNamespaces && info.name !== '') {
    throw unknownResource();
  }
  // Reviews have no paths but the one they are created at.
  if (definition.isReview === true && (crossesNamespaces || info.name !== '')) {
    throw unknownResource();
  }
  if (!definition.namespaced && info.namespace !== '') {
    throw unknownResource();
  }
  if (crossesNamespaces && info.verb !== 'list' && info.verb !== 'watch') {
    throw methodNotAllowed();
  }

  if (info.method === 'HEAD' || info.method === 'OPTIONS') {
    throw methodNotAllowed();
  }
  const target = new Target(server, definition, call);
  try {
    return await serveVerb(target);
  } catch (error) {
    if (error instanceof StatusError) {
      error.warnings = [...target.warnings];
    }
    throw error;
  }
}

async function serveVerb(target: Target): Promise<Answer> {
  const { definition, info } = target;
  if (info.subresource !== '') {
    return handleSubresource(target);
  }
  if (!(definition.verbs ?? allVerbs).includes(info.verb)) {
    throw methodNotAllowed();
  }
  switch (info.verb) {
    case 'get':
      return get(target);
    case 'list':
      return list(target);
    case 'watch':
      return watch(target);
    case 'create':
      return create(target);
    case 'update':
      return update(target);
    case 'patch':
      return patch(target);
    case 'delete':
      return remove(target);
    case 'deletecollection':
      return removeCollection(target);
  }
}

/** One request with what its handlers derive from it. */
class Target {
  readonly server: ServerState;
  readonly definition: ResourceDefinition;
  readonly info: ResourceRequest;
  readonly body: Buffer;
  readonly user: UserInfo;
  readonly mediaType: string;
  readonly userAgent: string;
  readonly form: ResponseForm;
  readonly include: IncludeObject;
  readonly warnings = new Set<string>();

  constructor(
    server: ServerState,
    definition: ResourceDefinition,
    { info, headers, body, user }: ResourceCall,
  ) {
    this.server = server;
    this.definition = definition;
    this.info = info;
    this.body = body;
    this.user = user;
    this.mediaType = mediaType(headers['content-type']);
    this.userAgent = headers['user-agent'] ?? '';
    this.form = negotiate(headers.accept);
    const include = info.query.get('includeObject');
    this.include = include === 'None' || include === 'Object' ? include : 'Metadata';
  }

  decode(identity: TypeIdentity, { fieldValidation }: WriteQuery): DecodedObject {
    const decoded = this.decodeAnyForm(identity);
    if (fieldValidation === 'Strict' && decoded.unknownFields.length > 0) {
      throw strictError(identity, decoded.unknownFields);
    }
    this.warnOfUnknownFields(decoded, fieldValidation);
    return decoded;
  }

  decodeAnyForm(identity: TypeIdentity): DecodedObject {
    switch (this.mediaType) {
      case '':
      case 'application/json':
        return decodeBody(this.body, identity, this.server.registry);
      case 'application/yaml':
        return decodeYaml(this.body, identity, this.server.registry);
      case 'application/vnd.kubernetes.protobuf':
        return decodeProtobuf(this.body, identity, this.server.registry);
      default:
        throw unsupportedBody();
    }
  }

  warnOfUnknownFields(
    { unknownFields }: DecodedObject,
    fieldValidation: WriteQuery['fieldValidation'],
  ): void {
    if (fieldValidation !== 'Warn') {
      return;
    }
    for (const field of unknownFields) {
      this.warnings.add(unknownFieldMessage(field));
    }
  }

  writeOptions({ isDryRun, fieldManager, sent }: WriteQuery): WriteOptions {
    return {
      manager: managerName(fieldManager, this.userAgent),
      sentOptions: sent,
      namespace: this.info.namespace,
      isDryRun,
      user: this.user,
      warn: (text) => this.warnings.add(text),
    };
  }

  answer(code: number, object: KubeObject): Answer {
    const json = objectJson(this.definition, object, this.form, this.include, this.server.now());
    return { kind: 'json', code, json, warnings: [...this.warnings] };
  }
}

async function get({ server, definition, info, form, include }: Target): Promise<Answer> {
  if (form.as === 'PartialObjectMetadataList') {
    throw wrongMetadataForm(form.as, `not a list (*core.${definition.kind})`);
  }
  const wanted = parseRevision(info.query.get('resourceVersion') ?? '');
  if (wanted > 0) {
    await waitForRevision(server, wanted);
  }
  const entry = findEntry(server, definition, info);
  const json =
    form.as === 'object'
      ? servedJson(definition, entry)
      : objectJson(definition, servedObject(definition, entry.object), form, include, server.now());
  return { kind: 'json', code: 200, json };
}

function findEntry(server: ServerState, definition: ResourceDefinition, info: ResourceRequest): Entry {
  const entry = server.storage.get(keyspaceOf(definition), info.namespace, info.name);
  if (entry === undefined) {
    throw notFound(groupResource(definition), info.name);
  }
  return entry;
}

/** Metadata alone is asked for in one form for objects and in another for lists. */
function wrongMetadataForm(form: string, actual: string): StatusError {
  const message = `you requested ${form}, but the requested object is ${actual}`;
  return new StatusError(406, 'NotAcceptable', message);
}

async function list({ server, definition, info, form, include }: Target): Promise<Answer> {
  if (form.as === 'PartialObjectMetadata') {
    throw wrongMetadataForm(form.as, `a list (*core.${definition.kind}List)`);
  }
  const options = parseListOptions(info.query, definition, info.name, false);
  const page = await listPage(server, definition, info.namespace, options);
  return { kind: 'json', code: 200, json: listJson(definition, page, form, include, server.now()) };
}

async function watch({ server, definition, info, form, include }: Target): Promise<Answer> {
  const options = parseListOptions(info.query, definition, info.name, true);
  const source = await openWatch(server, definition, info.namespace, options);
  return { kind: 'watch', source, options, format: { definition, form, include } };
}

async function create(target: Target): Promise<Answer> {
  const { server, definition, info } = target;
  if (info.name !== '') {
    throw methodNotAllowed();
  }
  const query = parseWriteQuery(info.query, 'CreateOptions');
  const decoded = target.decode(identityOf(definition), query);
  if (definition.isReview === true) {
    ensureNamespace(definition, decoded.object, info.namespace);
    const options = target.writeOptions(query);
    const action = { name: '', operation: 'CREATE' } as const;
    await admitAction(server, definition, action, '', decoded.object, undefined, options);
    return target.answer(201, answerReview(server, definition, decoded.object, target.user, info.namespace));
  }
  const object = await createObject(server, definition, decoded.object, target.writeOptions(query));
  return target.answer(201, object);
}

async function update(target: Target): Promise<Answer> {
  const { server, definition, info } = target;
  if (info.name === '') {
    throw methodNotAllowed();
  }
  const query = parseWriteQuery(info.query, 'UpdateOptions');
  let decoded = target.decode(identityOf(definition), query);
  ensureNamespace(definition, decoded.object, info.namespace);
  checkName(decoded.object, info.name);
  let isUsed = false;
  const { object, isCreated } = await updateObject(
    server,
    definition,
    { ...target.writeOptions(query), name: info.name, subresource: info.subresource, isReplace: true },
    () => {
      // Strategies change what they are given, so a second attempt starts from the body again.
      if (isUsed) {
        decoded = target.decode(identityOf(definition), query);
      }
      isUsed = true;
      return decoded.object;
    },
  );
  return target.answer(isCreated ? 201 : 200, object);
}

function checkName(object: KubeObject, name: string): void {
  const given = object.metadata.name;
  if (given === undefined) {
    throw badRequest(
      `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    );
  }
  if (given !== name) {
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
  }
}

async function patch(target: Target): Promise<Answer> {
  const { server, definition, info } = target;
  if (info.name === '') {
    throw methodNotAllowed();
  }
  const identity = identityOf(definition);
  const type = patchTypeOf(target.mediaType, identity);
  const query = parseWriteQuery(info.query, 'PatchOptions', type === 'apply');
  if (type === 'apply') {
    return apply(target, query);
  }
  const body = parsePatch(target.body, type);
  const options = {
    ...target.writeOptions(query),
    name: info.name,
    subresource: info.subresource,
    isReplace: false,
  };
  const { object, isCreated } = await updateObject(server, definition, options, (existing) => {
    if (existing === undefined) {
      throw notFound(groupResource(definition), info.name);
    }
    const decoded = patchObject(existing, body, type, identity, query.fieldValidation);
    checkName(decoded.object, info.name);
    target.warnOfUnknownFields(decoded, query.fieldValidation);
    return decoded.object;
  });
  return target.answer(isCreated ? 201 : 200, object);
}

/** Server-side apply; of an absent object it makes one. */
async function apply(target: Target, query: WriteQuery): Promise<Answer> {
  const { server, definition, info } = target;
  const identity = identityOf(definition);
  const config = parseConfiguration(target.body, identity);
  const writer = { name: query.fieldManager, subresource: info.subresource, now: server.now() };
  const { namespace, isDryRun, user, sentOptions, warn } = target.writeOptions(query);
  // Ownership is settled below, so that the write itself records none.
  const options = {
    namespace,
    isDryRun,
    user,
    sentOptions: sentOptions ?? {},
    warn,
    name: info.name,
    subresource: info.subresource,
    isReplace: false,
    mayCreate: true,
  };
  const { object, isCreated } = await updateObject(server, definition, options, (existing) => {
    const applied = applyConfiguration(definition, existing, config, writer, query.force === true);
    const decoded = decodeApplied(applied, config, identity);
    if (existing === undefined && decoded.metadata.uid !== undefined) {
      const problem = `uid mismatch: the provided object specified uid ${decoded.metadata.uid}, and no existing object was found`;
      throw conflict(groupResource(definition), info.name, problem);
    }
    checkName(decoded, info.name);
    return decoded;
  });
  return target.answer(isCreated ? 201 : 200, object);
}

async function remove(target: Target): Promise<Answer> {
  const { server, definition, info, body, user } = target;
  const options = parseDeleteOptions(body, target.mediaType, info.query);
  const warn = (text: string): unknown => target.warnings.add(text);
  const { object, isGone } = await deleteObject(
    server,
    definition,
    info.namespace,
    info.name,
    options,
    user,
    warn,
  );
  if (!isGone || definition.returnsDeletedObject === true) {
    return target.answer(200, object);
  }
  const { group, plural } = definition;
  return jsonAnswer(
    200,
    success({
      name: info.name,
      ...(group === '' ? undefined : { group }),
      kind: plural,
      ...(object.metadata.uid === undefined ? undefined : { uid: object.metadata.uid }),
    }),
    [...target.warnings],
  );
}

async function removeCollection(target: Target): Promise<Answer> {
  const { server, definition, info, body, user, form, include } = target;
  const options = parseDeleteOptions(body, target.mediaType, info.query);
  const listOptions = parseListOptions(info.query, definition, '', false);
  const page = await listPage(server, definition, info.namespace, listOptions);
  const warn = (text: string): unknown => target.warnings.add(text);
  // Webhooks are not told the names: the request has none.
  const collected = { ...options, isCollection: true };
  for (const { namespace, name, object } of page.entries) {
    const { uid } = object.metadata;
    const preconditions = { ...options.preconditions, ...(uid === undefined ? undefined : { uid }) };
    try {
      await deleteObject(server, definition, namespace, name, { ...collected, preconditions }, user, warn);
    } catch (error) {
      // Gone or replaced meanwhile: nothing of the collection is left there.
      if (server.storage.get(keyspaceOf(definition), namespace, name)?.object.metadata.uid === uid) {
        throw error;
      }
    }
  }
  const json = listJson(definition, page, form, include, server.now());
  return { kind: 'json', code: 200, json, warnings: [...target.warnings] };
}

async function handleSubresource(target: Target): Promise<Answer> {
  const { definition, info } = target;
  if (info.name === '') {
    throw methodNotAllowed();
  }
  if (info.subresource === 'status' && definition.status !== undefined) {
    if (info.verb === 'get') {
      return get(target);
    }
    if (info.verb === 'update') {
      return update(target);
    }
    if (info.verb === 'patch') {
      return patch(target);
    }
    throw methodNotAllowed();
  }
  if (info.subresource === 'scale' && definition.hasScale === true) {
    return scale(target);
  }
  const action = definition.actions?.find((candidate) => candidate.name === info.subresource);
  if (action === undefined) {
    throw unknownResource();
  }
  if (!action.verbs.includes(info.verb)) {
    throw methodNotAllowed();
  }
  return act(target, action);
}

async function scale(target: Target): Promise<Answer> {
  const { server, definition, info } = target;
  switch (info.verb) {
    case 'get':
      return jsonAnswer(200, scaleOf(readObject(server, definition, info.namespace, info.name)));
    case 'update': {
      const query = parseWriteQuery(info.query, 'UpdateOptions');
      const { object } = target.decode(scaleIdentity, query);
      checkName(object, info.name);
      const options = target.writeOptions(query);
      const written = await updateScale(server, definition, info.name, () => object, options);
      return jsonAnswer(200, written, [...target.warnings]);
    }
    case 'patch': {
      const query = parseWriteQuery(info.query, 'PatchOptions');
      const type = patchTypeOf(target.mediaType, scaleIdentity);
      if (type === 'apply') {
        throw badRequest('server-side apply to scale is not served: patch it');
      }
      const body = parsePatch(target.body, type);
      const make = (existing: KubeObject): KubeObject => {
        const decoded = patchObject(existing, body, type, scaleIdentity, query.fieldValidation);
        target.warnOfUnknownFields(decoded, query.fieldValidation);
        return decoded.object;
      };
      const options = target.writeOptions(query);
      const written = await updateScale(server, definition, info.name, make, options);
      return jsonAnswer(200, written, [...target.warnings]);
    }
    default:
      throw methodNotAllowed();
  }
}

async function act(target: Target, action: SubresourceAction): Promise<Answer> {
  const { server, definition, info } = target;
  const query = parseWriteQuery(info.query, info.verb === 'create' ? 'CreateOptions' : 'UpdateOptions');
  const version = action.version ?? definition.version;
  const group = action.group ?? definition.group;
  const identity: TypeIdentity = {
    apiVersion: group === '' ? version : `${group}/${version}`,
    kind: action.kind,
    struct: action.struct,
  };
  const { object } = target.decode(identity, query);
  const options = target.writeOptions(query);
  const created = { name: action.name, operation: 'CREATE' } as const;
  switch (action.name) {
    case 'binding':
      ensureNamespace(definition, object, info.namespace);
      await admitAction(server, definition, created, info.name, object, undefined, options);
      await bindPod(server, definition, info.name, object, options);
      return jsonAnswer(201, success(undefined, 201), [...target.warnings]);
    case 'eviction':
      ensureNamespace(definition, object, info.namespace);
      await admitAction(server, definition, created, info.name, object, undefined, options);
      await evictPod(server, definition, info.name, object, options);
      return jsonAnswer(201, success(undefined, 201), [...target.warnings]);
    case 'token':
      return jsonAnswer(201, await requestToken(server, definition, info.name, object, options), [
        ...target.warnings,
      ]);
    case 'finalize':
      checkName(object, info.name);
      return target.answer(200, await finalizeNamespace(server, definition, info.name, object, options));
    default:
      throw unknownResource();
  }
}
