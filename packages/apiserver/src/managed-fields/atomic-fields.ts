import { type Json, isObject } from '../meta/json.ts';
import { type ValueType, fieldOf } from './value-type.ts';

/**
 * Finds the lists, maps and structs in a value that are replaced as a whole. Describes them in the words of
 * k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch/smd.go.
 */
export function atomicFields(value: Json, type: ValueType, path = ''): readonly string[] {
  const isAtomic = type.kind === 'leaf';
  const inner = isAtomic ? type.whole : type;
  const own = isAtomic && (isObject(value) || Array.isArray(value)) ? [path] : [];
  if (inner === undefined) {
    return own;
  }
  if (Array.isArray(value) && inner.kind === 'list') {
    return [...own, ...value.flatMap((item, index) => atomicFields(item, inner.of, `${path}[${index}]`))];
  }
  if (!isObject(value)) {
    return own;
  }
  return [
    ...own,
    ...Object.entries(value).flatMap(([name, item = null]) => {
      const field = fieldOf(inner, name);
      return field?.isNamed === true ? atomicFields(item, field.type, `${path}.${name}`) : [];
    }),
  ];
}
