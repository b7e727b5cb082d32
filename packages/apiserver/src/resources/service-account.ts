import { dnsSubdomain } from '../meta/names.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import { ageColumn, nameColumn, since } from './table-columns.ts';
import { tokenRequest } from './token-request.ts';

const enforceMountable = 'kubernetes.io/enforce-mountable-secrets';

export const serviceAccounts: ResourceDefinition = {
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  singular: 'serviceaccount',
  shortNames: ['sa'],
  namespaced: true,
  struct: 'core.v1.ServiceAccount',
  nameRule: dnsSubdomain,
  storageVersionHash: 'pbx9ZvyFpBE=',
  actions: [tokenRequest],
  returnsDeletedObject: true,
  warnings: ({ metadata }, old) =>
    metadata.annotations?.[enforceMountable] === undefined ||
    old?.metadata.annotations?.[enforceMountable] !== undefined
      ? []
      : [
          `metadata.annotations[${enforceMountable}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`,
        ],
  columns: [nameColumn, ageColumn],
  cells: ({ metadata }, { now }) => [metadata.name ?? '', since(metadata.creationTimestamp, now)],
};
