import { statefulSets, type ApiResource } from '@holdfast/core';
import { listAll, type ApiClient } from '@holdfast/runtime';
import {
  containersOf,
  deployments,
  flagsOf,
  readImage,
  type Container,
  type Deployment,
} from './deployment.ts';
import { unlessRefused } from './refused.ts';

/** A csi-provisioner that runs with a CSI driver. */
export interface Provisioner {
  /** `deployment/csi-controller` */
  readonly workload: string;
  readonly namespace: string;
  readonly image: string;
  readonly flags: ReadonlyMap<string, string>;
}

/** The kinds that run provisioners: one controller for the whole cluster, or a provisioner on each node. */
const kinds: readonly ApiResource<Deployment>[] = [
  deployments,
  statefulSets,
  { ...deployments, kind: 'DaemonSet', plural: 'daemonsets' },
];

/**
 * Reads the csi-provisioners of the cluster; undefined if not all these kinds may be listed. A cloud's
 * drivers can have theirs outside the cluster.
 */
export async function readProvisioners(
  client: Pick<ApiClient, 'listPages'>,
): Promise<readonly Provisioner[] | undefined> {
  const found = await Promise.all(kinds.map((kind) => unlessRefused(ofKind(client, kind))));
  return found.every((each) => each !== undefined)
    ? found.flat().toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    : undefined;
}

async function ofKind(
  client: Pick<ApiClient, 'listPages'>,
  resource: ApiResource<Deployment>,
): Promise<readonly Provisioner[]> {
  const found: Provisioner[] = [];
  for await (const workload of listAll(client, resource)) {
    const { namespace = '', name } = workload.metadata;
    for (const container of containersOf(workload).filter(isProvisioner)) {
      const { image = '' } = container;
      const flags = flagsOf(container, namespace);
      found.push({ workload: `${resource.kind.toLowerCase()}/${name}`, namespace, image, flags });
    }
  }
  return found;
}

/** Rebuilt images are named `csi-provisioner` or `external-provisioner`, with a prefix. */
function isProvisioner({ name, image = '' }: Container): boolean {
  return name === 'csi-provisioner' || /(csi|external)-provisioner$/.test(readImage(image).name);
}

function keyOf({ namespace, workload }: Provisioner): string {
  return `${namespace}/${workload}`;
}
