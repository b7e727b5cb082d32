import { join } from 'node:path';
import {
  collectionPath,
  finalizers,
  namespaces,
  persistentVolumeClaims,
  persistentVolumes,
  statefulSets,
  storageClasses,
  type KubernetesObject,
  type PersistentVolumeClaim,
} from '@holdfast/core';
import { startCsiDriver } from '@holdfast/testing';
import { json, metadataOnlyList, type ClusterApi, type WatchEvent } from '../cluster-api.ts';
import { holdfastApp } from '../holdfast-app.ts';
import { followProgress } from '../progress.ts';
import {
  claimRefs,
  createClaims,
  createNamespaces,
  deleteClaims,
  listClaims,
  stripFinalizers,
} from '../benchmarks/claims.ts';
import { appByDefault, runToEnd, withApp } from './app-run.ts';
import { countRequests } from './requests-served.ts';
import type { Trial, TrialFigure, TrialStage } from './trial.ts';
import { createVolume, isHeld, removeVolumes } from '../benchmarks/volumes.ts';

/** What an app puts on objects, and how. */
interface Marked {
  readonly app: string;
  /** Additional flags of the app, both while it works and when it uninstalls. */
  readonly flags: readonly string[];
  /** Creates the objects, which the app then marks. */
  prepare(api: ClusterApi, objects: number): Promise<void>;
  readonly resource: typeof persistentVolumeClaims | typeof persistentVolumes;
  /** Whether an object has everything that the app puts on it. */
  isMarked(object: KubernetesObject): boolean;
  /** Whether an object has anything of the app. */
  bearsAnything(object: KubernetesObject): boolean;
}

const namespaceCount = 10;
const driverName = 'csi.example.com';

const conditionsOf = (object: KubernetesObject): readonly { readonly type: string }[] =>
  (object as PersistentVolumeClaim).status?.conditions ?? [];
const hasUnused = (object: KubernetesObject): boolean =>
  conditionsOf(object).some(({ type }) => type === 'Unused');
const isProtected = ({ metadata }: KubernetesObject): boolean =>
  metadata.finalizers?.includes(finalizers.pvcProtection) === true;
const isOwned = ({ metadata }: KubernetesObject): boolean => (metadata.ownerReferences ?? []).length > 0;
const annotationsOfHoldfast = ({ metadata }: KubernetesObject): readonly string[] =>
  Object.keys(metadata.annotations ?? {}).filter((name) => name.startsWith('holdfast.dev/'));

const marked: readonly Marked[] = [
  {
    app: 'pvc-protection',
    flags: ['--feature-gates=ClaimUnusedCondition=true'],
    prepare: (api, objects) => createClaims(api, claimRefs(objects, namespaceCount), []),
    resource: persistentVolumeClaims,
    isMarked: (object) => isProtected(object) && hasUnused(object),
    bearsAnything: (object) => isProtected(object) || hasUnused(object),
  },
  {
    app: 'statefulset-pvc-retention',
    flags: ['--yield-to-stock-controller=false'],
    prepare: createSets,
    resource: persistentVolumeClaims,
    isMarked: isOwned,
    bearsAnything: (object) => isOwned(object) || annotationsOfHoldfast(object).length > 0,
  },
  {
    app: 'pv-reclaim-honor',
    flags: ['--host-path-root=none'],
    prepare: async (api, objects) => {
      await Promise.all(
        Array.from({ length: objects }, (_, index) =>
          createVolume(api, { name: `disk-${String(index)}`, driver: driverName, phase: 'Bound' }),
        ),
      );
    },
    resource: persistentVolumes,
    isMarked: (object) => isHeld(object) && annotationsOfHoldfast(object).length > 0,
    bearsAnything: (object) => isHeld(object) || annotationsOfHoldfast(object).length > 0,
  },
  {
    app: 'retroactive-default-sc',
    flags: [],
    prepare: async (api, objects) => {
      await createDefaultClass(api);
      await createClaims(api, claimRefs(objects, namespaceCount), [], { storageClassName: undefined });
    },
    resource: persistentVolumeClaims,
    isMarked: (object) => (object as PersistentVolumeClaim).spec?.storageClassName === 'standard',
    // From then on the class belongs to the claim.
    bearsAnything: (object) => annotationsOfHoldfast(object).length > 0,
  },
];

/** Measures how long uninstalling takes, how many requests it sends, and whether anything is left. */
export const uninstall: Trial<'objects'> = {
  name: 'uninstall',
  summary:
    'each app takes back with --uninstall, at its default limits, what it has put on claims or volumes',
  sizes: { objects: { default: 5_000, description: 'claims, or volumes of pv-reclaim-honor' } },
  apps: marked.map(({ app }) => app),
  disabledAdmissionPlugins: ['StorageObjectInUseProtection', 'DefaultStorageClass'],
  async measure(stage, { objects }) {
    const figures: TrialFigure[] = [];
    for (const each of marked) {
      figures.push(...(await leave(stage, each, objects)));
    }
    return figures;
  },
};

async function leave(stage: TrialStage, what: Marked, objects: number): Promise<readonly TrialFigure[]> {
  const { api, plane, folder } = stage.arena;
  const { app, resource } = what;
  stage.say(`${app}: preparing ${String(objects)} ${resource.plural}`);
  await cleanUp(api);
  await createNamespaces(api, namespaceCount);
  await what.prepare(api, objects);
  const driver = await startCsiDriver({
    name: driverName,
    folder: join(folder, 'volumes'),
    socket: join(folder, 'csi.sock'),
  });
  const flags = [...what.flags, ...(app === 'pv-reclaim-honor' ? [`--csi-address=${driver.address}`] : [])];
  const bundle = stage.bundleOf(app);
  try {
    const progress = await followProgress(api, {
      resource,
      watched: 'object',
      objects,
      reached: ({ object }: WatchEvent) => what.isMarked(object),
    });
    try {
      await withApp(stage, holdfastApp(bundle, plane.kubeconfigFile, flags), () => progress.done);
    } finally {
      progress.close();
    }
  } finally {
    await driver.stop();
  }
  const list = async (): Promise<readonly KubernetesObject[]> =>
    (await api.get<{ readonly items: readonly KubernetesObject[] }>(collectionPath(resource), json)).items;
  const before = (await list()).filter((object) => what.isMarked(object)).length;
  if (before !== objects) {
    throw new Error(`${app} has marked ${String(before)} of ${String(objects)} ${resource.plural}`);
  }

  const run = async (): Promise<readonly [seconds: number, reads: number, writes: number]> => {
    const requests = await countRequests(plane.auditLogFile ?? '', app);
    const seconds = await runToEnd(
      stage,
      appByDefault(bundle, plane.kubeconfigFile, ['--uninstall', ...flags]),
    );
    const { reads, writes, leaseWrites } = await requests();
    return [seconds, reads, writes - leaseWrites];
  };
  stage.say(`${app}: leaving`);
  const [seconds, reads, writes] = await run();
  const left = (await list()).filter((object) => what.bearsAnything(object)).length;
  stage.say(`${app}: leaving again`);
  const [againSeconds, againReads, againWrites] = await run();
  const count = (title: string, value: number, aim?: number): TrialFigure => ({
    title: `${app}: ${title}`,
    value,
    unit: 'count',
    ...(aim === undefined ? {} : { aim }),
  });
  return [
    { title: `${app}: time`, value: seconds, unit: 'seconds' },
    count('reads', reads),
    count('writes, the lease aside', writes),
    count('objects that bear anything of it afterwards', left, 0),
    { title: `${app}: second run`, value: againSeconds, unit: 'seconds' },
    count('reads of the second run', againReads),
    count('writes of the second run', againWrites, 0),
  ];
}

const setSize = 2;

async function createSets(api: ClusterApi, objects: number): Promise<void> {
  const sets = claimRefs(Math.ceil(objects / setSize), namespaceCount).map(({ namespace }, index) => ({
    namespace,
    name: `set-${String(index)}`,
  }));
  await Promise.all(
    sets.map(({ namespace, name }) => api.post(collectionPath(statefulSets, namespace), setBody(name))),
  );
  const claims = sets.flatMap(({ namespace, name }) =>
    Array.from({ length: setSize }, (_, ordinal) => ({ namespace, name: `data-${name}-${String(ordinal)}` })),
  );
  await createClaims(api, claims.slice(0, objects), []);
}

function setBody(name: string): object {
  const labels = { app: name };
  return {
    metadata: { name },
    spec: {
      replicas: setSize,
      serviceName: name,
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Retain' },
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'main', image: 'registry.example.com/none:1' }] },
      },
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      ],
    },
  };
}

async function createDefaultClass(api: ClusterApi): Promise<void> {
  const path = collectionPath(storageClasses);
  const { items } = await api.get<{ readonly items: readonly KubernetesObject[] | null }>(
    path,
    metadataOnlyList,
  );
  if ((items ?? []).length === 0) {
    await api.post(path, {
      metadata: {
        name: 'standard',
        annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' },
      },
      provisioner: driverName,
    });
  }
}

/** Deletes everything that a trial creates, except namespaces and the class. */
async function cleanUp(api: ClusterApi): Promise<void> {
  await removeVolumes(api);
  const { items } = await api.get<{ readonly items: readonly KubernetesObject[] | null }>(
    collectionPath(namespaces),
    metadataOnlyList,
  );
  const names = (items ?? []).map(({ metadata }) => metadata.name);
  await Promise.all(names.map((name) => api.delete(collectionPath(statefulSets, name))));
  await deleteClaims(api, names);
  await stripFinalizers(api, await listClaims(api));
}
