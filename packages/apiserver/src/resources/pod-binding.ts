import type { KubeObject } from '../meta/kube-object.ts';
import { badRequest, conflict, internalError } from '../meta/status-error.ts';
import { formatTime } from '../schema/decode.ts';
import type { Pod } from './pod-object.ts';
import type { SubresourceAction } from './resource-definition.ts';

interface Binding extends KubeObject {
  target: { kind?: string; name?: string };
}

const resource = { group: '', name: 'pods/binding' };

/** pods/binding: assigns a pod to a node, once. */
export const podBinding: SubresourceAction = {
  name: 'binding',
  kind: 'Binding',
  verbs: ['create'],
  struct: 'core.v1.Binding',
  async serve(body: KubeObject, server) {
    const { name } = server;
    await server.admit(body);
    const binding = body as Binding;
    const node = nodeOf(binding, name);
    await server.change('action', (existing) => {
      const pod = existing as Pod;
      checkBindable(pod, binding, name);
      return bound(pod, binding, node, formatTime(server.now()));
    });
    return { kind: 'done' };
  },
};

/** The name of the target node. Throws 400 and 500, as the real server does. */
function nodeOf({ metadata, target }: Binding, podName: string): string {
  if (metadata.name !== podName) {
    throw badRequest('name in URL does not match name in Binding object');
  }
  if ((target.kind ?? '') !== '' && target.kind !== 'Node') {
    throw internalError(
      `target.kind: Unsupported value: "${target.kind}": supported values: "Node", "<empty>"`,
    );
  }
  const node = target.name ?? '';
  if (node === '') {
    throw internalError('target.name: Required value');
  }
  return node;
}

function checkBindable(pod: Pod, { metadata: { uid } }: Binding, name: string): void {
  if (pod.metadata.deletionTimestamp !== undefined) {
    throw conflict(resource, name, `pod ${name} is being deleted, cannot be assigned to a host`);
  }
  if ((pod.spec.nodeName ?? '') !== '') {
    throw conflict(resource, name, `pod ${name} is already assigned to node "${pod.spec.nodeName}"`);
  }
  if ((pod.spec.schedulingGates ?? []).length > 0) {
    throw conflict(resource, name, `pod ${name} has non-empty .spec.schedulingGates`);
  }
  if (uid !== undefined && uid !== pod.metadata.uid) {
    throw conflict(
      resource,
      name,
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${pod.metadata.uid ?? ''}`,
    );
  }
}

function bound(pod: Pod, { metadata: { annotations } }: Binding, node: string, time: string): Pod {
  const others = (pod.status.conditions ?? []).filter(({ type }) => type !== 'PodScheduled');
  const scheduled = { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: time };
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      ...(annotations === undefined
        ? undefined
        : { annotations: { ...pod.metadata.annotations, ...annotations } }),
    },
    spec: { ...pod.spec, nodeName: node },
    status: { ...pod.status, conditions: [...others, scheduled] },
  };
}
