import { type FieldError, duplicate } from '../../meta/field-error.ts';
import { validateQualifiedName } from './name-errors.ts';

/* Validates scheduling gates and readiness gates. */

export function validateReadinessGates(
  gates: readonly { readonly conditionType: string }[],
  path: string,
): FieldError[] {
  return gates.flatMap(({ conditionType }, index) =>
    validateQualifiedName(conditionType, `${path}[${index}].conditionType`),
  );
}

export function validateSchedulingGates(
  gates: readonly { readonly name: string }[],
  path: string,
): FieldError[] {
  const names = new Set<string>();
  return gates.flatMap(({ name }, index) => {
    const at = `${path}[${index}]`;
    const isKnown = names.has(name);
    names.add(name);
    return [...validateQualifiedName(name, at), ...(isKnown ? [duplicate(at, name)] : [])];
  });
}
