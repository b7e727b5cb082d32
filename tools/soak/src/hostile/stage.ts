import { copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { connect, loadKubeConfig, type ApiClient } from '@holdfast/runtime';
import {
  startCsiDriver,
  startRealControlPlane,
  type CsiDriver,
  type RealControlPlane,
} from '@holdfast/testing';
import { Registry } from 'prom-client';
import { buildApp } from '../soaked-app.ts';
import { prepareChurn } from '../churn.ts';
import { createAccess, prepareAccess, systemNamespace, type Access } from './access.ts';
import { auditRulesFor } from './audit-log.ts';
import { startFaultProxy, type FaultProxy } from './fault-proxy.ts';
import { startReplica, type Replica } from './replica.ts';

export const hostileApps = [
  'pvc-protection',
  'retroactive-default-sc',
  'statefulset-pvc-retention',
  'pv-reclaim-honor',
] as const;

/** Two replicas of each app, each behind a proxy with faults, on a real control plane. */
export interface Stage {
  readonly plane: RealControlPlane;
  /** The client of the soak itself, which bypasses the proxy. */
  readonly client: ApiClient;
  readonly proxy: FaultProxy;
  readonly driver: CsiDriver;
  readonly replicas: readonly Replica[];
  readonly access: ReadonlyMap<string, Access>;
  /** The names of the replicas with a credential plugin. */
  readonly withPlugin: readonly string[];
  /** When the replicas were started, milliseconds since 1970. */
  readonly beganAt: number;
}

const root = join(import.meta.dirname, '..', '..', '..', '..');

/**
 * The first replica of an app reads protobuf and has a token file; the second reads JSON and has a credential plugin.
 */
const members = hostileApps.flatMap((app) => [
  { app, name: `${app}-a`, speaks: 'as it likes', source: 'token file' } as const,
  { app, name: `${app}-b`, speaks: 'JSON', source: 'plugin' } as const,
]);

/**
 * @param logFolder for the logs of the replicas; created here
 * @param undo gets what has to be undone at the end, last step first, even if this fails halfway
 */
export async function openStage(
  logFolder: string,
  say: (line: string) => void,
  undo: (() => Promise<unknown>)[],
): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-hostile-'));
  undo.push(() => rm(folder, { recursive: true, force: true }));
  await mkdir(logFolder, { recursive: true });
  // The extension marks it as an ES module, since there is no package.json next to it.
  const programOf = (app: string): string => join(folder, `${app}.mjs`);
  for (const app of hostileApps) {
    say(`building apps/${app}`);
    await buildApp(app);
    // A copy, because replicas are restarted in the middle of the run and must not change if the app is built
    // in the meantime.
    await copyFile(join(root, 'apps', app, 'dist', 'main.js'), programOf(app));
  }
  say('starting the control plane');
  const plane = await startRealControlPlane({
    // The soak plays the StatefulSet controller, the kubelet and the volume binder. The garbage collector is
    // the cluster's own.
    controllers: ['garbage-collector-controller'],
    disableAdmissionPlugins: ['StorageObjectInUseProtection', 'DefaultStorageClass'],
    auditRules: auditRulesFor(`system:serviceaccounts:${systemNamespace}`),
  });
  undo.push(() => plane.stop());
  const client = connect({
    kubeConfig: () => loadKubeConfig({ kubeconfig: plane.kubeconfigFile }),
    registry: new Registry(),
    program: 'holdfast-soak',
    version: '0.1.0',
  });
  undo.push(() => client.close());
  await prepareChurn(client);
  await prepareAccess(plane, client, members);
  const certificates = join(dirname(plane.kubeconfigFile), 'certs');
  const proxy = await startFaultProxy({
    target: plane.url,
    tls: {
      cert: await readFile(join(certificates, 'apiserver.crt'), 'utf8'),
      key: await readFile(join(certificates, 'apiserver.key'), 'utf8'),
    },
    clients: members,
  });
  undo.push(() => proxy.close());
  const driver = await startCsiDriver({ folder: join(folder, 'volumes'), socket: join(folder, 'csi.sock') });
  undo.push(() => driver.stop());

  const access = new Map<string, Access>();
  for (const { name, source } of members) {
    const options = { replica: name, port: proxy.front(name).port, folder: join(folder, name), source };
    access.set(name, await createAccess(client, plane.kubeconfig, options));
  }
  const began = performance.now();
  const beganAt = Date.now();
  const replicas = members.map(({ app, name }) =>
    startReplica({
      name,
      app,
      began,
      program: programOf(app),
      logFile: join(logFolder, `${name}.log`),
      args: [
        `--kubeconfig=${access.get(name)?.kubeconfigFile ?? ''}`,
        `--leader-elect-resource-namespace=${systemNamespace}`,
        '--metrics-bind-address=127.0.0.1:0',
        '--health-probe-bind-address=127.0.0.1:0',
        ...(app === 'pv-reclaim-honor' ? [`--csi-address=${driver.address}`, '--host-path-root=none'] : []),
      ],
    }),
  );
  undo.push(() => Promise.all(replicas.map((replica) => replica.stop())));
  return {
    plane,
    client,
    proxy,
    driver,
    replicas,
    access,
    withPlugin: members.filter(({ source }) => source === 'plugin').map(({ name }) => name),
    beganAt,
  };
}
