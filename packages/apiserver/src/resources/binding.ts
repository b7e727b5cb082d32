import { dnsSubdomain } from '../meta/names.ts';
import type { ResourceDefinition } from './resource-definition.ts';

/** bindings of core/v1: the older way to create pods/binding, with the name of the pod in the object. */
export const bindings: ResourceDefinition = {
  group: '',
  version: 'v1',
  kind: 'Binding',
  plural: 'bindings',
  singular: 'binding',
  namespaced: true,
  verbs: ['create'],
  struct: 'core.v1.Binding',
  createdAs: { plural: 'pods', action: 'binding' },
  nameRule: dnsSubdomain,
  columns: [],
  cells: () => [],
};
