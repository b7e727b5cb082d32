import { randomBytes } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { loadAll } from 'js-yaml';
import { type ControlPlane, startControlPlane } from '@holdfast/testing';

/*
 * ValidatingAdmissionPolicies on whatever control plane is chosen: those that this repository ships, each with a
 * request that it refuses and one that it lets pass, and the life of one.
 */

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

const folder = new URL('../../../../deploy/policies/', import.meta.url);
const manifests = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap(({ name }) => loadAll(readFileSync(new URL(`${name}/policy.yaml`, folder), 'utf8')) as Manifest[]);
const shipped = manifests
  .filter(({ kind }) => kind === 'ValidatingAdmissionPolicy')
  .map(({ metadata }) => metadata.name)
  .sort();

const root = '/apis/admissionregistration.k8s.io/v1';
const policies = `${root}/validatingadmissionpolicies`;
const bindings = `${root}/validatingadmissionpolicybindings`;
const suffix = randomBytes(4).toString('hex');
const namespace = `policies-${suffix}`;
const claims = `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;
const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;
const volumes = '/api/v1/persistentvolumes';

/** A user who may patch claims, and not delete them. */
const patcher = `patcher-${suffix}`;

let plane: ControlPlane;
beforeAll(async () => {
  plane = await startControlPlane({ disableAdmissionPlugins: ['StorageObjectInUseProtection'] });
  await send('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
  await send('POST', `${rbac}/roles`, {
    metadata: { name: patcher },
    rules: [{ apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: ['patch'] }],
  });
  await send('POST', `${rbac}/rolebindings`, {
    metadata: { name: patcher },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: patcher },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: patcher }],
  });
}, 90_000);
afterAll(() => plane.stop());

interface Answer {
  readonly code: number;
  readonly message: string;
  readonly warning: string;
}

/**
 * As somebody else, where there is a user: one whom every role allows everything, but for `patcher`. A body of PATCH is
 * a merge patch.
 */
async function send(method: string, path: string, body?: unknown, user?: string): Promise<Answer> {
  const { users } = JSON.parse(plane.kubeconfig) as { users: [{ user: { token: string } }] };
  const headers = {
    authorization: `Bearer ${users[0].user.token}`,
    'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
    ...(user === undefined ? undefined : { 'impersonate-user': user }),
    ...(user === undefined || user === patcher ? undefined : { 'impersonate-group': 'system:masters' }),
  };
  return new Promise((resolve, reject) => {
    // The certificate is one that nobody signed, on the loopback interface.
    const sent = httpsRequest(
      plane.url + path,
      { method, headers, rejectUnauthorized: false },
      (response) => {
        text(response)
          .then((answer) => {
            const { message = '' } = JSON.parse(answer) as { readonly message?: string };
            const { warning = '' } = response.headers;
            resolve({ code: response.statusCode ?? 0, message, warning });
          })
          .catch(reject);
      },
    );
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Asks until the answer is the one that is looked for: a policy is in force some moments after it was stored. */
async function eventually(ask: () => Promise<Answer>, isIt: (answer: Answer) => boolean): Promise<Answer> {
  const until = performance.now() + 20_000;
  for (;;) {
    const answer = await ask();
    if (isIt(answer) || performance.now() > until) {
      return answer;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const account = (name: string): string => `system:serviceaccount:holdfast-system:${name}`;
const claim = (name: string, annotations: Readonly<Record<string, string>>): object => ({
  metadata: { name, annotations, finalizers: ['a.example/keep'] },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
});
const volume = (name: string, policy: string): object => ({
  metadata: { name, finalizers: ['a.example/keep'] },
  spec: {
    accessModes: ['ReadWriteOnce'],
    capacity: { storage: '1Gi' },
    persistentVolumeReclaimPolicy: policy,
    storageClassName: '',
    claimRef: { namespace, name, uid: '00000000-0000-4000-8000-000000000000' },
    csi: { driver: 'csi.example.com', volumeHandle: name },
  },
});

interface Trial {
  /** Who asks; undefined: the admin. */
  readonly as?: string;
  /** The object that is asked about, anew for both requests; a name is put in. */
  readonly make: (name: string) => object;
  readonly collection: string;
  /** The verb, what follows the name in the path, and the body. */
  readonly refused: readonly [verb: string, more: string, body?: unknown];
  readonly passed: readonly [verb: string, more: string, body?: unknown];
  /** Where what is let pass is another object. */
  readonly makePassed?: (name: string) => object;
  readonly words: string;
}

const patch = (body: unknown, more = ''): readonly [string, string, unknown] => ['PATCH', more, body];
const remove = ['DELETE', ''] as const;
const label = patch({ metadata: { labels: { a: 'b' } } });
const plain = (name: string): object => claim(name, { 'a.example/kept': 'x' });
const onClaim = { make: plain, collection: claims };
const condition = (type: string): unknown => ({ status: { conditions: [{ type, status: 'True' }] } });

/**
 * The same outcomes as tools/demo/test/policies.real.test.ts expects of the real server, by the controllers' own
 * accounts.
 */
const trials: Readonly<Record<string, Trial>> = {
  'holdfast-deletion-protection': {
    collection: claims,
    make: (name) => claim(name, { 'holdfast.dev/deletion-protection': '' }),
    makePassed: plain,
    refused: remove,
    passed: remove,
    words: 'annotation holdfast.dev/deletion-protection protects it; take that away first',
  },
  'holdfast-pv-reclaim-honor': {
    as: account('pv-reclaim-honor'),
    collection: volumes,
    make: (name) => volume(name, 'Delete'),
    refused: patch({ spec: { claimRef: { name: 'other' } } }),
    passed: patch({ spec: { claimRef: { uid: null } } }),
    words: 'a volume is given back by this account to a claim of the same name, and to no other',
  },
  'holdfast-pv-reclaim-honor-delete': {
    as: account('pv-reclaim-honor'),
    collection: volumes,
    make: (name) => volume(name, 'Retain'),
    makePassed: (name) => volume(name, 'Delete'),
    refused: remove,
    passed: remove,
    words: 'no volume but one of policy Delete is deleted by this account',
  },
  'holdfast-pvc-protection': {
    ...onClaim,
    as: account('pvc-protection'),
    refused: label,
    passed: patch({ metadata: { finalizers: ['a.example/keep', 'kubernetes.io/pvc-protection'] } }),
    words: 'labels are not changed by this account',
  },
  'holdfast-pvc-protection-status': {
    ...onClaim,
    as: account('pvc-protection'),
    refused: patch(condition('Resizing'), '/status'),
    passed: patch(condition('Unused'), '/status'),
    words: 'no condition but Unused is changed by this account',
  },
  'holdfast-retroactive-default-sc': {
    ...onClaim,
    as: account('retroactive-default-sc'),
    refused: patch({ spec: { volumeName: 'v' } }),
    passed: patch({ spec: { storageClassName: 'fast' } }),
    words: 'no field of the spec but the class is changed by this account',
  },
  'holdfast-statefulset-pvc-retention': {
    ...onClaim,
    as: account('statefulset-pvc-retention'),
    refused: patch({ metadata: { annotations: { 'a.example/kept': 'y' } } }),
    passed: patch({ metadata: { annotations: { 'holdfast.dev/delete-after': 'x' } } }),
    words: "no annotation but the controller's own is changed by this account",
  },
  'holdfast-statefulset-pvc-retention-delete': {
    ...onClaim,
    as: account('statefulset-pvc-retention'),
    makePassed: (name) => claim(name, { 'holdfast.dev/delete-after': 'x' }),
    refused: remove,
    passed: remove,
    words: 'no claim but a marked one is deleted by this account',
  },
  'holdfast-statefulset-pvc-retention-marks': {
    ...onClaim,
    as: patcher,
    makePassed: (name) => claim(name, { 'holdfast.dev/delete-after': 'x', 'holdfast.dev/deleted-with': 'x' }),
    refused: patch({ metadata: { annotations: { 'holdfast.dev/delete-after-uid': 'x' } } }),
    passed: patch({
      metadata: {
        labels: { a: 'b' },
        annotations: { 'holdfast.dev/delete-after': null, 'a.example/kept': 'y' },
      },
    }),
    words: 'the annotations by which claims are deleted are written only by those who may delete the claim',
  },
};

describe('deploy/policies', () => {
  test('every policy has a trial', () => {
    expect(Object.keys(trials).sort()).toEqual(shipped);
  });

  test('all manifests -> taken, with not a field that the server does not know', async () => {
    for (const manifest of manifests) {
      const collection = manifest.kind === 'ValidatingAdmissionPolicy' ? policies : bindings;
      const { code, message } = await send('POST', `${collection}?fieldValidation=Strict`, manifest);
      expect({ name: manifest.metadata.name, code, message }).toMatchObject({ code: 201, message: '' });
    }
  });

  test.each(Object.entries(trials))('%s -> one request refused, one let pass', async (policy, trial) => {
    const { as, collection, make, makePassed = make, refused, passed, words } = trial;
    const [first, second] = [`${policy}-a-${suffix}`, `${policy}-b-${suffix}`];
    const ask = ([verb, more, body]: Trial['refused'], name: string, query = ''): Promise<Answer> =>
      send(verb, `${collection}/${name}${more}${query}`, body, as);
    await send('POST', collection, make(first));
    await send('POST', collection, makePassed(second));
    await eventually(
      () => ask(refused, first, '?dryRun=All'),
      ({ message }) => message.includes('ValidatingAdmissionPolicy'),
    );
    expect(await ask(refused, first)).toMatchObject({
      code: 403,
      message: expect.stringContaining(
        `is forbidden: ValidatingAdmissionPolicy '${policy}' with binding '${policy}' denied request: ${words}`,
      ) as unknown,
    });
    expect(await ask(passed, second)).toMatchObject({ code: 200, message: '' });
  });

  // A claim from a file often says that it is bound: the volume binder needs its UID in `claimRef`. In a bound volume,
  // another UID would release it, and with it its storage.
  test.each([
    ['Released', 200],
    ['Failed', 200],
    ['Bound', 403],
    [undefined, 403],
  ])(
    'pv-reclaim-honor gives a volume in phase %s to another claim of its name -> %s',
    async (phase, code) => {
      const name = `given-${String(phase).toLowerCase()}-${suffix}`;
      const give = (claimRef: object): Promise<Answer> =>
        send('PATCH', `${volumes}/${name}`, { spec: { claimRef } }, account('pv-reclaim-honor'));
      await send('POST', volumes, volume(name, 'Delete'));
      await send('PATCH', `${volumes}/${name}/status`, { status: { phase: phase ?? null } });
      const uid = '00000000-0000-4000-8000-000000000001';
      expect(await give({ uid, name: 'other' })).toMatchObject({ code: 403 });
      expect(await give({ uid })).toMatchObject({ code });
    },
  );

  test('somebody else -> not bound by the policies of accounts', async () => {
    const name = `free-${suffix}`;
    await send('POST', claims, plain(name));
    expect(await send('PATCH', `${claims}/${name}`, label[2])).toMatchObject({ code: 200 });
  });
});

describe('life of a policy', () => {
  const name = `limits-${suffix}`;
  const configMap = (size: string): object => ({
    metadata: { name: `sized-${size}-${suffix}` },
    data: { size },
  });
  const create = (size: string): Promise<Answer> => send('POST', `${configMaps}?dryRun=All`, configMap(size));
  const isDenied = ({ message }: Answer): boolean => message.includes('denied request');

  test('bound with params -> refuses what is beyond them', async () => {
    await send('POST', configMaps, { metadata: { name: 'limits' }, data: { most: '5' } });
    const policy = await send('POST', policies, {
      metadata: { name },
      spec: {
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        matchConstraints: {
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
          resourceRules: [
            { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] },
          ],
        },
        matchConditions: [{ name: 'sized', expression: 'has(object.data) && "size" in object.data' }],
        variables: [
          { name: 'size', expression: 'int(object.data.size)' },
          { name: 'most', expression: 'int(params.data.most)' },
        ],
        validations: [
          {
            expression: 'variables.size <= variables.most',
            messageExpression: '"at most " + string(variables.most) + " in " + namespaceObject.metadata.name',
          },
        ],
      },
    });
    expect(policy.code).toBe(201);
    const bound = await send('POST', bindings, {
      metadata: { name },
      spec: {
        policyName: name,
        validationActions: ['Deny'],
        paramRef: { name: 'limits', parameterNotFoundAction: 'Deny' },
      },
    });
    expect(bound.code).toBe(201);
    const isJudged = ({ message }: Answer): boolean => message.includes('at most');
    expect(await eventually(() => create('6'), isJudged)).toMatchObject({
      code: 422,
      message: `configmaps "sized-6-${suffix}" is forbidden: ValidatingAdmissionPolicy '${name}' with binding '${name}' denied request: at most 5 in ${namespace}`,
    });
    expect(await create('5')).toMatchObject({ code: 201 });
  });

  test('params changed -> judged by them', async () => {
    await send('PATCH', `${configMaps}/limits`, { data: { most: '7' } });
    expect(
      await eventually(
        () => create('6'),
        (answer) => !isDenied(answer),
      ),
    ).toMatchObject({ code: 201 });
  });

  test('binding changed to warn -> let pass with a warning', async () => {
    await send('PATCH', `${bindings}/${name}`, { spec: { validationActions: ['Warn'] } });
    expect(
      await eventually(
        () => create('8'),
        (answer) => !isDenied(answer),
      ),
    ).toMatchObject({
      code: 201,
      warning: `299 - "Validation failed for ValidatingAdmissionPolicy '${name}' with binding '${name}': at most 7 in ${namespace}"`,
    });
  });

  test('policy taken away -> no warning', async () => {
    expect(await send('DELETE', `${policies}/${name}`)).toMatchObject({ code: 200 });
    expect(
      await eventually(
        () => create('8'),
        ({ warning }) => warning === '',
      ),
    ).toMatchObject({
      code: 201,
      warning: '',
    });
  });
});
