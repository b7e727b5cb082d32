import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
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
import { connectAs } from '../../src/cluster.ts';
import { appNames, runApp, type AppName, type RunningApp } from '../four-apps.ts';
import { type Form, type Place } from './form.ts';

/*
 * The life of an installation, from the first `kubectl apply` to a search that finds nothing left, for each form in
 * which it comes. Nodes there are none: whatever a pod would run, a process does, with the arguments of the pod and a
 * token of its service account.
 */

const options = {
  backend: 'real',
  release: '1.36',
  controllers: [
    ...['namespace-controller', 'garbage-collector-controller', 'persistentvolume-binder-controller'],
    'job-controller',
    // `kubectl holdfast uninstall` waits until the status of a Deployment is of its newest generation.
    'deployment-controller',
  ],
} as const;
const pvcProtection = 'kubernetes.io/pvc-protection';
const provisioner = 'external-provisioner.volume.kubernetes.io/finalizer';

/** Declares the tests of an installation that comes in this form. */
export function tellLife(form: Form): void {
  describeUnless(
    controlPlaneMissing(options) ?? form.missing,
    `life of an installation by ${form.form}, on kube-apiserver`,
    () => {
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

      const { apply, rollBack, ofDriver, hasGate, surplus, leave, remove } = form;
      describe('in a namespace of another name', () => {
        const installed = `storage-${form.form.replace(' ', '-')}`;
        const data = `data-${form.form.replace(' ', '-')}`;
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

        /**
         * Flags of a process in the place of a pod: those of its container, but for its addresses and sockets, which
         * only a node has.
         */
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
                stage === 'ResponseComplete' &&
                user.username.startsWith(`system:serviceaccount:${installed}:`),
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

      /** Every verb that the API server says an account has, as `spelledOut` spells it. */
      async function rightsOf(user: string): Promise<ReadonlySet<string>> {
        const [, , namespace = ''] = user.split(':');
        const review = {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SelfSubjectRulesReview',
          spec: { namespace },
        };
        const groups = [
          'system:serviceaccounts',
          `system:serviceaccounts:${namespace}`,
          'system:authenticated',
        ];
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
       * All objects of the cluster that bear anything of an installation: its namespace, or its name in name, labels,
       * annotations, finalizers or owner references. Events are left out, which expire, and what the API server no
       * longer wants to be asked for.
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
    },
  );
}

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
