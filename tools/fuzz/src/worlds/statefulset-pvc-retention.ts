import { isUnset, objectIn, type Mutable } from '../json.ts';
import type { Objects, OddServer } from '../odd-server.ts';
import { inhabitant, metadata, type Inhabitant, type World } from './world.ts';

const core = 'io.k8s.api.core.v1';
const sets = ['statefulsets.apps', 'statefulsets.apps.kruise.io'] as const;
const annotations = {
  whenDeleted: 'holdfast.dev/when-deleted',
  whenScaled: 'holdfast.dev/when-scaled',
} as const;

/** Sets that keep their claims, and sets that do not, when they are scaled down and when they are deleted. */
export function retentionWorld(): World {
  const inhabitants = new Map<string, Inhabitant>();
  const set = (
    name: string,
    replicas: number,
    [whenDeleted, whenScaled]: readonly [string, string],
    {
      plural = sets[0],
      spec = {},
      canBeOdd = true,
    }: { plural?: string; spec?: Mutable; canBeOdd?: boolean } = {},
  ): void => {
    inhabitants.set(
      `${plural}/shop/${name}`,
      inhabitant(
        'io.k8s.api.apps.v1.StatefulSet',
        {
          metadata: metadata(name, { annotations: { note: 'x' } }, 'shop'),
          spec: {
            replicas,
            serviceName: name,
            selector: { matchLabels: { app: name } },
            template: {
              metadata: { labels: { app: name } },
              spec: { containers: [{ name: 'c', image: 'i' }] },
            },
            volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'] } }],
            persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled },
            ...spec,
          },
          status: { replicas },
        },
        canBeOdd,
      ),
    );
    for (let ordinal = 0; ordinal < replicas; ordinal++) {
      const pod = `${name}-${String(ordinal)}`;
      const owner = {
        apiVersion: plural === sets[0] ? 'apps/v1' : 'apps.kruise.io/v1beta1',
        kind: 'StatefulSet',
        name,
        uid: `uid-of-${name}`,
        controller: true,
        blockOwnerDeletion: true,
      };
      inhabitants.set(
        `persistentvolumeclaims/shop/data-${pod}`,
        inhabitant(
          `${core}.PersistentVolumeClaim`,
          {
            metadata: metadata(`data-${pod}`, { annotations: { note: 'x' } }, 'shop'),
            spec: { accessModes: ['ReadWriteOnce'], volumeName: `pv-${pod}` },
            status: { phase: 'Bound' },
          },
          canBeOdd,
        ),
      );
      inhabitants.set(
        `pods/shop/${pod}`,
        inhabitant(
          `${core}.Pod`,
          {
            metadata: metadata(
              pod,
              { labels: { 'statefulset.kubernetes.io/pod-name': pod }, ownerReferences: [owner] },
              'shop',
            ),
            spec: {
              nodeName: 'node-1',
              volumes: [{ name: 'data', persistentVolumeClaim: { claimName: `data-${pod}` } }],
            },
            status: { phase: 'Running' },
          },
          canBeOdd,
        ),
      );
    }
  };
  set('keep', 2, ['Retain', 'Retain']);
  set('shrink', 2, ['Retain', 'Delete']);
  set('end', 1, ['Delete', 'Retain']);
  set('kruise', 2, ['Retain', 'Delete'], { plural: sets[1], spec: { reserveOrdinals: [5, '7-9'] } });
  set('good', 1, ['Delete', 'Retain'], { canBeOdd: false });
  return {
    app: 'statefulset-pvc-retention',
    root: '',
    inhabitants,
    tempt: (server) => {
      for (const name of ['keep', 'shrink', 'kruise']) {
        scaleDown(server, name);
      }
    },
    wrongIn: ({ verb, location, before, after, objects }) => {
      const [plural, namespace, name = ''] = location.split('/');
      if (plural !== 'persistentvolumeclaims' || verb === 'create' || before === undefined) {
        return undefined;
      }
      if (verb === 'delete') {
        return mightBeKept(name, 'whenScaled', objects)
          ? `${location} was deleted, and is to be kept`
          : undefined;
      }
      const added = ownersOf(after).filter(
        ({ uid }) =>
          !ownersOf(before).some((each) => each.uid === uid) && uid !== objectIn(before['metadata'])?.['uid'],
      );
      for (const { kind } of added) {
        const half = kind === 'Pod' ? 'whenScaled' : 'whenDeleted';
        if (namespace !== 'shop' || mightBeKept(name, half, objects)) {
          return `${location} was given to a ${String(kind)}, and is to be kept`;
        }
      }
      return undefined;
    },
    owed: (objects, odd) => {
      // A pod or a claim that cannot be read holds up all decisions in its namespace.
      if ([...odd].some((each) => !each.startsWith('statefulsets'))) {
        return undefined;
      }
      const claim = objects.get('persistentvolumeclaims/shop/data-good-0');
      return ownersOf(claim).some(({ uid }) => uid === 'uid-of-good')
        ? undefined
        : 'claim data-good-0 does not go with its set';
    },
    close: () => undefined,
  };
}

/** Scales down by one: the pod goes, and `replicas` decreases if the set has it. */
function scaleDown(server: OddServer, name: string): void {
  for (const plural of sets) {
    const location = `${plural}/shop/${name}`;
    const set = server.objects.get(location);
    const spec = objectIn(set?.['spec']);
    const known = objectIn(set?.['metadata']);
    if (set !== undefined && known !== undefined && spec !== undefined) {
      server.put(location, {
        ...set,
        metadata: { ...known, resourceVersion: server.nextVersion() },
        spec: { ...spec, ...(spec['replicas'] === 2 ? { replicas: 1 } : {}) },
      });
    }
  }
  server.remove(`pods/shop/${name}-1`);
}

interface Owner {
  readonly kind: unknown;
  readonly uid: unknown;
}

function ownersOf(claim: Readonly<Mutable> | undefined): readonly Owner[] {
  const owners = objectIn(claim?.['metadata'])?.['ownerReferences'];
  return Array.isArray(owners)
    ? owners.map((each: unknown) => ({ kind: objectIn(each)?.['kind'], uid: objectIn(each)?.['uid'] }))
    : [];
}

/**
 * Whether no readable set says that the claim goes. Any deletion requires such a set, whatever else it
 * requires.
 */
function mightBeKept(claimName: string, half: 'whenDeleted' | 'whenScaled', objects: Objects): boolean {
  const all = [...objects].flatMap(([location, object]) =>
    location.startsWith('statefulsets') ? [object] : [],
  );
  return !all.some((set) => saysDelete(set, claimName, half));
}

function saysDelete(set: Readonly<Mutable>, claimName: string, half: 'whenDeleted' | 'whenScaled'): boolean {
  const known = objectIn(set['metadata']);
  const spec = objectIn(set['spec']);
  const name = known?.['name'];
  const templates = spec?.['volumeClaimTemplates'];
  if (spec === undefined || typeof name !== 'string' || !Array.isArray(templates)) {
    return false;
  }
  const ordinals = templates.flatMap((each: unknown) => {
    const stem = `${String(objectIn(objectIn(each)?.['metadata'])?.['name'])}-${name}-`;
    return claimName.startsWith(stem) ? [Number(claimName.slice(stem.length))] : [];
  });
  const field = spec['persistentVolumeClaimRetentionPolicy'];
  const isDelete =
    (isUnset(field) ? undefined : objectIn(field)?.[half]) === 'Delete' ||
    objectIn(known?.['annotations'])?.[annotations[half]] === 'Delete';
  if (!isDelete || ordinals.length === 0) {
    return false;
  }
  return half === 'whenDeleted' || ordinals.some((ordinal) => isUnwanted(spec, ordinal));
}

function isUnwanted(spec: Readonly<Record<string, unknown>>, ordinal: number): boolean {
  const start = isUnset(spec['ordinals']) ? 0 : (objectIn(spec['ordinals'])?.['start'] ?? 0);
  const replicas = spec['replicas'];
  const reserved = isUnset(spec['reserveOrdinals']) ? [] : spec['reserveOrdinals'];
  const areNumbers = [start, replicas].every((each) => Number.isInteger(each) && Number(each) >= 0);
  if (!areNumbers || !Array.isArray(reserved)) {
    return false;
  }
  const areLegible = reserved.every(
    (each) =>
      (typeof each === 'number' && Number.isInteger(each) && each >= 0) ||
      (typeof each === 'string' && /^\d+(-\d+)?$/.test(each)),
  );
  return (
    areLegible &&
    (ordinal < Number(start) || ordinal >= Number(start) + Number(replicas) || reserved.length > 0)
  );
}
