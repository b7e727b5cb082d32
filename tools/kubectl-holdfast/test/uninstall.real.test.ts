import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { connect, loadKubeConfig } from '@holdfast/runtime';
import { loadAll } from 'js-yaml';
import { Registry } from 'prom-client';
import { deployments, type Deployment } from '../src/cluster/deployment.ts';
import { isSame, jobs, type Job } from '../src/uninstall/carry-out.ts';
import { leavingOf } from '../src/uninstall/uninstall-plan.ts';
import { protection, type ProtectionOptions } from './apps.ts';
import { describeScene, type SceneOptions } from './scene.ts';

const options: SceneOptions<ProtectionOptions> = {
  common: {},
  standIns: [],
  app: protection,
  started: undefined,
};

describeScene('uninstall', options, (scene) => {
  test.each(['pvc-protection', 'statefulset-pvc-retention', 'pv-reclaim-honor/standalone'])(
    'Deployment of %s, as the API server has it -> it takes the Job that is made of it',
    async (folder) => {
      const file = join(import.meta.dirname, '../../../deploy', folder, 'deployment.yaml');
      const [shipped] = (loadAll(readFileSync(file, 'utf8')) as unknown as readonly Deployment[]).filter(
        (each) => (each as { readonly kind?: string }).kind === 'Deployment',
      );
      const namespace = await scene.stage.namespace();
      const deployment = await scene.client.create<Deployment>(deployments, namespace, shipped);
      const leaving = leavingOf(deployment);
      const job = leaving?.course.kind === 'steps' ? leaving.course.job : undefined;
      const dry = connect({
        kubeConfig: () => loadKubeConfig({ kubeconfig: scene.stage.kubeconfigFile, insecureHttp: true }),
        ...{ registry: new Registry(), program: 'kubectl-holdfast', version: '0', dryRun: true },
      });
      if (job === undefined) {
        throw new Error(`no Job for ${folder}`);
      }
      try {
        const made = await dry.create<Job>(jobs, namespace, job);
        expect(JSON.stringify(made)).toMatch(/"--uninstall"/);
        expect(isSame(made, job)).toBe(true);
      } finally {
        await dry.close();
      }
    },
  );
});
