import { describe, expect, test } from '@jest/globals';
import type {
  ApiResource,
  JsonPatch,
  KubernetesObject,
  ObjectRef,
  PersistentVolume,
  PersistentVolumeClaim,
} from '@holdfast/core';
import { ApiError, type ConnectedClient } from '@holdfast/runtime';
import { answerKeep, type KeepRequest } from '../src/answers/keep.ts';
import { answerUndo } from '../src/answers/survey.ts';
import { NothingPending } from '../src/cluster/not-found.ts';
import { claimOf, namespace, now, volumeOf } from './objects.ts';

/** After any clock. */
const later = '2126-01-01T00:00:00Z';

function markedClaim(ordinal: number, more: { readonly deletedAt?: string } = {}): PersistentVolumeClaim {
  const uid = `uid-of-data-web-${String(ordinal)}`;
  return claimOf(ordinal, {
    ...more,
    annotations: {
      'holdfast.dev/delete-after': later,
      'holdfast.dev/delete-after-uid': uid,
      'holdfast.dev/delete-after-scale-down': `StatefulSet.apps/web/uid-of-web/${uid}`,
    },
  });
}

function markedVolume(more: { readonly deletedAt?: string; readonly due?: string } = {}): PersistentVolume {
  return volumeOf(
    'Retain',
    {
      finalizers: ['holdfast.dev/undo-window'],
      annotations: {
        'holdfast.dev/reclaim-policy': 'Delete',
        'holdfast.dev/delete-after': more.due ?? later,
        'holdfast.dev/delete-after-uid': 'uid-of-pv-1',
        'holdfast.dev/delete-after-claim-uid': 'uid-of-data-web-0',
      },
    },
    { phase: 'Released', ...more },
  );
}

const refused = (what: string) => new ApiError(what, 403, { reason: 'Forbidden' });

/** @param before called before each get and list. */
function cluster(
  objects: readonly (PersistentVolumeClaim | PersistentVolume)[],
  before: (verb: 'list' | 'get' | 'patch', plural: string, name: string) => void = () => undefined,
) {
  const kept = new Map(objects.map((each) => [each.metadata.name, each]));
  const asked: string[] = [];
  const look = (
    verb: 'list' | 'get' | 'patch',
    { plural }: ApiResource<KubernetesObject>,
    name = '',
  ): void => {
    asked.push(`${verb} ${plural}${name === '' ? '' : `/${name}`}`);
    before(verb, plural, name);
  };
  const stored = (name: string): KubernetesObject => {
    const found = kept.get(name);
    if (found === undefined) {
      throw new ApiError('GET', 404, { reason: 'NotFound', details: { name } });
    }
    return found;
  };
  const client = {
    serverTime: () => new Date(now),
    // Deployments and leases.
    list: () => Promise.resolve({ metadata: { resourceVersion: '1' }, items: [] }),
    listPages: async function* (resource: ApiResource<KubernetesObject>) {
      await Promise.resolve();
      look('list', resource);
      const isClaims = resource.plural === 'persistentvolumeclaims';
      yield {
        metadata: { resourceVersion: '1' },
        items: [...kept.values()].filter(({ metadata }) => (metadata.namespace !== undefined) === isClaims),
      };
    },
    get: async (resource: ApiResource<KubernetesObject>, { name }: ObjectRef) => {
      await Promise.resolve();
      look('get', resource, name);
      return stored(name);
    },
    patch: async (resource: ApiResource<KubernetesObject>, { name }: ObjectRef, patch: JsonPatch) => {
      await Promise.resolve();
      look('patch', resource, name);
      const found = stored(name);
      expect(patch[0]).toEqual({ op: 'test', path: '/metadata/uid', value: found.metadata.uid });
      return found;
    },
  };
  return { client: client as unknown as ConnectedClient, asked, kept };
}

const all: KeepRequest = { these: undefined, namespace, allNamespaces: false };
const yes = () => Promise.resolve(true);
const resultsOf = ({ object }: { readonly object: object }) =>
  (object as { items: readonly { name: string; result: string; note: string }[] }).items.map(
    ({ name, result, note }) => [name, result, note],
  );

describe('keep', () => {
  test('claim deleted and made anew while the question was open -> gone, not kept', async () => {
    const { client, kept, asked } = cluster([markedClaim(1)]);
    const anew = claimOf(1);
    const answered = await answerKeep(client, all, () => {
      kept.set('data-web-1', { ...anew, metadata: { ...anew.metadata, uid: 'uid-of-another' } });
      return Promise.resolve(true);
    });
    expect(resultsOf(answered)).toEqual([
      ['data-web-1', 'gone', expect.stringMatching(/another.*of its name/)],
    ]);
    expect(answered.code).toBe(1);
    expect(asked.filter((each) => each.startsWith('patch'))).toStrictEqual([]);
  });

  test('claim made anew, and marked as well -> left alone: nobody has said that it is to be kept', async () => {
    const { client, kept, asked } = cluster([markedClaim(1)]);
    const uid = 'uid-of-another';
    const { metadata, ...rest } = markedClaim(1);
    const annotations = {
      ...metadata.annotations,
      'holdfast.dev/delete-after-uid': uid,
      'holdfast.dev/delete-after-scale-down': `StatefulSet.apps/web/uid-of-web/${uid}`,
    };
    const { code } = await answerKeep(client, all, () => {
      kept.set('data-web-1', { ...rest, metadata: { ...metadata, uid, annotations } });
      return Promise.resolve(true);
    });
    expect(code).toBe(1);
    expect(asked.filter((each) => each.startsWith('patch'))).toStrictEqual([]);
  });

  test('one of three may not be read by now -> that one failed, the others kept, all said', async () => {
    const { client } = cluster([markedClaim(1), markedClaim(2), markedClaim(3)], (verb, plural, name) => {
      if (verb === 'get' && name === 'data-web-2') {
        throw refused(`GET ${plural}/${name}`);
      }
    });
    const answered = await answerKeep(client, all, yes);
    expect(answered.code).toBe(1);
    expect(resultsOf(answered).map(([name, result]) => [name, result])).toEqual([
      ['data-web-1', 'kept'],
      ['data-web-2', 'failed'],
      ['data-web-3', 'kept'],
    ]);
  });

  test('many of one namespace that go before that of another -> the namespaces take turns', async () => {
    const moved = markedClaim(9);
    const other = { ...moved, metadata: { ...moved.metadata, namespace: 'bank' } };
    const { client } = cluster([...[1, 2, 3].map((each) => markedClaim(each)), other]);
    const answered = await answerKeep(client, { ...all, allNamespaces: true }, yes);
    expect(resultsOf(answered).map(([name]) => name)).toEqual([
      'data-web-1',
      'data-web-9',
      'data-web-2',
      'data-web-3',
    ]);
  });

  test.each(['get', 'patch'] as const)(
    'API server ceases to answer at the second %s -> the first is said to be kept, the third is not tried',
    async (at) => {
      const { client, asked } = cluster([markedClaim(1), markedClaim(2), markedClaim(3)], (verb, _, name) => {
        if (verb === at && name === 'data-web-2') {
          throw new Error('connect ECONNREFUSED');
        }
      });
      const answered = await answerKeep(client, all, yes);
      expect(answered.code).toBe(1);
      expect(resultsOf(answered)).toEqual([
        ['data-web-1', 'kept', ''],
        ['data-web-2', 'failed', expect.stringMatching(/ECONNREFUSED/)],
        ['data-web-3', 'failed', expect.stringMatching(/^not tried/)],
      ]);
      expect(asked.filter((each) => each.includes('data-web-3'))).toStrictEqual([]);
    },
  );

  test('claim that is being deleted, its mark still on it -> neither listed nor kept: nothing can keep it', async () => {
    const { client } = cluster([markedClaim(1, { deletedAt: '2026-03-01T11:00:00Z' })]);
    expect((await answerUndo(client, namespace)).names).toStrictEqual([]);
    expect((await answerKeep(client, all, yes)).names).toStrictEqual([]);
  });

  test('volume that is being deleted within its window -> Retain is written, and what is left is said', async () => {
    const { client, asked } = cluster([markedVolume({ deletedAt: '2026-03-01T11:00:00Z' })]);
    const answered = await answerKeep(client, all, yes);
    expect(resultsOf(answered)).toEqual([
      ['pv-1', 'kept', expect.stringMatching(/storage stays.*disks\.example\.com.*disk-1/)],
    ]);
    expect(asked.at(-1)).toBe('patch persistentvolumes/pv-1');
  });

  test('volume that is being deleted, its time has passed -> Retain is written, and that its storage might be gone is said', async () => {
    const { client, asked } = cluster([
      markedVolume({ deletedAt: '2026-03-01T11:00:00Z', due: '2026-03-01T11:59:00Z' }),
    ]);
    const answered = await answerKeep(client, all, yes);
    expect(resultsOf(answered)).toEqual([
      ['pv-1', 'failed', expect.stringMatching(/might have begun.*disks\.example\.com.*disk-1/)],
    ]);
    expect(answered.code).toBe(1);
    expect(asked.at(-1)).toBe('patch persistentvolumes/pv-1');
  });
});

const annotated = (
  object: PersistentVolume,
  annotations: Readonly<Record<string, string>>,
): PersistentVolume => ({
  ...object,
  metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...annotations } },
});

test('volume of which a deletion was begun -> Retain is written, and that its storage might be gone is said', async () => {
  const begun = { 'holdfast.dev/deletion-begun': 'uid-of-pv-1/uid-of-data-web-0' };
  const { client, asked } = cluster([annotated(markedVolume(), begun)]);
  const answered = await answerKeep(client, all, yes);
  expect(resultsOf(answered)).toEqual([
    [
      'pv-1',
      'failed',
      expect.stringMatching(/a deletion of its storage was begun.*look whether that is there/),
    ],
  ]);
  expect(asked.at(-1)).toBe('patch persistentvolumes/pv-1');
});

test('storage of the volume has been deleted while the question was open -> gone, and nothing is written', async () => {
  const { client, kept, asked } = cluster([markedVolume()]);
  const answered = await answerKeep(client, all, () => {
    const deleted = markedVolume({ deletedAt: '2026-03-01T11:00:00Z' });
    kept.set('pv-1', annotated(deleted, { 'holdfast.dev/held-by': 'deleted/uid-of-pv-1' }));
    return yes();
  });
  expect(resultsOf(answered)).toEqual([['pv-1', 'gone', 'its storage has been deleted']]);
  expect(asked.at(-1)).toBe('get persistentvolumes/pv-1');
});

describe('volume that is being deleted, Retain was written before', () => {
  const deletedAt = '2026-03-01T11:00:00Z';
  /** As an earlier run leaves it, and as it is once pv-reclaim-honor has removed the mark. */
  const keptBefore = ({ due, isMarked = true }: { due?: string; isMarked?: boolean } = {}) => {
    const { metadata, ...rest } = markedVolume({ deletedAt, due: due ?? later });
    const { 'holdfast.dev/reclaim-policy': meant, ...annotations } = metadata.annotations ?? {};
    expect(meant).toBe('Delete');
    return { ...rest, metadata: { ...metadata, annotations: isMarked ? annotations : {} } };
  };
  const named: KeepRequest = { ...all, these: { of: 'pv', names: ['pv-1'] } };

  test.each([
    [
      'within its window',
      {},
      'kept',
      'it is being deleted, and goes; its policy is Retain already, so its storage stays: disks.example.com disk-1',
    ],
    [
      'its time has passed',
      { due: '2026-03-01T11:59:00Z' },
      'failed',
      'it is being deleted, and goes; its policy is Retain already, but the deletion of its storage might have begun before, so look whether that is there: disks.example.com disk-1',
    ],
    [
      'its mark is gone',
      { isMarked: false },
      'failed',
      'it is being deleted, and goes; its policy is Retain already, but the deletion of its storage might have begun before, so look whether that is there: disks.example.com disk-1',
    ],
  ] as const)(
    'named again, %s -> what is true is said, nobody is asked, and nothing written',
    async (_, shape, result, note) => {
      const { client, asked } = cluster([keptBefore(shape)]);
      const answered = await answerKeep(client, named, () => Promise.reject(new Error('asked')));
      expect(resultsOf(answered)).toEqual([['pv-1', result, note]]);
      expect(answered.code).toBe(result === 'kept' ? 0 : 1);
      expect(asked.filter((each) => each.startsWith('patch'))).toStrictEqual([]);
    },
  );

  test('written by another while the question was open -> the same', async () => {
    const { client, kept, asked } = cluster([markedVolume({ deletedAt })]);
    const answered = await answerKeep(client, all, () => {
      kept.set('pv-1', keptBefore());
      return Promise.resolve(true);
    });
    expect(resultsOf(answered)).toEqual([['pv-1', 'kept', expect.stringMatching(/so its storage stays/)]]);
    expect(asked.filter((each) => each.startsWith('patch'))).toStrictEqual([]);
  });

  test('beside one that is in its window -> that is asked about and kept, both are reported', async () => {
    const other = markedVolume();
    const waiting = {
      ...other,
      metadata: {
        ...other.metadata,
        ...{ name: 'pv-2', uid: 'uid-of-pv-2' },
        annotations: { ...other.metadata.annotations, 'holdfast.dev/delete-after-uid': 'uid-of-pv-2' },
      },
    };
    const { client } = cluster([keptBefore(), waiting]);
    let question = '';
    const answered = await answerKeep(
      client,
      { ...all, these: { of: 'pv', names: ['pv-1', 'pv-2'] } },
      (planned, what) => {
        question = `${what} ${planned.names.join()}`;
        return Promise.resolve(true);
      },
    );
    expect(question).toBe('Keep it persistentvolume/pv-2');
    expect(resultsOf(answered).map(([name, result]) => [name, result])).toEqual([
      ['pv-2', 'kept'],
      ['pv-1', 'kept'],
    ]);
  });

  test('its mark goes while the question is open, policy Delete -> not said that nothing can keep it', async () => {
    const { client, kept } = cluster([markedVolume({ deletedAt })]);
    const answered = await answerKeep(client, all, () => {
      kept.set('pv-1', volumeOf('Delete', {}, { phase: 'Released', deletedAt }));
      return Promise.resolve(true);
    });
    expect(resultsOf(answered)).toEqual([
      [
        'pv-1',
        'failed',
        'it is being deleted, and is in no undo window any more: its storage is deleted, unless its policy is set to Retain before that begins: disks.example.com disk-1',
      ],
    ]);
  });

  test('not being deleted, or of another policy -> waits for nothing', async () => {
    for (const volume of [volumeOf('Retain'), volumeOf('Delete', {}, { deletedAt })]) {
      await expect(answerKeep(cluster([volume]).client, named, yes)).rejects.toThrow(NothingPending);
    }
  });
});

describe('volumes may not be listed', () => {
  const deny = (plural: string) => (verb: string, asked: string) => {
    if (verb === 'list' && asked === plural) {
      throw refused(`GET ${plural}`);
    }
  };

  test('--all -> the claims are kept, that volumes were not looked at is said, exit code 1', async () => {
    const { client } = cluster([markedClaim(1), markedVolume()], deny('persistentvolumes'));
    const { code, parts, object } = await answerKeep(client, all, yes);
    expect(code).toBe(1);
    expect(JSON.stringify(parts)).toMatch(/persistentvolumes could not be listed/);
    expect(object).toMatchObject({ unread: ['persistentvolumes'], items: [{ result: 'kept' }] });
  });

  test('--all, no claim waits -> not said to be all', async () => {
    const { client } = cluster([markedVolume()], deny('persistentvolumes'));
    const { code, parts } = await answerKeep(client, all, yes);
    expect(code).toBe(1);
    expect(JSON.stringify(parts)).toMatch(/persistentvolumes could not be listed/);
  });

  test('list -> said, and exit code 1, since a volume might wait', async () => {
    const { client } = cluster([markedVolume()], deny('persistentvolumes'));
    const { code, parts, object } = await answerUndo(client, namespace);
    expect(code).toBe(1);
    expect(JSON.stringify(parts)).toMatch(/persistentvolumes could not be listed/);
    expect(object).toMatchObject({ unread: ['persistentvolumes'] });
  });

  test('a volume named -> refused as it is, not said to wait for nothing', async () => {
    const { client } = cluster([markedVolume()], deny('persistentvolumes'));
    const asked = answerKeep(client, { ...all, these: { of: 'pv', names: ['pv-1'] } }, yes);
    await expect(asked).rejects.toThrow(ApiError);
  });

  test('a claim named -> kept, and volumes are not asked for', async () => {
    const { client, asked } = cluster([markedClaim(1)], deny('persistentvolumes'));
    const { code } = await answerKeep(client, { ...all, these: { of: 'pvc', names: ['data-web-1'] } }, yes);
    expect(code).toBe(0);
    expect(asked).not.toContain('list persistentvolumes');
  });

  test('claims of all namespaces may not be listed, a volume named -> kept', async () => {
    const { client } = cluster([markedVolume()], deny('persistentvolumeclaims'));
    const { code } = await answerKeep(client, { ...all, these: { of: 'pv', names: ['pv-1'] } }, yes);
    expect(code).toBe(0);
  });
});
