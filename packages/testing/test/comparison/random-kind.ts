import fc from 'fast-check';
import type { Fields } from '../../../apiserver/test/recorded/kind-requests.ts';
import { builtInResources } from '../../../apiserver/src/resources/registry.ts';
import { apiVersionOf, verbsOf } from '../../../apiserver/src/resources/resource-definition.ts';
import { type Body, metadata } from './random-objects.ts';

/* What random-requests.ts knows of a kind. */

export type { Fields };

export interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  /** Its collection; `$NS` stands for the namespace of the sequence. */
  readonly path: string;
  /** The struct in the schema data; undefined for a custom kind. */
  readonly struct: string | undefined;
  /** Such objects are everybody's: they are named after the namespace, and each is listed by its name alone. */
  readonly isInNoNamespace: boolean;
  /** The name of one of the two objects of a sequence. */
  readonly nameOf: (letter: string) => string;
  readonly body: (name: string) => fc.Arbitrary<Body>;
  /** What is mutated. Default: as `body`. */
  readonly mutable?: (name: string) => fc.Arbitrary<Body>;
  /** What can always be created, besides metadata: the last object of all, whose event shows that a watch is whole. */
  readonly least: Fields;
  /** Merged into an object. */
  readonly changes: readonly Fields[];
  /** Merged into status. */
  readonly statuses: readonly Fields[];
  /** Requests that only this kind knows. */
  readonly own: (one: string) => readonly fc.WeightedArbitrary<string>[];
  /** Every write is a dry run: something in the real server acts on what is there, at a time of its own. */
  readonly isNeverStored: boolean;
  readonly hasDeleteCollection: boolean;
}

/** A kind as a file describes it: where it says nothing, it is as most are. */
interface GivenKind {
  /** Default: `$NS-` and the letter for objects in no namespace, the letter for others. */
  readonly nameOf?: Kind['nameOf'];
  /** What a created object has besides metadata: `least`, and these as often; some may be wrong. Default none. */
  readonly others?: readonly Fields[];
  /** Default: made of `least` and `others`. */
  readonly body?: Kind['body'];
  /** Default: as `body`. */
  readonly mutable?: Kind['body'];
  readonly least: Fields;
  readonly changes?: readonly Fields[];
  readonly statuses?: readonly Fields[];
  readonly own?: Kind['own'];
  readonly isNeverStored?: boolean;
}

/**
 * A kind that every server has.
 *
 * @throws when there is none of that name
 */
export function builtInKind(apiVersion: string, plural: string, given: GivenKind): Kind {
  const definition = builtInResources.find(
    (each) => apiVersionOf(each) === apiVersion && each.plural === plural,
  );
  if (definition === undefined) {
    throw new Error(`no resource "${plural}" of ${apiVersion} is served: name one of the registry`);
  }
  const { namespaced, kind, struct } = definition;
  const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
  const {
    nameOf = (letter: string) => (namespaced ? letter : `$NS-${letter}`),
    least,
    others = [],
    changes = [],
  } = given;
  const body = given.body ?? bodyOf({ apiVersion, kind }, least, others, changes);
  return {
    apiVersion,
    kind,
    plural,
    path: namespaced ? `${root}/namespaces/$NS/${plural}` : `${root}/${plural}`,
    struct,
    isInNoNamespace: !namespaced,
    nameOf,
    body,
    mutable: given.mutable ?? body,
    least,
    changes,
    statuses: given.statuses ?? [],
    own: given.own ?? (() => []),
    isNeverStored: given.isNeverStored ?? false,
    hasDeleteCollection: verbsOf(definition).includes('deletecollection'),
  };
}

/** Objects with what there must be, that with a change, and others. */
function bodyOf(
  type: { readonly apiVersion: string; readonly kind: string },
  least: Fields,
  others: readonly Fields[],
  changes: readonly Fields[],
): Kind['body'] {
  const changed = changes.map((change) => merged(least, change));
  return (name) =>
    fc
      .tuple(metadata(name), fc.constantFrom(least, least, least, ...changed, ...others))
      .map(([meta, fields]) => ({ ...type, ...fields, metadata: meta }));
}

/** As RFC 7396 merges. */
function merged(into: Fields, change: Fields): Fields {
  const out: Record<string, unknown> = { ...into };
  for (const [key, value] of Object.entries(change)) {
    const old = out[key];
    if (value === null) {
      Reflect.deleteProperty(out, key);
    } else {
      out[key] = isFields(value) ? merged(isFields(old) ? old : {}, value) : value;
    }
  }
  return out;
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const text = (value: unknown): string => JSON.stringify(value);

/** The name at the end of an object's path. */
export const nameIn = (one: string): string => one.slice(one.lastIndexOf('/') + 1);

const managers = fc.constantFrom('', 'fieldManager=one', 'fieldManager=two');

/** Queries of a write: a field manager, and at times a dry run or one of `more`. */
export const queries = (...more: string[]): fc.Arbitrary<string> =>
  fc
    .tuple(managers, fc.constantFrom('', '', '', 'dryRun=All', ...more))
    .map((parts) => parts.filter((part) => part !== '').join('&'))
    .map((query) => (query === '' ? '' : `?${query}`));

/** Requests for a subresource that shows the object or a part of it: reads, and merges of what it is given. */
export const partRequests = (
  one: string,
  part: string,
  fields: readonly Fields[],
): readonly fc.WeightedArbitrary<string>[] => [
  { weight: 1, arbitrary: fc.constant(`GET ${one}/${part}`) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(queries(), fc.constantFrom(...fields))
      .map(([query, merged]) => `PATCH:merge ${one}/${part}${query} ${text(merged)}`),
  },
];

const scales: readonly Fields[] = [
  { spec: { replicas: 4 } },
  { spec: { replicas: 0 } },
  { spec: {} },
  { spec: { replicas: -1 } },
  { metadata: { resourceVersion: '$VERSION' }, spec: { replicas: 1 } },
  { metadata: { resourceVersion: '1' }, spec: { replicas: 1 } },
  { metadata: { uid: '$UID' }, spec: { replicas: 2 }, status: { replicas: 7 } },
];

/** Requests for the subresource scale. */
export const scaleRequests = (one: string): readonly fc.WeightedArbitrary<string>[] => [
  ...partRequests(one, 'scale', scales),
  {
    weight: 2,
    arbitrary: fc.tuple(queries(), fc.constantFrom(...scales)).map(([query, { metadata, ...rest }]) => {
      const named = { metadata: { name: nameIn(one), ...(metadata as object | undefined) }, ...rest };
      return `PUT ${one}/scale${query} ${text(named)}`;
    }),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('fieldManager=one', 'fieldManager=two&force=true')
      .map(
        (query) =>
          `PATCH:apply ${one}/scale?${query} {"apiVersion":"autoscaling/v1","kind":"Scale","spec":{"replicas":6}}`,
      ),
  },
  {
    weight: 1,
    arbitrary: fc.constant(
      `PATCH:json ${one}/scale [{"op":"test","path":"/spec/replicas","value":2},{"op":"replace","path":"/spec/replicas","value":3}]`,
    ),
  },
];
