import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiServer, startApiServer } from '../src/index.ts';

/* What LimitRanges give containers, and what they refuse. */

let server: ApiServer;
const path = '/api/v1/namespaces/default';
beforeAll(async () => {
  server = await startApiServer({ tls: false });
  await ask('POST', `${path}/limitranges`, {
    metadata: { name: 'limits' },
    spec: {
      limits: [
        {
          type: 'Container',
          min: { cpu: '50m', memory: '100Mi' },
          max: { cpu: '500m', memory: '500Mi' },
          default: { cpu: '500m', memory: '500Mi' },
          defaultRequest: { cpu: '100m', memory: '200Mi' },
          maxLimitRequestRatio: { cpu: '6' },
        },
        { type: 'Pod', max: { cpu: '600m' } },
        { type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '2Gi' } },
      ],
    },
  });
});
afterAll(() => server.stop());

async function ask(method: string, at: string, body: object): Promise<unknown> {
  return JSON.parse((await server.handle(method, at, JSON.stringify(body))).body);
}

function pod(name: string, containers: readonly object[], initContainers?: readonly object[]): object {
  return { metadata: { name }, spec: { containers, initContainers } };
}

test('containers that ask for less than all there is a default for -> completed, and said so', async () => {
  const containers = [{ name: 'a', image: 'a', resources: { limits: { cpu: '300m' } } }];
  const created = await ask(
    'POST',
    `${path}/pods`,
    pod('completed', containers, [{ name: 'i', image: 'a' }]),
  );
  expect(created).toMatchObject({
    metadata: {
      annotations: {
        'kubernetes.io/limit-ranger':
          'LimitRanger plugin set: memory request for container a; memory limit for container a; cpu, memory request for init container i; cpu, memory limit for init container i',
      },
    },
    spec: {
      containers: [
        {
          resources: { requests: { cpu: '300m', memory: '200Mi' }, limits: { cpu: '300m', memory: '500Mi' } },
        },
      ],
      initContainers: [
        {
          resources: { requests: { cpu: '100m', memory: '200Mi' }, limits: { cpu: '500m', memory: '500Mi' } },
        },
      ],
    },
  });
});

test('containers that say all -> nothing added', async () => {
  const amounts = { cpu: '200m', memory: '200Mi' };
  const containers = [{ name: 'a', image: 'a', resources: { requests: amounts, limits: amounts } }];
  const created = await ask('POST', `${path}/pods`, pod('complete', containers));
  expect(created).not.toHaveProperty('metadata.annotations');
});

describe('asks for what it may not', () => {
  test.each([
    [
      'too little',
      { requests: { cpu: '300m', memory: '10Mi' } },
      'minimum memory usage per Container is 100Mi, but request is 10Mi',
    ],
    [
      'too much, and by too wide a margin',
      { requests: { cpu: '60m' }, limits: { cpu: '600m' } },
      '[maximum cpu usage per Container is 500m, but limit is 600m, cpu max limit to request ratio per Container is 6, but provided ratio is 10.000000]',
    ],
  ])('%s -> forbidden', async (_what, resources, problem) => {
    const containers = [{ name: 'a', image: 'a', resources }];
    await expect(ask('POST', `${path}/pods`, pod('wrong', containers))).resolves.toMatchObject({
      code: 403,
      message: `pods "wrong" is forbidden: ${problem}`,
    });
  });

  test('all containers of a pod together -> forbidden', async () => {
    const containers = ['a', 'b'].map((name) => ({
      name,
      image: 'a',
      resources: { limits: { cpu: '400m' } },
    }));
    await expect(ask('POST', `${path}/pods`, pod('wrong', containers))).resolves.toMatchObject({
      code: 403,
      message: 'pods "wrong" is forbidden: maximum cpu usage per Pod is 600m, but limit is 800m',
    });
  });

  test.each([
    ['3Gi', 'maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi'],
    ['1Mi', 'minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1Mi'],
  ])('claim of %s -> forbidden', async (storage, problem) => {
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } };
    const claim = { metadata: { name: 'wrong' }, spec };
    await expect(ask('POST', `${path}/persistentvolumeclaims`, claim)).resolves.toMatchObject({
      code: 403,
      message: `persistentvolumeclaims "wrong" is forbidden: ${problem}`,
    });
  });

  test('claim between the two -> taken', async () => {
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1500Mi' } } };
    await expect(
      ask('POST', `${path}/persistentvolumeclaims`, { metadata: { name: 'right' }, spec }),
    ).resolves.toMatchObject({ kind: 'PersistentVolumeClaim' });
  });
});

test('other namespace -> nothing given, nothing refused', async () => {
  await ask('POST', '/api/v1/namespaces', { metadata: { name: 'other' } });
  const containers = [{ name: 'a', image: 'a' }];
  await expect(ask('POST', '/api/v1/namespaces/other/pods', pod('free', containers))).resolves.toMatchObject({
    spec: { containers: [{ resources: {} }] },
  });
});
