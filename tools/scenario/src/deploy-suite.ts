import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  controlPlaneMissing,
  startRealControlPlane,
  type ControlPlane,
  type RealControlPlane,
  type RealControlPlaneOptions,
} from '@holdfast/testing';
import { startApp, type AppProcess } from './app-process.ts';
import { describeUnless } from './describe-unless.ts';
import { kubeconfigOfAccount } from './service-account.ts';
import type { Stage } from './stage.ts';

/** An app whose manifests are tested. */
export interface DeploySuite<Options> {
  /** The folder below `apps/` and `deploy/`, which is also the name of the service account there. */
  readonly app: string;
  readonly controlPlane: RealControlPlaneOptions;
  openStage(plane: ControlPlane): Promise<Stage<Options>>;
  /** Flags in addition to those that every app gets here. Default none. */
  readonly flags?: readonly string[];
  /** Makes the app do all its work, and expects that it succeeds. */
  work(stage: Stage<Options>, process: AppProcess): Promise<void>;
}

/** The namespace that the manifests deploy to. */
const system = 'holdfast-system';

/**
 * Defines a suite in which the app does its work with only the permissions of its own manifests, as checked
 * by kube-apiserver. It is skipped without real binaries.
 */
export function testDeploy<Options>(suite: DeploySuite<Options>): void {
  const { app, openStage, flags = [], work } = suite;
  const missing = controlPlaneMissing({ ...suite.controlPlane, backend: 'real' });

  describeUnless(missing, `deploy/${app} on kube-apiserver`, () => {
    let plane: RealControlPlane;
    let stage: Stage<Options>;
    let running: AppProcess | undefined;

    beforeAll(async () => {
      plane = await startRealControlPlane(suite.controlPlane);
      stage = await openStage(plane);
      const base = fileURLToPath(new URL(`../../../deploy/${app}`, import.meta.url));
      const applied = await plane.kubectl(['apply', '--validate=strict', '-k', base]);
      expect(applied).toMatchObject({ code: 0, stderr: '' });
    }, 90_000);

    afterAll(async () => {
      await running?.end('SIGKILL');
      await stage.close();
      await plane.stop();
    }, 60_000);

    test('the app as its own service account -> does all its work, and nothing is forbidden to it', async () => {
      const kubeconfig = `${stage.kubeconfigFile}-of-the-app`;
      const account = { namespace: system, name: app };
      await writeFile(kubeconfig, await kubeconfigOfAccount(stage.client, plane.kubeconfig, account));
      const process = (running = startApp(app, [
        `--kubeconfig=${kubeconfig}`,
        `--leader-elect-resource-namespace=${system}`,
        '--metrics-bind-address=127.0.0.1:0',
        '--health-probe-bind-address=0',
        ...flags,
      ]));
      await work(stage, process);
      expect(await process.metrics()).not.toMatch(/^rest_client_requests_total\{code="40[13]"/m);
      expect(await process.end('SIGTERM')).toEqual({ code: 0, signal: null });
    }, 60_000);
  });
}
