import { append } from '../meta/append.ts';
import { type FieldError, invalid, tooLong } from '../meta/field-error.ts';
import { jsonEqual } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { dnsSubdomain } from '../meta/names.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import { dataLimit, forbidImmutable, sizeOf, validateKeys, validateSealed } from './sealed-data.ts';
import { ageColumn, column, nameColumn, since } from './table-columns.ts';

interface ConfigMap extends KubeObject {
  data?: { [key: string]: string };
  binaryData?: { [key: string]: string };
  immutable?: boolean;
}

export const configMaps: ResourceDefinition = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  singular: 'configmap',
  shortNames: ['cm'],
  namespaced: true,
  struct: 'core.v1.ConfigMap',
  nameRule: dnsSubdomain,
  storageVersionHash: 'qFsyl6wFWjQ=',
  validate: validateConfigMap,
  validateUpdate(map: ConfigMap, old: ConfigMap) {
    const errors = validateConfigMap(map);
    if (old.immutable === true) {
      if (map.immutable !== true) {
        errors.push(forbidImmutable('immutable'));
      }
      // Absent data is defaulted to an empty map, so the two are equal.
      if (!jsonEqual(map.data, old.data)) {
        errors.push(forbidImmutable('data'));
      }
      append(errors, validateSealed(map, old.binaryData, 'binaryData'));
    }
    return errors;
  },
  columns: [nameColumn, column('Data', 'Number of entries'), ageColumn],
  cells: ({ metadata, data, binaryData }: ConfigMap, { now }) => [
    metadata.name ?? '',
    Object.keys(data ?? {}).length + Object.keys(binaryData ?? {}).length,
    since(metadata.creationTimestamp, now),
  ],
};

function validateConfigMap({ data, binaryData }: ConfigMap): FieldError[] {
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(data ?? {})) {
    append(errors, validateKeys({ [key]: value }, 'data'));
    if (binaryData?.[key] !== undefined) {
      errors.push(invalid(`data[${key}]`, key, 'duplicate of key present in binaryData'));
    }
  }
  append(errors, validateKeys(binaryData, 'binaryData'));
  // The real server's error names no field.
  if (sizeOf(data, 'utf8') + sizeOf(binaryData, 'base64') > dataLimit) {
    errors.push(tooLong('[]', dataLimit));
  }
  return errors;
}
