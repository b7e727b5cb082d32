import { unsupportedBody } from '../http/negotiation.ts';
import { type Json, type JsonObject, isObject } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { badRequest } from '../meta/status-error.ts';
import { type DecodedObject, type TypeIdentity, decodeAs } from '../resources/decode-object.ts';
import type { ResourceRegistry } from '../resources/registry.ts';
import { apiVersionOf } from '../resources/resource-definition.ts';
import { DecodeError } from '../schema/decode.ts';
import { openEnvelope, readMessage } from '../schema/protobuf.ts';
import { parseOntoItself } from '../schema/duplicate-fields.ts';
import { hasDuplicateFields, strictFindings } from '../schema/strict-fields.ts';
import { duplicateKeyProblem } from './duplicate-key.ts';
import { checkDepth } from './json-depth.ts';
import { loadYaml } from './load-yaml.ts';

/* Decodes the bytes of a request into an object of its kind. Errors have the real server's messages. */

export interface SentObject {
  readonly object: KubeObject;
  /**
   * Returns what strict decoding finds in the body, in the real server's order: fields that the kind does not
   * have, and fields that are given twice.
   */
  findings(): readonly string[];
}

/**
 * Decodes a body that must be of the kind; apiVersion and kind may be left out. With `isLenient`, unknown
 * fields are ignored. Throws 400.
 */
export function decodeBody(
  body: Buffer,
  expected: TypeIdentity,
  registry: ResourceRegistry,
  isLenient: boolean,
): SentObject {
  const text = body.toString('utf8');
  try {
    checkDepth(text);
  } catch (error) {
    throw unrecognized(expected.kind, `json parse error: ${describe(error)} (${text.slice(0, 30)} ...)`);
  }
  let parsed: Json;
  try {
    parsed = JSON.parse(text) as Json;
  } catch (error) {
    const problem =
      text === '' ? 'unexpected end of JSON input (<empty>)' : `${describe(error)} (${text.slice(0, 100)})`;
    throw unrecognized(expected.kind, `json parse error: ${problem}`);
  }
  const { struct } = expected;
  const hasDuplicates = hasDuplicateFields(text, parsed);
  const given = hasDuplicates && struct !== undefined ? parseOntoItself(text, struct) : parsed;
  const { object, unknownFields } = decodeParsed(given, body, expected, registry, isLenient);
  return {
    object,
    findings() {
      const unknown = unknownFields.map(unknownFieldMessage);
      if (!hasDuplicates) {
        return unknown;
      }
      // Custom objects are pruned after they were decoded.
      return struct === undefined
        ? [...strictFindings(text, undefined), ...unknown]
        : strictFindings(text, struct);
    },
  };
}

/** Like decodeBody, for YAML. Throws 400. */
export function decodeYaml(
  body: Buffer,
  expected: TypeIdentity,
  registry: ResourceRegistry,
  isLenient: boolean,
): SentObject {
  let parsed: unknown;
  try {
    parsed = loadYaml(body.toString('utf8'));
  } catch (error) {
    throw unrecognized(expected.kind, `yaml: ${describe(error)}`);
  }
  const { object, unknownFields } = decodeParsed(
    (parsed ?? null) as Json,
    body,
    expected,
    registry,
    isLenient,
  );
  return {
    object,
    findings() {
      const problem = duplicateKeyProblem(body);
      return [...(problem === undefined ? [] : [problem]), ...unknownFields.map(unknownFieldMessage)];
    },
  };
}

function decodeParsed(
  given: Json,
  body: Buffer,
  expected: TypeIdentity,
  registry: ResourceRegistry,
  isLenient: boolean,
): DecodedObject {
  const parsed = given ?? {};
  if (!isObject(parsed)) {
    const shape = Array.isArray(parsed) ? 'array' : typeof parsed;
    const target =
      'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
    throw unrecognized(
      expected.kind,
      `json parse error: json: cannot unmarshal ${shape} into Go value of type ${target} (${body.toString('hex').slice(0, 100)})`,
    );
  }
  if (expected.schema !== undefined) {
    checkKindGiven(parsed, body, expected, isLenient);
  }
  const kind = typeof parsed['kind'] === 'string' && parsed['kind'] !== '' ? parsed['kind'] : expected.kind;
  const named = typeof parsed['apiVersion'] === 'string' ? parsed['apiVersion'] : '';
  const apiVersion = named === '' && expected.schema === undefined ? expected.apiVersion : named;
  if (expected.schema !== undefined && apiVersion !== expected.apiVersion) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected.apiVersion})`,
    );
  }
  if (kind !== expected.kind || apiVersion !== expected.apiVersion) {
    throw wrongKind(apiVersion, kind, expected, registry);
  }
  return decodeOrRefuse(() => parsed, expected);
}

/**
 * A custom resource must state its kind, because there is no Go type that implies it. A request that ignores
 * unknown fields goes through another decoder, with another message.
 */
function checkKindGiven(parsed: JsonObject, body: Buffer, expected: TypeIdentity, isLenient: boolean): void {
  if (typeof parsed['kind'] === 'string' && parsed['kind'] !== '') {
    return;
  }
  const text = body.toString('utf8');
  const problem = `Object 'Kind' is missing in '${text}'`;
  if (isLenient) {
    throw cannotBeHandled(expected, expected.apiVersion, problem);
  }
  const start = text.length > 30 ? `${text.slice(0, 30)} ...` : text;
  throw badRequest(
    `the object provided is unrecognized (must be of type ${expected.kind}): ${problem} (${start})`,
  );
}

/** Like decodeBody, for protobuf, which only kinds with a schema support. Throws 400 and 415. */
export function decodeProtobuf(body: Buffer, expected: TypeIdentity, registry: ResourceRegistry): SentObject {
  const { struct } = expected;
  if (struct === undefined) {
    throw unsupportedBody();
  }
  const { object, unknownFields } = decodeOrRefuse(() => {
    const { kind, apiVersion, raw } = openEnvelope(body);
    if (kind !== expected.kind || apiVersion !== expected.apiVersion) {
      throw wrongKind(apiVersion, kind, expected, registry);
    }
    return readMessage(raw, struct);
  }, expected);
  return { object, findings: () => unknownFields.map(unknownFieldMessage) };
}

function decodeOrRefuse(read: () => Json, expected: TypeIdentity): DecodedObject {
  try {
    return decodeAs(read(), expected);
  } catch (error) {
    if (error instanceof DecodeError) {
      throw cannotBeHandled(expected, expected.apiVersion, error.message);
    }
    throw error;
  }
}

/** The 400 for a body with findings that the client does not tolerate. */
export function strictError(expected: TypeIdentity, findings: readonly string[]): Error {
  return cannotBeHandled(expected, expected.apiVersion, strictMessage(findings));
}

export function strictMessage(findings: readonly string[]): string {
  return `strict decoding error: ${findings.join(', ')}`;
}

export function unknownFieldMessage(field: string): string {
  return `unknown field ${JSON.stringify(field)}`;
}

function cannotBeHandled(expected: TypeIdentity, apiVersion: string, problem: string): Error {
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  return badRequest(
    `${expected.kind} in version "${version}" cannot be handled as a ${expected.kind}: ${problem}`,
  );
}

function unrecognized(kind: string, problem: string): Error {
  return badRequest(
    `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; ${problem}`,
  );
}

function wrongKind(
  apiVersion: string,
  kind: string,
  expected: TypeIdentity,
  registry: ResourceRegistry,
): Error {
  const isKnown = registry.all.some(
    (definition) => definition.kind === kind && apiVersionOf(definition) === apiVersion,
  );
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  const wanted = expected.kind;
  const problem = isKnown
    ? `converting (${version}.${kind}) to (${internalGroup(expected.apiVersion)}.${wanted}): unknown conversion`
    : `no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`;
  return badRequest(`${kind} in version "${version}" cannot be handled as a ${wanted}: ${problem}`);
}

function internalGroup(apiVersion: string): string {
  return apiVersion.includes('/') ? (apiVersion.split(/[./]/)[0] ?? '') : 'core';
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
