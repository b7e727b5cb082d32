import { type FieldError, duplicate, invalid, required, tooMany } from '../meta/field-error.ts';
import { isObject } from '../meta/json.ts';
import type { SchemaNode } from '../structural/schema-node.ts';

/* Validates the selectable fields of a version: paths to scalar fields that the schema declares. */

const maximum = 8;
const selectableTypes: readonly (string | undefined)[] = ['string', 'boolean', 'integer'];

export function selectableFieldErrors(
  fields: readonly { readonly jsonPath: string }[],
  root: SchemaNode,
  path: string,
): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, { jsonPath = '' }] of fields.entries()) {
    const at = `${path}[${index}].jsonPath`;
    if (jsonPath === '') {
      errors.push(required(at));
      continue;
    }
    const found = findField(jsonPath, root);
    if (typeof found === 'string') {
      errors.push(invalid(at, jsonPath, `is an invalid path: ${found}`));
      continue;
    }
    if (/^\.metadata(\.|$)/.test(jsonPath)) {
      errors.push(invalid(at, jsonPath, 'must not point to fields in metadata'));
    }
    if (!selectableTypes.includes(found.type)) {
      const detail =
        'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
      errors.push(invalid(at, jsonPath, detail));
    }
    if (seen.has(jsonPath)) {
      errors.push(duplicate(at, jsonPath));
    }
    seen.add(jsonPath);
  }
  return seen.size > maximum ? [...errors, tooMany(path, seen.size, maximum)] : errors;
}

/** Returns the schema at the end of the path, or what is wrong with the path. */
function findField(path: string, root: SchemaNode): SchemaNode | string {
  const tokens = path.match(/[.[\]]|[^.[\]]+/g) ?? [];
  let node = root;
  for (let at = 0; at < tokens.length; at += 2) {
    const [delimiter, name] = [tokens[at], tokens[at + 1]];
    if (delimiter === '[') {
      return 'array notation is not allowed';
    }
    if (delimiter !== '.') {
      return `expected [ or . but got: ${delimiter}`;
    }
    if (name === undefined) {
      return 'unexpected end of JSON path';
    }
    const { properties = {}, additionalProperties }: SchemaNode = node;
    const next = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (next !== undefined) {
      node = next;
    } else if (node.properties === undefined && isObject(additionalProperties)) {
      node = additionalProperties;
    } else {
      return 'does not refer to a valid field';
    }
  }
  return node;
}
