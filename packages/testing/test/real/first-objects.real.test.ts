import { describe, expect, test } from '@jest/globals';
import { startRealControlPlane, type RealControlPlane } from '../../src/real/real-control-plane.ts';
import { controlPlaneMissing } from '../../src/start-control-plane.ts';
import { temporaryFolders } from './temporary-folder.ts';

const missing = controlPlaneMissing({ backend: 'real' });
const temporaryFolder = temporaryFolders();

/** Returns what kubectl prints, without the newline at its end. */
async function kubectl(plane: RealControlPlane, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await plane.kubectl(args);
  if (code !== 0) {
    throw new Error(`kubectl ${args.join(' ')}: exit code ${String(code)}: ${stderr}`);
  }
  return stdout.trimEnd();
}

const identity = ['get', 'namespace', 'kube-system', '-o', 'jsonpath={.metadata.uid}'] as const;

/** Waits until an object that kube-apiserver writes after it has become ready exists too. */
async function settled(plane: RealControlPlane): Promise<void> {
  await kubectl(plane, 'wait', '--for=create', 'namespace/kube-node-lease', '--timeout=60s');
}

(missing === undefined ? describe : describe.skip)(
  `first objects${missing === undefined ? '' : ` (skipped: ${missing})`}`,
  () => {
    test('kept by a control plane that was used since -> the next one has them, nothing of its user, and serves as new', async () => {
      process.env['HOLDFAST_FIRST_OBJECTS'] = await temporaryFolder();
      await using first = disposable(await startRealControlPlane());
      await settled(first.plane);
      await kubectl(first.plane, 'create', 'configmap', 'of-the-user');
      await using second = disposable(await startRealControlPlane());
      await settled(second.plane);

      expect(await kubectl(second.plane, ...identity)).toBe(await kubectl(first.plane, ...identity));
      expect(await kubectl(second.plane, 'get', 'configmaps', '-o', 'name')).not.toContain('of-the-user');
      for (const kinds of ['clusterroles', 'clusterrolebindings', 'flowschemas', 'namespaces']) {
        const names = ['get', kinds, '-o', 'name'] as const;
        expect(await kubectl(second.plane, ...names)).toBe(await kubectl(first.plane, ...names));
      }

      await kubectl(second.plane, 'create', 'configmap', 'of-the-user');
      await second.plane.restartApiServer();
      expect(await kubectl(second.plane, 'get', 'configmaps', '-o', 'name')).toContain('of-the-user');
    }, 180_000);

    test('other feature gates -> a control plane with objects of its own', async () => {
      process.env['HOLDFAST_FIRST_OBJECTS'] = await temporaryFolder();
      await using first = disposable(await startRealControlPlane());
      await using second = disposable(
        await startRealControlPlane({ apiServerFeatureGates: { APIServingWithRoutine: true } }),
      );
      expect(await kubectl(second.plane, ...identity)).not.toBe(await kubectl(first.plane, ...identity));
    }, 180_000);
  },
);

function disposable(plane: RealControlPlane): { plane: RealControlPlane } & AsyncDisposable {
  return { plane, [Symbol.asyncDispose]: () => plane.stop() };
}
