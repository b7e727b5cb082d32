import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiServer, startApiServer } from '../src/index.ts';
import { clientOf } from './client.ts';
import { signingRequest } from './signing-request.ts';

/* What random requests about all kinds were answered otherwise than on the real server, whose answers stand here. */

let server: ApiServer;
beforeAll(async () => {
  server = await startApiServer({ tls: false });
});
afterAll(() => server.stop());

type Fields = Readonly<Record<string, unknown>>;
interface Answer {
  readonly code: number;
  readonly body: Fields & { readonly message?: string; readonly spec?: Fields; readonly metadata?: Fields };
}

const mediaTypes = {
  strategic: 'application/strategic-merge-patch+json',
  merge: 'application/merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

async function ask(
  method: string,
  path: string,
  body?: Fields,
  patch?: keyof typeof mediaTypes,
): Promise<Answer> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const type = patch === undefined ? undefined : mediaTypes[patch];
  const answer = await server.handle(method, path, text, type);
  return { code: answer.code, body: JSON.parse(answer.body) as Answer['body'] };
}

const namespaced = (group: string, plural: string): string =>
  `${group === 'v1' ? '/api/v1' : `/apis/${group}`}/namespaces/default/${plural}`;
const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const workload = { selector: { matchLabels: { a: 'b' } }, template };

describe('workloads', () => {
  test('Scale applied to what was applied without replicas -> in conflict with who was before', async () => {
    const sets = namespaced('apps/v1', 'statefulsets');
    const set = { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 's' }, spec: workload };
    await ask('PATCH', `${sets}/s?fieldManager=two`, set, 'apply');
    const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', spec: { replicas: 6 } };
    const path = `${sets}/s/scale?fieldManager=one`;
    await expect(ask('PATCH', path, scale, 'apply')).resolves.toMatchObject({
      code: 409,
      body: {
        message:
          'Apply failed with 1 conflict: conflict with "before-first-apply" with subresource "scale" using autoscaling/v1: .spec.replicas',
      },
    });
    await expect(ask('PATCH', `${path}&force=true`, scale, 'apply')).resolves.toMatchObject({ code: 200 });
  });

  test('Scale applied where there are no replicas -> in conflict with who said so', async () => {
    const sets = namespaced('apps/v1', 'statefulsets');
    await ask('POST', `${sets}?fieldManager=m`, {
      metadata: { name: 'none' },
      spec: { ...workload, replicas: 0 },
    });
    const apply = (spec: Fields): Promise<Answer> =>
      ask(
        'PATCH',
        `${sets}/none/scale?fieldManager=one`,
        { apiVersion: 'autoscaling/v1', kind: 'Scale', spec },
        'apply',
      );
    await expect(apply({ replicas: 0 })).resolves.toMatchObject({ code: 409 });
    await expect(apply({})).resolves.toMatchObject({ code: 200, body: { spec: {} } });
    const { body } = await ask('GET', `${sets}/none`);
    expect(body.spec?.['replicas']).toBe(0);
  });

  test.each([
    ['PUT', undefined, 'StorageError: invalid object, Code: 4, Key: /registry/statefulsets/default/u, '],
    ['PATCH', 'merge', 'Precondition failed: UID in precondition: other, UID in object meta: '],
  ] as const)('Scale with another uid sent by %s -> 409 that names both', async (method, patch, words) => {
    const sets = namespaced('apps/v1', 'statefulsets');
    await ask('POST', sets, { metadata: { name: 'u' }, spec: workload });
    const scale = { metadata: { name: 'u', uid: 'other' }, spec: { replicas: 1 } };
    await expect(ask(method, `${sets}/u/scale`, scale, patch)).resolves.toMatchObject({
      code: 409,
      body: { message: expect.stringContaining(words) },
    });
  });

  test('labels of a deployment in a write to its status -> stay as they are', async () => {
    const deployments = namespaced('apps/v1', 'deployments');
    const deployment = { metadata: { name: 'd', labels: { x: '1' } }, spec: workload };
    await ask('POST', deployments, deployment);
    const sent = { ...deployment, metadata: { name: 'd', labels: { x: '2' } }, status: { replicas: 1 } };
    const { body } = await ask('PUT', `${deployments}/d/status`, sent);
    expect(body.metadata?.['labels']).toEqual({ x: '1' });
    expect(body['status']).toEqual({ replicas: 1 });
  });

  test('job without labels -> has those of its pods', async () => {
    const spec = { template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } } };
    const { body } = await ask('POST', namespaced('batch/v1', 'jobs'), { metadata: { name: 'j' }, spec });
    const labels = { a: 'b', 'job-name': 'j', 'controller-uid': body.metadata?.['uid'] };
    expect(body).toMatchObject({
      metadata: { labels },
      spec: { manualSelector: false, template: { metadata: { labels } } },
    });
  });

  test('labels of a job taken by a write to its status -> those of its pods again', async () => {
    const jobs = namespaced('batch/v1', 'jobs');
    const pods = { ...template, spec: { ...template.spec, restartPolicy: 'Never' } };
    const labels = { matchLabels: { a: 'b' } };
    const { body: made } = await ask('POST', jobs, {
      metadata: { name: 'bare', labels: { x: '1' } },
      spec: { manualSelector: true, selector: labels, template: pods },
    });
    const { resourceVersion } = made.metadata ?? {};
    const { body } = await ask('PUT', `${jobs}/bare/status`, {
      metadata: { name: 'bare', resourceVersion },
      status: { active: 1 },
    });
    expect(body.metadata?.['labels']).toEqual({ a: 'b' });
    // They are stored by the next write of the job, even if that changes nothing.
    const next = await ask('PATCH', `${jobs}/bare`, { metadata: {} }, 'merge');
    expect(next.body.metadata?.['resourceVersion']).not.toBe(body.metadata?.['resourceVersion']);
  });

  test('template of a suspended job changed -> may go elsewhere, and nothing else', async () => {
    const jobs = namespaced('batch/v1', 'jobs');
    const pods = { ...template, spec: { ...template.spec, restartPolicy: 'Never' } };
    await ask('POST', jobs, { metadata: { name: 'k' }, spec: { suspend: true, template: pods } });
    const change = (spec: Fields): Promise<Answer> =>
      ask('PATCH', `${jobs}/k`, { spec: { template: { spec } } }, 'merge');
    await expect(change({ nodeSelector: { a: 'b' } })).resolves.toMatchObject({ code: 200 });
    const { code, body } = await change({ restartPolicy: 'OnFailure' });
    expect(code).toBe(422);
    expect(body.message).toMatch(
      /^Job\.batch "k" is invalid: spec\.template\.spec: Invalid value: \{"Volumes":null/,
    );
  });

  test('template of a job changed -> shown as the server holds it', async () => {
    const { body } = await ask(
      'PATCH',
      `${namespaced('batch/v1', 'jobs')}/j`,
      { spec: { template: { metadata: { annotations: { at: 'now' } } } } },
      'merge',
    );
    expect(body.message).toContain('"annotations":{"at":"now"},"Spec":{"Volumes":null');
    expect(body.message).toContain('"StdinOnce":false,"TTY":false}]');
    expect(body.message).toContain('"FSGroup":null,"FSGroupChangePolicy":null,"Sysctls":null');
    expect(body.message).toContain('"Subdomain":"","SetHostnameAsFQDN":null,"Affinity":null');
  });

  test.each([
    ['apps/v1', 'deployments', { spec: { replicas: 0 } }],
    ['apps/v1', 'replicasets', { spec: { replicas: 0 } }],
    ['apps/v1', 'controllerrevisions', { data: null }],
  ])('bookmark of %s %s -> fields that are always there', async (group, plural, shown) => {
    const query = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const watch = await clientOf(server).watch(`${namespaced(group, plural)}?labelSelector=no-such&${query}`);
    const event = await watch.next();
    watch.stop();
    expect(event).toMatchObject({ type: 'BOOKMARK', object: shown });
  });
});

describe('daemon sets', () => {
  const sets = namespaced('apps/v1', 'daemonsets');
  const strategyOf = async (name: string, updateStrategy: Fields): Promise<Answer> => {
    await ask('POST', sets, {
      metadata: { name },
      spec: { ...workload, updateStrategy: { type: 'OnDelete' } },
    });
    return ask('PATCH', `${sets}/${name}`, { spec: { updateStrategy } }, 'merge');
  };

  test('rolling update kept by OnDelete -> what it does not say is shown as none', async () => {
    const { body } = await strategyOf('kept', { rollingUpdate: { maxUnavailable: 3 } });
    expect(body.spec?.['updateStrategy']).toEqual({
      type: 'OnDelete',
      rollingUpdate: { maxUnavailable: 3, maxSurge: 0 },
    });
  });

  test.each(['', '/status'])(
    'replaced%s without the generation of its template -> kept, and owned by who wrote',
    async (subresource) => {
      const name = `owned${subresource.replace('/', '-')}`;
      const set = { metadata: { name }, spec: workload };
      await ask('POST', `${sets}?fieldManager=one`, set);
      await ask('PUT', `${sets}/${name}${subresource}?fieldManager=two`, set);
      const { body } = await ask('GET', `${sets}/${name}`);
      const generation = 'deprecated.daemonset.template.generation';
      expect(body.metadata?.['annotations']).toEqual({ [generation]: '1' });
      expect(body.metadata?.['managedFields']).toContainEqual(
        expect.objectContaining({
          manager: 'two',
          fieldsV1: { 'f:metadata': { 'f:annotations': { [`f:${generation}`]: {} } } },
        }),
      );
    },
  );

  test.each([
    [{ maxUnavailable: 0 }, 'maxUnavailable: Required value: cannot be 0 when maxSurge is 0'],
    [{ maxSurge: 1 }, 'maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero'],
    [{ maxUnavailable: '101%' }, 'maxUnavailable: Invalid value: "101%": must not be greater than 100%'],
    [{ maxUnavailable: 0, maxSurge: -1 }, 'maxSurge: Invalid value: -1: must be greater than or equal to 0'],
  ])('rolling update of %j -> refused', async (rollingUpdate, problem) => {
    await expect(strategyOf('wrong', { type: 'RollingUpdate', rollingUpdate })).resolves.toMatchObject({
      code: 422,
      body: {
        message: `DaemonSet.apps "wrong" is invalid: spec.updateStrategy.rollingUpdate.${problem}`,
      },
    });
  });
});

describe('events', () => {
  const old = namespaced('v1', 'events');
  const newer = namespaced('events.k8s.io/v1', 'events');
  const timed = {
    eventTime: '2026-01-01T00:00:00.000000Z',
    reportingInstance: 'i',
    action: 'Look',
    reason: 'Looked',
  };

  test('event with a time of its own -> may be about what is in another namespace', async () => {
    const event = { metadata: { name: 'far' }, involvedObject: { namespace: 'other' } };
    await expect(ask('POST', old, { ...event, ...timed, reportingComponent: 'c' })).resolves.toMatchObject({
      code: 201,
    });
    await expect(ask('POST', old, event)).resolves.toMatchObject({ code: 422 });
  });

  test('new event with fields of old ones and half a series -> each refused', async () => {
    const { body } = await ask('POST', newer, {
      ...timed,
      metadata: { name: 'half' },
      type: 'Normal',
      reportingController: 'c',
      series: { count: 1, lastObservedTime: null },
      deprecatedCount: 1,
      deprecatedSource: { host: 'h' },
      deprecatedLastTimestamp: '2026-01-01T00:00:00Z',
    });
    const { causes } = body['details'] as { causes: { field: string }[] };
    expect(causes.map(({ field }) => field).sort()).toEqual([
      'count',
      'lastTimestamp',
      'series.count',
      'series.lastObservedTime',
      'source',
    ]);
  });
});

describe('names of kinds whose validation is declared', () => {
  const controllers = namespaced('v1', 'replicationcontrollers');
  const classes = '/apis/resource.k8s.io/v1/deviceclasses';
  const long = 'x'.repeat(254);

  test.each([
    [controllers, { template }],
    [classes, {}],
  ])('%s, name too long -> said in bytes; prefix too long -> taken', async (collection, spec) => {
    const { body } = await ask('POST', collection, { metadata: { name: long }, spec });
    expect(body.message).toMatch(/must be no more than 253 bytes$/);
    await expect(ask('POST', collection, { metadata: { generateName: long }, spec })).resolves.toMatchObject({
      code: 201,
    });
  });
});

describe('finalizers of propagation', () => {
  const maps = namespaced('v1', 'configmaps');
  const orphaned = async (name: string): Promise<string> => {
    const { body } = await ask('POST', maps, { metadata: { name, finalizers: ['orphan'] } });
    return String(body.metadata?.['resourceVersion']);
  };

  test('deleted as usual, waits for dependents already -> still does', async () => {
    const controllers = namespaced('v1', 'replicationcontrollers');
    const finalizers = ['foregroundDeletion'];
    await ask('POST', controllers, { metadata: { name: 'waiting', finalizers }, spec: { template } });
    const { body } = await ask('DELETE', `${controllers}/waiting`);
    expect(body.metadata?.['finalizers']).toEqual(finalizers);
  });

  test('last finalizer dropped by a deletion that asks for a version -> 409, whatever the version', async () => {
    const resourceVersion = await orphaned('versioned');
    const options = { propagationPolicy: 'Background', preconditions: { resourceVersion } };
    await expect(ask('DELETE', `${maps}/versioned`, options)).resolves.toMatchObject({
      code: 409,
      body: {
        message: `Operation cannot be fulfilled on configmaps "versioned": StorageError: invalid object, Code: 4, Key: /registry/configmaps/default/versioned, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ResourceVersion in precondition: , ResourceVersion in object meta: ${resourceVersion}`,
      },
    });
    await expect(ask('GET', `${maps}/versioned`)).resolves.toMatchObject({ code: 200 });
  });

  test('last finalizer dropped by a dry run -> an empty object', async () => {
    await orphaned('dry');
    const { code, body } = await ask('DELETE', `${maps}/dry?dryRun=All&propagationPolicy=Background`);
    expect([code, body]).toEqual([200, { kind: 'ConfigMap', apiVersion: 'v1', metadata: {} }]);
  });
});

test('apply in conflict with one manager at the object and at its status -> the status is named first', async () => {
  const volumes = '/api/v1/persistentvolumes';
  const volume = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'contested', labels: { x: '1' } },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      csi: { driver: 'd', volumeHandle: 'h' },
    },
  };
  await ask('POST', `${volumes}?fieldManager=m`, volume);
  const labels = { metadata: { labels: { x: '2' } } };
  await ask('PATCH', `${volumes}/contested/status?fieldManager=m`, labels, 'merge');
  const applied = { ...volume, spec: { ...volume.spec, accessModes: ['ReadWriteMany'] } };
  const { body } = await ask('PATCH', `${volumes}/contested?fieldManager=one`, applied, 'apply');
  expect(body.message).toBe(
    'Apply failed with 2 conflicts: conflicts with "m" with subresource "status" using v1:\n- .metadata.labels.x\nconflicts with "m" using v1:\n- .spec.accessModes',
  );
});

test('definition of a kind deleted -> its policy counts once it is terminating', async () => {
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  await ask('POST', definitions, {
    metadata: { name: 'things.e.com', finalizers: ['e.com/f'] },
    spec: {
      group: 'e.com',
      scope: 'Cluster',
      names: { plural: 'things', kind: 'Thing' },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
      ],
    },
  });
  const deleted = async (): Promise<Fields | undefined> => {
    await ask('DELETE', `${definitions}/things.e.com?propagationPolicy=Foreground`);
    return (await ask('GET', `${definitions}/things.e.com`)).body.metadata;
  };
  const first = await deleted();
  expect(first?.['finalizers']).not.toContain('foregroundDeletion');
  expect(first).not.toHaveProperty('deletionGracePeriodSeconds');
  const second = await deleted();
  expect(second?.['finalizers']).toContain('foregroundDeletion');
  expect(second).toHaveProperty('deletionGracePeriodSeconds', 0);
});

test('generation below zero, of a kind that has none -> refused', async () => {
  const maps = namespaced('v1', 'configmaps');
  await expect(ask('POST', maps, { metadata: { name: 'g', generation: -1 } })).resolves.toMatchObject({
    code: 422,
    body: {
      message:
        'ConfigMap "g" is invalid: metadata.generation: Invalid value: -1: must be greater than or equal to 0',
    },
  });
  const { body } = await ask('POST', maps, { metadata: { name: 'g', generation: 7 } });
  expect(body.metadata).toHaveProperty('generation', 7);
});

describe('namespaces', () => {
  const namespaces = '/api/v1/namespaces';

  test('deleted with nothing that holds it -> marked, and gone by the next request', async () => {
    await ask('POST', namespaces, { metadata: { name: 'free' } });
    await ask('PUT', `${namespaces}/free/finalize`, { metadata: { name: 'free' } });
    const terminating = { kind: 'Namespace', status: { phase: 'Terminating' } };
    await expect(ask('DELETE', `${namespaces}/free`)).resolves.toMatchObject({
      code: 200,
      body: terminating,
    });
    await expect(ask('GET', `${namespaces}/free`)).resolves.toMatchObject({ code: 200, body: terminating });
    await expect(ask('DELETE', `${namespaces}/free`)).resolves.toMatchObject({
      code: 200,
      body: terminating,
    });
    await expect(ask('GET', `${namespaces}/free`)).resolves.toMatchObject({ code: 404 });
  });

  test('deleted once more with nothing in its spec that holds it -> policy and grace period as of any kind', async () => {
    await ask('POST', namespaces, { metadata: { name: 'waits' } });
    await ask('PUT', `${namespaces}/waits/finalize`, { metadata: { name: 'waits' } });
    const metadataAfter = async (policy: string): Promise<Fields | undefined> => {
      await ask('DELETE', `${namespaces}/waits?propagationPolicy=${policy}`);
      return (await ask('GET', `${namespaces}/waits`)).body.metadata;
    };
    const first = await metadataAfter('Foreground');
    expect(first).toMatchObject({ finalizers: ['foregroundDeletion'] });
    expect(first).not.toHaveProperty('deletionGracePeriodSeconds');
    const second = await metadataAfter('Foreground');
    expect(second).toMatchObject({ finalizers: ['foregroundDeletion'], deletionGracePeriodSeconds: 0 });
    const third = await metadataAfter('Orphan');
    expect(third).toMatchObject({ finalizers: ['orphan'], deletionGracePeriodSeconds: 0 });
    await ask('DELETE', `${namespaces}/waits?propagationPolicy=Background`);
    await expect(ask('GET', `${namespaces}/waits`)).resolves.toMatchObject({ code: 404 });
  });

  test('deleted once more with something in its spec that holds it -> as it is', async () => {
    await ask('POST', namespaces, { metadata: { name: 'held' } });
    const { body: first } = await ask('DELETE', `${namespaces}/held`);
    const { body: second } = await ask('DELETE', `${namespaces}/held?propagationPolicy=Foreground`);
    expect(second.metadata).toEqual(first.metadata);
  });

  test('finalized without a status -> who owns that owns it still', async () => {
    await ask('POST', namespaces, { metadata: { name: 'owned' } });
    const applied = {
      apiVersion: 'v1',
      kind: 'Namespace',
      status: { conditions: [{ type: 'T', status: 'True' }] },
    };
    await ask('PATCH', `${namespaces}/owned/status?fieldManager=three`, applied, 'apply');
    const { body } = await ask('PUT', `${namespaces}/owned/finalize`, { metadata: { name: 'owned' } });
    const owners = body.metadata?.['managedFields'] as { manager: string; subresource?: string }[];
    expect(owners.map(({ manager, subresource }) => [manager, subresource])).toContainEqual([
      'three',
      'status',
    ]);
    expect(owners.map(({ subresource }) => subresource)).not.toContain('finalize');
  });
});

describe('updates', () => {
  const nodes = '/api/v1/nodes';
  const onlyOnce = (field: string): string => `node updates may not change ${field} except from "" to valid`;

  test('address range or provider of a node changed -> refused', async () => {
    await ask('POST', nodes, {
      metadata: { name: 'n' },
      spec: { providerID: 'e://a', podCIDR: '10.1.0.0/24' },
    });
    const change = (spec: Fields): Promise<Answer> => ask('PATCH', `${nodes}/n`, { spec }, 'merge');
    await expect(change({ podCIDR: '10.2.0.0/24' })).resolves.toMatchObject({
      body: { message: `Node "n" is invalid: spec.podCIDRs: Forbidden: ${onlyOnce('podCIDR')}` },
    });
    await expect(change({ providerID: 'e://b' })).resolves.toMatchObject({
      body: { message: `Node "n" is invalid: spec.providerID: Forbidden: ${onlyOnce('providerID')}` },
    });
  });

  test('address twice, capacity below zero in the status of a node -> refused', async () => {
    await ask('POST', nodes, { metadata: { name: 'm' } });
    const change = (status: Fields): Promise<Answer> =>
      ask('PATCH', `${nodes}/m/status`, { status }, 'merge');
    const address = { type: 'Hostname', address: 'h' };
    await expect(change({ addresses: [address, address] })).resolves.toMatchObject({
      body: {
        message:
          'Node "m" is invalid: status.addresses[1]: Duplicate value: {"Type":"Hostname","Address":"h"}',
      },
    });
    await expect(change({ capacity: { cpu: '-1' }, allocatable: { cpu: '1' } })).resolves.toMatchObject({
      body: {
        message:
          'Node "m" is invalid: status.capacity.cpu: Invalid value: "-1": must be greater than or equal to 0',
      },
    });
  });

  test('driver of a CSINode changed -> refused, but for what it can hold', async () => {
    const csiNodes = '/apis/storage.k8s.io/v1/csinodes';
    const driver = { name: 'd.example.com', nodeID: 'n', topologyKeys: ['a'] };
    await ask('POST', csiNodes, { metadata: { name: 'n' }, spec: { drivers: [driver] } });
    const change = (more: Fields): Promise<Answer> =>
      ask('PATCH', `${csiNodes}/n`, { spec: { drivers: [{ ...driver, ...more }] } }, 'merge');
    await expect(change({ allocatable: { count: 3 } })).resolves.toMatchObject({ code: 200 });
    await expect(change({ nodeID: 'm' })).resolves.toMatchObject({
      code: 422,
      body: {
        message:
          'CSINode.storage.k8s.io "n" is invalid: spec.drivers: Invalid value: {"Name":"d.example.com","NodeID":"m","TopologyKeys":["a"],"Allocatable":null}: field is immutable',
      },
    });
  });

  test('headless service that comes to select pods -> of no family that the cluster lacks', async () => {
    const services = namespaced('v1', 'services');
    await ask('POST', services, { metadata: { name: 's' }, spec: { clusterIP: 'None' } });
    const spec = { selector: { a: 'b' }, ports: [{ port: 80 }, { port: 81 }] };
    await expect(ask('PATCH', `${services}/s`, { spec }, 'merge')).resolves.toMatchObject({
      code: 422,
      body: {
        message:
          'Service "s" is invalid: [spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services, spec.ipFamilies[1]: Invalid value: "IPv6": not configured on this cluster]',
      },
    });
  });

  test('finalizer that is there twice, another merged -> there once', async () => {
    const configMaps = namespaced('v1', 'configmaps');
    await ask('POST', configMaps, { metadata: { name: 'twice', finalizers: ['e.com/f', 'e.com/f'] } });
    const { body } = await ask(
      'PATCH',
      `${configMaps}/twice`,
      { metadata: { finalizers: ['e.com/s'] } },
      'strategic',
    );
    expect(body.metadata?.['finalizers']).toEqual(['e.com/s', 'e.com/f']);
  });

  test('value of a PriorityClass changed to one that none may have -> the change alone is refused', async () => {
    const classes = '/apis/scheduling.k8s.io/v1/priorityclasses';
    await ask('POST', classes, { metadata: { name: 'p' }, value: 1 });
    await expect(ask('PATCH', `${classes}/p`, { value: 2_000_000_000 }, 'merge')).resolves.toMatchObject({
      body: {
        message:
          'PriorityClass.scheduling.k8s.io "p" is invalid: value: Forbidden: may not be changed in an update.',
      },
    });
  });

  test('spec of a claim for devices changed to a wrong one -> the change alone is refused', async () => {
    const claims = namespaced('resource.k8s.io/v1', 'resourceclaims');
    const exactly = { deviceClassName: 'c' };
    await ask('POST', claims, {
      metadata: { name: 'c' },
      spec: { devices: { requests: [{ name: 'r', exactly }] } },
    });
    const changed = { spec: { devices: { requests: [{ name: 'r' }] } } };
    await expect(ask('PATCH', `${claims}/c`, changed, 'merge')).resolves.toMatchObject({
      body: {
        message:
          'ResourceClaim.resource.k8s.io "c" is invalid: spec: Invalid value: {"Devices":{"Requests":[{"Name":"r","Exactly":null,"FirstAvailable":null}],"Constraints":null,"Config":null}}: field is immutable',
      },
    });
  });

  test('template of claims for devices changed -> its metadata shown by the names of JSON', async () => {
    const templates = namespaced('resource.k8s.io/v1', 'resourceclaimtemplates');
    const spec = { metadata: { labels: { x: 'y' } }, spec: {} };
    await ask('POST', templates, { metadata: { name: 't' }, spec });
    const changed = { spec: { metadata: { labels: { x: 'z' } } } };
    await expect(ask('PATCH', `${templates}/t`, changed, 'merge')).resolves.toMatchObject({
      body: {
        message:
          'ResourceClaimTemplate.resource.k8s.io "t" is invalid: spec: Invalid value: {"labels":{"x":"z"},"Spec":{"Devices":{"Requests":null,"Constraints":null,"Config":null}}}: field is immutable',
      },
    });
  });

  test('ControllerRevision without data -> refused as a change alone', async () => {
    const revisions = namespaced('apps/v1', 'controllerrevisions');
    await ask('POST', revisions, { metadata: { name: 'r' }, revision: 1, data: { a: 'b' } });
    const { body } = await ask('PUT', `${revisions}/r`, { metadata: { name: 'r' }, revision: 1 });
    expect(body.message).toBe(
      'ControllerRevision.apps "r" is invalid: data: Invalid value: null: field is immutable',
    );
  });

  const newEvents = namespaced('events.k8s.io/v1', 'events');
  test.each([
    ['reason', { reason: '' }, '[reason: Required value, reason: Invalid value: "": field is immutable]'],
    ['count', { deprecatedCount: 2 }, 'count: Invalid value: 2: field is immutable'],
    [
      'related',
      { related: { kind: 'Pod', name: 'q' } },
      'related: Invalid value: {"Kind":"Pod","Namespace":"","Name":"q","UID":"","APIVersion":"","ResourceVersion":"","FieldPath":""}: field is immutable',
    ],
  ])('%s of a new event changed -> refused', async (name, change, problems) => {
    await ask('POST', newEvents, {
      metadata: { name },
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'example.com/c',
      reportingInstance: 'c-1',
      action: 'Look',
      reason: 'Looked',
      type: 'Normal',
      regarding: { kind: 'Pod', namespace: 'default', name: 'p' },
    });
    const { body } = await ask('PATCH', `${newEvents}/${name}`, change, 'merge');
    expect(body.message).toBe(`Event "${name}" is invalid: ${problems}`);
  });

  test('certificate sent to the approval of a signing request -> nobody comes to own it', async () => {
    const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
    const spec = {
      request: signingRequest,
      signerName: 'example.com/s',
      usages: ['client auth'],
    };
    await ask('POST', requests, { metadata: { name: 'r' }, spec });
    const sent = {
      status: { certificate: 'YQ==', conditions: [{ type: 'Approved', status: 'True', reason: 'a' }] },
    };
    const { code, body } = await ask('PATCH', `${requests}/r/approval`, sent, 'merge');
    expect(code).toBe(200);
    expect(JSON.stringify(body.metadata)).not.toContain('f:certificate');
  });
});

describe('creations', () => {
  test('autoscaler of v1 that says no target -> 80 %', async () => {
    const spec = { scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' }, maxReplicas: 3 };
    const { body } = await ask('POST', namespaced('autoscaling/v1', 'horizontalpodautoscalers'), {
      metadata: { name: 'h' },
      spec,
    });
    expect(body.spec).toMatchObject({ targetCPUUtilizationPercentage: 80 });
    const newer = await ask('GET', `${namespaced('autoscaling/v2', 'horizontalpodautoscalers')}/h`);
    expect(newer.body['status']).toEqual({ desiredReplicas: 0, currentMetrics: null });
  });

  test('null in the data of a Secret -> no bytes', async () => {
    const { body } = await ask('POST', namespaced('v1', 'secrets'), {
      metadata: { name: 's' },
      data: { k: null },
    });
    expect(body['data']).toEqual({ k: '' });
  });

  test('image whose name is too long -> has no tag that is the latest', async () => {
    const spec = { containers: [{ name: 'c', image: 'x'.repeat(254) }] };
    const { body } = await ask('POST', `${namespaced('v1', 'pods')}?dryRun=All`, {
      metadata: { name: 'p' },
      spec,
    });
    expect(body.spec).toMatchObject({ containers: [{ imagePullPolicy: 'IfNotPresent' }] });
  });

  test('APIService without a service -> available', async () => {
    const spec = { group: 'example.org', version: 'v1', groupPriorityMinimum: 1000, versionPriority: 10 };
    const path = '/apis/apiregistration.k8s.io/v1/apiservices?dryRun=All';
    const { body } = await ask('POST', path, { metadata: { name: 'v1.example.org' }, spec });
    expect(body['status']).toMatchObject({
      conditions: [{ type: 'Available', status: 'True', reason: 'Local' }],
    });
    await expect(ask('POST', path, { metadata: { name: 'A' }, spec })).resolves.toMatchObject({
      body: {
        message:
          'APIService.apiregistration.k8s.io "A" is invalid: metadata.name: Invalid value: "A": must be `spec.version+"."+spec.group`: "v1.example.org"',
      },
    });
  });

  test('metadata and spec of a disruption budget wrong -> the spec alone is refused', async () => {
    const budgets = namespaced('policy/v1', 'poddisruptionbudgets');
    const metadata = { name: 'A_b', labels: { x: 'not a label' } };
    await expect(ask('POST', budgets, { metadata, spec: { minAvailable: '150%' } })).resolves.toMatchObject({
      body: {
        message:
          'PodDisruptionBudget.policy "A_b" is invalid: spec.minAvailable: Invalid value: "150%": must not be greater than 100%',
      },
    });
  });

  test.each([
    [
      'of another group -> left out',
      { dataSource: { apiGroup: 'a.example', kind: 'A', name: 'a' } },
      undefined,
    ],
    [
      'by reference, of no claim and no group -> refused',
      { dataSourceRef: { kind: 'A', name: 'a' } },
      '[spec.dataSource: Invalid value: "A": must be \'PersistentVolumeClaim\' when referencing the default apiGroup, spec.dataSourceRef: Invalid value: "A": must be \'PersistentVolumeClaim\' when referencing the default apiGroup]',
    ],
  ])('source of a claim %s', async (_, source, problem) => {
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...source };
    const path = `${namespaced('v1', 'persistentvolumeclaims')}?dryRun=All`;
    const { code, body } = await ask('POST', path, { metadata: { name: 'c' }, spec });
    if (problem === undefined) {
      expect(code).toBe(201);
      expect(body.spec).not.toHaveProperty('dataSource');
    } else {
      expect(body.message).toBe(`PersistentVolumeClaim "c" is invalid: ${problem}`);
    }
  });

  test('StorageClass with an empty reclaim policy -> created', async () => {
    const storageClass = { metadata: { name: 'c' }, provisioner: 'd', reclaimPolicy: '' };
    const path = '/apis/storage.k8s.io/v1/storageclasses?dryRun=All';
    await expect(ask('POST', path, storageClass)).resolves.toMatchObject({
      code: 201,
      body: { reclaimPolicy: '' },
    });
  });

  test.each([
    ['fraction', 1.5],
    ['number beyond 32 bits', 3_000_000_000],
  ])('%s where a number or a percentage is due -> refused', async (_, minAvailable) => {
    await expect(
      ask('POST', namespaced('policy/v1', 'poddisruptionbudgets'), {
        metadata: { name: 'b' },
        spec: { minAvailable },
      }),
    ).resolves.toMatchObject({
      code: 400,
      body: {
        message: `PodDisruptionBudget in version "v1" cannot be handled as a PodDisruptionBudget: json: cannot unmarshal number ${minAvailable} into Go struct field PodDisruptionBudgetSpec.spec.minAvailable of type int32`,
      },
    });
  });

  test('LimitRange without amounts -> gets none', async () => {
    const spec = { limits: [{ type: 'Container', default: {} }] };
    const { body } = await ask('POST', `${namespaced('v1', 'limitranges')}?dryRun=All`, {
      metadata: { name: 'l' },
      spec,
    });
    expect(body.spec).toEqual({ limits: [{ type: 'Container' }] });
  });

  test('event whose name is no subdomain -> created', async () => {
    const event = {
      metadata: { name: 'A_b' },
      involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' },
    };
    await expect(ask('POST', namespaced('v1', 'events'), event)).resolves.toMatchObject({ code: 201 });
  });
});

async function rowsOf(path: string): Promise<unknown> {
  const { users } = JSON.parse(server.kubeconfig) as { users: [{ user: { token: string } }] };
  const answer = await fetch(`${server.url}${path}`, {
    headers: {
      authorization: `Bearer ${users[0].user.token}`,
      accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
    },
  });
  return ((await answer.json()) as { rows: unknown }).rows;
}

test('row of a pod that has succeeded -> says that it is through', async () => {
  const pods = namespaced('v1', 'pods');
  await ask('POST', pods, { metadata: { name: 'done' }, spec: template.spec });
  await ask('PATCH', `${pods}/done/status`, { status: { phase: 'Succeeded' } }, 'merge');
  expect(await rowsOf(`${pods}/done`)).toMatchObject([
    {
      conditions: [
        {
          type: 'Completed',
          status: 'True',
          reason: 'Succeeded',
          message: 'The pod has completed successfully.',
        },
      ],
    },
  ]);
});

test.each([
  [{}, {}, 'c'],
  [{ component: 's' }, {}, 's'],
  [{ component: 's', host: 'h' }, {}, 's, h'],
  [{ component: 's' }, { reportingInstance: 'i' }, 's, i'],
  [{ host: 'h' }, { reportingInstance: 'i' }, 'c, h'],
])('event of source %j, reported by c %j -> its row names "%s"', async (source, reported, named) => {
  const event = {
    metadata: { generateName: 'e-' },
    involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' },
    source,
    reportingComponent: 'c',
    ...reported,
  };
  const { body } = await ask('POST', namespaced('v1', 'events'), event);
  const rows = await rowsOf(`${namespaced('v1', 'events')}/${String(body.metadata?.['name'])}`);
  expect(rows).toMatchObject([{ cells: expect.arrayContaining([named]) as unknown }]);
});

describe('text that must stay as it is', () => {
  test('IngressClass without its controller -> shown as the empty text that it is in Go', async () => {
    const classes = '/apis/networking.k8s.io/v1/ingressclasses';
    const made = { metadata: { name: 'i' }, spec: { controller: 'example.com/c' } };
    expect(await ask('POST', classes, made)).toMatchObject({ code: 201 });
    const { body } = await ask('PUT', `${classes}/i`, { ...made, spec: {} });
    expect(body.message).toContain('spec.controller: Invalid value: "": field is immutable');
  });
});
