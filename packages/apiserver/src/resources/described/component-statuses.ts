import type { KubeObject } from '../../meta/kube-object.ts';
import { type ComponentCondition, askHealth } from './component-health.ts';
import { describedResource } from './described-resource.ts';
import { text } from './shown.ts';

interface ComponentStatus extends KubeObject {
  conditions: ComponentCondition[];
}

/** The ports on which components of a control plane report their health by default. */
const ports: Readonly<Record<string, number>> = { 'controller-manager': 10257, scheduler: 10259 };

/** This server is its own storage, so the storage is healthy as long as the server answers. */
const ownStorage: ComponentCondition = { type: 'Healthy', status: 'True', message: 'ok' };

const healthOf = (object: KubeObject): ComponentCondition | undefined =>
  (object as ComponentStatus).conditions.find(({ type }) => type === 'Healthy');

function shown(object: KubeObject): string {
  const status = healthOf(object)?.status;
  return status === 'True' ? 'Healthy' : 'Unhealthy';
}

/** core/v1: the health of the control plane's components, which each request checks again. */
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
  validation: 'schema',
  deprecation: 'v1 ComponentStatus is deprecated in v1.19+',
  async observe(after, name) {
    const names = ['controller-manager', 'scheduler', 'etcd-0'].filter(
      (each) => name === '' || each === name,
    );
    return Promise.all(
      names.map(async (each): Promise<ComponentStatus> => {
        const port = ports[each];
        const condition = port === undefined ? ownStorage : await askHealth(port, after);
        return {
          kind: 'ComponentStatus',
          apiVersion: 'v1',
          metadata: { name: each },
          conditions: [condition],
        };
      }),
    );
  },
  shown: [
    text('Status', 'Whether it is well', shown),
    text('Message', 'What it answered', (object) => healthOf(object)?.message ?? ''),
    text('Error', 'Why it could not be asked', (object) => healthOf(object)?.error ?? ''),
  ],
});
