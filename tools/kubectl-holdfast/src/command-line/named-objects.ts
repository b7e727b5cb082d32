import { quoted, UsageError } from '@holdfast/runtime';
import type { Kind } from './request.ts';

/** The names that kubectl accepts for the kinds. */
const kinds: Readonly<Record<string, Kind>> = {
  pvc: 'pvc',
  persistentvolumeclaim: 'pvc',
  persistentvolumeclaims: 'pvc',
  pv: 'pv',
  persistentvolume: 'pv',
  persistentvolumes: 'pv',
  sts: 'sts',
  statefulset: 'sts',
  statefulsets: 'sts',
  'statefulset.apps': 'sts',
  'statefulsets.apps': 'sts',
  sc: 'sc',
  storageclass: 'sc',
  storageclasses: 'sc',
  'storageclass.storage.k8s.io': 'sc',
  'storageclasses.storage.k8s.io': 'sc',
};

/** Returns the kind that kubectl calls so; undefined if it is none of these. */
export function kindOf(type: string): Kind | undefined {
  const name = type.toLowerCase();
  return Object.hasOwn(kinds, name) ? kinds[name] : undefined;
}

/** Reads `pvc data-web-0` or `pvc/data-web-0`, as kubectl does. */
export function objectOf(
  words: readonly string[],
  usage: string,
): { readonly kind: Kind; readonly name: string } {
  const { type, name } = typeAndName(words, usage);
  const kind = kindOf(type);
  if (kind === undefined) {
    throw new UsageError(`${quoted(type)} is not a known kind; use pvc, pv, sts or sc`);
  }
  return { kind, name: name() };
}

/** Reads `sts web`, or `statefulsets.apps.kruise.io web`, whose kind the cluster knows. */
export function setOf(words: readonly string[]): { readonly of: string | undefined; readonly name: string } {
  const { type, name } = typeAndName(words, 'plan sts NAME --replicas N | --delete');
  const kind = kindOf(type);
  if (kind !== 'sts' && (kind !== undefined || !type.includes('.'))) {
    throw new UsageError(
      `plan is for StatefulSets, and for kinds like them named with their group, not for ${quoted(type)}: plan sts NAME`,
    );
  }
  return { of: kind === 'sts' ? undefined : type, name: name() };
}

/**
 * Reads a type and a name.
 *
 * @returns `name`, which throws UsageError if there is not exactly one name; it throws late so that a wrong
 *   type is reported first
 */
function typeAndName(
  words: readonly string[],
  usage: string,
): { readonly type: string; readonly name: () => string } {
  const [first = '', ...rest] = words;
  const [type = '', ...names] = first.includes('/') ? [...first.split('/'), ...rest] : [first, ...rest];
  if (type === '') {
    throw new UsageError(`name an object: kubectl holdfast ${usage}`);
  }
  return {
    type,
    name: () => {
      const [only, ...more] = names;
      if (only === undefined || only === '' || more.length > 0) {
        throw new UsageError(`name one object: kubectl holdfast ${usage}`);
      }
      return only;
    },
  };
}
