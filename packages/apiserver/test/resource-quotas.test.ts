import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiServer, startApiServer } from '../src/index.ts';

/* What ResourceQuotas refuse, and what they are said to have used after a write. */

let server: ApiServer;
let namespaces = 0;
beforeAll(async () => {
  server = await startApiServer({ tls: false });
});
afterAll(() => server.stop());

interface Told {
  readonly code?: number;
  readonly message?: string;
  readonly metadata?: { readonly managedFields?: readonly object[] };
  readonly status?: { readonly used?: Readonly<Record<string, string>> };
}

async function ask(method: string, path: string, body?: object): Promise<Told> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const answer = await server.handle(
    method,
    path,
    body === undefined ? undefined : JSON.stringify(body),
    type,
  );
  return JSON.parse(answer.body) as Told;
}

/** A namespace of its own with a quota, of which nothing is used. */
async function withQuota(hard: Readonly<Record<string, string>>, spec: object = {}): Promise<string> {
  const name = `quotas-${++namespaces}`;
  await ask('POST', '/api/v1/namespaces', { metadata: { name } });
  const namespace = `/api/v1/namespaces/${name}`;
  await ask('POST', `${namespace}/resourcequotas`, { metadata: { name: 'quota' }, spec: { hard, ...spec } });
  const used = Object.fromEntries(Object.keys(hard).map((resource) => [resource, '0']));
  await ask('PATCH', `${namespace}/resourcequotas/quota/status`, { status: { hard, used } });
  return namespace;
}

async function usedIn(namespace: string): Promise<Told['status']> {
  return (await ask('GET', `${namespace}/resourcequotas/quota`)).status;
}

function pod(name: string, resources: object = {}, spec: object = {}): object {
  return { metadata: { name }, spec: { containers: [{ name: 'main', image: 'a', resources }], ...spec } };
}

function claim(name: string, storage: string, storageClassName?: string): object {
  const resources = { requests: { storage } };
  return { metadata: { name }, spec: { accessModes: ['ReadWriteOnce'], storageClassName, resources } };
}

function service(name: string, spec: object): object {
  return { metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } };
}

describe('pod', () => {
  test('room for it -> counted at once, by kube-apiserver', async () => {
    const namespace = await withQuota({ pods: '2', 'requests.cpu': '1', 'limits.memory': '1Gi' });
    const resources = { requests: { cpu: '600m' }, limits: { memory: '512Mi', cpu: '1' } };
    await ask('POST', `${namespace}/pods`, pod('a', resources));
    const quota = await ask('GET', `${namespace}/resourcequotas/quota`);
    expect(quota.status?.used).toEqual({ pods: '1', 'requests.cpu': '600m', 'limits.memory': '512Mi' });
    expect(quota.metadata?.managedFields).toContainEqual(
      expect.objectContaining({ manager: 'kube-apiserver', operation: 'Update', subresource: 'status' }),
    );
  });

  test('no room -> forbidden with what exceeds alone, and nothing counted', async () => {
    const namespace = await withQuota({ pods: '2', 'requests.cpu': '500m' });
    await expect(
      ask('POST', `${namespace}/pods`, pod('a', { requests: { cpu: '600m' } })),
    ).resolves.toMatchObject({
      code: 403,
      message:
        'pods "a" is forbidden: exceeded quota: quota, requested: requests.cpu=600m, used: requests.cpu=0, limited: requests.cpu=500m',
    });
    await expect(usedIn(namespace)).resolves.toMatchObject({ used: { pods: '0', 'requests.cpu': '0' } });
  });

  test('dry run -> not counted', async () => {
    const namespace = await withQuota({ pods: '1' });
    await ask('POST', `${namespace}/pods?dryRun=All`, pod('a'));
    await expect(usedIn(namespace)).resolves.toMatchObject({ used: { pods: '0' } });
  });

  test('containers that say nothing of what is bounded -> forbidden with their names', async () => {
    const namespace = await withQuota({ 'requests.cpu': '1', 'limits.memory': '1Gi' });
    await expect(ask('POST', `${namespace}/pods`, pod('a'))).resolves.toMatchObject({
      code: 403,
      message:
        'pods "a" is forbidden: failed quota: quota: must specify limits.memory for: main; requests.cpu for: main',
    });
  });

  test('an init container asks for more than all others -> it counts', async () => {
    const namespace = await withQuota({ 'requests.cpu': '1' });
    const initContainers = [{ name: 'first', image: 'a', resources: { requests: { cpu: '700m' } } }];
    await ask('POST', `${namespace}/pods`, pod('a', { requests: { cpu: '300m' } }, { initContainers }));
    await expect(usedIn(namespace)).resolves.toMatchObject({ used: { 'requests.cpu': '700m' } });
  });

  test('an init container that runs on -> counted beside the others', async () => {
    const namespace = await withQuota({ 'requests.cpu': '1' });
    const initContainers = [
      { name: 'first', image: 'a', restartPolicy: 'Always', resources: { requests: { cpu: '100m' } } },
      { name: 'second', image: 'a', resources: { requests: { cpu: '250m' } } },
    ];
    await ask('POST', `${namespace}/pods`, pod('a', { requests: { cpu: '300m' } }, { initContainers }));
    await expect(usedIn(namespace)).resolves.toMatchObject({ used: { 'requests.cpu': '400m' } });
  });

  test('asks as a whole -> that counts, and no container need say anything', async () => {
    const namespace = await withQuota({ 'requests.cpu': '2' });
    await ask('POST', `${namespace}/pods`, pod('a', {}, { resources: { requests: { cpu: '1500m' } } }));
    await expect(usedIn(namespace)).resolves.toMatchObject({ used: { 'requests.cpu': '1500m' } });
  });

  test('extended resources and huge pages -> counted as requests', async () => {
    const hard = { 'requests.example.com/gpu': '2', 'requests.hugepages-2Mi': '4Mi' };
    const namespace = await withQuota(hard);
    const amounts = { 'example.com/gpu': '1', 'hugepages-2Mi': '2Mi', cpu: '1' };
    await ask('POST', `${namespace}/pods`, pod('a', { requests: amounts, limits: amounts }));
    await expect(usedIn(namespace)).resolves.toMatchObject({
      used: { 'requests.example.com/gpu': '1', 'requests.hugepages-2Mi': '2Mi' },
    });
  });

  test('deadline given later, no room for pods with one -> forbidden', async () => {
    const namespace = await withQuota({ pods: '0' }, { scopes: ['Terminating'] });
    await ask('POST', `${namespace}/pods`, pod('a'));
    await expect(
      ask('PATCH', `${namespace}/pods/a`, { spec: { activeDeadlineSeconds: 10 } }),
    ).resolves.toMatchObject({
      code: 403,
      message: expect.stringContaining('exceeded quota: quota'),
    });
  });
});

describe('scopes', () => {
  const asks = { requests: { cpu: '1' } };
  const term = { topologyKey: 'zone', namespaces: ['other'] };
  const near = {
    affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
  };
  const critical = { priorityClassName: 'system-node-critical' };
  const selector = (operator: string, values?: string[]): object => ({
    scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator, values }] },
  });
  test.each([
    ['BestEffort, asks for nothing', { scopes: ['BestEffort'] }, pod('a'), 403],
    ['BestEffort, asks for something', { scopes: ['BestEffort'] }, pod('a', asks), undefined],
    ['NotBestEffort, asks for something', { scopes: ['NotBestEffort'] }, pod('a', asks), 403],
    ['Terminating, deadline', { scopes: ['Terminating'] }, pod('a', {}, { activeDeadlineSeconds: 5 }), 403],
    ['Terminating, none', { scopes: ['Terminating'] }, pod('a'), undefined],
    ['NotTerminating, none', { scopes: ['NotTerminating'] }, pod('a'), 403],
    ['two, within one alone', { scopes: ['NotTerminating', 'BestEffort'] }, pod('a', asks), undefined],
    ['PriorityClass in, that class', selector('In', ['system-node-critical']), pod('a', {}, critical), 403],
    ['PriorityClass in, none', selector('In', ['system-node-critical']), pod('a'), undefined],
    ['PriorityClass not in, none', selector('NotIn', ['system-node-critical']), pod('a'), 403],
    ['PriorityClass exists, none', selector('Exists'), pod('a'), undefined],
    ['PriorityClass does not exist, none', selector('DoesNotExist'), pod('a'), 403],
    [
      'CrossNamespacePodAffinity, names another namespace',
      { scopes: ['CrossNamespacePodAffinity'] },
      pod('a', {}, near),
      403,
    ],
    [
      'CrossNamespacePodAffinity, no affinity',
      { scopes: ['CrossNamespacePodAffinity'] },
      pod('a'),
      undefined,
    ],
  ])('%s -> code %#', async (_what, spec, object, code) => {
    const namespace = await withQuota({ pods: '0' }, spec);
    const answer = await ask('POST', `${namespace}/pods`, object);
    expect(answer.code).toBe(code);
  });

  test('VolumeAttributesClass, claim of that class -> forbidden; of none -> taken', async () => {
    const expression = { scopeName: 'VolumeAttributesClass', operator: 'In', values: ['fast'] };
    const scopeSelector = { matchExpressions: [expression] };
    const namespace = await withQuota({ persistentvolumeclaims: '0' }, { scopeSelector });
    const fast = {
      metadata: { name: 'fast' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        volumeAttributesClassName: 'fast',
        resources: { requests: { storage: '1' } },
      },
    };
    await expect(ask('POST', `${namespace}/persistentvolumeclaims`, fast)).resolves.toMatchObject({
      code: 403,
    });
    await expect(
      ask('POST', `${namespace}/persistentvolumeclaims`, claim('slow', '1')),
    ).resolves.toMatchObject({ kind: 'PersistentVolumeClaim' });
  });
});

test('status of a quota not counted yet -> bounds nothing', async () => {
  const path = '/api/v1/namespaces/default';
  await ask('POST', `${path}/resourcequotas`, {
    metadata: { name: 'new' },
    spec: { hard: { secrets: '0' } },
  });
  await expect(ask('POST', `${path}/secrets`, { metadata: { name: 'a' } })).resolves.toMatchObject({
    kind: 'Secret',
  });
});

test('a resource without a count -> forbidden, as nobody knows what is used', async () => {
  const namespace = await withQuota({ pods: '5' });
  await ask('PATCH', `${namespace}/resourcequotas/quota/status`, { status: { used: { pods: null } } });
  await expect(ask('POST', `${namespace}/pods`, pod('a'))).resolves.toMatchObject({
    code: 403,
    message: 'pods "a" is forbidden: status unknown for quota: quota, resources: pods',
  });
});

test('objects by either name, and of other groups -> counted', async () => {
  const hard = { configmaps: '1', 'count/configmaps': '5', 'count/leases.coordination.k8s.io': '1' };
  const namespace = await withQuota(hard);
  await ask('POST', `${namespace}/configmaps`, { metadata: { name: 'a' } });
  await expect(ask('POST', `${namespace}/configmaps`, { metadata: { name: 'b' } })).resolves.toMatchObject({
    code: 403,
    message:
      'configmaps "b" is forbidden: exceeded quota: quota, requested: configmaps=1, used: configmaps=1, limited: configmaps=1',
  });
  const leases = namespace.replace('/api/v1', '/apis/coordination.k8s.io/v1') + '/leases';
  await ask('POST', leases, { metadata: { name: 'a' } });
  await expect(usedIn(namespace)).resolves.toMatchObject({
    used: { configmaps: '1', 'count/configmaps': '1', 'count/leases.coordination.k8s.io': '1' },
  });
});

test('events -> not counted', async () => {
  const namespace = await withQuota({ 'count/events': '0' });
  const regarding = { namespace: namespace.split('/').at(-1) ?? '' };
  await expect(
    ask('POST', `${namespace}/events`, { metadata: { name: 'a' }, involvedObject: regarding }),
  ).resolves.toMatchObject({ kind: 'Event' });
});

test('events of a custom group -> counted as any kind', async () => {
  const schema = { openAPIV3Schema: { type: 'object' } };
  await ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: 'events.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'events', kind: 'Party' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  });
  const namespace = await withQuota({ 'count/events.example.com': '0' });
  const party = { apiVersion: 'example.com/v1', kind: 'Party', metadata: { name: 'a' } };
  const parties = namespace.replace('/api/v1', '/apis/example.com/v1') + '/events';
  await expect(ask('POST', parties, party)).resolves.toMatchObject({
    code: 403,
    message: expect.stringContaining('exceeded quota: quota, requested: count/events.example.com=1'),
  });
});

test('service that becomes one of node ports -> its ports are counted then', async () => {
  const namespace = await withQuota({
    services: '2',
    'services.nodeports': '1',
    'services.loadbalancers': '1',
  });
  await ask('POST', `${namespace}/services`, service('a', {}));
  await expect(usedIn(namespace)).resolves.toMatchObject({
    used: { services: '1', 'services.nodeports': '0' },
  });
  await ask('PATCH', `${namespace}/services/a`, { spec: { type: 'NodePort' } });
  await expect(usedIn(namespace)).resolves.toMatchObject({
    used: { services: '1', 'services.nodeports': '1' },
  });
  await expect(
    ask('POST', `${namespace}/services`, service('b', { type: 'LoadBalancer' })),
  ).resolves.toMatchObject({
    code: 403,
    message:
      'services "b" is forbidden: exceeded quota: quota, requested: services.nodeports=1, used: services.nodeports=1, limited: services.nodeports=1',
  });
  const without = service('c', { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false });
  await ask('POST', `${namespace}/services`, without);
  await expect(usedIn(namespace)).resolves.toMatchObject({
    used: { services: '2', 'services.nodeports': '1', 'services.loadbalancers': '1' },
  });
});

test('claims -> counted with their storage, and by class', async () => {
  const ofClass = 'gold.storageclass.storage.k8s.io';
  const namespace = await withQuota({
    persistentvolumeclaims: '5',
    'requests.storage': '3Gi',
    [`${ofClass}/requests.storage`]: '1Gi',
    [`${ofClass}/persistentvolumeclaims`]: '5',
  });
  const claims = `${namespace}/persistentvolumeclaims`;
  await expect(ask('POST', claims, claim('a', '1100Mi', 'gold'))).resolves.toMatchObject({
    code: 403,
    message: `persistentvolumeclaims "a" is forbidden: exceeded quota: quota, requested: ${ofClass}/requests.storage=1100Mi, used: ${ofClass}/requests.storage=0, limited: ${ofClass}/requests.storage=1Gi`,
  });
  await ask('POST', claims, claim('b', '1Gi', 'gold'));
  await ask('POST', claims, claim('c', '1Gi', 'tin'));
  await expect(usedIn(namespace)).resolves.toMatchObject({
    used: {
      persistentvolumeclaims: '2',
      'requests.storage': '2Gi',
      [`${ofClass}/requests.storage`]: '1Gi',
      [`${ofClass}/persistentvolumeclaims`]: '1',
    },
  });
});

test('claim of devices -> counted by class, of several ways the one that takes most', async () => {
  const ofClass = 'gpu.deviceclass.resource.k8s.io/devices';
  const namespace = await withQuota({ [ofClass]: '40', 'count/resourceclaims.resource.k8s.io': '2' });
  const claims = namespace.replace('/api/v1', '/apis/resource.k8s.io/v1') + '/resourceclaims';
  const requests = [
    { name: 'a', exactly: { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 2 } },
    {
      name: 'b',
      firstAvailable: [
        { name: 'x', deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 3 },
        { name: 'y', deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1 },
      ],
    },
    { name: 'c', exactly: { deviceClassName: 'gpu', allocationMode: 'All' } },
  ];
  await ask('POST', claims, { metadata: { name: 'a' }, spec: { devices: { requests } } });
  await expect(usedIn(namespace)).resolves.toMatchObject({
    used: { [ofClass]: '37', 'count/resourceclaims.resource.k8s.io': '1' },
  });
});

test('twenty creates at once, room for three -> three', async () => {
  const namespace = await withQuota({ configmaps: '3' });
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      ask('POST', `${namespace}/configmaps`, { metadata: { name: `c${index}` } }),
    ),
  );
  expect(answers.filter(({ code }) => code === undefined)).toHaveLength(3);
  expect(answers.filter(({ code }) => code === 403)).toHaveLength(17);
  await expect(usedIn(namespace)).resolves.toMatchObject({ used: { configmaps: '3' } });
});

test('plugin turned off -> bounds nothing', async () => {
  const free = await startApiServer({ tls: false, disableAdmissionPlugins: ['ResourceQuota'] });
  try {
    const path = '/api/v1/namespaces/default';
    const hard = { configmaps: '0' };
    await free.handle(
      'POST',
      `${path}/resourcequotas`,
      JSON.stringify({ metadata: { name: 'q' }, spec: { hard } }),
    );
    const status = JSON.stringify({ status: { hard, used: hard } });
    await free.handle('PATCH', `${path}/resourcequotas/q/status`, status, 'application/merge-patch+json');
    const answer = await free.handle('POST', `${path}/configmaps`, '{"metadata":{"name":"a"}}');
    expect(answer.code).toBe(201);
  } finally {
    await free.stop();
  }
});
