import type { KubeObject } from '../meta/kube-object.ts';
import { dnsSubdomain } from '../meta/names.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import { ageColumn, nameColumn, since } from './table-columns.ts';
import { tokenRequest } from './token-request.ts';

interface ServiceAccount extends KubeObject {
  secrets?: { name?: string }[];
}

/** Keeps only the names of references to secrets. */
function keepNames(account: ServiceAccount): void {
  if (account.secrets !== undefined) {
    account.secrets = account.secrets.map(({ name }) => (name === undefined ? {} : { name }));
  }
}

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
  prepareForCreate: keepNames,
  prepareForUpdate: keepNames,
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
