import { describedResource } from './described-resource.ts';

/** core/v1: of components that don't run here. There is none. */
export const componentStatuses = describedResource({
  group: '',
  version: 'v1',
  kind: 'ComponentStatus',
  plural: 'componentstatuses',
  singular: 'componentstatus',
  shortNames: ['cs'],
  namespaced: false,
  verbs: ['get', 'list'],
  struct: 'core.v1.ComponentStatus',
  deprecation: 'v1 ComponentStatus is deprecated in v1.19+',
  shown: [],
});
