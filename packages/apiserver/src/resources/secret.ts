import { append } from '../meta/append.ts';
import { type FieldError, invalid, required, tooLong } from '../meta/field-error.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { dnsSubdomain } from '../meta/names.ts';
import { validateImmutable } from '../meta/object-meta.ts';
import { keyPairProblem } from './key-pair.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import { dataLimit, forbidImmutable, sizeOf, validateKeys, validateSealed } from './sealed-data.ts';
import { ageColumn, column, nameColumn, since } from './table-columns.ts';

interface Secret extends KubeObject {
  data?: { [key: string]: string };
  stringData?: { [key: string]: string };
  type?: string;
  immutable?: boolean;
}

const tlsType = 'kubernetes.io/tls';
const tlsKeys = ['tls.crt', 'tls.key'];

export const secrets: ResourceDefinition = {
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  singular: 'secret',
  namespaced: true,
  struct: 'core.v1.Secret',
  nameRule: dnsSubdomain,
  storageVersionHash: 'S6u1pOWzb84=',
  hasFieldLabelConversion: true,
  selectableFields: { type: (secret: KubeObject) => (secret as Secret).type ?? '' },
  applyDefaults(secret: Secret) {
    secret.type ??= 'Opaque';
    for (const [key, value] of Object.entries<string | null>(secret.data ?? {})) {
      if (value === null && secret.data !== undefined) {
        secret.data[key] = '';
      }
    }
    if (secret.stringData !== undefined) {
      secret.data = { ...secret.data };
      for (const [key, value] of Object.entries(secret.stringData)) {
        secret.data[key] = Buffer.from(value).toString('base64');
      }
      delete secret.stringData;
    }
  },
  validate: validateSecret,
  validateUpdate(secret: Secret, old: Secret) {
    const errors = [...validateImmutable(secret.type, old.type, 'type')];
    if (old.immutable === true) {
      if (secret.immutable !== true) {
        errors.push(forbidImmutable('immutable'));
      }
      append(errors, validateSealed(secret, old.data, 'data'));
    }
    return [...errors, ...validateSecret(secret)];
  },
  warnings({ type, data }: Secret) {
    if (type !== tlsType) {
      return [];
    }
    const [certificate, key] = tlsKeys.map((name) =>
      Buffer.from(data?.[name] ?? '', 'base64').toString('latin1'),
    );
    const problem = keyPairProblem(certificate ?? '', key ?? '');
    return problem === undefined ? [] : [problem];
  },
  columns: [
    nameColumn,
    column('Type', 'What the secret is for'),
    column('Data', 'Number of entries'),
    ageColumn,
  ],
  cells: ({ metadata, data, type }: Secret, { now }) => [
    metadata.name ?? '',
    type ?? '',
    Object.keys(data ?? {}).length,
    since(metadata.creationTimestamp, now),
  ],
};

/** The keys that secrets of some types must have. */
const neededKeys: Readonly<Record<string, readonly string[]>> = {
  [tlsType]: tlsKeys,
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
};
const basicAuth = ['username', 'password'];
const accountName = 'kubernetes.io/service-account.name';

function validateSecret({ metadata, data = {}, type = '' }: Secret): FieldError[] {
  const errors = validateKeys(data, 'data');
  if (sizeOf(data, 'base64') > dataLimit) {
    errors.push(tooLong('data', dataLimit));
  }
  const missing = (neededKeys[type] ?? []).filter((key) => data[key] === undefined);
  append(
    errors,
    missing.map((key) => required(`data[${key}]`)),
  );
  if (type === 'kubernetes.io/basic-auth' && basicAuth.every((key) => data[key] === undefined)) {
    append(
      errors,
      basicAuth.map((key) => required(`data[${key}]`)),
    );
  }
  if (type === 'kubernetes.io/service-account-token' && (metadata.annotations?.[accountName] ?? '') === '') {
    errors.push(required(`metadata.annotations[${accountName}]`));
  }
  if (type.startsWith('kubernetes.io/dockerc')) {
    append(
      errors,
      Object.entries(data).flatMap(([key, text]) => validateJson(key, text)),
    );
  }
  return errors;
}

/** Validates the JSON in the entry with the type's name: credentials for registries. */
function validateJson(key: string, base64: string): FieldError[] {
  if (key !== '.dockerconfigjson' && key !== '.dockercfg') {
    return [];
  }
  const text = Buffer.from(base64, 'base64').toString('utf8');
  try {
    JSON.parse(text);
    return [];
  } catch {
    const problem =
      text === ''
        ? 'unexpected end of JSON input'
        : `invalid character '${text.charAt(0)}' looking for beginning of value`;
    return [invalid(`data[${key}]`, '<secret contents redacted>', problem)];
  }
}
