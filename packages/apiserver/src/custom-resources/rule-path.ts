import { isObject } from '../meta/json.ts';
import type { SchemaNode } from '../structural/schema-node.ts';

/**
 * A rule's `fieldPath` (`.a['b-c'].d`) in the form that messages use. Undefined if the schema has no such
 * field. The path may have fields and map keys, but no list items, as in ValidFieldPath of
 * k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel.
 */
export function rulePath(path: string, root: SchemaNode): string | undefined {
  let node: SchemaNode | undefined = root;
  let shown = '';
  let rest = path;
  while (rest !== '') {
    const match: RegExpExecArray | null = /^(?:\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\])/.exec(rest);
    if (match === null) {
      return undefined;
    }
    const name: string = match[1] ?? (match[2] ?? '').replaceAll(/\\(.)/g, '$1');
    const { properties, additionalProperties }: SchemaNode = node;
    if (properties !== undefined) {
      node = Object.hasOwn(properties, name) ? properties[name] : undefined;
      shown += shown === '' ? name : `.${name}`;
    } else {
      node = isObject(additionalProperties) ? additionalProperties : undefined;
      shown += `[${name}]`;
    }
    if (node === undefined) {
      return undefined;
    }
    rest = rest.slice(match[0].length);
  }
  return shown;
}
