import { type FieldError, required, tooLong } from '../meta/field-error.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { dnsSubdomain } from '../meta/names.ts';
import { validateImmutable } from '../meta/object-meta.ts';
import { keyPairProblem } from './key-pair.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import { dataLimit, forbidImmutable, sizeOf, validateSealed } from './sealed-data.ts';
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
      errors.push(...validateSealed(secret, old.data, 'data'));
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

function validateSecret({ data, type }: Secret): FieldError[] {
  const errors = sizeOf(data, 'base64') > dataLimit ? [tooLong('data', dataLimit)] : [];
  const missing = type === tlsType ? tlsKeys.filter((key) => data?.[key] === undefined) : [];
  return [...errors, ...missing.map((key) => required(`data[${key}]`))];
}
