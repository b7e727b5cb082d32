import { describe, expect, test } from '@jest/globals';
import {
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  statefulSets,
  storageClasses,
  volumeAttachments,
  type ApiResource,
  type KubernetesObject,
  type PersistentVolumeClaim,
  type Pod,
} from '@holdfast/core';
import fc from 'fast-check';
import type { FieldTree } from '../../src/wire/field-tree.ts';
import { kinds, type Message } from '../../src/wire/kubernetes-messages.ts';
import { createProjection, type Fields, type Projection } from '../../src/wire/projection.ts';
import { encodeStruct } from './go-encoder.ts';
import { goJson } from './go-json.ts';

interface Kind {
  readonly struct: string;
  readonly resource: ApiResource<KubernetesObject>;
}

const readable: readonly Kind[] = [
  { struct: 'core.v1.Pod', resource: pods },
  { struct: 'core.v1.PersistentVolumeClaim', resource: persistentVolumeClaims },
  { struct: 'core.v1.PersistentVolume', resource: persistentVolumes },
  { struct: 'storage.v1.StorageClass', resource: storageClasses },
  { struct: 'storage.v1.VolumeAttachment', resource: volumeAttachments },
  { struct: 'apps.v1.StatefulSet', resource: statefulSets },
];

function messageOf({ struct }: Kind): Message {
  const [group, version, kind] = struct.split('.') as [string, string, string];
  const apiVersion = { core: version, apps: `apps/${version}`, storage: `storage.k8s.io/${version}` }[group];
  const message = kinds.get(`${apiVersion ?? ''} ${kind}`);
  if (message === undefined) {
    throw new Error(`${struct} is not known`);
  }
  return message;
}

/** Keeps all that the codec knows of a message. */
function everything(message: Message): FieldTree {
  return Object.fromEntries(
    Object.entries(message).map(([name, { type, form }]): readonly [string, FieldTree[string]] => {
      if (typeof type !== 'object') {
        return [name, true];
      }
      const tree = everything(type);
      return [name, form === 'list' ? ([tree] as const) : tree];
    }),
  );
}

/** A part of a tree, at random. */
function partOf(tree: FieldTree): fc.Arbitrary<FieldTree> {
  const entries = Object.entries(tree).map(([name, kept]) => {
    const part: fc.Arbitrary<FieldTree[string]> =
      kept === true
        ? fc.constant<true>(true)
        : isTree(kept)
          ? partOf(kept)
          : partOf(kept[0]).map((each) => [each] as const);
    return fc.option(part, { nil: undefined }).map((some) => [name, some] as const);
  });
  return fc
    .tuple(...entries)
    .map((all) =>
      Object.fromEntries(all.flatMap(([name, kept]) => (kept === undefined ? [] : [[name, kept]]))),
    );
}

function isTree(kept: FieldTree[string]): kept is FieldTree {
  return !Array.isArray(kept);
}

function fromProtobuf(projection: Projection<KubernetesObject>, struct: string, json: object): object {
  const bytes = encodeStruct(struct, json as Record<string, unknown>);
  if (projection.fromProtobuf === undefined) {
    throw new Error('cannot be read as protobuf');
  }
  return projection.fromProtobuf({ bytes, at: 0 }, bytes.length);
}

const project = (kind: Kind, tree: FieldTree): Projection<KubernetesObject> =>
  createProjection(kind.resource, tree as Fields<KubernetesObject>);

describe.each(readable)('$struct', (kind) => {
  const all = everything(messageOf(kind));

  test('any object -> JSON and protobuf give the same of all fields that are known', () => {
    const projection = project(kind, all);
    fc.assert(
      fc.property(goJson(kind.struct), (json) => {
        const object = json as unknown as KubernetesObject;
        expect(fromProtobuf(projection, kind.struct, json)).toEqual(projection.fromJson(object));
      }),
      { numRuns: 100 },
    );
  });

  test('any object, any choice of fields -> JSON and protobuf give the same', () => {
    fc.assert(
      fc.property(goJson(kind.struct), partOf(all), (json, tree) => {
        const projection = project(kind, tree);
        const object = json as unknown as KubernetesObject;
        expect(fromProtobuf(projection, kind.struct, json)).toEqual(projection.fromJson(object));
      }),
      { numRuns: 100 },
    );
  });
});

describe('what is kept', () => {
  const metadata = { name: 'data', namespace: 'shop', uid: 'u', resourceVersion: '7' };
  const both = <T extends KubernetesObject>(
    resource: ApiResource<T>,
    struct: string,
    fields: Fields<T>,
    json: Record<string, unknown>,
  ): readonly object[] => {
    const projection = createProjection(resource, fields) as Projection<KubernetesObject>;
    return [projection.fromJson(json as unknown as KubernetesObject), fromProtobuf(projection, struct, json)];
  };
  const claim = (fields: Fields<PersistentVolumeClaim>, json: object) =>
    both(persistentVolumeClaims, 'core.v1.PersistentVolumeClaim', fields, {
      metadata,
      spec: {},
      status: {},
      ...json,
    });

  test('no field -> name, namespace, UID and version all the same', () => {
    const labelled = { ...metadata, labels: { a: 'b' }, generation: 3 };
    expect(claim({}, { metadata: labelled })).toEqual([{ metadata }, { metadata }]);
  });

  test.each<{ what: string; spec: object; kept: object }>([
    { what: 'pointer to an empty string', spec: { storageClassName: '' }, kept: { storageClassName: '' } },
    { what: 'pointer to nothing', spec: {}, kept: {} },
    { what: 'string that is no pointer', spec: { volumeName: 'pv-1' }, kept: { volumeName: 'pv-1' } },
  ])('$what -> as JSON has it', ({ spec, kept }) => {
    const result = claim({ spec: { storageClassName: true, volumeName: true } }, { spec });
    expect(result).toEqual([
      { metadata, spec: kept },
      { metadata, spec: kept },
    ]);
  });

  test('owner that is no controller -> says so', () => {
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'web', uid: 'p', controller: false };
    const result = claim(
      {
        metadata: {
          ownerReferences: [{ apiVersion: true, kind: true, name: true, uid: true, controller: true }],
        },
      },
      { metadata: { ...metadata, ownerReferences: [owner] } },
    );
    const expected = { metadata: { ...metadata, ownerReferences: [owner] } };
    expect(result).toEqual([expected, expected]);
  });

  test('time, and a number that may be zero -> as JSON has them', () => {
    const deleted = {
      ...metadata,
      deletionTimestamp: '2026-11-21T12:00:07Z',
      deletionGracePeriodSeconds: 0,
    };
    const result = claim(
      { metadata: { deletionTimestamp: true, deletionGracePeriodSeconds: true } },
      { metadata: deleted },
    );
    expect(result).toEqual([{ metadata: deleted }, { metadata: deleted }]);
  });

  test.each<{ annotations: object; kept: object }>([
    { annotations: { a: '1', b: '2' }, kept: { a: '1' } },
    { annotations: { a: '' }, kept: { a: '' } },
    { annotations: { b: '2' }, kept: {} },
  ])('annotations $annotations by name -> $kept', ({ annotations, kept }) => {
    const expected = { metadata: { ...metadata, annotations: kept } };
    expect(
      claim({ metadata: { annotations: { a: true } } }, { metadata: { ...metadata, annotations } }),
    ).toEqual([expected, expected]);
  });

  test.each<{ what: string; volumes: readonly object[] | undefined; kept: object }>([
    {
      what: 'some with a claim',
      volumes: [
        { name: 'data', persistentVolumeClaim: { claimName: 'c', readOnly: true } },
        { name: 'settings', configMap: { name: 's' } },
        { name: 'scratch', ephemeral: { volumeClaimTemplate: { spec: { resources: {} } } } },
      ],
      kept: {
        volumes: [
          { name: 'data', persistentVolumeClaim: { claimName: 'c' } },
          { name: 'scratch', ephemeral: {} },
        ],
      },
    },
    { what: 'none with a claim', volumes: [{ name: 'settings', configMap: { name: 's' } }], kept: {} },
    { what: 'none at all', volumes: undefined, kept: {} },
  ])('volumes of a pod, $what -> those, and no list where there are none', ({ volumes, kept }) => {
    const fields: Fields<Pod> = {
      spec: {
        volumes: [
          { name: true, persistentVolumeClaim: { claimName: true }, ephemeral: {} },
          { withAnyOf: ['persistentVolumeClaim', 'ephemeral'] },
        ],
      },
    };
    const spec = { containers: [], ...(volumes === undefined ? {} : { volumes }) };
    expect(both(pods, 'core.v1.Pod', fields, { metadata, spec, status: {} })).toEqual([
      { metadata, spec: kept },
      { metadata, spec: kept },
    ]);
  });
});

describe('where there is no protobuf', () => {
  test.each<{ what: string; resource: ApiResource<KubernetesObject>; fields: object }>([
    {
      what: 'kind that only JSON has',
      resource: { group: 'example.com', version: 'v1', kind: 'Shop', plural: 'shops', namespaced: true },
      fields: {},
    },
    { what: 'field that the codec does not know', resource: pods, fields: { spec: { affinity: {} } } },
  ])('$what -> read as JSON', ({ resource, fields }) => {
    const projection = createProjection(resource, fields as Fields<KubernetesObject>);
    expect(projection).not.toHaveProperty('fromProtobuf');
    const object = { metadata: { name: 'a', uid: 'u', resourceVersion: '1' } };
    expect(projection.fromJson({ ...object, more: true } as KubernetesObject)).toEqual(object);
  });
});

test('filter by a field that is not kept -> refused: no message would ever be', () => {
  expect(() =>
    createProjection(pods, { spec: { volumes: [{ name: true }, { withAnyOf: ['ephemeral'] }] } }),
  ).toThrow('withAnyOf names "ephemeral"');
});

test('bytes cut anywhere -> an error, never an object', () => {
  const kind: Kind = { struct: 'core.v1.PersistentVolumeClaim', resource: persistentVolumeClaims };
  const read = project(kind, everything(messageOf(kind))).fromProtobuf;
  fc.assert(
    fc.property(
      goJson(kind.struct),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (json, share) => {
        const whole = encodeStruct(kind.struct, json);
        const bytes = whole.subarray(0, Math.floor(whole.length * share));
        expect(() => read?.({ bytes, at: 0 }, whole.length)).toThrow('protobuf');
      },
    ),
    { numRuns: 100 },
  );
});
