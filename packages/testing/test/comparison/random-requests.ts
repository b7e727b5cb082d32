import fc from 'fast-check';
import { type CustomKind, customKinds } from './custom-kinds.ts';
import { describedKinds } from './described-kinds.ts';
import { mutations } from './mutated.ts';
import { plainKinds } from './plain-kinds.ts';
import { type Fields, type Kind, queries, text } from './random-kind.ts';
import { finalizers, labels, odd } from './random-objects.ts';
import { ruledKinds } from './ruled-kinds.ts';

/* Random requests about a few objects of a few kinds, as the lines that play-requests.ts sends. */

/** The kinds of a sequence, and its requests. */
export interface Sequence {
  /** Created before the first request. */
  readonly definition: Fields | undefined;
  readonly kinds: readonly Kind[];
  readonly requests: readonly string[];
}

/** All that can be created and stay, but for kinds of one's own. */
export const builtInKinds: readonly Kind[] = [...plainKinds, ...ruledKinds, ...describedKinds];

const names = fc.constantFrom('a', 'b');
const validations = fc.constantFrom(
  '',
  '?fieldValidation=Strict',
  '?fieldValidation=Warn',
  '?fieldValidation=Ignore',
  '?fieldValidation=Strict&dryRun=All',
);

const jsonPatches = fc.constantFrom<object>(
  [{ op: 'add', path: '/metadata/labels', value: { z: 'z' } }],
  [{ op: 'add', path: '/metadata/finalizers/-', value: 'e.com/h' }],
  [{ op: 'remove', path: '/metadata/finalizers' }],
  [{ op: 'test', path: '/metadata/finalizers', value: null }],
  [{ op: 'replace', path: '/metadata/finalizers', value: ['e.com/f'] }],
  [{ op: 'remove', path: '/metadata/ownerReferences/0' }],
  [
    { op: 'test', path: '/metadata/uid', value: '$UID' },
    { op: 'add', path: '/metadata/annotations', value: { checked: 'uid' } },
  ],
  [
    { op: 'test', path: '/metadata/resourceVersion', value: '$VERSION' },
    { op: 'add', path: '/metadata/annotations', value: { checked: 'version' } },
  ],
  [
    { op: 'test', path: '/metadata/finalizers/0', value: 'e.com/f' },
    { op: 'remove', path: '/metadata/finalizers/0' },
  ],
  [
    { op: 'copy', from: '/metadata/labels', path: '/metadata/annotations' },
    { op: 'move', from: '/metadata/labels/x', path: '/metadata/labels/w' },
  ],
);

const mergePatches = fc.oneof(
  fc.record({ metadata: fc.record({ labels, finalizers }) }),
  fc.constantFrom<object>(
    { metadata: { finalizers: null } },
    { metadata: { labels: null, ownerReferences: null } },
    { metadata: { resourceVersion: '1' } },
    { metadata: { resourceVersion: '$VERSION', annotations: { sure: 'yes' } } },
    { metadata: { uid: '$UID', annotations: { mine: 'yes' } } },
    { data: { k: '9', l: null } },
    { spec: { replicas: 5 } },
    { spec: { storageClassName: 'slow' } },
    { spec: { volumeName: 'w' } },
    { spec: { resources: { requests: { storage: '3Gi' } } } },
    { spec: { template: { metadata: { annotations: { at: 'now' } } } } },
    { spec: { holderIdentity: 'three', leaseTransitions: 2 } },
    { spec: { persistentVolumeReclaimPolicy: 'Recycle' } },
    { spec: { claimRef: { uid: '1', resourceVersion: '2' } } },
    { spec: { claimRef: null } },
    { spec: { nodeName: 'o' } },
    { spec: { revisionHistoryLimit: -1 } },
    { spec: { tokenRequests: [{ audience: 'c' }] } },
    { metadata: { annotations: { 'volume.beta.kubernetes.io/storage-class': 'slow' } } },
    { stringData: { 'tls.crt': 'y' } },
    { provisioner: 'f' },
    { allowVolumeExpansion: true, metadata: { annotations: { 'e.com/a': 'b' } } },
    { type: 'e.com/u' },
    { spec: { unknown: 1 }, unknown: {} },
    {},
  ),
);

const strategicPatches = fc.constantFrom<object>(
  { metadata: { finalizers: ['e.com/s'] } },
  { metadata: { $patch: 'merge', labels: { s: 's' } } },
  { metadata: { ownerReferences: [{ uid: '1', $patch: 'delete' }] } },
  { spec: { template: { spec: { containers: [{ name: 'c', image: 'k' }] } } } },
  { spec: { template: { spec: { containers: [{ name: 'd', $patch: 'delete' }] } } } },
  { spec: { containers: [{ name: 'c', image: 'k' }] } },
  { metadata: { '$deleteFromPrimitiveList/finalizers': ['e.com/f'] } },
);

const deletions = fc.constantFrom(
  '',
  '?dryRun=All',
  '?propagationPolicy=Foreground',
  '?propagationPolicy=Orphan',
  '?propagationPolicy=Background',
  '?gracePeriodSeconds=0',
  ' {"preconditions":{"uid":"x"}}',
  ' {"preconditions":{"resourceVersion":"1"}}',
  ' {"preconditions":{"uid":"$UID"}}',
  ' {"preconditions":{"resourceVersion":"$VERSION"}}',
  ' {"preconditions":{"uid":"$UID","resourceVersion":"$VERSION"},"propagationPolicy":"Foreground"}',
);

const lists = fc.constantFrom(
  '',
  '?labelSelector=x',
  '?labelSelector=x%3D1,y%20notin%20(2)',
  '?fieldSelector=metadata.name%3Da',
  '?fieldSelector=metadata.name!%3Da&labelSelector=x',
  '?limit=1',
  '?limit=1&labelSelector=x',
  '?limit=1&continue=$CONTINUE',
  '?limit=1&continue=$CONTINUE',
  '?continue=$CONTINUE',
  '?resourceVersion=$NOW&resourceVersionMatch=Exact',
  '?resourceVersion=$THEN&resourceVersionMatch=Exact',
  '?resourceVersion=$THEN&resourceVersionMatch=Exact&limit=1',
  '?resourceVersion=$THEN&limit=1',
  '?resourceVersion=$START&resourceVersionMatch=Exact',
  '?resourceVersion=$NOW&resourceVersionMatch=NotOlderThan',
  '?resourceVersion=$NOW&resourceVersionMatch=NotOlderThan&limit=1',
  '?resourceVersion=$NOW&labelSelector=x',
  '?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion=$NOW',
  '?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&labelSelector=x',
);

const watches = fc.constantFrom(
  '?resourceVersion=$NOW',
  '?resourceVersion=$THEN',
  '?resourceVersion=$NOW&labelSelector=x',
  '?resourceVersion=$NOW&labelSelector=x%3D1',
  '?resourceVersion=$THEN&labelSelector=x%3D1,y',
  '?resourceVersion=$START&fieldSelector=metadata.name!%3Da',
  '?resourceVersion=$THEN&fieldSelector=metadata.name!%3Da&labelSelector=!z',
);

const tables = fc.constantFrom('', '?includeObject=Object', '?includeObject=None', '?includeObject=Metadata');
const collectionDeletions = fc.constantFrom(
  '',
  '?labelSelector=x%3D1',
  '?fieldSelector=metadata.name%3Da',
  '?dryRun=All',
  '?limit=1',
  '?propagationPolicy=Foreground&labelSelector=x,y!%3D2',
  ' {"preconditions":{"uid":"$UID"}}',
);

/** A request about one of the two objects of a kind, or its collection. */
function requestOf(kind: Kind): fc.Arbitrary<string> {
  const requests = names.chain((letter) =>
    fc.oneof(
      ...objectRequests(kind, letter),
      ...collectionRequests(kind, letter),
      ...statusRequests(kind, letter),
    ),
  );
  return kind.isNeverStored ? requests.map(dry) : requests;
}

/** A write as a dry run. */
function dry(line: string): string {
  const [verb = '', path = '', ...body] = line.split(' ');
  if (/^(GET|AS)/.test(verb) || path.includes('dryRun')) {
    return line;
  }
  return [verb, `${path}${path.includes('?') ? '&' : '?'}dryRun=All`, ...body].join(' ');
}

function objectRequests(kind: Kind, letter: string): fc.WeightedArbitrary<string>[] {
  const { path, body, changes, struct } = kind;
  const name = kind.nameOf(letter);
  const one = `${path}/${name}`;
  const merges = changes.length === 0 ? mergePatches : fc.oneof(mergePatches, fc.constantFrom(...changes));
  return [
    { weight: 6, arbitrary: fc.tuple(queries(), body(name)).map(([q, b]) => `POST ${path}${q} ${text(b)}`) },
    { weight: 3, arbitrary: fc.tuple(queries(), body(name)).map(([q, b]) => `PUT ${one}${q} ${text(b)}`) },
    {
      weight: 1,
      arbitrary: fc.tuple(validations, odd(body(name))).map(([q, b]) => `POST ${path}${q} ${text(b)}`),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(validations, odd(body(name))).map(([q, b]) => `PUT ${one}${q} ${text(b)}`),
    },
    {
      weight: 4,
      arbitrary: fc
        .tuple(queries('fieldValidation=Strict', 'fieldValidation=Ignore'), merges)
        .map(([q, p]) => `PATCH:merge ${one}${q} ${text(p)}`),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(queries(), jsonPatches).map(([q, p]) => `PATCH:json ${one}${q} ${text(p)}`),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(queries(), strategicPatches)
        .map(([q, p]) => `PATCH:strategic ${one}${q} ${text(p)}`),
    },
    {
      weight: 4,
      arbitrary: fc
        .tuple(
          fc.constantFrom('one', 'two', 'kubectl'),
          fc.constantFrom('', '&force=true', '&dryRun=All'),
          body(name),
        )
        .map(([m, q, b]) => `PATCH:apply ${one}?fieldManager=${m}${q} ${text(b)}`),
    },
    { weight: 3, arbitrary: deletions.map((options) => `DELETE ${one}${options}`) },
    { weight: 1, arbitrary: fc.constantFrom('', '?resourceVersion=$NOW').map((q) => `GET ${one}${q}`) },
    { weight: 1, arbitrary: tables.map((query) => `GET:table ${one}${query}`) },
    { weight: 1, arbitrary: fc.constant(`GET:metadata ${one}`) },
    ...(struct === undefined
      ? []
      : [
          {
            weight: 4,
            arbitrary: fc
              .tuple(
                fc.constantFrom('', '', '&fieldValidation=Strict'),
                mutations(struct, (kind.mutable ?? body)(name)),
              )
              .map(([q, b]) => `TRY:POST ${path}?dryRun=All${q} ${text(b)}`),
          },
        ]),
    ...kind.own(one),
  ];
}

function collectionRequests(kind: Kind, letter: string): fc.WeightedArbitrary<string>[] {
  const { path, isInNoNamespace, hasDeleteCollection, body } = kind;
  const ofOne = `fieldSelector=metadata.name%3D${kind.nameOf(letter)}`;
  if (isInNoNamespace) {
    return [
      {
        weight: 2,
        arbitrary: fc
          .constantFrom('GET', 'GET:table', 'GET:metadatalist')
          .map((get) => `${get} ${path}?${ofOne}`),
      },
      ...(hasDeleteCollection ? [{ weight: 1, arbitrary: fc.constant(`DELETE ${path}?${ofOne}`) }] : []),
    ];
  }
  return [
    ...(hasDeleteCollection
      ? [{ weight: 1, arbitrary: collectionDeletions.map((query) => `DELETE ${path}${query}`) }]
      : []),
    { weight: 3, arbitrary: lists.map((query) => `GET ${path}${query}`) },
    // Without a last object, none is whole.
    ...(kind.isNeverStored
      ? []
      : [
          {
            weight: 2,
            arbitrary: fc
              .tuple(fc.constantFrom('WATCH', 'WATCH', 'WATCH:table', 'WATCH:metadata'), watches)
              .map(([watch, query]) => `${watch} ${path}${query}`),
          },
        ]),
    {
      weight: 1,
      arbitrary: tables.map((query) => `GET:table ${path}${query}`),
    },
    { weight: 1, arbitrary: fc.constant(`GET:metadatalist ${path}`) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(queries(), body(letter))
        .map(
          ([q, b]) =>
            `POST ${path}${q} ${text({ ...b, metadata: { ...b.metadata, name: undefined, generateName: 'g$INDEX-' } })}`,
        ),
    },
  ];
}

function statusRequests(kind: Kind, letter: string): fc.WeightedArbitrary<string>[] {
  if (kind.statuses.length === 0) {
    return [];
  }
  const name = kind.nameOf(letter);
  const one = `${kind.path}/${name}`;
  const status = fc.constantFrom(...kind.statuses);
  // Of these, the real server looks whether a write to status may create an object, which it never does.
  const mayCreate = ['services', 'validatingadmissionpolicies'].includes(kind.plural);
  return [
    {
      weight: 3,
      arbitrary: fc.tuple(queries(), status).map(([q, s]) => `PATCH:merge ${one}/status${q} ${text(s)}`),
    },
    {
      weight: mayCreate ? 0 : 2,
      arbitrary: fc
        .tuple(queries(), kind.body(name), status)
        .map(([q, b, s]) => `PUT ${one}/status${q} ${text({ ...b, ...s, metadata: b.metadata })}`),
    },
    {
      weight: mayCreate ? 0 : 1,
      arbitrary: fc
        .tuple(fc.constantFrom('', '&force=true'), status)
        .map(
          ([q, s]) =>
            `PATCH:apply ${one}/status?fieldManager=three${q} ${text({ apiVersion: kind.apiVersion, kind: kind.kind, ...s })}`,
        ),
    },
    { weight: 1, arbitrary: fc.constant(`GET ${one}/status`) },
  ];
}

/** Sequences of requests in one namespace, each about a few kinds. */
export function randomSequences(maxLength: number): fc.Arbitrary<Sequence> {
  const few = (kinds: readonly Kind[]): fc.Arbitrary<Kind[]> =>
    fc.uniqueArray(fc.constantFrom(...kinds), {
      minLength: 1,
      maxLength: 3,
      // What two groups serve from the same objects is never in one sequence.
      selector: ({ plural }) => plural,
    });
  const none: fc.Arbitrary<CustomKind | undefined> = fc.constant(undefined);
  return fc
    .tuple(
      fc.oneof(few(plainKinds), few(builtInKinds), few(builtInKinds)),
      fc.oneof({ weight: 7, arbitrary: none }, { weight: 1, arbitrary: customKinds }),
    )
    .chain(([builtIn, custom]) => {
      const kinds = custom === undefined ? builtIn : [...builtIn.slice(0, 1), custom.kind];
      const requests = fc.array(fc.oneof(...kinds.map(requestOf)), { minLength: 1, maxLength, size: 'max' });
      return requests.map((lines) => ({ definition: custom?.definition, kinds, requests: lines }));
    });
}
