import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ControlPlane } from '../../src/plane/control-plane.ts';
import { findBinaries } from '../../src/real/binaries.ts';
import { eagerFlags, startKubeControllerManager } from '../../src/real/kube-controller-manager.ts';
import { startOrphanGuard } from '../../src/real/orphan-guard.ts';
import { writeServiceAccountKeys } from '../../src/real/service-account-keys.ts';

/** Starts kube-controller-manager 1.36 beside a control plane that is none of its own kind. */
export async function startControllerManagerBeside(
  plane: ControlPlane,
  controllers: readonly string[],
): Promise<{ stop(): Promise<void> }> {
  const found = findBinaries({ release: '1.36', needed: ['kube-controller-manager'] });
  if (!found.found) {
    throw new Error(found.reason);
  }
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-controller-manager-'));
  const guard = await startOrphanGuard(folder);
  const remove = async (): Promise<void> => {
    await guard.dismiss();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const config = JSON.parse(plane.kubeconfig) as {
      clusters: [{ cluster: { 'certificate-authority-data': string } }];
      users: [{ user: { token: string } }];
    };
    const ca = Buffer.from(config.clusters[0].cluster['certificate-authority-data'], 'base64');
    const kubeconfigFile = join(folder, 'kubeconfig.json');
    await mkdir(join(folder, 'certs'));
    await writeFile(join(folder, 'certs', 'apiserver.crt'), ca);
    await writeFile(kubeconfigFile, plane.kubeconfig, { mode: 0o600 });
    const running = await startKubeControllerManager(
      { controllers, extraArgs: eagerFlags },
      {
        binaries: found.folder,
        folder,
        guard,
        kubeconfigFile,
        token: config.users[0].user.token,
        serviceAccountKeys: await writeServiceAccountKeys(folder),
      },
    );
    return {
      async stop() {
        await running.stop();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}
