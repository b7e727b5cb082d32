import { type Json, type JsonObject, isObject } from '../meta/json.ts';

/*
 * Writes an OpenAPI v2 document in protobuf, with the field numbers of
 * gnostic-models/openapiv2/OpenAPIv2.proto. Operations contain only what kubectl reads: the query parameters,
 * and the kind that the operation is for.
 */

/** Writes the message of a whole document. */
export function openapiV2Message(document: JsonObject): Buffer {
  const { swagger, info, paths, definitions } = document;
  return message([
    string(1, swagger),
    field(2, message([string(1, memberOf(info, 'title')), string(2, memberOf(info, 'version'))])),
    field(8, named(2, paths, pathItem)),
    field(9, named(1, definitions, schemaMessage)),
  ]);
}

function pathItem(item: JsonObject): Buffer {
  const numbers: Readonly<Record<string, number>> = { get: 2, put: 3, post: 4, delete: 5, patch: 8 };
  return message(
    Object.entries(numbers).map(([verb, number]) => {
      const operation = item[verb];
      return isObject(operation) ? field(number, operationMessage(operation)) : empty;
    }),
  );
}

function operationMessage(operation: JsonObject): Buffer {
  const parameters = Array.isArray(operation['parameters']) ? operation['parameters'] : [];
  return message([
    ...parameters.map((parameter) => field(8, field(1, field(2, field(3, queryParameter(parameter)))))),
    extensions(13, operation),
  ]);
}

function queryParameter(parameter: Json): Buffer {
  const [place, name, type] = ['in', 'name', 'type'].map((member) => memberOf(parameter, member));
  return message([
    string(2, place),
    string(4, name),
    string(6, type),
    flag(20, memberOf(parameter, 'uniqueItems')),
  ]);
}

/** How to write each member of a schema, with its field number. All other members are extensions. */
const members: Readonly<Record<string, (value: Json) => Buffer>> = {
  $ref: (value) => string(1, value),
  format: (value) => string(2, value),
  title: (value) => string(3, value),
  description: (value) => string(4, value),
  default: (value) => field(5, yaml(value)),
  multipleOf: (value) => double(6, value),
  maximum: (value) => double(7, value),
  exclusiveMaximum: (value) => flag(8, value),
  minimum: (value) => double(9, value),
  exclusiveMinimum: (value) => flag(10, value),
  maxLength: (value) => whole(11, value),
  minLength: (value) => whole(12, value),
  pattern: (value) => string(13, value),
  maxItems: (value) => whole(14, value),
  minItems: (value) => whole(15, value),
  uniqueItems: (value) => flag(16, value),
  maxProperties: (value) => whole(17, value),
  minProperties: (value) => whole(18, value),
  required: (value) => message(listOf(value).map((name) => string(19, name))),
  enum: (value) => message(listOf(value).map((each) => field(20, yaml(each)))),
  additionalProperties: (value) =>
    field(21, isObject(value) ? field(1, schemaMessage(value)) : flag(2, value)),
  type: (value) => field(22, message([value].flat().map((type) => string(1, type)))),
  items: (value) => (isObject(value) ? field(23, field(1, schemaMessage(value))) : empty),
  properties: (value) => field(25, named(1, value, schemaMessage)),
};

function schemaMessage(schema: JsonObject): Buffer {
  return message([
    ...Object.entries(schema).map(([name, value = null]) => members[name]?.(value) ?? empty),
    extensions(31, schema),
  ]);
}

/** Writes a map as messages that each contain a name and a value. */
function named(number: number, values: Json | undefined, write: (value: JsonObject) => Buffer): Buffer {
  return message(
    Object.entries(isObject(values) ? values : {}).map(([name, value]) =>
      isObject(value) ? field(number, message([string(1, name), field(2, write(value))])) : empty,
    ),
  );
}

function extensions(number: number, of: JsonObject): Buffer {
  return message(
    Object.entries(of)
      .filter(([name]) => name.startsWith('x-'))
      .map(([name, value = null]) => field(number, message([string(1, name), field(2, yaml(value))]))),
  );
}

/** Writes any value as YAML. JSON is valid YAML. */
function yaml(value: Json): Buffer {
  return string(2, `${JSON.stringify(value)}\n`);
}

function memberOf(value: Json | undefined, name: string): Json | undefined {
  return isObject(value) ? value[name] : undefined;
}

function listOf(value: Json): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

const empty = Buffer.alloc(0);
const wire = { varint: 0, double: 1, bytes: 2 } as const;

function message(fields: readonly Buffer[]): Buffer {
  return Buffer.concat(fields);
}

function field(number: number, content: Buffer): Buffer {
  return Buffer.concat([varint(number * 8 + wire.bytes), varint(content.length), content]);
}

/** Writes a string. Empty and missing ones are left out. */
function string(number: number, value: Json | undefined): Buffer {
  return typeof value === 'string' && value !== '' ? field(number, Buffer.from(value)) : empty;
}

function flag(number: number, value: Json | undefined): Buffer {
  return value === true ? Buffer.concat([varint(number * 8 + wire.varint), varint(1)]) : empty;
}

/** Writes a whole number. Zero is left out, because readers assume it for a missing field. */
function whole(number: number, value: Json): Buffer {
  return typeof value === 'number' && value > 0
    ? Buffer.concat([varint(number * 8 + wire.varint), varint(value)])
    : empty;
}

function double(number: number, value: Json): Buffer {
  if (typeof value !== 'number') {
    return empty;
  }
  const content = Buffer.alloc(8);
  content.writeDoubleLE(value);
  return Buffer.concat([varint(number * 8 + wire.double), content]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 128) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  return Buffer.from([...bytes, rest]);
}
