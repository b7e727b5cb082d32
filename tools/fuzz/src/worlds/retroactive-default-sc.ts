import { isUnset, objectIn, type Mutable } from '../json.ts';
import type { Objects } from '../odd-server.ts';
import { inhabitant, metadata, type Inhabitant, type World } from './world.ts';

const isDefaultClass = 'storageclass.kubernetes.io/is-default-class';
const isDefaultClassBeta = 'storageclass.beta.kubernetes.io/is-default-class';
const notWaiting = ['volume.beta.kubernetes.io/storage-class', 'pv.kubernetes.io/bind-completed'];
const core = 'io.k8s.api.core.v1';
const classes = 'storageclasses.storage.k8s.io/';

/** Claims that wait for a class, claims that do not, and classes of which one is the default. */
export function retroactiveDefaultWorld(): World {
  const inhabitants = new Map<string, Inhabitant>();
  const claim = (name: string, more: Mutable, spec: Mutable, namespace = 'shop', canBeOdd = true): void =>
    void inhabitants.set(
      `persistentvolumeclaims/${namespace}/${name}`,
      inhabitant(
        `${core}.PersistentVolumeClaim`,
        {
          metadata: metadata(name, more, namespace),
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
          status: { phase: 'Pending' },
        },
        canBeOdd,
      ),
    );
  const storageClass = (name: string, more: Mutable): void =>
    void inhabitants.set(
      `${classes}/${name}`,
      inhabitant('io.k8s.api.storage.v1.StorageClass', {
        metadata: metadata(name, more),
        provisioner: 'csi.example.com',
        parameters: { type: 'fast' },
      }),
    );
  claim('waiting', { annotations: { note: 'x' } }, {});
  claim('chosen', {}, { storageClassName: 'silver' });
  claim('none', {}, { storageClassName: '' });
  claim('beta', { annotations: { [notWaiting[0] ?? '']: 'silver' } }, {});
  claim('bound', {}, { volumeName: 'pv-bound' });
  claim('good', {}, {}, 'apart', false);
  storageClass('gold', {
    annotations: { [isDefaultClass]: 'true' },
    creationTimestamp: '2026-01-02T00:00:00Z',
  });
  storageClass('old', { annotations: { [isDefaultClass]: 'true' } });
  storageClass('silver', {
    annotations: { [isDefaultClass]: 'false' },
    creationTimestamp: '2026-01-03T00:00:00Z',
  });
  return {
    app: 'retroactive-default-sc',
    root: '',
    inhabitants,
    tempt: (server) => {
      server.put('persistentvolumeclaims/apart/late', {
        metadata: metadata('late', { resourceVersion: server.nextVersion() }, 'apart'),
        spec: {},
      });
    },
    wrongIn: ({ verb, location, before, after, objects }) => {
      if (!location.startsWith('persistentvolumeclaims/') || before === undefined) {
        return undefined;
      }
      const given = objectIn(after?.['spec'])?.['storageClassName'];
      if (verb !== 'patch' || given === objectIn(before['spec'])?.['storageClassName']) {
        return undefined;
      }
      if (mightNotWait(before)) {
        return `${location} was given class ${String(given)}, and might not wait for one`;
      }
      const sure = defaultForSure(objects);
      return given === sure ? undefined : `${location} was given class ${String(given)}, not ${String(sure)}`;
    },
    owed: (objects, odd) => {
      if ([...odd].some((each) => each.startsWith(classes))) {
        return undefined;
      }
      const without = ['good', 'late'].find(
        (name) =>
          objectIn(objects.get(`persistentvolumeclaims/apart/${name}`)?.['spec'])?.['storageClassName'] !==
          'gold',
      );
      return without === undefined ? undefined : `claim apart/${without} has no class`;
    },
    close: () => undefined,
  };
}

function mightNotWait(claim: Readonly<Mutable>): boolean {
  const known = objectIn(claim['metadata']);
  const spec = isUnset(claim['spec']) ? {} : objectIn(claim['spec']);
  const annotations = annotationsOf(known);
  const volume = spec?.['volumeName'];
  return (
    spec === undefined ||
    annotations === undefined ||
    !isUnset(known?.['deletionTimestamp']) ||
    !isUnset(spec['storageClassName']) ||
    !(isUnset(volume) || volume === '') ||
    notWaiting.some((name) => !isUnset(annotations[name]))
  );
}

/** The name of the default class; undefined if there is none, or if an odd one might be it. */
function defaultForSure(objects: Objects): string | undefined {
  let newest: { readonly name: string; readonly made: number } | undefined;
  const candidates = [...objects].flatMap(([location, object]) =>
    location.startsWith(classes) ? [object] : [],
  );
  const doubtful: number[] = [];
  for (const each of candidates) {
    const known = objectIn(each['metadata']);
    const annotations = annotationsOf(known);
    const values = [isDefaultClass, isDefaultClassBeta].map((name) => annotations?.[name]);
    const made = known?.['creationTimestamp'];
    const time = typeof made === 'string' && /^\d{4}-/.test(made) ? Date.parse(made) : NaN;
    const isEnding = typeof known?.['deletionTimestamp'] === 'string';
    if (isEnding) {
      continue;
    }
    if (annotations === undefined || !values.every((value) => isUnset(value) || typeof value === 'string')) {
      doubtful.push(Number.isNaN(time) ? Infinity : time);
    } else if (values.includes('true')) {
      const name = known?.['name'];
      if (typeof name !== 'string' || Number.isNaN(time)) {
        doubtful.push(Infinity);
      } else if (newest === undefined || time > newest.made || (time === newest.made && name < newest.name)) {
        newest = { name, made: time };
      }
    }
  }
  const limit = newest?.made ?? -Infinity;
  return doubtful.some((time) => time >= limit) ? undefined : newest?.name;
}

/** Undefined if they cannot be read. */
function annotationsOf(
  known: Readonly<Record<string, unknown>> | undefined,
): Readonly<Record<string, unknown>> | undefined {
  const { annotations } = known ?? {};
  return isUnset(annotations) ? {} : objectIn(annotations);
}
