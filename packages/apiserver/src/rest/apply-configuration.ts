import { printIdentity, printKind, readGroupVersion } from '../meta/group-version.ts';
import { type Json, type JsonObject, isObject } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { badRequest, internalError } from '../meta/status-error.ts';
import { type TypeIdentity, decodeAs } from '../resources/decode-object.ts';
import { DecodeError } from '../schema/decode.ts';
import { loadYaml } from './load-yaml.ts';

/* The configuration that a server-side apply sends, and the object that results from it. */

/**
 * Parses the configuration of an apply, which is YAML. Throws 400 if it is not, or if it is of another kind.
 */
export function parseConfiguration(body: Buffer, { kind, apiVersion }: TypeIdentity): JsonObject {
  let parsed: unknown;
  try {
    parsed = loadYaml(body.toString('utf8'));
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw badRequest(`error decoding YAML: error converting YAML to JSON: yaml: ${problem}`);
  }
  const config = parsed as Json;
  if (!isObject(config)) {
    const given = Array.isArray(config) ? 'array' : typeof config;
    throw badRequest(
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${given} into Go value of type map[string]interface {}`,
    );
  }
  const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
  const given = { kind: text(config['kind']), apiVersion: text(config['apiVersion']) };
  if (given.kind !== kind || given.apiVersion !== apiVersion) {
    const { group, version } = readGroupVersion(given.apiVersion);
    throw badRequest(`invalid object type: ${group}/${version}, Kind=${given.kind}`);
  }
  return config;
}

/**
 * Returns the object that an apply of the configuration makes. Throws 500 for an object that Go's types
 * cannot hold.
 */
export function decodeApplied(applied: JsonObject, config: JsonObject, identity: TypeIdentity): KubeObject {
  try {
    return decodeAs(applied, identity).object;
  } catch (error) {
    if (error instanceof DecodeError) {
      throw internalError(
        `failed to convert new object (${printIdentity(config)}) to proper version: unable to convert unstructured object to ${printKind(config)}: ${error.message}`,
      );
    }
    throw error;
  }
}
