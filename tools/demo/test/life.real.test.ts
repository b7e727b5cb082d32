import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  hasFinalizer,
  namespaces,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  statefulSets,
  storageClasses,
  type ApiResource,
  type KubernetesObject,
} from '@holdfast/core';
import { isNotFound, type ApiClient } from '@holdfast/runtime';
import { describeUnless, eventually, kubeconfigOfAccount, startApp } from '@holdfast/scenario';
import {
  controlPlaneMissing,
  startCsiDriver,
  startRealControlPlane,
  type CsiDriver,
  type RealControlPlane,
} from '@holdfast/testing';
import { connectAs } from '../src/cluster.ts';
import { appNames, runApp, type AppName, type RunningApp } from './four-apps.ts';
import { chart, helm } from './helm.ts';
import { deploy, writeOverlay } from './kustomize.ts';

/*
 * The life of an installation, from the first `kubectl apply` to a search that finds nothing left, for each form in which it comes. Nodes there
 * are none: whatever a pod would run, a process does, with the arguments of the pod and a token of its service account.
 */

const options = {
  backend: 'real',
  release: '1.36',
  controllers: [
    ...['namespace-controller', 'garbage-collector-controller', 'persistentvolume-binder-controller'],
    'job-controller',
  ],
} as const;
const pvcProtection = 'kubernetes.io/pvc-protection';
const provisioner = 'external-provisioner.volume.kubernetes.io/finalizer';

/** The older release differs from the newer one in its image tags, and lacks a gate of it where the form can set one. */
type State = 'older' | 'newer' | 'newer, gate off';

/** Where an installation is put. */
interface Place {
  readonly namespace: string;
  /** For kustomizations and other files. */
  readonly folder: string;
  readonly kubectl: (args: readonly string[], input?: string) => Promise<string>;
  /** A file. */
  readonly kubeconfig: string;
}

/** How one takes an installation to the cluster, and away again. */
interface Form {
  readonly form: string;
  /** Why this form can't be had here; undefined when it can. */
  readonly missing?: string | undefined;
  readonly apply: (place: Place, state: State) => Promise<void>;
  /** Takes the older release back. Default: applies it again. */
  readonly rollBack?: (place: Place) => Promise<void>;
  /** Ends the names of all that belongs to pv-reclaim-honor, of which there is one for each driver. */
  readonly ofDriver: string;
  /** Whether the newer release turns a gate on. */
  readonly hasGate: boolean;
  /** Objects of the newer release that going back to the older one leaves. */
  readonly surplus: readonly string[];
  /** Puts the Jobs in the place of the controllers, whose processes have ended, and has each run. */
  readonly leave: (place: Place, run: RunJob) => Promise<void>;
  /** Takes away all that is left, when the Jobs have completed. */
  readonly remove: (place: Place) => Promise<void>;
}

/** Runs what the Job of an app calls for under this account, and expects it to end with 0. */
type RunJob = (app: Leaving, account: string) => Promise<void>;

type Leaving = (typeof leaving)[number];

/** The apps that put something on objects, each with a Job that takes it back. */
const leaving = ['pvc-protection', 'statefulset-pvc-retention', 'pv-reclaim-honor'] as const;

/** docs/leave.md, for what is installed by `kubectl apply`. */
async function leaveByKustomize({ namespace, folder, kubectl }: Place, run: RunJob): Promise<void> {
  await kubectl([
    ...['delete', 'mutatingwebhookconfiguration,validatingwebhookconfiguration', 'holdfast-pvc-protection'],
    '--ignore-not-found',
  ]);
  for (const app of appNames) {
    await kubectl(['scale', 'deployment', app, `--namespace=${namespace}`, '--replicas=0']);
  }
  for (const app of leaving) {
    await runUninstallJob({ namespace, folder, kubectl }, app, run);
  }
}

/** The Job of deploy/<controller>/uninstall. */
async function runUninstallJob(
  { namespace, folder, kubectl }: Pick<Place, 'namespace' | 'folder' | 'kubectl'>,
  app: Leaving,
  run: RunJob,
): Promise<void> {
  const own = await writeOverlay(folder, { resources: [`${app}/uninstall`], namespace });
  await kubectl(['apply', '--validate=strict', '-k', own]);
  await run(app, app === 'statefulset-pvc-retention' ? app : `${app}-uninstall`);
}

/**
 * `kubectl holdfast uninstall`, which makes the Jobs itself, one after the other, each once the one before it has completed. To pv-reclaim-honor, in
 * one pod with a CSI driver, it says that this is done by hand.
 */
async function leaveByPlugin(place: Place, run: RunJob): Promise<void> {
  const { namespace, kubectl, kubeconfig } = place;
  const main = join(import.meta.dirname, '../../kubectl-holdfast/src/main.ts');
  const uninstalling = promisify(execFile)(process.execPath, [
    ...['--conditions=@holdfast/source', main, 'uninstall', '--yes', '--output=json'],
    ...[`--kubeconfig=${kubeconfig}`, `--namespace=${namespace}`],
  ]).catch((error: unknown) => error as { readonly code: number; readonly stdout: string });
  for (const app of ['pvc-protection', 'statefulset-pvc-retention'] as const) {
    const inNamespace = `--namespace=${namespace}`;
    const selector = `--selector=batch.kubernetes.io/job-name=${app}-uninstall`;
    let pod = '';
    await eventually(
      `the Job of ${app} has a pod`,
      async () =>
        (pod = (await kubectl(['get', 'pods', inNamespace, selector, '--output=name'])).trim()) !== '',
      30_000,
    );
    await run(app, app);
    const status = JSON.stringify({ status: { phase: 'Succeeded' } });
    await kubectl(['patch', pod, inNamespace, '--subresource=status', '--type=merge', `--patch=${status}`]);
  }
  const { stdout, ...end } = await uninstalling;
  const { items } = JSON.parse(stdout) as {
    readonly items: readonly { readonly app: string; readonly result: string }[];
  };
  const results = items.map(({ app, result }) => [app, result]).toSorted();
  expect({ ...end, results }).toMatchObject({
    code: 1,
    results: appNames.map((app) => [app, app === 'pv-reclaim-honor' ? 'byHand' : 'left']).toSorted(),
  });
  await kubectl(['scale', 'deployment', 'pv-reclaim-honor', `--namespace=${namespace}`, '--replicas=0']);
  await runUninstallJob(place, 'pv-reclaim-honor', run);
}

async function removeJobs({ namespace, folder, kubectl }: Place, apps: readonly Leaving[]): Promise<void> {
  for (const app of apps) {
    await kubectl([
      'delete',
      '-k',
      await writeOverlay(folder, { resources: [`${app}/uninstall`], namespace }),
    ]);
  }
}

const overlayOf = ({ namespace, folder }: Place, state: State): Promise<string> =>
  writeOverlay(folder, {
    namespace,
    resources: ['all'],
    components: state === 'older' ? [] : ['pvc-protection/claim-unused-condition'],
    images: appNames.map((app) => ({
      name: `holdfast/${app}`,
      newTag: state === 'older' ? '0.0.9' : '0.1.0',
    })),
    patches:
      state === 'newer, gate off'
        ? [{ target: { kind: 'Deployment', name: 'pvc-protection' }, patch: gateOff }]
        : [],
  });

const gateOff = JSON.stringify([
  {
    op: 'add',
    path: '/spec/template/spec/containers/0/args/-',
    value: '--feature-gates=ClaimUnusedCondition=false',
  },
]);

const oneFile = ({ namespace }: Place, state: State): string => {
  const text = readFileSync(join(deploy, 'install.yaml'), 'utf8').replaceAll('holdfast-system', namespace);
  return state === 'older' ? text.replaceAll(/(image: holdfast\/[a-z-]+:).*/g, '$10.0.9') : text;
};

const forms: readonly Form[] = [
  {
    form: 'kustomize',
    apply: async (place, state) => {
      await place.kubectl(['apply', '--validate=strict', '-k', await overlayOf(place, state)]);
    },
    ofDriver: '',
    hasGate: true,
    surplus: ['clusterrole', 'clusterrolebinding'].map((kind) => `${kind}/holdfast-pvc-protection-condition`),
    leave: leaveByKustomize,
    remove: async (place) => {
      await removeJobs(place, leaving);
      await place.kubectl(['delete', '--ignore-not-found', '-k', await overlayOf(place, 'older')]);
    },
  },
  {
    form: 'one file',
    apply: async (place, state) => {
      await place.kubectl(['apply', '--validate=strict', '-f', '-'], oneFile(place, state));
    },
    ofDriver: '',
    hasGate: false,
    surplus: [],
    leave: leaveByPlugin,
    remove: async (place) => {
      await removeJobs(place, ['pv-reclaim-honor']);
      await place.kubectl(['delete', '--ignore-not-found', '-f', '-'], oneFile(place, 'older'));
    },
  },
  {
    form: 'helm',
    missing: helm.found ? undefined : helm.reason,
    apply: (place, state) => upgrade(place, valuesOf(state)),
    rollBack: (place) => runHelm(place, ['rollback', 'storage', '1']),
    ofDriver: '-example',
    hasGate: true,
    surplus: [],
    leave: async (place, run) => {
      await upgrade(place, valuesOf('older', true));
      for (const app of leaving) {
        await run(app, app === 'statefulset-pvc-retention' ? app : `${app}-uninstall`);
      }
    },
    remove: async (place) => {
      await runHelm(place, ['uninstall', 'storage', '--wait', '--timeout=1m']);
      await place.kubectl(['delete', 'namespace', place.namespace]);
    },
  },
];

function valuesOf(state: State, leave = false): object {
  return {
    image: { tag: state === 'older' ? '0.0.9' : '0.1.0' },
    pvcProtection: {
      leave,
      gates: state === 'older' ? {} : { ClaimUnusedCondition: state === 'newer' },
    },
    statefulsetPvcRetention: { leave },
    pvReclaimHonor: {
      leave,
      drivers: [{ name: 'example', sidecar: { container: { image: 'example.com/csi-driver:latest' } } }],
    },
  };
}

function upgrade(place: Place, values: object): Promise<void> {
  const args = ['upgrade', '--install', 'storage', chart, '--create-namespace', '--values=-'];
  return runHelm(place, args, JSON.stringify(values));
}

async function runHelm(
  { namespace, folder, kubeconfig }: Place,
  args: readonly string[],
  input = '',
): Promise<void> {
  if (!helm.found) {
    throw new Error(helm.reason);
  }
  const running = promisify(execFile)(helm.path, [...args, `--namespace=${namespace}`], {
    env: { HOME: folder, PATH: process.env['PATH'], KUBECONFIG: kubeconfig },
  });
  running.child.stdin?.end(input);
  await running;
}

describeUnless(controlPlaneMissing(options), 'life of an installation on kube-apiserver', () => {
  let plane: RealControlPlane;
  let admin: ApiClient;
  let folder: string;
  let driver: CsiDriver;

  beforeAll(async () => {
    plane = await startRealControlPlane({
      ...options,
      // What it does is what pvc-protection does here.
      disableAdmissionPlugins: ['StorageObjectInUseProtection'],
      auditRules: [
        {
          level: 'Request',
          userGroups: ['system:serviceaccounts'],
          verbs: ['create', 'update', 'patch', 'delete'],
          resources: [{ group: '', resources: ['persistentvolumeclaims'] }],
        },
        { level: 'Metadata', userGroups: ['system:serviceaccounts'] },
        { level: 'None' },
      ],
    });
    admin = connectAs('life-test', plane.kubeconfigFile);
    folder = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-life-')));
    driver = await startCsiDriver({
      // Its name is on volumes, and nothing of ours.
      name: 'csi.example.com',
      folder: join(folder, 'volumes'),
      socket: join(folder, 'csi.sock'),
    });
    await admin.create(storageClasses, undefined, {
      metadata: { name: 'fast', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      provisioner: 'example.com/none',
    });
  }, 90_000);

  afterAll(async () => {
    await admin.close();
    await driver.stop();
    await plane.stop();
    await rm(folder, { recursive: true, force: true });
  }, 60_000);

  const kubectl = async (args: readonly string[], input?: string): Promise<string> => {
    const { code, stdout, stderr } = await plane.kubectl(args, input === undefined ? {} : { input });
    expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
    return stdout;
  };

  for (const { form, missing, apply, rollBack, ofDriver, hasGate, surplus, leave, remove } of forms) {
    describeUnless(missing, `by ${form}, in a namespace of another name`, () => {
      const installed = `storage-${form.replace(' ', '-')}`;
      const data = `data-${form.replace(' ', '-')}`;
      const running = new Map<AppName, RunningApp>();
      const at = (name: string) => ({ namespace: data, name });

      beforeAll(() => admin.create(namespaces, undefined, { metadata: { name: data } }));
      afterAll(() => Promise.all([...running.values()].map((app) => app.stop())));

      const place = (): Place => ({
        namespace: installed,
        folder,
        kubectl,
        kubeconfig: plane.kubeconfigFile,
      });
      /** What the objects of an app are called. */
      const nameOf = (app: AppName, end = ''): string => ofItsDriver(app, `${app}${end}`);
      const ofItsDriver = (app: AppName, name: string): string =>
        `${name}${app === 'pv-reclaim-honor' ? ofDriver : ''}`;

      /** Flags of a process in the place of a pod: those of its container, but for its addresses and sockets, which only a node has. */
      const flagsOf = async (
        kind: ApiResource<Workload>,
        name: string,
        account: string,
      ): Promise<readonly string[]> => {
        const { spec } = await admin.get(kind, { namespace: installed, name });
        expect(spec.template.spec.serviceAccountName).toBe(account);
        const file = join(folder, `${installed}-${account}`);
        await writeFile(
          file,
          await kubeconfigOfAccount(admin, plane.kubeconfig, { namespace: installed, name: account }),
        );
        return [
          ...(spec.template.spec.containers[0]?.args ?? [])
            .filter((flag) => !/^--(metrics|health-probe)-bind-address=/.test(flag))
            .map((flag) =>
              flag
                .replace(/^--csi-address=.*/, `--csi-address=${driver.address}`)
                .replace(/^--webhook-bind-address=.*/, '--webhook-bind-address=127.0.0.1:0'),
            ),
          `--kubeconfig=${file}`,
          `--leader-elect-resource-namespace=${installed}`,
        ];
      };

      const start = async (name: AppName): Promise<RunningApp> =>
        runApp(name, [
          ...(await flagsOf(deployments, nameOf(name), nameOf(name))),
          ...(name === 'pvc-protection' ? [`--webhook-namespace=${installed}`] : []),
        ]);

      const leads = (app: RunningApp): Promise<void> =>
        eventually(
          `${app.name} leads`,
          async () =>
            (await app.metrics()).includes(
              `leader_election_master_status{name="holdfast-${nameOf(app.name)}"} 1`,
            ),
          40_000,
        );

      /** As a Deployment replaces its pods: the new one is there before the old one goes. */
      const replaceAll = async (): Promise<void> => {
        await Promise.all(
          appNames.map(async (name) => {
            const old = running.get(name);
            const next = await start(name);
            running.set(name, next);
            await next.address('metrics');
            if (old !== undefined) {
              expect(await old.stop()).toEqual({ code: 0, signal: null });
            }
            await leads(next);
          }),
        );
      };

      const claimHas = (name: string, finalizer: string) => async (): Promise<boolean> =>
        hasFinalizer(await admin.get(persistentVolumeClaims, at(name)), finalizer);
      const isUnused = async (name: string): Promise<boolean> =>
        (await admin.get(persistentVolumeClaims, at(name))).status?.conditions?.some(
          ({ type }) => type === 'Unused',
        ) === true;

      /** What the accounts of the installation have asked of the API server. */
      const asked = async (): Promise<readonly AuditEvent[]> =>
        (await readFile(plane.auditLogFile ?? '', 'utf8'))
          .trimEnd()
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line) as AuditEvent)
          .filter(
            ({ stage, user }) =>
              stage === 'ResponseComplete' && user.username.startsWith(`system:serviceaccount:${installed}:`),
          );
      /** The patches of a claim itself that were carried out, each as the operations that change it. */
      const patchesOf = async (name: string): Promise<readonly string[]> =>
        (await asked())
          .filter(
            ({ verb, objectRef, responseStatus }) =>
              verb === 'patch' &&
              objectRef?.resource === 'persistentvolumeclaims' &&
              objectRef.subresource === undefined &&
              objectRef.namespace === data &&
              objectRef.name === name &&
              responseStatus?.code === 200,
          )
          .map(({ requestObject = [] }) =>
            requestObject
              .filter(({ op }) => op !== 'test')
              .map(({ op, path }) => `${op} ${path.replace(/\/[-\d]+$/, '')}`)
              .join(', '),
          );

      test('install -> each controller leads under its own account, and does its work', async () => {
        await apply(place(), 'older');
        await replaceAll();
        await admin.create(persistentVolumeClaims, data, claim('held'));
        await admin.create(persistentVolumeClaims, data, claim('kept'));
        await admin.create(pods, data, podWith('held'));
        await driver.addVolume(`disk-${data}`);
        await admin.create(persistentVolumes, undefined, volume(`disk-${data}`, data, driver.name));
        await admin.create(persistentVolumeClaims, data, {
          ...claim('on-disk'),
          spec: { ...claim('on-disk').spec, storageClassName: '', volumeName: `disk-${data}` },
        });
        await admin.create(statefulSets, data, setWith('Delete'));
        await admin.create(persistentVolumeClaims, data, {
          ...claim('data-web-0'),
          metadata: { name: 'data-web-0', labels: { app: 'web' } },
        });
        for (const name of ['held', 'kept', 'on-disk', 'data-web-0']) {
          await eventually(`claim ${name} is protected`, claimHas(name, pvcProtection), 40_000);
        }
        await eventually('the volume is held', async () =>
          hasFinalizer(await admin.get(persistentVolumes, { name: `disk-${data}` }), provisioner),
        );
        await eventually('the claim of the set is tied to it', async () => {
          const { metadata } = await admin.get(persistentVolumeClaims, at('data-web-0'));
          return metadata.ownerReferences?.some(({ kind }) => kind === 'StatefulSet') === true;
        });
        await eventually('the default class is given', async () => {
          const { spec } = await admin.get(persistentVolumeClaims, at('kept'));
          return spec?.storageClassName === 'fast';
        });
      }, 120_000);

      test('auth can-i --list -> each account may do what its manifests say, and nothing besides', async () => {
        const roles = JSON.parse(
          await kubectl([
            ...['get', 'clusterroles,clusterrolebindings,roles,rolebindings'],
            ...[`--namespace=${installed}`, '--output=json'],
          ]),
        ) as { readonly items: readonly RbacObject[] };
        const nobody = await rightsOf(`system:serviceaccount:${installed}:default`);
        for (const app of appNames) {
          const bound = roles.items
            .filter(({ subjects = [] }) =>
              subjects.some(({ name, namespace }) => name === nameOf(app) && namespace === installed),
            )
            .map(({ roleRef }) => `${roleRef?.kind ?? ''} ${roleRef?.name ?? ''}`);
          const declared = roles.items
            .filter(({ kind, metadata }) => bound.includes(`${kind} ${metadata.name}`))
            .flatMap(({ rules = [] }) => rules.flatMap(spelledOut));
          const mine = await rightsOf(`system:serviceaccount:${installed}:${nameOf(app)}`);
          expect(declared.length).toBeGreaterThan(5);
          const own = new Set([...mine].filter((right) => !nobody.has(right)));
          expect([app, own]).toEqual([app, new Set(declared)]);
        }
      }, 60_000);

      test('upgrade with a terminating claim in use -> held all the way, and the new gate works', async () => {
        await admin.delete(persistentVolumeClaims, at('held'));
        await apply(place(), 'newer');
        await replaceAll();
        if (hasGate) {
          await eventually('the new release writes its condition', () => isUnused('kept'), 40_000);
        }
        expect(await patchesOf('held')).toHaveLength(1);
        expect(await claimHas('held', pvcProtection)()).toBe(true);
      }, 120_000);

      test('rollback, the gate turned off before; a claim comes while no controller runs -> held all the way, and that one as soon as one runs', async () => {
        if (hasGate) {
          await apply(place(), 'newer, gate off');
          await replaceAll();
          await eventually('the condition is taken back', async () => !(await isUnused('kept')), 40_000);
        }
        await (rollBack?.(place()) ?? apply(place(), 'older'));
        await Promise.all([...running.values()].map((app) => app.stop()));
        running.clear();
        await admin.create(persistentVolumeClaims, data, claim('late'));
        await replaceAll();
        await eventually('the claim is protected', claimHas('late', pvcProtection), 40_000);
        expect(await patchesOf('held')).toHaveLength(1);
        for (const object of surplus) {
          await kubectl(['delete', object]);
        }
        await admin.delete(pods, at('user'), { gracePeriodSeconds: 0 });
        await eventually('the claim is let go', () => isGone(at('held')), 40_000);
        expect(await patchesOf('held')).toHaveLength(2);
      }, 120_000);

      test('all of this -> nothing was forbidden to any of them', async () => {
        const answers = (await asked()).map(({ responseStatus }) => responseStatus?.code);
        expect(answers.length).toBeGreaterThan(20);
        expect(answers.filter((code) => code === 401 || code === 403)).toStrictEqual([]);
      });

      test('leave, as docs/leave.md says -> each Job ends with 0, and a search of the whole cluster finds nothing', async () => {
        expect(await findings(installed)).not.toStrictEqual([]);
        await Promise.all([...running.values()].map((app) => app.stop()));
        running.clear();
        await leave(place(), async (app, account) => {
          const job = startApp(
            app,
            await flagsOf(jobs, nameOf(app, '-uninstall'), ofItsDriver(app, account)),
          );
          const { code } = await job.exit;
          expect([app, code, code === 0 ? '' : job.stderr()]).toEqual([app, 0, '']);
        });
        await remove(place());
        await eventually(
          'the namespace is gone',
          async () => {
            try {
              await admin.get(namespaces, { name: installed });
              return false;
            } catch (error) {
              return isNotFound(error);
            }
          },
          60_000,
        );
        expect(await findings(installed)).toStrictEqual([]);
        // What was there before is there still.
        for (const name of ['kept', 'late', 'on-disk', 'data-web-0']) {
          expect(
            (await admin.get(persistentVolumeClaims, at(name))).metadata.deletionTimestamp,
          ).toBeUndefined();
        }
        expect(driver.hasVolume(`disk-${data}`)).toBe(true);
      }, 180_000);
    });
  }

  /** Every verb that the API server says an account has, as `spelledOut` spells it. */
  async function rightsOf(user: string): Promise<ReadonlySet<string>> {
    const [, , namespace = ''] = user.split(':');
    const review = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectRulesReview',
      spec: { namespace },
    };
    const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
    const as = [`--as=${user}`, ...groups.map((group) => `--as-group=${group}`)];
    const { status } = JSON.parse(
      await kubectl(
        // The account may not read the kinds that kubectl would check it by.
        ['create', '--filename=-', '--validate=false', '--output=json', ...as],
        JSON.stringify(review),
      ),
    ) as { readonly status: { readonly resourceRules: readonly Rule[] } };
    return new Set(status.resourceRules.flatMap(spelledOut));
  }

  /**
   * All objects of the cluster that bear anything of an installation: its namespace, or its name in name, labels, annotations, finalizers
   * or owner references. Events are left out, which expire, and
   * what the API server no longer wants to be asked for.
   */
  async function findings(namespace: string): Promise<readonly string[]> {
    const kinds = (await kubectl(['api-resources', '--verbs=list', '--output=name'])).trim().split('\n');
    const searched = kinds.filter((kind) => !/^(events|componentstatuses|endpoints)($|\.)/.test(kind));
    const { items } = JSON.parse(
      await kubectl(['get', searched.join(','), '--all-namespaces', '--output=json']),
    ) as { readonly items: readonly FoundObject[] };
    const ours = new RegExp(
      ['holdfast', namespace, `"${pvcProtection}"`, provisioner, '"kind":"StatefulSet"'].join('|'),
    );
    return items
      .filter(({ metadata }) => ours.test(JSON.stringify(metadata)))
      .map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`);
  }

  async function isGone(ref: { readonly namespace: string; readonly name: string }): Promise<boolean> {
    try {
      await admin.get(persistentVolumeClaims, ref);
      return false;
    } catch (error) {
      if (isNotFound(error)) {
        return true;
      }
      throw error;
    }
  }
});

interface Workload extends KubernetesObject {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly serviceAccountName: string;
        readonly containers: readonly { readonly args?: readonly string[] }[];
      };
    };
  };
}

const deployments: ApiResource<Workload> = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
};
const jobs: ApiResource<Workload> = {
  group: 'batch',
  version: 'v1',
  kind: 'Job',
  plural: 'jobs',
  namespaced: true,
};

interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

interface RbacObject {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly rules?: readonly Rule[];
  readonly roleRef?: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly { readonly name: string; readonly namespace?: string }[];
}

interface FoundObject {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** As much of an audit event (audit.k8s.io/v1) as is looked at. */
interface AuditEvent {
  readonly stage: string;
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef?: {
    readonly resource: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly requestObject?: readonly { readonly op: string; readonly path: string }[];
  readonly responseStatus?: { readonly code: number };
}

/** `patch persistentvolumeclaims/status`, `get leases.coordination.k8s.io holdfast-x`. */
function spelledOut({
  apiGroups = [],
  resources = [],
  resourceNames = [''],
  verbs,
}: Rule): readonly string[] {
  return verbs.flatMap((verb) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        (resourceNames.length === 0 ? [''] : resourceNames).map((name) =>
          `${verb} ${resource}${group === '' ? '' : `.${group}`} ${name}`.trim(),
        ),
      ),
    ),
  );
}

function claim(name: string) {
  return {
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  };
}

function volume(name: string, namespace: string, driver: string) {
  return {
    metadata: { name, annotations: { 'pv.kubernetes.io/provisioned-by': driver } },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      persistentVolumeReclaimPolicy: 'Delete',
      storageClassName: '',
      claimRef: { namespace, name: 'on-disk' },
      csi: { driver, volumeHandle: name },
    },
  };
}

/** A pod of a node, which no kubelet runs: it uses the claim until it is deleted. */
function podWith(claimName: string) {
  return {
    metadata: { name: 'user' },
    spec: {
      nodeName: 'node-1',
      containers: [{ name: 'c', image: 'example.com/none' }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
    },
  };
}

function setWith(whenDeleted: string) {
  return {
    metadata: { name: 'web' },
    spec: {
      serviceName: 'web',
      replicas: 1,
      selector: { matchLabels: { app: 'web' } },
      persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled: 'Retain' },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'c', image: 'example.com/none' }] },
      },
      volumeClaimTemplates: [{ ...claim('data'), metadata: { name: 'data' } }],
    },
  };
}
