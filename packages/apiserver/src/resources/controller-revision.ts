import { type FieldError, invalid, required } from '../meta/field-error.ts';
import { isObject } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { dnsSubdomain } from '../meta/names.ts';
import { validateImmutable } from '../meta/object-meta.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import { ageColumn, column, nameColumn, since } from './table-columns.ts';

interface ControllerRevision extends KubeObject {
  revision: number;
}

export const controllerRevisions: ResourceDefinition = {
  group: 'apps',
  version: 'v1',
  kind: 'ControllerRevision',
  plural: 'controllerrevisions',
  singular: 'controllerrevision',
  namespaced: true,
  struct: 'apps.v1.ControllerRevision',
  nameRule: dnsSubdomain,
  storageVersionHash: '85nkx63pcBU=',
  emptyFields: { data: null },
  validate: validateRevision,
  validateUpdate: (revision, old) => [
    ...validateNumber(revision),
    ...validateImmutable(revision['data'], old['data'], 'data'),
  ],
  columns: [
    nameColumn,
    column('Controller', 'Whose revision it is'),
    column('Revision', 'Its number'),
    ageColumn,
  ],
  cells({ metadata, revision }: ControllerRevision, { now }) {
    const controller = metadata.ownerReferences?.find((reference) => reference.controller === true);
    const group =
      controller?.apiVersion.includes('/') === true ? `.${controller.apiVersion.split('/')[0] ?? ''}` : '';
    return [
      metadata.name ?? '',
      controller === undefined ? '<none>' : `${controller.kind.toLowerCase()}${group}/${controller.name}`,
      revision,
      since(metadata.creationTimestamp, now),
    ];
  },
};

function validateNumber({ revision }: KubeObject): FieldError[] {
  return typeof revision === 'number' && revision < 0
    ? [invalid('revision', revision, 'must be greater than or equal to 0')]
    : [];
}

function validateRevision(object: KubeObject): FieldError[] {
  const { data = null } = object;
  return [
    ...validateNumber(object),
    ...(data === null ? [required('data', 'data is mandatory')] : []),
    ...(data === null || isObject(data) ? [] : [required('data', 'data must be a valid JSON object')]),
  ];
}
