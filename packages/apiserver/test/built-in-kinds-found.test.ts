import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiServer, startApiServer } from '../src/index.ts';
import { clientOf } from './client.ts';

/*
 * What random requests about built-in kinds were answered otherwise than on the real server, whose answers stand here.
 */

let server: ApiServer;
beforeAll(async () => {
  server = await startApiServer({ tls: false });
});
afterAll(() => server.stop());

type Fields = Readonly<Record<string, unknown>>;
interface Answer {
  readonly code: number;
  readonly body: Fields & {
    readonly message?: string;
    readonly spec?: Fields;
    readonly metadata?: Fields;
    readonly details?: { readonly causes?: readonly { readonly field: string; readonly message: string }[] };
  };
}

const mediaTypes = {
  merge: 'application/merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

async function ask(
  method: string,
  path: string,
  body?: Fields | readonly Fields[],
  patch?: keyof typeof mediaTypes,
): Promise<Answer> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const type = patch === undefined ? undefined : mediaTypes[patch];
  const answer = await server.handle(method, path, text, type);
  return { code: answer.code, body: JSON.parse(answer.body) as Answer['body'] };
}

/** What a 422 finds wrong, each once, in the order of the fields. */
const problems = ({ body: { details } }: Answer): string[] =>
  [...new Set((details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`))].sort();

const namespaced = (group: string, plural: string): string =>
  `${group === 'v1' ? '/api/v1' : `/apis/${group}`}/namespaces/default/${plural}`;
const template = {
  metadata: { labels: { a: 'b' } },
  spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i:1' }] },
};
const workload = {
  selector: { matchLabels: { a: 'b' } },
  template: { ...template, spec: { ...template.spec, restartPolicy: 'Always' } },
};

describe('jobs', () => {
  const jobs = namespaced('batch/v1', 'jobs');
  const manual = { manualSelector: true, selector: { matchLabels: { a: 'b' } }, template };
  const mismatch =
    'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`';
  const changeOf = async (name: string, spec: Fields, changed: Fields): Promise<string[]> => {
    await ask('POST', jobs, { metadata: { name }, spec });
    return problems(await ask('PATCH', `${jobs}/${name}`, { spec: changed }, 'merge'));
  };

  test('selector set to null -> required, immutable, and takes none of the pods', async () => {
    await expect(changeOf('nulled', manual, { selector: null })).resolves.toEqual([
      'spec.selector: Invalid value: null: field is immutable',
      'spec.selector: Required value',
      mismatch,
    ]);
  });

  test('selector changed -> immutable, and does not match the template', async () => {
    const changed = { selector: { matchLabels: { a: 'c' } } };
    await expect(changeOf('changed', manual, changed)).resolves.toEqual([
      'spec.selector: Invalid value: {"matchLabels":{"a":"c"}}: field is immutable',
      mismatch,
    ]);
  });

  test('selector of its own given up -> told that it is not the one that is made', async () => {
    const found = await changeOf('given-up', manual, { manualSelector: false });
    expect(found).toContain(
      'spec.selector: Invalid value: {"matchLabels":{"a":"b"}}: `selector` not auto-generated',
    );
    expect(found).toContain("spec.template.metadata.labels[job-name]: Required value: must be 'given-up'");
  });

  test('label of a template that the server would give -> stays, and is refused', async () => {
    const metadata = { labels: { 'job-name': 'other' } };
    const made = await ask('POST', jobs, {
      metadata: { name: 'named' },
      spec: { template: { ...template, metadata } },
    });
    expect(made.code).toBe(422);
    expect(made.body.message).toContain(`spec.template.metadata.labels[job-name]: Invalid value: {`);
    expect(made.body.message).toContain(`"job-name":"other"}: must be 'named'`);
  });

  test('name of a job that is too long for a label of its pods -> refused', async () => {
    const name = 'x'.repeat(64);
    const spec = { template: { spec: template.spec } };
    const made = await ask('POST', jobs, { metadata: { name }, spec });
    expect(problems(made)).toEqual([
      `spec.template.labels: Invalid value: "${name}": must be no more than 63 bytes`,
    ]);
  });

  test('completions of an indexed job changed alone -> only in tandem with its parallelism', async () => {
    const indexed = { ...manual, completionMode: 'Indexed', completions: 3 };
    await expect(changeOf('indexed', indexed, { completions: 4 })).resolves.toEqual([
      'spec.completions: Invalid value: 4: can only be modified in tandem with spec.parallelism',
    ]);
    await expect(
      ask('PATCH', `${jobs}/indexed`, { spec: { completions: 4, parallelism: 4 } }, 'merge'),
    ).resolves.toMatchObject({ code: 200 });
  });

  test('indexed job whose name makes no host names -> refused', async () => {
    const spec = { ...manual, completionMode: 'Indexed', completions: 3 };
    await expect(ask('POST', jobs, { metadata: { name: 'x.y' }, spec })).resolves.toMatchObject({
      body: {
        message:
          'Job.batch "x.y" is invalid: metadata.name: Invalid value: "x.y": will not able to create pod with invalid DNS label: x.y-2',
      },
    });
  });

  test('template of a suspended job, one of whose pods is there still -> stays as it is', async () => {
    await ask('POST', jobs, { metadata: { name: 'suspended' }, spec: { ...manual, suspend: true } });
    const change = (): Promise<Answer> =>
      ask(
        'PATCH',
        `${jobs}/suspended?dryRun=All`,
        { spec: { template: { spec: { nodeSelector: { a: 'b' } } } } },
        'merge',
      );
    const write = (status: Fields): Promise<Answer> =>
      ask('PATCH', `${jobs}/suspended/status`, { status }, 'merge');
    await expect(change()).resolves.toMatchObject({ code: 200 });
    await write({ active: 1 });
    expect((await change()).body.message).toMatch(/ spec\.template: Invalid value: .*: field is immutable$/);
    await write({ active: 0, startTime: '2020-01-01T00:00:00Z' });
    await expect(change()).resolves.toMatchObject({ code: 422 });
    await write({ conditions: [{ type: 'Suspended', status: 'True' }] });
    await expect(change()).resolves.toMatchObject({ code: 200 });
  });

  test('limit of failures by index, of a job without any -> refused', async () => {
    await expect(changeOf('limited', manual, { maxFailedIndexes: 1 })).resolves.toEqual([
      'spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified',
      'spec.maxFailedIndexes: Invalid value: 1: requires indexed completion mode',
    ]);
  });

  test('name of a CronJob that is longer than its jobs could bear -> refused', async () => {
    const name = 'x'.repeat(53);
    const made = await ask('POST', namespaced('batch/v1', 'cronjobs'), {
      metadata: { name },
      spec: { schedule: '@daily', jobTemplate: { spec: { template } } },
    });
    expect(problems(made)).toEqual([
      `metadata.name: Invalid value: "${name}": must be no more than 52 characters`,
    ]);
  });

  test('CronJob that selects pods, or has an empty time zone -> refused', async () => {
    const made = await ask('POST', namespaced('batch/v1', 'cronjobs'), {
      metadata: { name: 'c' },
      spec: { schedule: '@daily', timeZone: '', jobTemplate: { spec: manual } },
    });
    expect(problems(made)).toEqual([
      'spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "nil", "false"',
      'spec.jobTemplate.spec.selector: Invalid value: {"matchLabels":{"a":"b"}}: `selector` will be auto-generated',
      'spec.timeZone: Invalid value: "": timeZone must be nil or non-empty string',
    ]);
  });
});

describe('services', () => {
  const services = namespaced('v1', 'services');
  const outside = { type: 'ExternalName', externalName: 'example.com' };
  const apply = (name: string, spec: Fields, query = ''): Promise<Answer> =>
    ask(
      'PATCH',
      `${services}/${name}?fieldManager=one${query}`,
      { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec },
      'apply',
    );

  test('headless service applied as ExternalName -> without what it had found', async () => {
    await apply('out', { clusterIP: 'None', selector: { a: 'b' } });
    const { code, body } = await apply('out', outside);
    expect(code).toBe(200);
    expect(body.spec).toEqual({ sessionAffinity: 'None', ...outside });
  });

  test('last finalizer taken from a deleted service as it becomes ExternalName -> shown as it would be stored', async () => {
    const metadata = { name: 'last', finalizers: ['e.com/f'] };
    await ask('POST', services, { metadata, spec: { clusterIP: 'None' } });
    await ask('DELETE', `${services}/last`);
    const { body } = await ask('PUT', `${services}/last`, {
      metadata: { name: 'last' },
      spec: { ...outside, internalTrafficPolicy: 'Local' },
    });
    expect(body.spec).toEqual({ sessionAffinity: 'None', internalTrafficPolicy: 'Local', ...outside });
  });

  test('ExternalName applied with an address -> refused', async () => {
    await apply('stays', outside);
    expect(problems(await apply('stays', { ...outside, clusterIP: 'None' }))).toEqual([
      'spec.clusterIPs: Forbidden: may not be set for ExternalName services',
    ]);
  });

  test('ExternalName that becomes headless -> has families again', async () => {
    await apply('back', outside);
    const { body } = await apply('back', { clusterIP: 'None', type: 'ClusterIP' });
    expect(body.spec).toMatchObject({
      clusterIP: 'None',
      clusterIPs: ['None'],
      internalTrafficPolicy: 'Cluster',
      ipFamilies: ['IPv4', 'IPv6'],
      ipFamilyPolicy: 'RequireDualStack',
    });
  });

  test('ExternalName that gets an address and no ports -> refused', async () => {
    await apply('portless', outside);
    const spec = { type: 'ClusterIP', externalName: null, clusterIP: '10.0.0.77' };
    const changed = await ask('PATCH', `${services}/portless`, { spec }, 'merge');
    expect(problems(changed)).toEqual(['spec.ports: Required value']);
  });

  test('name outside kept by another type -> a Warning header', async () => {
    await apply('warned', outside);
    const spec = { type: 'ClusterIP', clusterIP: 'None' };
    const { headers } = await clientOf(server).send(
      'PATCH',
      `${services}/warned`,
      { spec },
      mediaTypes.merge,
    );
    expect(headers['warning']).toBe(
      String.raw`299 - "spec.externalName is ignored when spec.type is not \"ExternalName\""`,
    );
  });

  test('replaced without its families, and with a selector -> refused for the policy alone', async () => {
    await ask('POST', services, { metadata: { name: 'two' }, spec: { clusterIP: 'None' } });
    const spec = { clusterIP: 'None', selector: { a: 'b' } };
    const replaced = await ask('PUT', `${services}/two`, { metadata: { name: 'two' }, spec });
    expect(problems(replaced)).toEqual([
      'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
    ]);
  });

  test('dry run of a new service -> neither its address nor its ports are taken from what is free', async () => {
    const ports = [
      { name: 'tcp', port: 80 },
      { name: 'udp', port: 80, protocol: 'UDP' },
      { name: 'other', port: 81 },
    ];
    const spec = { type: 'LoadBalancer', externalTrafficPolicy: 'Local', ports };
    const { body } = await ask('POST', `${services}?dryRun=All`, { metadata: { name: 'd' }, spec });
    expect(body.spec).toMatchObject({
      clusterIP: '10.0.0.0',
      clusterIPs: ['10.0.0.0'],
      ports: [{ nodePort: 32769 }, { nodePort: 32769 }, { nodePort: 32770 }],
      healthCheckNodePort: 32771,
    });
  });

  describe('address that a service asks for', () => {
    const at = (clusterIP: string): Fields => ({ clusterIP, ports: [{ port: 80 }] });
    const refused = (address: string, problem: string): string =>
      `spec.clusterIPs: Invalid value: ["${address}"]: failed to allocate IP ${address}: ${problem}`;

    test.each([
      ['outside the range', '192.168.1.1', 'the provided network does not match the current range'],
      ['the first of the range', '10.0.0.0', 'the provided network does not match the current range'],
      ['the last of the range', '10.0.0.255', 'the provided network does not match the current range'],
      ["the API server's own", '10.0.0.1', 'provided IP is already allocated'],
    ])('%s -> refused', async (_title, address, problem) => {
      const made = await ask('POST', services, { metadata: { name: 'asks' }, spec: at(address) });
      expect([made.code, ...problems(made)]).toEqual([422, refused(address, problem)]);
    });

    test('that of another, or of the service of that very name -> refused; by a dry run -> not', async () => {
      await ask('POST', services, { metadata: { name: 'has-it' }, spec: at('10.0.0.99') });
      for (const name of ['wants-it', 'has-it']) {
        const made = await ask('POST', services, { metadata: { name }, spec: at('10.0.0.99') });
        expect(problems(made)).toEqual([refused('10.0.0.99', 'provided IP is already allocated')]);
      }
      const wants = { metadata: { name: 'wants-it' }, spec: at('10.0.0.99') };
      expect(await ask('POST', `${services}?dryRun=All`, wants)).toMatchObject({ code: 201 });
    });

    test('that of another, for what was an ExternalName -> refused', async () => {
      await ask('POST', services, { metadata: { name: 'inside-it' }, spec: at('10.0.0.98') });
      await apply('comes-in', outside);
      const spec = { type: 'ClusterIP', externalName: null, ...at('10.0.0.98') };
      const changed = await ask('PATCH', `${services}/comes-in`, { spec }, 'merge');
      expect(problems(changed)).toEqual([refused('10.0.0.98', 'provided IP is already allocated')]);
    });

    test('outside the range, by a dry run -> refused in other words', async () => {
      const asks = { metadata: { name: 'asks' }, spec: at('192.168.1.1') };
      expect(problems(await ask('POST', `${services}?dryRun=All`, asks))).toEqual([
        refused(
          '192.168.1.1',
          'the provided IP (192.168.1.1) is not in the valid range. The range of valid IPs is 10.0.0.0/24',
        ),
      ]);
    });

    test('not asked for -> one above the first sixteen, which are for those who ask', async () => {
      const { body } = await ask('POST', services, {
        metadata: { name: 'any' },
        spec: { ports: [{ port: 80 }] },
      });
      expect(Number(String(body.spec?.['clusterIP']).split('.')[3])).toBeGreaterThan(16);
    });

    test('of a service without a name -> refused for the address alone; by a dry run -> for the name', async () => {
      const nameless = { metadata: {}, spec: at('10.0.0.97') };
      expect(problems(await ask('POST', services, nameless))).toEqual([
        refused(
          '10.0.0.97',
          'IPAddress.networking.k8s.io "10.0.0.97" is invalid: spec.parentRef.name: Required value',
        ),
      ]);
      const any = { metadata: {}, spec: { ports: [{ port: 80 }] } };
      expect(problems(await ask('POST', services, any))).toEqual([
        expect.stringMatching(
          /^spec\.clusterIPs: Invalid value: \[""\]: failed to allocate IP: IPAddress\.networking\.k8s\.io "10\.0\.0\.\d+" is invalid: spec\.parentRef\.name: Required value$/,
        ),
      ]);
      expect(problems(await ask('POST', `${services}?dryRun=All`, any))).toEqual([
        'metadata.name: Required value: name or generateName is required',
      ]);
    });
  });

  test('port renamed of a service on nodes -> another port of nodes; moved -> the same', async () => {
    const spec = { type: 'NodePort', ports: [{ name: 'a', port: 80 }] };
    const made = await ask('POST', services, { metadata: { name: 'nodes' }, spec });
    const replace = async (port: Fields): Promise<unknown> => {
      const body = { metadata: { name: 'nodes' }, spec: { ...spec, ports: [port] } };
      const answer = await ask('PUT', `${services}/nodes`, body);
      return (answer.body.spec?.['ports'] as { nodePort: number }[])[0]?.nodePort;
    };
    const [first] = made.body.spec?.['ports'] as { nodePort: number }[];
    await expect(replace({ name: 'a', port: 81 })).resolves.toBe(first?.nodePort);
    await expect(replace({ name: 'b', port: 81 })).resolves.not.toBe(first?.nodePort);
  });

  test('service no longer on nodes -> gives its ports back', async () => {
    const spec = { type: 'NodePort', ports: [{ port: 80 }] };
    await ask('POST', services, { metadata: { name: 'inside' }, spec });
    const { code, body } = await ask('PATCH', `${services}/inside`, { spec: { type: 'ClusterIP' } }, 'merge');
    expect(code).toBe(200);
    expect(body.spec).toMatchObject({ ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }] });
    expect(JSON.stringify(body.spec)).not.toContain('nodePort');
    expect(body.spec).not.toHaveProperty('externalTrafficPolicy');
  });
});

test.each([
  ['apps/v1', 'deployments'],
  ['apps/v1', 'replicasets'],
  ['apps/v1', 'daemonsets'],
  ['apps/v1', 'statefulsets'],
])(
  'labels and annotations of the template in %s %s -> judged as those of an object',
  async (group, plural) => {
    const metadata = { labels: { a: 'b', c: 'd e' }, annotations: { 'f g': '' } };
    const spec = { ...workload, template: { ...workload.template, metadata } };
    const made = problems(await ask('POST', namespaced(group, plural), { metadata: { name: 'm' }, spec }));
    expect(made).toEqual([
      expect.stringMatching(/^spec\.template\.annotations: Invalid value: "f g": name part must consist of/),
      expect.stringMatching(/^spec\.template\.labels: Invalid value: "d e": a valid label must be/),
    ]);
  },
);

test('autoscaler that says how to scale one way -> what is usual for the rest', async () => {
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' };
  const spec = { scaleTargetRef, maxReplicas: 3, behavior: { scaleDown: { selectPolicy: 'Min' } } };
  const path = namespaced('autoscaling/v2', 'horizontalpodautoscalers');
  const { body } = await ask('POST', path, { metadata: { name: 'h' }, spec });
  expect(body.spec?.['behavior']).toEqual({
    scaleUp: {
      stabilizationWindowSeconds: 0,
      selectPolicy: 'Max',
      policies: [
        { type: 'Pods', value: 4, periodSeconds: 15 },
        { type: 'Percent', value: 100, periodSeconds: 15 },
      ],
    },
    scaleDown: { selectPolicy: 'Min', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] },
  });
});

test('StatefulSet whose template has names for its pods that are none -> taken, as the controller names them', async () => {
  const spec = {
    ...workload,
    template: {
      ...workload.template,
      spec: { ...workload.template.spec, hostname: 'A b', subdomain: 'C d' },
    },
  };
  const made = await ask('POST', namespaced('apps/v1', 'statefulsets'), { metadata: { name: 'n' }, spec });
  expect(made.code).toBe(201);
});

test('template on the network of the host -> ports of the host for its pods alone', async () => {
  const spec = {
    hostNetwork: true,
    containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 80 }] }],
  };
  const pod = await ask('POST', namespaced('v1', 'pods'), { metadata: { name: 'host' }, spec });
  expect(JSON.stringify(pod.body.spec)).toContain('"hostPort":80');
  const made = await ask('POST', namespaced('apps/v1', 'deployments'), {
    metadata: { name: 'host' },
    spec: { ...workload, template: { ...workload.template, spec } },
  });
  expect(made.code).toBe(201);
  expect(JSON.stringify(made.body.spec)).not.toContain('hostPort');
});

test('pod held by scheduling gates -> says so, and since when', async () => {
  const spec = { containers: [{ name: 'c', image: 'i' }], schedulingGates: [{ name: 'e.com/g' }] };
  const { body } = await ask('POST', namespaced('v1', 'pods'), { metadata: { name: 'gates' }, spec });
  expect(body['status']).toMatchObject({
    conditions: [
      {
        type: 'PodScheduled',
        message: 'Scheduling is blocked due to non-empty scheduling gates',
        lastTransitionTime: body.metadata?.['creationTimestamp'],
      },
    ],
  });
});

test.each([
  ['none', { k: '1' }, 422],
  ['below zero', { cpu: '-1' }, 422],
  ['right', { cpu: '1' }, 403],
])('pod with an overhead of no class that is %s -> %s', async (_, overhead, code) => {
  const spec = { containers: [{ name: 'c', image: 'i' }], overhead };
  await expect(
    ask('POST', namespaced('v1', 'pods'), { metadata: { name: 'o' }, spec }),
  ).resolves.toMatchObject({
    code,
  });
});

test('pod of the runtime class without a name -> an internal error', async () => {
  const spec = { containers: [{ name: 'c', image: 'i' }], runtimeClassName: '' };
  const made = await ask('POST', namespaced('v1', 'pods'), { metadata: { name: 'p' }, spec });
  expect(made).toMatchObject({ code: 500, body: { message: 'resource name may not be empty' } });
});

test('EndpointSlice of names with a topology -> a Warning header, and no topology', async () => {
  const slices = namespaced('discovery.k8s.io/v1', 'endpointslices');
  const { send } = clientOf(server);
  const names = await send('POST', slices, {
    metadata: { name: 'names' },
    addressType: 'FQDN',
    endpoints: [{ addresses: ['a.b'], deprecatedTopology: { 'kubernetes.io/hostname': 'n' } }],
  });
  expect(names.headers['warning']).toBe('299 - "spec.addressType: FQDN endpoints are deprecated"');
  expect(names.body).toMatchObject({ endpoints: [{ addresses: ['a.b'] }] });
  expect(JSON.stringify(names.body)).not.toContain('deprecatedTopology');
});

test('data of a ControllerRevision merged with others -> shown with its keys in order', async () => {
  const revisions = namespaced('apps/v1', 'controllerrevisions');
  await ask('POST', revisions, { metadata: { name: 'r' }, revision: 1, data: { spec: { b: 1, a: 2 } } });
  expect(problems(await ask('PATCH', `${revisions}/r`, { data: { k: '9' } }, 'merge'))).toEqual([
    'data: Invalid value: {"k":"9","spec":{"b":1,"a":2}}: field is immutable',
  ]);
});

test('status of a ReplicationController replaced without labels -> those of its pods again', async () => {
  const controllers = namespaced('v1', 'replicationcontrollers');
  const spec = { template: workload.template };
  await ask('POST', controllers, { metadata: { name: 'labels' }, spec });
  const status = { replicas: 1 };
  const { body } = await ask('PUT', `${controllers}/labels/status`, { metadata: { name: 'labels' }, status });
  expect(body.metadata?.['labels']).toEqual({ a: 'b' });
});

test('unknown strategy of a Deployment -> shown with what it had', async () => {
  const deployments = namespaced('apps/v1', 'deployments');
  await ask('POST', deployments, { metadata: { name: 'd' }, spec: workload });
  const changed = await ask(
    'PATCH',
    `${deployments}/d`,
    { spec: { strategy: { type: 'Sideways' } } },
    'merge',
  );
  expect(problems(changed)).toEqual([
    'spec.strategy: Unsupported value: {"Type":"Sideways","RollingUpdate":{"MaxUnavailable":"25%","MaxSurge":"25%"}}: supported values: "Recreate", "RollingUpdate"',
  ]);
});

test('empty selector of a ReplicaSet -> refused in the words for a Deployment', async () => {
  const spec = { ...workload, selector: {} };
  const made = await ask('POST', namespaced('apps/v1', 'replicasets'), { metadata: { name: 'r' }, spec });
  expect(problems(made)).toEqual([
    'spec.selector: Invalid value: {}: empty selector is invalid for deployment',
  ]);
});

test('DaemonSet annotated by who has created it -> whose all annotations are', async () => {
  const sets = namespaced('apps/v1', 'daemonsets');
  await ask('POST', `${sets}?fieldManager=one`, { metadata: { name: 'd' }, spec: workload });
  const changed = { metadata: { annotations: { checked: 'yes' } } };
  const { body } = await ask('PATCH', `${sets}/d?fieldManager=one`, changed, 'merge');
  expect(body.metadata?.['managedFields']).toMatchObject([
    { manager: 'one', fieldsV1: { 'f:metadata': { 'f:annotations': { '.': {}, 'f:checked': {} } } } },
  ]);
});

test('Lease that is to be elected for, as no gate lets it -> without that', async () => {
  const leases = namespaced('coordination.k8s.io/v1', 'leases');
  const spec = { strategy: 'OldestEmulationVersion', preferredHolder: 'h' };
  const made = await ask('POST', leases, { metadata: { name: 'l' }, spec });
  expect(made.body.spec).toEqual({});
  const { resourceVersion } = made.body.metadata as { resourceVersion: string };
  const replaced = await ask('PUT', `${leases}/l`, { metadata: { name: 'l', resourceVersion }, spec });
  expect(replaced.body.spec).toEqual({});
});

describe('fields of features that are off', () => {
  const gated = {
    schedulingGroup: { podGroupName: 'g' },
    containers: [
      { name: 'c', image: 'i', lifecycle: { stopSignal: 'SIGTERM' } },
      { name: 'd', image: 'i', lifecycle: { stopSignal: 'SIGTERM', preStop: { sleep: { seconds: 1 } } } },
    ],
  };
  const plain = [{ name: 'c' }, { name: 'd', lifecycle: { preStop: { sleep: { seconds: 1 } } } }];

  test('of a pod, and of the template of a Deployment -> dropped, with a life cycle that has nothing else', async () => {
    const pod = await ask('POST', namespaced('v1', 'pods'), { metadata: { name: 'gated' }, spec: gated });
    expect(pod.body.spec).toMatchObject({ containers: plain });
    const deployments = namespaced('apps/v1', 'deployments');
    const spec = { ...workload, template: { ...workload.template, spec: gated } };
    const made = await ask('POST', deployments, { metadata: { name: 'gated' }, spec });
    const replaced = await ask('PUT', `${deployments}/gated`, { metadata: { name: 'gated' }, spec });
    for (const { body } of [made, replaced]) {
      expect(body.spec).toMatchObject({ template: { spec: { containers: plain } } });
    }
    for (const { body } of [pod, made, replaced]) {
      expect(JSON.stringify(body.spec)).not.toMatch(/schedulingGroup|stopSignal|"lifecycle":\{\}/);
    }
  });

  test('of a StatefulSet and of a CSIDriver -> dropped', async () => {
    const rollingUpdate = { maxUnavailable: 2 };
    const set = await ask('POST', namespaced('apps/v1', 'statefulsets'), {
      metadata: { name: 'gated' },
      spec: { ...workload, updateStrategy: { rollingUpdate } },
    });
    expect(set.body.spec).toMatchObject({ updateStrategy: { rollingUpdate: { partition: 0 } } });
    expect(JSON.stringify(set.body.spec)).not.toContain('maxUnavailable');
    const driver = await ask('POST', '/apis/storage.k8s.io/v1/csidrivers', {
      metadata: { name: 'gated' },
      spec: { preventPodSchedulingIfMissing: true },
    });
    expect(driver.code).toBe(201);
    expect(driver.body.spec).not.toHaveProperty('preventPodSchedulingIfMissing');
  });
});

test('secrets of a ServiceAccount -> no more than their names', async () => {
  const accounts = namespaced('v1', 'serviceaccounts');
  const secrets = [{ name: 's', kind: 'Secret', namespace: 'default' }, { name: 't' }];
  const { body } = await ask('POST', accounts, { metadata: { name: 'a' }, secrets });
  expect(body['secrets']).toEqual([{ name: 's' }, { name: 't' }]);
  const changed = { secrets: [{ name: 'u', uid: '1' }] };
  const after = await ask('PATCH', `${accounts}/a`, changed, 'merge');
  expect(after.body['secrets']).toEqual([{ name: 'u' }]);
});

describe('namespace of what an event is about', () => {
  const newEvent = {
    eventTime: '2026-01-01T00:00:00.000000Z',
    reportingController: 'example.com/c',
    reportingInstance: 'c-1',
    action: 'Look',
    reason: 'Looked',
    type: 'Normal',
  };

  test('another, of an event with a time of its own -> taken, in either form', async () => {
    const about = { kind: 'Pod', namespace: 'elsewhere', name: 'p' };
    const made = await ask('POST', namespaced('events.k8s.io/v1', 'events'), {
      ...newEvent,
      metadata: { name: 'new' },
      regarding: about,
    });
    expect(made.code).toBe(201);
    const { reportingController: reportingComponent, ...rest } = newEvent;
    const old = await ask('POST', namespaced('v1', 'events'), {
      ...rest,
      reportingComponent,
      metadata: { name: 'old' },
      involvedObject: about,
    });
    expect(old.code).toBe(201);
  });

  test('none, in kube-system -> taken of an event with a time of its own alone', async () => {
    const events = '/api/v1/namespaces/kube-system/events';
    const event = { metadata: { name: 'a' }, involvedObject: { kind: 'Node', name: 'n' } };
    expect(problems(await ask('POST', events, event))).toEqual([
      'involvedObject.namespace: Invalid value: "": does not match event.namespace',
    ]);
    const { reportingController: reportingComponent, ...rest } = newEvent;
    await expect(ask('POST', events, { ...event, ...rest, reportingComponent })).resolves.toMatchObject({
      code: 201,
    });
  });
});

test.each([
  ['v1', 'configmaps', {}, '&propagationPolicy=Background', { kind: 'ConfigMap' }],
  [
    'events.k8s.io/v1',
    'events',
    { eventTime: '2026-01-01T00:00:00.000000Z' },
    '',
    { kind: 'Event', eventTime: null, regarding: {} },
  ],
])(
  'dry run of a deletion of %s %s by which the last finalizer goes -> an empty object',
  async (group, plural, given, query, shown) => {
    const objects = namespaced(group, plural);
    await ask('POST', objects, {
      metadata: { name: 'held', finalizers: ['orphan'] },
      reportingController: 'example.com/c',
      reportingInstance: 'c-1',
      action: 'Look',
      reason: 'Looked',
      type: 'Normal',
      regarding: { kind: 'Pod', namespace: 'default', name: 'p' },
      ...given,
    });
    const { code, body } = await ask('DELETE', `${objects}/held?dryRun=All${query}`);
    expect(code).toBe(200);
    expect(body).toMatchObject(shown);
    expect(body.metadata).toEqual({});
  },
);

test('terminating namespace that nothing holds, written without a change -> gone', async () => {
  const namespaces = '/api/v1/namespaces';
  await ask('POST', namespaces, { metadata: { name: 'free' } });
  await ask('PUT', `${namespaces}/free/finalize`, { metadata: { name: 'free' } });
  await ask('DELETE', `${namespaces}/free`);
  await expect(ask('PATCH', `${namespaces}/free`, {}, 'merge')).resolves.toMatchObject({
    code: 200,
    body: { status: { phase: 'Terminating' } },
  });
  await expect(ask('GET', `${namespaces}/free`)).resolves.toMatchObject({ code: 404 });
});

test('ReplicationController deleted once more, without a policy -> that of the first time', async () => {
  const controllers = namespaced('v1', 'replicationcontrollers');
  await ask('POST', controllers, { metadata: { name: 'r' }, spec: { template: workload.template } });
  await ask('DELETE', `${controllers}/r?propagationPolicy=Foreground`);
  const { body } = await ask('DELETE', `${controllers}/r`);
  expect(body.metadata?.['finalizers']).toEqual(['foregroundDeletion']);
});

test('apply in conflict with writers of the object and of its status -> these first', async () => {
  const jobs = namespaced('batch/v1', 'cronjobs');
  const spec = { schedule: '@daily', jobTemplate: { spec: { template } } };
  await ask('POST', `${jobs}?fieldManager=one`, { metadata: { name: 'c' }, spec });
  const labelled = { metadata: { labels: { x: '1' } }, status: { lastScheduleTime: '2020-01-01T00:00:00Z' } };
  await ask('PATCH', `${jobs}/c/status?fieldManager=one`, labelled, 'merge');
  const config = {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'c', labels: { x: '2' } },
    spec: { ...spec, schedule: '@hourly' },
  };
  const { code, body } = await ask('PATCH', `${jobs}/c?fieldManager=two`, config, 'apply');
  expect(code).toBe(409);
  expect(body.message).toBe(
    'Apply failed with 2 conflicts: conflicts with "one" with subresource "status" using batch/v1:\n- .metadata.labels.x\nconflicts with "one" using batch/v1:\n- .spec.schedule',
  );
});
