import { randomBytes } from 'node:crypto';
import { request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ControlPlane, startControlPlane } from '@holdfast/testing';

/*
 * Priority and fairness as clients see it, on whatever control plane is chosen: the objects that are there, and which
 * of them a request is told to match.
 */

const root = '/apis/flowcontrol.apiserver.k8s.io/v1';
const schemas = `${root}/flowschemas`;
const levels = `${root}/prioritylevelconfigurations`;
const asTable = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const suffix = randomBytes(4).toString('hex');

interface KubeAnswer {
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly items?: readonly KubeAnswer[];
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: { readonly conditions?: readonly Readonly<Record<string, string>>[] };
}

interface Answer {
  readonly code: number;
  readonly body: KubeAnswer;
  /** Uids, undefined where there is no header. */
  readonly flowSchema: string | undefined;
  readonly priorityLevel: string | undefined;
}

interface Somebody {
  readonly user: string;
  readonly groups?: readonly string[];
}

let plane: ControlPlane;
/** Names by uid. */
const names = new Map<string, string>();

beforeAll(async () => {
  plane = await startControlPlane();
  await eventually(
    async () => (await send('GET', schemas)).body.items ?? [],
    (items) => items.length >= 11 && items.every(({ status }) => status?.conditions !== undefined),
  );
  await learnNames();
}, 90_000);
afterAll(() => plane.stop());

async function learnNames(): Promise<void> {
  for (const collection of [schemas, levels]) {
    for (const { metadata } of (await send('GET', collection)).body.items ?? []) {
      names.set(metadata.uid, metadata.name);
    }
  }
}

/** Of a watch, the headers alone. */
function send(
  method: string,
  path: string,
  body?: unknown,
  as?: Somebody,
  token?: string,
  accept = 'application/json',
): Promise<Answer> {
  const { users } = JSON.parse(plane.kubeconfig) as { users: [{ user: { token: string } }] };
  const headers = {
    authorization: `Bearer ${token ?? users[0].user.token}`,
    'content-type': 'application/json',
    accept,
    ...(as === undefined ? undefined : { 'impersonate-user': as.user }),
    ...(as?.groups === undefined ? undefined : { 'impersonate-group': [...as.groups] }),
  };
  return new Promise((resolve, reject) => {
    // The certificate is one that nobody signed, on the loopback interface.
    const sent = httpsRequest(
      plane.url + path,
      { method, headers, rejectUnauthorized: false },
      (response) => {
        const one = (name: string): string | undefined => response.headers[name]?.toString();
        const head = {
          code: response.statusCode ?? 0,
          flowSchema: one('x-kubernetes-pf-flowschema-uid'),
          priorityLevel: one('x-kubernetes-pf-prioritylevel-uid'),
        };
        if (path.includes('watch=true')) {
          response.destroy();
          resolve({ ...head, body: {} as KubeAnswer });
          return;
        }
        text(response)
          .then((answer) => {
            const body = (answer.startsWith('{') ? JSON.parse(answer) : {}) as KubeAnswer;
            resolve({ ...head, body });
          })
          .catch(reject);
      },
    );
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Asks until the answer is the one that is looked for: the real server learns of changes some moments later. */
async function eventually<Result>(
  ask: () => Promise<Result>,
  isIt: (result: Result) => boolean,
): Promise<Result> {
  const until = performance.now() + 20_000;
  for (;;) {
    const result = await ask();
    if (isIt(result) || performance.now() > until) {
      return result;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const masters = ['system:masters'];
const account = (namespace: string): Somebody => ({
  user: `system:serviceaccount:${namespace}:somebody`,
  groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
});
const node: Somebody = { user: 'system:node:n1', groups: ['system:nodes', 'system:authenticated'] };
const manager: Somebody = { user: 'system:kube-controller-manager' };
const pods = '/api/v1/namespaces/default/pods';
const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';

describe('a new server', () => {
  test.each([
    ['exempt', 1, 'exempt'],
    ['probes', 2, 'exempt'],
    ['system-leader-election', 100, 'leader-election'],
    ['system-node-high', 400, 'node-high'],
    ['system-nodes', 500, 'system'],
    ['kube-controller-manager', 800, 'workload-high'],
    ['kube-scheduler', 800, 'workload-high'],
    ['kube-system-service-accounts', 900, 'workload-high'],
    ['service-accounts', 9000, 'workload-low'],
    ['global-default', 9900, 'global-default'],
    ['catch-all', 10_000, 'catch-all'],
  ])('flow schema %s -> precedence %i, of the level %s, which is there', async (name, precedence, level) => {
    const { spec, status } = (await send('GET', `${schemas}/${name}`)).body;
    expect(spec).toMatchObject({
      matchingPrecedence: precedence,
      priorityLevelConfiguration: { name: level },
    });
    expect(status?.conditions).toMatchObject([
      {
        type: 'Dangling',
        status: 'False',
        reason: 'Found',
        message: `This FlowSchema references the PriorityLevelConfiguration object named "${level}" and it exists`,
      },
    ]);
    expect((await send('GET', `${levels}/${level}`)).code).toBe(200);
  });

  test.each<[string, Somebody, string, string, string, string]>([
    ['admin', { user: 'a', groups: masters }, 'GET', pods, 'exempt', 'exempt'],
    ['admin, no resource', { user: 'a', groups: masters }, 'GET', '/version', 'exempt', 'exempt'],
    ['anybody, probe', { user: 'a' }, 'GET', '/readyz', 'probes', 'exempt'],
    ['anybody, one check of a probe', { user: 'a' }, 'GET', '/livez/ping', 'probes', 'exempt'],
    ['anybody, health by another verb', { user: 'a' }, 'POST', '/readyz', 'global-default', 'global-default'],
    ['anybody, forbidden', { user: 'a' }, 'GET', pods, 'global-default', 'global-default'],
    ['anybody, other path', { user: 'a' }, 'GET', '/version', 'global-default', 'global-default'],
    ['service account', account('default'), 'GET', pods, 'service-accounts', 'workload-low'],
    [
      'service account of the system',
      account('kube-system'),
      'GET',
      pods,
      'kube-system-service-accounts',
      'workload-high',
    ],
    [
      'service account of the system, lease',
      account('kube-system'),
      'GET',
      `${leases}/none`,
      'system-leader-election',
      'leader-election',
    ],
    [
      'service account of the system, all leases',
      account('kube-system'),
      'GET',
      leases,
      'kube-system-service-accounts',
      'workload-high',
    ],
    ['controller manager', manager, 'GET', pods, 'kube-controller-manager', 'workload-high'],
    ['scheduler', { user: 'system:kube-scheduler' }, 'GET', pods, 'kube-scheduler', 'workload-high'],
    ['kubelet, node', node, 'GET', '/api/v1/nodes/n1', 'system-node-high', 'node-high'],
    ['kubelet, status', node, 'GET', '/api/v1/nodes/n1/status', 'system-node-high', 'node-high'],
    ['kubelet, proxied', node, 'GET', '/api/v1/nodes/n1/scale', 'system-nodes', 'system'],
    ['kubelet, lease', node, 'GET', leases, 'system-node-high', 'node-high'],
    [
      'kubelet, leases everywhere',
      node,
      'GET',
      '/apis/coordination.k8s.io/v1/leases',
      'system-nodes',
      'system',
    ],
    ['kubelet, pods', node, 'GET', pods, 'system-nodes', 'system'],
    ['nobody', { user: 'system:anonymous' }, 'GET', '/version', 'global-default', 'global-default'],
  ])('request of %s -> told its flow', async (_title, as, method, path, schema, level) => {
    const { flowSchema = '', priorityLevel = '' } = await send(method, path, undefined, as);
    expect([names.get(flowSchema), names.get(priorityLevel)]).toEqual([schema, level]);
  });

  test('request by a token that is not good -> no flow', async () => {
    const { code, flowSchema, priorityLevel } = await send('GET', '/version', undefined, undefined, 'wrong');
    expect({ code, flowSchema, priorityLevel }).toEqual({ code: 401 });
  });

  test('watch -> told its flow', async () => {
    const path = `${pods}?watch=true`;
    const { flowSchema = '' } = await send('GET', path, undefined, { user: 'a', groups: masters });
    expect(names.get(flowSchema)).toBe('exempt');
  });
});

describe('as a Table', () => {
  interface Table {
    readonly rows: readonly { readonly cells: readonly unknown[] }[];
  }
  const rowsOf = async (collection: string): Promise<readonly (readonly unknown[])[]> => {
    const answer = await send('GET', collection, undefined, undefined, undefined, asTable);
    return (answer.body as unknown as Table).rows.map(({ cells }) => cells);
  };

  test('flow schemas -> in the order in which they are asked', async () => {
    const precedences = (await rowsOf(schemas)).map((cells) => Number(cells[2]));
    expect(precedences).toEqual(precedences.toSorted((a, b) => a - b));
  });

  test('priority level without limits -> no numbers', async () => {
    const exempt = (await rowsOf(levels)).find(([name]) => name === 'exempt');
    expect(exempt?.slice(0, 6)).toEqual(['exempt', 'Exempt', '<none>', '<none>', '<none>', '<none>']);
  });
});

describe('a flow schema of somebody', () => {
  const name = `of-${suffix}`;
  const user = `noxu-${suffix}`;
  const level = {
    metadata: { name },
    spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } },
  };
  const schema = (precedence: number, rule: object): object => ({
    metadata: { name },
    spec: {
      matchingPrecedence: precedence,
      priorityLevelConfiguration: { name },
      rules: [{ subjects: [{ kind: 'User', user: { name: user } }], ...rule }],
    },
  });
  const everything = {
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
    resourceRules: [
      { verbs: ['list'], apiGroups: [''], resources: ['pods'], namespaces: ['default'] },
      { verbs: ['*'], apiGroups: ['*'], resources: ['nodes'], clusterScope: true },
    ],
  };
  const flowOf = async (path: string, sender = user): Promise<string | undefined> => {
    const { flowSchema = '' } = await send('GET', path, undefined, { user: sender });
    return names.get(flowSchema);
  };
  const dangling = async (): Promise<string | undefined> =>
    (await send('GET', `${schemas}/${name}`)).body.status?.conditions?.[0]?.['status'];

  test('level is missing, comes and goes -> dangling, matched, dangling', async () => {
    const created = await send('POST', schemas, schema(1000, everything));
    expect({ code: created.code, status: created.body.status }).toEqual({ code: 201, status: {} });
    names.set(created.body.metadata.uid, name);
    expect(await eventually(dangling, (status) => status === 'True')).toBe('True');
    expect((await send('GET', `${schemas}/${name}`)).body.status?.conditions).toMatchObject([
      {
        reason: 'NotFound',
        message: `This FlowSchema references the PriorityLevelConfiguration object named "${name}" but there is no such object`,
      },
    ]);
    expect(await flowOf('/version')).toBe('global-default');

    const { uid } = (await send('POST', levels, level)).body.metadata;
    names.set(uid, name);
    expect(await eventually(dangling, (status) => status === 'False')).toBe('False');
    expect(
      await eventually(
        () => flowOf('/version'),
        (flow) => flow === name,
      ),
    ).toBe(name);
    expect((await send('GET', '/version', undefined, { user })).priorityLevel).toBe(uid);
    expect(await flowOf(pods)).toBe(name);
    expect(await flowOf(`${pods}/none`)).toBe('global-default');
    expect(await flowOf('/api/v1/namespaces/kube-system/pods')).toBe('global-default');
    expect(await flowOf('/api/v1/pods')).toBe('global-default');
    expect(await flowOf('/api/v1/nodes/none')).toBe(name);
    expect(await flowOf('/version', `other-${suffix}`)).toBe('global-default');

    await send('DELETE', `${levels}/${name}`);
    expect(await eventually(dangling, (status) => status === 'True')).toBe('True');
    expect(
      await eventually(
        () => flowOf('/version'),
        (flow) => flow !== name,
      ),
    ).toBe('global-default');
  });

  test('deleted -> matched no more', async () => {
    await send('DELETE', `${schemas}/${name}`);
    expect((await send('POST', levels, level)).code).toBe(201);
    const { uid } = (await send('POST', schemas, schema(9950, everything))).body.metadata;
    names.set(uid, 'late');
    expect(await eventually(dangling, (status) => status === 'False')).toBe('False');
    // Whoever is asked before it takes its requests.
    expect(await flowOf('/version')).toBe('global-default');
    await send('DELETE', `${schemas}/${name}`);
    await send('DELETE', `${levels}/${name}`);
    expect(await flowOf('/version')).toBe('global-default');
  });
});
