import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, loadKubeConfig, type WritingClient } from '@holdfast/runtime';
import type { ControlPlane } from '@holdfast/testing';
import { Registry } from 'prom-client';

/** A control plane, and a client that was connected to it by a kubeconfig, as an app's is. */
export interface ConnectedPlane<Plane extends ControlPlane> {
  readonly plane: Plane;
  readonly client: WritingClient;
  close(): Promise<void>;
}

/** @param registry gets the client's metrics */
export async function connectPlane<Plane extends ControlPlane>(
  starting: Promise<Plane>,
  registry = new Registry(),
): Promise<ConnectedPlane<Plane>> {
  const plane = await starting;
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-connected-'));
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, plane.kubeconfig);
  const client = connect({
    kubeConfig: () => loadKubeConfig({ kubeconfig }),
    registry,
    program: 'test',
    version: '0',
  });
  return {
    plane,
    client,
    close: async () => {
      await client.close();
      await plane.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
