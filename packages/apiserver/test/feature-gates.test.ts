import { describe, expect, test } from '@jest/globals';
import { type ApiServer, startApiServer } from '../src/server.ts';
import { type Response, clientOf, mergePatch } from './client.ts';

const sets = '/apis/apps/v1/namespaces/default/statefulsets';
const claims = '/api/v1/namespaces/default/persistentvolumeclaims';
const policy = { whenDeleted: 'Delete', whenScaled: 'Delete' };

function setWith(name: string, persistentVolumeClaimRetentionPolicy?: object): object {
  const labels = { app: name };
  return {
    metadata: { name },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'a' }] } },
      ...(persistentVolumeClaimRetentionPolicy === undefined
        ? undefined
        : { persistentVolumeClaimRetentionPolicy }),
    },
  };
}

// As kube-apiserver 1.31 with --feature-gates=StatefulSetAutoDeletePVC=false answers.
describe('StatefulSetAutoDeletePVC off', () => {
  test('policy sent in a new set, by update or patch -> taken without error, not there', async () => {
    const server = await startApiServer({ tls: false, featureGates: { StatefulSetAutoDeletePVC: false } });
    const { send } = clientOf(server);
    const created = await send('POST', `${sets}?fieldValidation=Strict`, setWith('a', policy));
    const patched = await send('PATCH', `${sets}/a`, { spec: setSpec(policy) }, mergePatch);
    const updated = await send('PUT', `${sets}/a`, setWith('a', policy));
    expect([created.code, patched.code, updated.code]).toEqual([201, 200, 200]);
    for (const { body } of [created, patched, updated]) {
      expect(body.spec).not.toHaveProperty('persistentVolumeClaimRetentionPolicy');
    }
    expect((await send('GET', `${sets}/a`)).body.metadata).toMatchObject({ generation: 1 });
    await server.stop();
  });

  test('set from the time the gate was on -> its policy stays, and may change', async () => {
    const before = await startApiServer({ tls: false });
    await clientOf(before).send('POST', sets, setWith('a', policy));
    await before.stop();
    const server = await startApiServer({
      tls: false,
      storage: before.storage,
      featureGates: { StatefulSetAutoDeletePVC: false },
    });
    const changed = { whenDeleted: 'Retain', whenScaled: 'Delete' };
    const { body } = await clientOf(server).send(
      'PATCH',
      `${sets}/a`,
      { spec: setSpec(changed) },
      mergePatch,
    );
    expect(body.spec).toMatchObject(setSpec(changed));
    await server.stop();
  });
});

function setSpec(persistentVolumeClaimRetentionPolicy: object): object {
  return { persistentVolumeClaimRetentionPolicy };
}

describe('RetroactiveDefaultStorageClass', () => {
  async function giveClass(server: ApiServer): Promise<Response> {
    const { send } = clientOf(server);
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    await send('POST', claims, { metadata: { name: 'c' }, spec });
    return send('PATCH', `${claims}/c`, { spec: { storageClassName: 'fast' } }, mergePatch);
  }

  test('off, class given to a claim without one -> 422, spec is immutable', async () => {
    const server = await startApiServer({
      tls: false,
      featureGates: { RetroactiveDefaultStorageClass: false },
    });
    const { code, body } = await giveClass(server);
    expect(code).toBe(422);
    expect(body).toMatchObject({ reason: 'Invalid', details: { causes: [{ field: 'spec' }] } });
    expect(body.message).toContain('spec: Forbidden: spec is immutable after creation');
    await server.stop();
  });

  test('on -> taken', async () => {
    const server = await startApiServer({
      tls: false,
      featureGates: { RetroactiveDefaultStorageClass: true },
    });
    expect((await giveClass(server)).code).toBe(200);
    await server.stop();
  });
});
