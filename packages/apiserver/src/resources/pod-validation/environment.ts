import { append } from '../../meta/append.ts';
import { type FieldError, invalid, required } from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';
import { dnsSubdomain } from '../../meta/names.ts';
import { keyProblems } from '../sealed-data.ts';
import {
  type FieldReference,
  type ResourceReference,
  validateFieldReference,
  validateResourceReference,
} from './field-references.ts';
import { validateDnsLabel, validateDnsSubdomain } from './name-errors.ts';
import { validateNoBackstep } from './paths.ts';

/* Validates the variables of a container, as validateEnv in pkg/apis/core/validation does. */

interface KeyReference extends JsonObject {
  name?: string;
  key?: string;
}

interface FileReference extends JsonObject {
  volumeName: string;
  path: string;
  key: string;
  optional?: boolean;
}

export interface Variable extends JsonObject {
  name: string;
  value?: string;
  valueFrom?: {
    fieldRef?: FieldReference;
    resourceFieldRef?: ResourceReference;
    configMapKeyRef?: KeyReference;
    secretKeyRef?: KeyReference;
    fileKeyRef?: FileReference;
  };
}

export interface VariableSource extends JsonObject {
  prefix?: string;
  configMapRef?: { name?: string };
  secretRef?: { name?: string };
}

const sources = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'] as const;
const fieldPaths = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];

export function validateEnvironment(variables: readonly Variable[], path: string): FieldError[] {
  return variables.flatMap((variable, index) => {
    const at = `${path}[${index}]`;
    const { name, valueFrom } = variable;
    return [
      ...(name === '' ? [required(`${at}.name`)] : validateVariableName(name, `${at}.name`)),
      ...(valueFrom === undefined ? [] : validateValueFrom(variable, `${at}.valueFrom`)),
    ];
  });
}

function validateVariableName(name: string, at: string): FieldError[] {
  const problem =
    "a valid environment variable name must consist only of printable ASCII characters other than '='";
  return /^[ -<>-~]+$/.test(name) ? [] : [invalid(at, name, problem)];
}

function validateValueFrom({ value = '', valueFrom = {} }: Variable, at: string): FieldError[] {
  const given = sources.filter((source) => valueFrom[source] !== undefined);
  if (given.length === 0) {
    const listed = '`fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';
    return [invalid(at, '', `must specify one of: ${listed}`)];
  }
  const errors: FieldError[] = [];
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = valueFrom;
  if (fieldRef !== undefined) {
    append(errors, validateFieldReference(fieldRef, fieldPaths, `${at}.fieldRef`));
  }
  if (resourceFieldRef !== undefined) {
    append(errors, validateResourceReference(resourceFieldRef, false, `${at}.resourceFieldRef`));
  }
  if (configMapKeyRef !== undefined) {
    append(errors, validateKeyReference(configMapKeyRef, `${at}.configMapKeyRef`));
  }
  if (secretKeyRef !== undefined) {
    append(errors, validateKeyReference(secretKeyRef, `${at}.secretKeyRef`));
  }
  if (fileKeyRef !== undefined) {
    append(errors, validateFileReference(fileKeyRef, `${at}.fileKeyRef`));
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
    ...validateDnsSubdomain(name, `${at}.name`),
    ...(key === ''
      ? [required(`${at}.key`)]
      : keyProblems(key).map((problem) => invalid(`${at}.key`, key, problem))),
  ];
}

function validateFileReference({ key, volumeName, path }: FileReference, at: string): FieldError[] {
  return [
    ...(key === '' ? [required(`${at}.key`)] : validateVariableName(key, `${at}.key`)),
    ...(volumeName === ''
      ? [required(`${at}.volumeName`)]
      : validateDnsLabel(volumeName, `${at}.volumeName`)),
    ...(path === '' ? [required(`${at}.path`)] : validateNoBackstep(path, `${at}.path`)),
  ];
}

export function validateVariableSources(given: readonly VariableSource[], path: string): FieldError[] {
  return given.flatMap(({ prefix = '', configMapRef, secretRef }, index) => {
    const at = `${path}[${index}]`;
    const errors = prefix === '' ? [] : validateVariableName(prefix, `${at}.prefix`);
    for (const [field, reference] of Object.entries({ configMapRef, secretRef })) {
      if (reference !== undefined) {
        append(errors, validateSourceName(reference.name ?? '', `${at}.${field}.name`));
      }
    }
    // The real server's error does not say which source it is.
    if (configMapRef === undefined && secretRef === undefined) {
      errors.push(invalid(path, '', 'must specify one of: `configMapRef` or `secretRef`'));
    } else if (configMapRef !== undefined && secretRef !== undefined) {
      errors.push(invalid(path, '', 'may not have more than one field specified at a time'));
    }
    return errors;
  });
}

/** As the real server does, this accepts what is only a valid prefix of a name. */
function validateSourceName(name: string, at: string): FieldError[] {
  return name === '' ? [required(at)] : dnsSubdomain(name, true).map((problem) => invalid(at, name, problem));
}
