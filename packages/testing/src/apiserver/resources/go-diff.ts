import type { Json, JsonObject } from '../json.ts';
import { isObject } from '../json.ts';
import type { FieldType } from '../schema/schema.ts';
import { structSchema } from '../schema/schema.ts';

/*
 * The difference of two specs as the API server prints it below "is immutable": Go's own field names, three lines around
 * each change. Clients show this text to people.
 */

export function goDiff(before: Json, after: Json, struct: string, fields?: readonly string[]): string {
  const lines = (value: Json): string[] =>
    JSON.stringify(goValue(isObject(value) ? value : {}, struct, fields), null, 1).split('\n');
  return unified(lines(before), lines(after));
}

/** A struct with Go's field names, all fields shown or only the given ones, as messages of validation print it. */
export function goValue(value: JsonObject, struct: string, only?: readonly string[]): JsonObject {
  const shown = structSchema(struct).fields.filter((field) => only?.includes(field.name) ?? true);
  return Object.fromEntries(
    shown.map((field) => [goName(field.name), goShape(value[field.name], field.type)]),
  );
}

function goShape(value: Json | undefined, type: FieldType): Json {
  switch (type.kind) {
    case 'pointer':
      return value === undefined || value === null ? null : goShape(value, type.of);
    case 'struct': {
      const source = isObject(value) ? value : {};
      // Types of meta/v1 are shared by all versions and keep their JSON names.
      return type.name.startsWith('meta.') ? source : goValue(source, type.name);
    }
    case 'list':
      return Array.isArray(value) ? value.map((item) => goShape(item, type.of)) : null;
    case 'map':
      return isObject(value)
        ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, goShape(item, type.of)]))
        : null;
    case 'string':
      return value ?? '';
    case 'bool':
      return value ?? false;
    case 'int32':
    case 'int64':
      return value ?? 0;
    default:
      return value ?? null;
  }
}

const initialisms: Readonly<Record<string, string>> = {
  csi: 'CSI',
  nfs: 'NFS',
  iscsi: 'ISCSI',
  fc: 'FC',
  rbd: 'RBD',
  storageos: 'StorageOS',
};

function goName(name: string): string {
  const known = initialisms[name];
  if (known !== undefined) return known;
  return (name.charAt(0).toUpperCase() + name.slice(1)).replace(/^FsType$/, 'FSType');
}

/** One hunk over the changed lines with three lines of context; specs are short enough for a plain scan from both ends. */
function unified(a: readonly string[], b: readonly string[]): string {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let endA = a.length;
  let endB = b.length;
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) {
    endA--;
    endB--;
  }
  const from = Math.max(0, start - 3);
  const tail = Math.min(3, a.length - endA);
  const lines = [
    `@@ -${from + 1},${endA + tail - from} +${from + 1},${endB + tail - from} @@`,
    ...a.slice(from, start).map((line) => ` ${line}`),
    ...a.slice(start, endA).map((line) => `-${line}`),
    ...b.slice(start, endB).map((line) => `+${line}`),
    ...a.slice(endA, endA + tail).map((line) => ` ${line}`),
  ];
  return lines.join('\n') + '\n';
}
