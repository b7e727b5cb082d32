import { type FieldError, notSupported, required } from '../meta/field-error.ts';
import { type Json, type JsonObject, isObject } from '../meta/json.ts';
import { type FieldSchema, type FieldType, structSchema } from './schema.ts';

/*
 * Validates what the published OpenAPI alone says about an object: required fields, and the valid texts of
 * fields. kube-apiserver does not validate built-in kinds by OpenAPI, but its rules for each kind refuse
 * nearly all that OpenAPI forbids, in these words.
 */

/**
 * Validates a decoded object. Missing lists and numbers are not errors, even if they are required: Go cannot
 * distinguish them from empty ones, which are valid for most kinds.
 *
 * @param without the structs (by their names in the schema data) that other rules validate
 */
export function validateBySchema(
  struct: string,
  object: JsonObject,
  without: ReadonlySet<string>,
  path = '',
): FieldError[] {
  return structSchema(struct).fields.flatMap((field) =>
    validateField(field, object[field.name], without, path === '' ? field.name : `${path}.${field.name}`),
  );
}

function validateField(
  field: FieldSchema,
  value: Json | undefined,
  without: ReadonlySet<string>,
  path: string,
): FieldError[] {
  if (value === undefined || value === null || value === '') {
    return field.required && isAbsenceVisible(field.type) ? [required(path)] : [];
  }
  if (typeof value === 'string') {
    const { values } = field;
    return values.length === 0 || values.includes(value) ? [] : [notSupported(path, value, values)];
  }
  return validateValue(field.type, value, without, path);
}

function isAbsenceVisible(type: FieldType): boolean {
  return type.kind === 'string' || (type.kind === 'pointer' && type.of.kind === 'struct');
}

function validateValue(
  type: FieldType,
  value: Json,
  without: ReadonlySet<string>,
  path: string,
): FieldError[] {
  switch (type.kind) {
    case 'pointer':
      return validateValue(type.of, value, without, path);
    case 'struct':
      return without.has(type.name) || !isObject(value)
        ? []
        : validateBySchema(type.name, value, without, path);
    case 'list':
      return Array.isArray(value)
        ? value.flatMap((item, index) => validateValue(type.of, item, without, `${path}[${index}]`))
        : [];
    case 'map':
      return isObject(value)
        ? Object.entries(value).flatMap(([key, item]) =>
            item === undefined ? [] : validateValue(type.of, item, without, `${path}[${key}]`),
          )
        : [];
    default:
      return [];
  }
}
