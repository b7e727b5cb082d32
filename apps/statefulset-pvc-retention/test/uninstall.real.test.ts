import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApp } from '@holdfast/scenario';
import { controlPlaneMissing, startRealControlPlane, type RealControlPlane } from '@holdfast/testing';
import { handOf, openStage, type Stage } from './stage.ts';

const app = 'statefulset-pvc-retention';
const system = 'holdfast-system';
const deploy = fileURLToPath(new URL(`../../../deploy/${app}`, import.meta.url));

describe.each(['1.36', '1.31'] as const)('deploy/statefulset-pvc-retention/uninstall on %s', (release) => {
  const runs = controlPlaneMissing({ backend: 'real', release }) === undefined ? test : test.skip;
  let plane: RealControlPlane | undefined;
  let stage: Stage;

  beforeAll(async () => {
    if (runs === test) {
      plane = await startRealControlPlane({
        release,
        disableAdmissionPlugins: ['StorageObjectInUseProtection'],
        // Only who may delete an object may change its owners.
        enableAdmissionPlugins: ['OwnerReferencesPermissionEnforcement'],
      });
      stage = await openStage(plane);
    }
  }, 90_000);

  afterAll(async () => {
    if (plane !== undefined) {
      await stage.close();
      await plane.stop();
    }
  }, 60_000);

  runs(
    "A1: run as the Job's service account -> ours is taken back, nothing is forbidden",
    async () => {
      const kubectl = async (...args: readonly string[]): Promise<string> => {
        const { code = 1, stdout = '', stderr = '' } = (await plane?.kubectl(args)) ?? {};
        expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
        return stdout;
      };
      await kubectl('apply', '--validate=strict', '-k', deploy);
      await kubectl('apply', '--validate=strict', '-k', `${deploy}/uninstall`);
      const job = JSON.parse(
        await kubectl('get', 'job', `${app}-uninstall`, `--namespace=${system}`, '--output=json'),
      ) as {
        spec: { template: { spec: { serviceAccountName: string; containers: { args: string[] }[] } } };
      };
      const { serviceAccountName, containers } = job.spec.template.spec;
      const token = await kubectl('create', 'token', serviceAccountName, `--namespace=${system}`);
      const config = JSON.parse(plane?.kubeconfig ?? '') as { users: { user: object }[] };
      for (const each of config.users) {
        each.user = { token: token.trim() };
      }
      const kubeconfig = `${stage.kubeconfigFile}-of-the-app`;
      await writeFile(kubeconfig, JSON.stringify(config));

      const hand = handOf(stage, await stage.namespace());
      const controller = await stage.startController({});
      await hand.createSet({ replicas: 1, policy: { whenDeleted: 'Delete', whenScaled: 'Retain' } });
      const { metadata } = await hand.createClaim('data-web-0');
      await hand.owned('data-web-0', 'StatefulSet web*');
      await controller.stop();

      const run = startApp(app, [
        ...(containers[0]?.args ?? []),
        `--kubeconfig=${kubeconfig}`,
        `--leader-elect-resource-namespace=${system}`,
      ]);
      expect(await run.exit).toEqual({ code: 0, signal: null });
      expect(run.stdout() + run.stderr()).not.toMatch(/forbidden|Permission is missing/);
      expect(await hand.ownersOf('data-web-0')).toStrictEqual([]);
      expect(await hand.dataOf('data-web-0')).toBe(metadata.uid);
    },
    60_000,
  );
});
