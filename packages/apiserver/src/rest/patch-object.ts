import { unsupportedCustomPatch, unsupportedPatch } from '../http/negotiation.ts';
import { goPrint } from '../meta/go-print.ts';
import { type Json, type JsonObject, isObject } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { badRequest, StatusError } from '../meta/status-error.ts';
import { applyJsonPatch } from '../patch/json-patch.ts';
import { applyMergePatch } from '../patch/merge-patch.ts';
import {
  printMerged,
  printPatched,
  sortedAlong,
  sortedByOperations,
  sortedWhole,
} from '../patch/patched-print.ts';
import { applyStrategicMergePatch } from '../patch/strategic-merge-patch.ts';
import { parseJsonPatch } from '../patch/written-values.ts';
import { type DecodedObject, type TypeIdentity, decodeAs } from '../resources/decode-object.ts';
import { DecodeError } from '../schema/decode.ts';
import { hasDuplicateFields, strictFindings } from '../schema/strict-fields.ts';
import { strictMessage, unknownFieldMessage } from './decode-body.ts';
import { checkDepth } from './json-depth.ts';
import type { WriteQuery } from './write-options.ts';

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

const patchTypes: Readonly<Record<string, PatchType>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
};

/** A kind without a struct has no lists that are merged. */
const customPatchTypes = Object.keys(patchTypes).filter((mediaType) => patchTypes[mediaType] !== 'strategic');

/** Throws 415 for a media type that is not a patch, or for a patch that the kind does not support. */
export function patchTypeOf(mediaType: string, identity: TypeIdentity): PatchType {
  const type = patchTypes[mediaType];
  const isCustom = identity.struct === undefined;
  if (type === undefined || (type === 'strategic' && isCustom)) {
    throw isCustom ? unsupportedCustomPatch(customPatchTypes) : unsupportedPatch();
  }
  return type;
}

export interface Patch {
  readonly type: Exclude<PatchType, 'apply'>;
  readonly value: Json;
  /** What strict decoding finds about fields that are given twice, in the order of the body. */
  readonly duplicates: readonly string[];
}

/** Throws 400 if the body is not JSON. */
export function parsePatch(body: Buffer, type: Patch['type']): Patch {
  const text = body.toString('utf8');
  const value = parseShape(text, type);
  const prefix = type === 'json' ? 'json patch ' : '';
  return {
    type,
    value,
    duplicates: hasDuplicateFields(text, value)
      ? strictFindings(text, undefined).map((finding) => prefix + finding)
      : [],
  };
}

function parseShape(text: string, type: Patch['type']): Json {
  try {
    checkDepth(text);
    return checkShape(type === 'json' ? parseJsonPatch(text) : (JSON.parse(text) as Json), type);
  } catch (error) {
    if (error instanceof StatusError) {
      throw error;
    }
    throw badRequest(`error decoding patch: ${syntaxProblem(error)}`);
  }
}

/** V8's message begins with a capital letter, Go's does not. */
function syntaxProblem(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.charAt(0).toLowerCase() + message.slice(1);
}

function checkShape(patch: Json, type: Exclude<PatchType, 'apply'>): Json {
  if (type === 'json' || isObject(patch)) {
    return patch;
  }
  if (patch === null && type === 'merge') {
    throw badRequest('Invalid JSON Patch');
  }
  const given = Array.isArray(patch) ? 'array' : typeof patch;
  const prefix = type === 'merge' ? 'error decoding patch: ' : '';
  throw badRequest(`${prefix}json: cannot unmarshal ${given} into Go value of type map[string]interface {}`);
}

export interface Patched {
  readonly object: KubeObject;
  /** What strict decoding finds in the patch and in its result. */
  readonly findings: readonly string[];
}

/** Returns the object that results from the patch. Throws 400 and 422. */
export function patchObject(
  existing: KubeObject,
  { type, value: patch, duplicates }: Patch,
  identity: TypeIdentity,
  fieldValidation: WriteQuery['fieldValidation'],
): Patched {
  const patched = applyPatch(existing, patch, type, identity);
  // Go writes maps with sorted keys.
  const shown = (): Json =>
    identity.struct === undefined
      ? applyPatch(sortedWhole(existing) as JsonObject, patch, type, identity)
      : patched;
  if (type !== 'strategic' && isObject(patched)) {
    const { kind = identity.kind, apiVersion = identity.apiVersion } = patched;
    if (kind !== identity.kind || apiVersion !== identity.apiVersion) {
      const problem = `no kind "${goPrint(kind)}" is registered for version "${goPrint(apiVersion)}" in scheme "pkg/runtime/scheme.go:111"`;
      throw invalidPatch(type, patch, shown(), problem);
    }
  }
  let decoded: DecodedObject;
  try {
    decoded = decodeAs(identity.struct === undefined ? patched : asWritten(type, patched, patch), identity);
  } catch (error) {
    if (error instanceof DecodeError) {
      throw invalidPatch(type, patch, shown(), error.message);
    }
    throw error;
  }
  const findings = [...duplicates, ...decoded.unknownFields.map(unknownFieldMessage)];
  if (fieldValidation === 'Strict' && findings.length > 0) {
    throw invalidPatch(type, patch, shown(), strictMessage(findings));
  }
  return { object: decoded.object, findings };
}

/**
 * Sorts the keys as Go does when it writes the patched JSON, because fields that a kind keeps as raw JSON
 * keep that order.
 */
function asWritten(type: Exclude<PatchType, 'apply'>, patched: Json, patch: Json): Json {
  switch (type) {
    case 'merge':
      return sortedAlong(patched, patch);
    case 'json':
      return sortedByOperations(patched, patch);
    case 'strategic':
      return patched;
  }
}

function applyPatch(
  existing: JsonObject,
  patch: Json,
  type: Exclude<PatchType, 'apply'>,
  identity: TypeIdentity,
): Json {
  if (type === 'json') {
    return applyJsonPatch(existing, patch);
  }
  if (!isObject(patch)) {
    throw badRequest('error decoding patch: a patch of this type is an object');
  }
  if (type === 'merge') {
    return applyMergePatch(existing, patch);
  }
  return applyStrategicMergePatch(existing, patch, identity.struct ?? '');
}

function invalidPatch(
  type: Exclude<PatchType, 'apply'>,
  patch: Json,
  patched: Json,
  problem: string,
): StatusError {
  // The real server shows the patched JSON; for strategic patches it shows the patch as Go prints it.
  const print = { strategic: () => goPrint(patch), merge: printMerged, json: printPatched }[type];
  const message = `Invalid value: ${JSON.stringify(print(patched, patch))}: ${problem}`;
  return new StatusError(422, 'Invalid', ` "" is invalid: patch: ${message}`, {
    causes: [{ reason: 'FieldValueInvalid', message, field: 'patch' }],
  });
}
