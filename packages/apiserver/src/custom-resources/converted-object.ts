import { append } from '../meta/append.ts';
import { goTypeOf } from '../meta/go-print.ts';
import { printKind, readGroupVersion } from '../meta/group-version.ts';
import { type Json, type JsonObject, isObject } from '../meta/json.ts';
import type { KubeObject, ObjectMeta } from '../meta/kube-object.ts';
import { validateAnnotations, validateLabels } from '../meta/object-meta.ts';
import { internalError } from '../meta/status-error.ts';

/**
 * The object that a webhook returned for another one. All metadata except labels and annotations is kept from
 * the original.
 *
 * @param index of the object in the answer, for error messages
 * @throws 500 if it is not the same object in the wanted version
 */
export function convertedObject(
  original: KubeObject,
  answered: Json | undefined,
  apiVersion: string,
  index: number,
): KubeObject {
  const converted = readObject(answered);
  const failed = (problem: string): Error =>
    internalError(`conversion webhook for ${printKind(original)} returned invalid ${problem}`);
  const given = readGroupVersion(textOf(converted['apiVersion']));
  const wanted = readGroupVersion(apiVersion);
  if (given.group !== wanted.group || given.version !== wanted.version) {
    const received = given.group === '' ? given.version : `${given.group}/${given.version}`;
    throw failed(
      `object at index ${index}: invalid groupVersion (expected ${apiVersion}, received ${received})`,
    );
  }
  if (converted['kind'] !== original.kind) {
    throw failed(
      `object at index ${index}: invalid kind (expected ${original.kind}, received ${textOf(converted['kind'])})`,
    );
  }
  const metadata = isObject(converted['metadata']) ? converted['metadata'] : {};
  for (const [field, shown] of [
    ['name', 'name'],
    ['namespace', 'namespace'],
    ['uid', 'UID'],
  ] as const) {
    const before = original.metadata[field] ?? '';
    const after = textOf(metadata[field]);
    if (before !== after) {
      throw failed(`object: must have the same ${shown}: ${before} != ${after}`);
    }
  }
  const labels = readTexts(metadata, 'labels', failed);
  const annotations = readTexts(metadata, 'annotations', failed);
  const errors = [...validateLabels(labels, 'metadata.labels')];
  if (errors.length === 0) {
    append(errors, validateAnnotations(annotations, 'metadata.annotation'));
  }
  if (errors.length > 0) {
    const texts = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))];
    throw failed(`metadata: ${texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`}`);
  }
  return { ...converted, metadata: withTexts(original.metadata, labels, annotations) } as KubeObject;
}

function readObject(value: Json | undefined): JsonObject {
  if (value === undefined || value === null) {
    throw internalError('unexpected end of JSON input');
  }
  if (!isObject(value)) {
    const given = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
    throw internalError(`json: cannot unmarshal ${given} into Go value of type map[string]interface {}`);
  }
  if (textOf(value['kind']) === '') {
    throw internalError(`Object 'Kind' is missing in '${JSON.stringify(value)}'`);
  }
  return value;
}

function readTexts(
  metadata: JsonObject,
  field: 'labels' | 'annotations',
  failed: (problem: string) => Error,
): Record<string, string> | undefined {
  const given = metadata[field];
  if (given === undefined || given === null) {
    return undefined;
  }
  if (!isObject(given)) {
    throw failed(`metadata: invalid metadata.${field} of type ${goTypeOf(given)} in converted object`);
  }
  const texts: Record<string, string> = {};
  for (const [key, value] of Object.entries(given)) {
    if (typeof value !== 'string') {
      throw failed(
        `metadata: metadata.${field}[${key}] must be a string, but is ${goTypeOf(value ?? null)} in converted object`,
      );
    }
    texts[key] = value;
  }
  return texts;
}

function withTexts(
  original: ObjectMeta,
  labels: Record<string, string> | undefined,
  annotations: Record<string, string> | undefined,
): ObjectMeta {
  const metadata = { ...original };
  delete metadata.labels;
  delete metadata.annotations;
  return {
    ...metadata,
    ...(labels === undefined ? undefined : { labels }),
    ...(annotations === undefined ? undefined : { annotations }),
  };
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
