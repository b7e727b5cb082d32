import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  leases,
  namespaces,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  validatingWebhookConfigurations,
} from '@holdfast/core';
import { find, type ApiClient } from '@holdfast/runtime';
import { describeUnless, eventually, kubeconfigOfAccount } from '@holdfast/scenario';
import {
  controlPlaneMissing,
  startCsiDriver,
  startRealControlPlane,
  type CsiDriver,
  type RealControlPlane,
} from '@holdfast/testing';
import { connectAs } from '../../src/cluster.ts';
import { appNames, runApp, type AppName, type RunningApp } from '../four-apps.ts';
import { build, deploy, writeOverlay, type Manifest, type Overlay } from '../kustomize.ts';
import {
  prepareLeaving,
  workOfPvcProtection,
  workOfPvReclaimHonor,
  workOfRetroactiveDefaultSc,
  workOfStatefulSetPvcRetention,
  type Scene,
} from './all-work.ts';
import { unusedRights } from './unused-rights.ts';
import {
  allows,
  describeRequest,
  describeRight,
  needs,
  requestsIn,
  rightsIn,
  type AuditedRequest,
  type Right,
} from './used-rights.ts';

/*
 * The apps as they are deployed, each with its account's token, in the judgement of kube-apiserver: every form of
 * deploy/ that has roles of its own is installed, the apps do all that they ever do, and the audit log is compared with
 * what the roles grant and the policies allow.
 */

const options = {
  backend: 'real',
  release: '1.36',
  disableAdmissionPlugins: ['StorageObjectInUseProtection', 'DefaultStorageClass'],
  // Only who may delete an object may change its owners, and who says that it blocks its owner's deletion needs more.
  enableAdmissionPlugins: ['OwnerReferencesPermissionEnforcement'],
} as const;
const system = 'holdfast-system';
const storage = 'holdfast-storage';
const team = 'team-a';
const work = 'work';

describeUnless(
  controlPlaneMissing(options),
  'what the roles of deploy/ grant, and what is used of it',
  () => {
    let plane: RealControlPlane;
    let client: ApiClient;
    let folder: string;
    const manifests: Manifest[] = [];
    const drivers: CsiDriver[] = [];
    const running: RunningApp[] = [];
    let requests: readonly AuditedRequest[] = [];
    /** How many requests there were before the API server was restarted, and when it was ready again. */
    let restart = { from: 0, to: 0 };
    let rights: readonly Right[] = [];

    const kubectl = async (args: readonly string[]): Promise<void> => {
      const { code, stderr } = await plane.kubectl(args);
      expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
    };

    const install = async (overlay: Overlay): Promise<void> => {
      const own = await writeOverlay(folder, overlay);
      manifests.push(...(await build(own)));
      await kubectl(['apply', '--server-side', '--force-conflicts', '-k', own]);
    };

    const audited = async (): Promise<readonly AuditedRequest[]> =>
      requestsIn(await readFile(plane.auditLogFile ?? '', 'utf8'));

    const startDriver = async (name: string): Promise<CsiDriver> => {
      const driver = await startCsiDriver({
        name: `${name}.example.com`,
        folder: join(folder, name),
        socket: join(folder, `${name}.sock`),
      });
      drivers.push(driver);
      return driver;
    };

    const start = async (
      app: AppName,
      namespace: string,
      account: string,
      flags: readonly string[],
    ): Promise<RunningApp> => {
      const file = join(folder, `${namespace}-${account}`);
      await writeFile(
        file,
        await kubeconfigOfAccount(client, plane.kubeconfig, { namespace, name: account }),
      );
      const started = runApp(app, [
        `--kubeconfig=${file}`,
        `--leader-elect-resource-namespace=${namespace}`,
        ...flags,
      ]);
      running.push(started);
      return started;
    };

    const stopAll = async (): Promise<void> => {
      await Promise.all(running.splice(0).map((app) => app.stop()));
    };

    const gates: Readonly<Record<AppName, string>> = {
      'pvc-protection': 'ClaimUnusedCondition=true',
      'retroactive-default-sc': 'RetroactiveDefaultStorageClass=true',
      'statefulset-pvc-retention': 'CollectMissedScaleDown=true,DeletionGracePeriod=true',
      'pv-reclaim-honor': 'ReclaimGracePeriod=true',
    };
    const further: Readonly<Record<AppName, readonly string[]>> = {
      'pvc-protection': [],
      'retroactive-default-sc': [],
      'statefulset-pvc-retention': ['--yield-to-stock-controller=false'],
      'pv-reclaim-honor': ['--host-path-root=none'],
    };

    const everyWork = (scene: Scene, driver: CsiDriver, secretIn: string): Promise<unknown> =>
      Promise.all([
        workOfPvcProtection(scene),
        workOfRetroactiveDefaultSc(scene),
        workOfStatefulSetPvcRetention(scene),
        workOfPvReclaimHonor(scene, driver, secretIn),
      ]);

    beforeAll(async () => {
      folder = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-rights-')));
      plane = await startRealControlPlane({
        ...options,
        auditRules: [
          {
            level: 'Metadata',
            userGroups: ['system:serviceaccounts'],
            omitStages: ['RequestReceived', 'Panic'],
          },
          { level: 'None' },
        ],
      });
      client = connectAs('rights-test', plane.kubeconfigFile);
      for (const name of [team, work]) {
        await client.create(namespaces, undefined, { metadata: { name } });
      }
      await kubectl(['create', 'serviceaccount', 'prometheus', `--namespace=${team}`]);
      await kubectl(['apply', '--server-side', '-k', join(deploy, 'policies')]);
      // Of gate CollectMissedScaleDown docs/policies.md says to leave it out.
      await kubectl([
        'delete',
        'validatingadmissionpolicybinding',
        'holdfast-statefulset-pvc-retention-delete',
      ]);
    }, 90_000);

    afterAll(async () => {
      await stopAll();
      await Promise.all(drivers.map((driver) => driver.stop()));
      await client.close();
      await plane.stop();
      await rm(folder, { recursive: true, force: true });
    }, 60_000);

    test('for one namespace -> all work is done', async () => {
      await install({
        resources: ['all'],
        components: ['secure-metrics', 'pvc-protection/claim-unused-condition', 'one-namespace'],
        namespace: team,
        nameSuffix: `-${team}`,
      });
      const driver = await startDriver('team');
      for (const app of appNames) {
        await start(app, team, `${app}-${team}`, [
          `--namespaces=${team}`,
          `--feature-gates=${gates[app]}`,
          '--metrics-secure',
          ...further[app],
          ...(app === 'pv-reclaim-honor' ? [`--csi-address=${driver.address}`] : []),
        ]);
      }
      await everyWork({ client, namespace: team, prefix: team }, driver, team);
      await Promise.all(running.map(scrape));
    }, 120_000);

    test('for the cluster, with every component, and pv-reclaim-honor by itself -> all work is done', async () => {
      await install({
        resources: ['all'],
        components: [
          'secure-metrics',
          'pvc-protection/claim-unused-condition',
          'pvc-protection/terminating-claim-guard',
        ],
        namespace: system,
      });
      await install({ resources: ['pv-reclaim-honor/standalone'], namespace: storage });
      const [sidecar, alone] = [await startDriver('sidecar'), await startDriver('alone')];
      const own = {
        'pvc-protection': [
          `--feature-gates=${gates['pvc-protection']},TerminatingClaimGuard=true`,
          '--webhook-bind-address=127.0.0.1:0',
          '--webhook-self-signed',
          `--webhook-namespace=${system}`,
        ],
        'pv-reclaim-honor': [
          `--feature-gates=${gates['pv-reclaim-honor']}`,
          `--csi-address=${sidecar.address}`,
        ],
      };
      const ofTheTeam = running.splice(0);
      for (const app of appNames) {
        await start(app, system, app, [
          '--metrics-secure',
          ...(app === 'pvc-protection' || app === 'pv-reclaim-honor'
            ? own[app]
            : [`--feature-gates=${gates[app]}`]),
          ...further[app],
        ]);
      }
      await start('pv-reclaim-honor', storage, 'pv-reclaim-honor', [
        `--feature-gates=${gates['pv-reclaim-honor']}`,
        `--csi-address=${alone.address}`,
        '--host-path-root=none',
      ]);
      await Promise.all(running.map((app) => app.address('metrics')));
      const scene = { client, namespace: work, prefix: work };
      await Promise.all([
        everyWork(scene, sidecar, system),
        workOfPvReclaimHonor({ client, namespace: work, prefix: 'alone' }, alone, undefined),
      ]);
      await askGuard(running.find(({ name }) => name === 'pvc-protection'));
      await prepareLeaving(scene);
      await Promise.all(running.slice(0, appNames.length).map(scrape));
      // Whose watches break asks for the newest version, by a list.
      running.push(...ofTheTeam);
      const from = (await audited()).length;
      await plane.restartApiServer();
      restart = { from, to: (await audited()).length };
      await untilUsed(({ verb }) => verb === 'list', needs);
      await stopAll();
    }, 240_000);

    test('the Jobs that take back -> all is taken back', async () => {
      for (const app of ['pvc-protection', 'statefulset-pvc-retention', 'pv-reclaim-honor'] as const) {
        await install({ resources: [`${app}/uninstall`], namespace: system });
        // As where the controller never ran here: the Job makes the lease.
        await client.delete(leases, { namespace: system, name: `holdfast-${app}` });
      }
      await client.create(persistentVolumes, undefined, {
        metadata: {
          name: 'left',
          finalizers: ['external-provisioner.volume.kubernetes.io/finalizer'],
          annotations: { 'holdfast.dev/held-by': 'external-provisioner.volume.kubernetes.io/finalizer' },
        },
        spec: {
          capacity: { storage: '1Gi' },
          accessModes: ['ReadWriteOnce'],
          csi: { driver: 'sidecar.example.com', volumeHandle: 'left' },
        },
      });
      await start('pvc-protection', system, 'pvc-protection-uninstall', ['--uninstall']);
      await start('statefulset-pvc-retention', system, 'statefulset-pvc-retention', ['--uninstall']);
      await start('pv-reclaim-honor', system, 'pv-reclaim-honor-uninstall', [
        '--uninstall',
        '--csi-address=unix:///nonexistent/csi.sock',
      ]);
      await eventually(
        'the volume is let go',
        async () =>
          (await find(client, persistentVolumes, { name: 'left' }))?.metadata.finalizers?.length ===
          undefined,
        60_000,
      );
      await eventually(
        'the claims are let go that nobody uses',
        async () => {
          const kept = await find(client, persistentVolumeClaims, { namespace: work, name: 'kept' });
          return (
            (kept?.metadata.finalizers ?? []).length === 0 &&
            kept?.status?.conditions?.some(({ type }) => type === 'Unused') !== true
          );
        },
        60_000,
      );
      await untilUsed(({ user }) => user.endsWith('-uninstall'), allows);
      // That of pvc-protection goes on to look whether another controller puts the finalizer back, by the same
      // requests.
      await stopAll();
    }, 120_000);

    test('audit log -> nothing was forbidden, and nothing else was done than is granted', async () => {
      // An API server that starts forbids all until it has read the roles.
      requests = (await audited()).filter(
        ({ isForbidden }, index) => !(isForbidden && index >= restart.from && index < restart.to),
      );
      rights = rightsIn(manifests);
      const accounts = new Set(rights.map(({ user }) => user));
      const own = requests.filter(({ user }) => accounts.has(user));
      expect(new Set(own.map(({ user }) => user))).toEqual(accounts);
      expect(own.filter(({ isForbidden }) => isForbidden).map(describeRequest)).toStrictEqual([]);
      const others = own.filter(
        (each) => each.resource !== '' && !rights.some((right) => allows(right, each)),
      );
      expect(others.map(describeRequest)).toStrictEqual([]);
    }, 30_000);

    test('each right that is granted -> used as widely as it is granted, but for those that are listed with their reason', () => {
      const unused = rights.filter((right) => !requests.some((each) => needs(right, each)));
      expect([...new Set(unused.map(describeRight))].toSorted()).toEqual(
        unusedRights.map(({ right }) => right).toSorted(),
      );
    });

    /** Sends the token of somebody, so that the app asks who it is and what it may. */
    async function scrape(app: RunningApp): Promise<void> {
      const { stdout: token } = await plane.kubectl(['create', 'token', 'prometheus', `--namespace=${team}`]);
      const address = await app.address('metrics');
      const status = await new Promise((resolve, reject) => {
        request(
          `https://${address}/metrics`,
          { headers: { authorization: `Bearer ${token.trim()}` }, rejectUnauthorized: false },
          (response) => {
            response.resume();
            resolve(response.statusCode);
          },
        )
          .on('error', reject)
          .end();
      });
      // Bound to no role that may.
      expect(status).toBe(403);
    }

    /** Until some rights are used, if they ever are: the last test names what is not. */
    async function untilUsed(
      which: (right: Right) => boolean,
      isUse: (right: Right, request: AuditedRequest) => boolean,
    ): Promise<void> {
      const wanted = rightsIn(manifests).filter(which);
      await eventually('they are used', async () => {
        const log = (await audited()).filter(({ isForbidden }) => !isForbidden);
        return wanted.every((right) => log.some((each) => isUse(right, each)));
      }).catch(() => undefined);
    }

    /** Has the API server ask the webhook on bindings, which reads the pod and its claims. */
    async function askGuard(app: RunningApp | undefined): Promise<void> {
      const configuration = { name: 'holdfast-pvc-protection' };
      await eventually(
        'the certificate is trusted',
        async () => {
          const found = await find(client, validatingWebhookConfigurations, configuration);
          return (found?.webhooks?.[0]?.clientConfig.caBundle ?? '') !== '';
        },
        60_000,
      );
      // No network of pods is here: the API server is sent to the app's own address.
      const url = `https://${(await app?.address('webhook')) ?? ''}/validate-v1-binding`;
      await client.patch(validatingWebhookConfigurations, configuration, [
        { op: 'remove', path: '/webhooks/0/clientConfig/service' },
        { op: 'add', path: '/webhooks/0/clientConfig/url', value: url },
        { op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Fail' },
      ]);
      const claimName = 'doomed';
      await client.create(persistentVolumeClaims, work, {
        metadata: { name: claimName, finalizers: ['example.com/keep'] },
        spec: {
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '1Gi' } },
          storageClassName: 'none',
        },
      });
      await client.delete(persistentVolumeClaims, { namespace: work, name: claimName });
      await eventually('a binding is refused', async () => {
        const { metadata } = await client.create(pods, work, {
          metadata: { generateName: 'late-' },
          spec: {
            containers: [{ name: 'c', image: 'example.com/none' }],
            volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
          },
        });
        const { name } = metadata;
        // Until the API server has learnt of the configuration it calls the Service, which nobody serves, and goes on.
        return client
          .create({ ...pods, kind: 'Binding', plural: `pods/${name}/binding` }, work, {
            metadata: { name },
            target: { apiVersion: 'v1', kind: 'Node', name: 'node-1' },
          })
          .then(
            () => false,
            () => true,
          );
      });
    }
  },
);
