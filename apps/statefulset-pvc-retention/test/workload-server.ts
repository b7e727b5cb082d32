import {
  ageColumn,
  dnsSubdomain,
  nameColumn,
  startApiServer,
  type ApiServer,
  type ControlPlane,
  type FaultPlan,
} from '@holdfast/testing';
import type { WorkloadResource } from '../src/workload.ts';

/**
 * Starts an API server that serves this kind beside StatefulSets, as a custom resource: nothing of it is checked,
 * defaulted or dropped.
 */
export async function startWorkloadServer(
  resource: WorkloadResource,
  faults?: FaultPlan,
): Promise<{ readonly server: ApiServer; readonly plane: ControlPlane }> {
  const server = await startApiServer({
    disableAdmissionPlugins: ['StorageObjectInUseProtection'],
    tls: false,
    ...(faults === undefined ? {} : { faults }),
    resources: [
      {
        ...resource,
        singular: resource.kind.toLowerCase(),
        nameRule: dnsSubdomain,
        columns: [nameColumn, ageColumn],
        cells: ({ metadata }) => [metadata.name ?? '', ''],
      },
    ],
  });
  const plane: ControlPlane = {
    backend: 'embedded',
    url: server.url,
    kubeconfig: server.kubeconfig,
    restartApiServer: () => Promise.reject(new Error('not here')),
    stop: () => server.stop(),
  };
  return { server, plane };
}
