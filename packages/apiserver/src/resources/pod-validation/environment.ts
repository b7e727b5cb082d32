import { type FieldError, invalid, required } from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';
import { keyProblems } from '../sealed-data.ts';

/* The variables of a container, as validateEnv in pkg/apis/core/validation judges them. */

interface KeyReference extends JsonObject {
  name?: string;
  key?: string;
}

export interface Variable extends JsonObject {
  name: string;
  value?: string;
  valueFrom?: {
    fieldRef?: { fieldPath: string };
    resourceFieldRef?: JsonObject;
    configMapKeyRef?: KeyReference;
    secretKeyRef?: KeyReference;
    fileKeyRef?: JsonObject;
  };
}

export interface VariableSource extends JsonObject {
  configMapRef?: { name?: string };
  secretRef?: { name?: string };
}

const sources = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'] as const;
const fieldPaths: ReadonlySet<string> = new Set([
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]);

export function validateEnvironment(variables: readonly Variable[], path: string): FieldError[] {
  return variables.flatMap((variable, index) => {
    const at = `${path}[${index}]`;
    const { name, valueFrom } = variable;
    const problem =
      "a valid environment variable name must consist only of printable ASCII characters other than '='";
    return [
      ...(name === '' ? [required(`${at}.name`)] : []),
      ...(name !== '' && !/^[ -<>-~]+$/.test(name) ? [invalid(`${at}.name`, name, problem)] : []),
      ...(valueFrom === undefined ? [] : validateValueFrom(variable, `${at}.valueFrom`)),
    ];
  });
}

function validateValueFrom({ value = '', valueFrom = {} }: Variable, at: string): FieldError[] {
  const given = sources.filter((source) => valueFrom[source] !== undefined);
  if (given.length === 0) {
    const listed = '`fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';
    return [invalid(at, '', `must specify one of: ${listed}`)];
  }
  const errors: FieldError[] = [];
  const { fieldRef, configMapKeyRef, secretKeyRef } = valueFrom;
  if (fieldRef !== undefined) {
    const { fieldPath } = fieldRef;
    if (fieldPath === '') {
      errors.push(required(`${at}.fieldRef.fieldPath`));
    } else if (!fieldPaths.has(fieldPath) && !/^metadata\.(labels|annotations)\['.+'\]$/.test(fieldPath)) {
      const problem = `error converting fieldPath: field label not supported: ${fieldPath}`;
      errors.push(invalid(`${at}.fieldRef.fieldPath`, fieldPath, problem));
    }
  }
  for (const [field, reference] of Object.entries({ configMapKeyRef, secretKeyRef })) {
    if (reference !== undefined) {
      errors.push(...validateKeyReference(reference, `${at}.${field}`));
    }
  }
  if (value !== '') {
    errors.push(invalid(at, '', 'may not be specified when `value` is not empty'));
  } else if (given.length > 1) {
    errors.push(invalid(at, '', 'may not have more than one field specified at a time'));
  }
  return errors;
}

function validateKeyReference({ name = '', key = '' }: KeyReference, at: string): FieldError[] {
  return [
    ...(name === '' ? [required(`${at}.name`)] : []),
    ...(key === '' ? [required(`${at}.key`)] : []),
    ...(key === '' ? [] : keyProblems(key).map((problem) => invalid(`${at}.key`, key, problem))),
  ];
}

export function validateVariableSources(given: readonly VariableSource[], path: string): FieldError[] {
  return given.flatMap(({ configMapRef, secretRef }, index) => {
    if (configMapRef === undefined && secretRef === undefined) {
      return [invalid(path, '', 'must specify one of: `configMapRef` or `secretRef`')];
    }
    if (configMapRef !== undefined && secretRef !== undefined) {
      return [invalid(path, '', 'may not have more than one field specified at a time')];
    }
    return Object.entries({ configMapRef, secretRef }).flatMap(([field, reference]) =>
      reference !== undefined && (reference.name ?? '') === ''
        ? [required(`${path}[${index}].${field}.name`)]
        : [],
    );
  });
}
