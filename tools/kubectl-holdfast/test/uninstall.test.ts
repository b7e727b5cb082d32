import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { ApiResource, JsonPatch, KubernetesObject, Lease, ObjectRef } from '@holdfast/core';
import {
  ApiError,
  createLogger,
  UsageError,
  type ConnectedClient,
  type WatchEvent,
  type WatchOptions,
} from '@holdfast/runtime';
import { createFakeClock, settled } from '@holdfast/testing/fake-clock';
import { loadAll } from 'js-yaml';
import { confirmByNobody, type Confirm } from '../src/answers/confirm.ts';
import { answerUninstall } from '../src/answers/uninstall.ts';
import type { Deployment } from '../src/cluster/deployment.ts';
import { Unreadable } from '../src/cluster/not-found.ts';
import type { AppName } from '../src/cluster/release.ts';
import type { Job } from '../src/uninstall/carry-out.ts';
import { leavingOf } from '../src/uninstall/uninstall-plan.ts';

const logger = await createLogger('test', { logLevel: 'error', logFormat: 'json', dryRun: false });

/** As deploy/ installs it. */
function shipped(folder: string, more: Partial<Deployment['metadata']> = {}): Deployment {
  const file = join(import.meta.dirname, '../../../deploy', folder, 'deployment.yaml');
  const [deployment] = (loadAll(readFileSync(file, 'utf8')) as unknown as readonly Deployment[]).filter(
    (each) => (each as { readonly kind?: string }).kind === 'Deployment',
  );
  if (deployment === undefined) {
    throw new Error(`no Deployment in ${file}`);
  }
  const metadata = { ...deployment.metadata, namespace: 'holdfast-system', uid: 'u', resourceVersion: '1' };
  return { ...deployment, metadata: { ...metadata, ...more } };
}

const labelled = (app: AppName, more: Readonly<Record<string, string>>) => ({
  labels: { 'app.kubernetes.io/name': app, ...more },
});

/** pvc-protection with this name in `--webhook-configuration-name`. */
function withWebhooksNamed(name: string): Deployment {
  const shape = shipped('pvc-protection');
  const { spec } = shape;
  const [container] = spec?.template?.spec?.containers ?? [];
  const args = [...(container?.args ?? []), `--webhook-configuration-name=${name}`];
  const template = {
    ...spec?.template,
    spec: { ...spec?.template?.spec, containers: [{ ...container, args }] },
  };
  return { ...shape, spec: { ...spec, template } };
}

describe('a Deployment', () => {
  test('alone -> a Job with its image, rights and flags, and nothing that only a server needs', () => {
    const deployment = shipped('statefulset-pvc-retention');
    const leaving = leavingOf(deployment);
    const [container] = deployment.spec?.template?.spec?.containers ?? [];
    expect(leaving?.course).toMatchObject({
      kind: 'steps',
      webhooks: [],
      job: {
        metadata: { name: 'statefulset-pvc-retention-uninstall' },
        spec: {
          template: {
            spec: {
              serviceAccountName: 'statefulset-pvc-retention',
              restartPolicy: 'Never',
              containers: [
                {
                  image: container?.image,
                  args: [...(container?.args ?? []), '--uninstall', '--dry-run=false'],
                },
              ],
            },
          },
        },
      },
    });
    expect(JSON.stringify(leaving)).toMatch(/"readinessProbe"/);
    expect(JSON.stringify(leaving?.course)).not.toMatch(/Probe|"ports"|topologySpread/);
  });

  test('in a dry run -> the Job writes, as what it is to take back may be of a time before', () => {
    const deployment = shipped('statefulset-pvc-retention');
    const template = deployment.spec?.template ?? {};
    const [container] = template.spec?.containers ?? [];
    const dry: Deployment = {
      ...deployment,
      spec: { template: { spec: { ...template.spec, containers: [{ ...container, args: ['--dry-run'] }] } } },
    };
    expect(leavingOf(dry)?.course).toMatchObject({
      job: {
        spec: {
          template: { spec: { containers: [{ args: ['--dry-run', '--uninstall', '--dry-run=false'] }] } },
        },
      },
    });
  });

  test('pvc-protection -> its webhooks go first', () => {
    const { course } = leavingOf(shipped('pvc-protection')) ?? {};
    expect(course?.kind === 'steps' && course.webhooks.map(({ resource }) => resource.plural)).toEqual([
      'mutatingwebhookconfigurations',
      'validatingwebhookconfigurations',
    ]);
  });

  test('pvc-protection, its webhook configurations have another name by a flag -> these go first', () => {
    const course = leavingOf(withWebhooksNamed('mine'))?.course;
    expect(course?.kind === 'steps' && course.webhooks.map(({ ref }) => ref.name)).toEqual(['mine', 'mine']);
  });

  test('pvc-protection without webhooks, as in one namespace -> none are looked for: that needs rights in the cluster', () => {
    const { spec, ...shape } = shipped('pvc-protection');
    const containers = spec?.template?.spec?.containers?.map((each) => ({
      ...each,
      args: ['--namespaces=shop'],
    }));
    const template = { spec: { ...spec?.template?.spec, ...(containers && { containers }) } };
    expect(leavingOf({ ...shape, spec: { ...spec, template } })?.course).toMatchObject({ webhooks: [] });
  });

  test('retroactive-default-sc -> no Job: it has put nothing on objects', () => {
    const { course } = leavingOf(shipped('retroactive-default-sc')) ?? {};
    expect(course?.kind === 'steps' && course.job).toBeUndefined();
  });

  test('a CSI driver in the same pod -> by hand, and nothing is scaled', () => {
    expect(leavingOf(shipped('pv-reclaim-honor/sidecar'))?.course).toMatchObject({
      kind: 'byHand',
      why: 'deployment pv-reclaim-honor has other containers as well: csi-driver',
    });
  });

  test('a CSI driver as a sidecar among the init containers -> by hand', () => {
    const { spec, ...shape } = shipped('pv-reclaim-honor/standalone');
    const initContainers = [
      { name: 'copy', image: 'copy:1' },
      { name: 'csi-driver', image: 'driver:1', restartPolicy: 'Always' },
    ];
    const template = { spec: { ...spec?.template?.spec, initContainers } };
    expect(leavingOf({ ...shape, spec: { ...spec, template } })?.course).toMatchObject({
      kind: 'byHand',
      why: 'deployment pv-reclaim-honor has other containers as well: csi-driver',
    });
  });

  test.each([
    ['web', 'web-uninstall'],
    [`${'a'.repeat(52)}-b`, `${'a'.repeat(52)}-uninstall`],
  ])('Deployment %s -> Job %s, which is short enough for a label', (name, job) => {
    const { course } = leavingOf(shipped('statefulset-pvc-retention', { name })) ?? {};
    expect(course).toMatchObject({ job: { metadata: { name: job } } });
  });

  test('made by Helm -> by hand, with the value that does it', () => {
    const deployment = shipped('statefulset-pvc-retention', {
      ...labelled('statefulset-pvc-retention', { 'app.kubernetes.io/managed-by': 'Helm' }),
      annotations: { 'meta.helm.sh/release-name': 'storage' },
    });
    expect(leavingOf(deployment)?.course).toMatchObject({
      kind: 'byHand',
      how: expect.stringMatching(/^helm upgrade storage .* --set=statefulsetPvcRetention\.leave=true$/),
    });
  });

  test('retroactive-default-sc made by Helm -> by hand, with a value that the chart has: it has no leave', () => {
    const deployment = shipped(
      'retroactive-default-sc',
      labelled('retroactive-default-sc', { 'app.kubernetes.io/managed-by': 'Helm' }),
    );
    expect(leavingOf(deployment)?.course).toMatchObject({
      how: expect.stringMatching(/ --set=retroactiveDefaultSc\.enabled=false$/),
    });
  });

  test('made by Helm, its release a text for a shell -> that is not put into the command', () => {
    const deployment = shipped('statefulset-pvc-retention', {
      ...labelled('statefulset-pvc-retention', { 'app.kubernetes.io/managed-by': 'Helm' }),
      annotations: { 'meta.helm.sh/release-name': 'storage; rm -rf .' },
    });
    expect(leavingOf(deployment)?.course).toMatchObject({
      kind: 'byHand',
      how: expect.stringMatching(/^helm upgrade RELEASE /),
    });
  });

  test('of somebody else -> not looked at', () => {
    expect(leavingOf(shipped('pvc-protection', { labels: {} }))).toBeUndefined();
  });
});

/**
 * The webhook configurations of pvc-protection.
 *
 * @param namespace where their service is; undefined: they name a URL.
 */
function webhooksIn(namespace: string | undefined): Readonly<Record<string, KubernetesObject>> {
  const clientConfig =
    namespace === undefined ? { url: 'https://webhook.example.com' } : serviceIn(namespace).clientConfig;
  const metadata = {
    name: 'holdfast-pvc-protection',
    uid: `uid-in-${String(namespace)}`,
    resourceVersion: '1',
  };
  const configuration = { metadata, webhooks: [{ clientConfig }] };
  return {
    mutatingwebhookconfigurations: configuration,
    validatingwebhookconfigurations: configuration,
  };
}

function serviceIn(namespace: string) {
  return { clientConfig: { service: { name: 'holdfast-pvc-protection-webhook', namespace } } };
}

/** Objects that can be watched; a Job ends as it is said here. @param before called before each write. */
function cluster(
  deployed: readonly Deployment[],
  jobEnds: 'Complete' | 'Failed' | undefined,
  {
    jobs = [],
    leases = [],
    webhooks = webhooksIn('holdfast-system'),
    before = () => undefined,
    created = () => undefined,
  }: PlayOptions = {},
) {
  const objects = new Map<string, KubernetesObject>();
  const watchers = new Map<string, (event: WatchEvent<KubernetesObject>) => void>();
  const writes: string[] = [];
  let version = 10;
  const put = (key: string, object: KubernetesObject): KubernetesObject => {
    version += 1;
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
    objects.set(key, stored);
    watchers.get(key)?.({ type: 'MODIFIED', object: stored });
    return stored;
  };
  const keyOf = ({ plural }: ApiResource<KubernetesObject>, name: string) => `${plural}/${name}`;
  deployed.forEach((each) => put(`deployments/${each.metadata.name}`, each));
  jobs.forEach((each) => put(`jobs/${each.metadata.name}`, each));
  leases.forEach((each) => put(`leases/${each.metadata.name}`, each));
  Object.entries(webhooks).forEach(([plural, each]) => put(`${plural}/${each.metadata.name}`, each));
  const lookUp = (resource: ApiResource<KubernetesObject>, name: string): KubernetesObject => {
    const found = objects.get(keyOf(resource, name));
    if (found === undefined) {
      throw new ApiError('GET', 404, { reason: 'NotFound', details: { name, kind: resource.plural } });
    }
    return found;
  };
  const client = {
    document: () => Promise.resolve({ gitVersion: 'v1.36.3' }),
    text: () => Promise.resolve(''),
    serverTime: () => undefined,
    list: async (
      { plural }: ApiResource<KubernetesObject>,
      { fieldSelector = '' }: { readonly fieldSelector?: string } = {},
    ) => {
      await Promise.resolve();
      const from = `${plural}/${fieldSelector.replace('metadata.name=', '')}`;
      const items = [...objects].flatMap(([key, object]) => (key.startsWith(from) ? [object] : []));
      return { metadata: { resourceVersion: '1' }, items };
    },
    get: async (resource: ApiResource<KubernetesObject>, { name }: ObjectRef) => {
      await Promise.resolve();
      return lookUp(resource, name);
    },
    watch: async (
      { plural }: ApiResource<KubernetesObject>,
      { fieldSelector = '', sendInitialEvents = false, signal }: WatchOptions,
      onEvent: (event: WatchEvent<KubernetesObject>, end: () => void) => void,
    ) => {
      await Promise.resolve();
      const key = `${plural}/${fieldSelector.replace('metadata.name=', '')}`;
      const end = (): void => undefined;
      if (sendInitialEvents) {
        const object = objects.get(key);
        if (object !== undefined) {
          onEvent({ type: 'ADDED', object }, end);
        }
        onEvent({ type: 'BOOKMARK', resourceVersion: String(version), initialEventsEnd: true }, end);
        return;
      }
      watchers.set(key, (event) => onEvent(event, end));
      await new Promise<void>((resolve) => {
        if (signal.aborted) {
          resolve();
        }
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      signal.throwIfAborted();
    },
    patch: async (resource: ApiResource<KubernetesObject>, { name }: ObjectRef, patch: JsonPatch) => {
      await Promise.resolve();
      const found = lookUp(resource, name) as Deployment;
      const [uid, seen, write] = patch;
      expect([uid, seen]).toEqual([
        { op: 'test', path: '/metadata/uid', value: found.metadata.uid },
        { op: 'test', path: '/metadata/resourceVersion', value: found.metadata.resourceVersion },
      ]);
      expect(write).toEqual({ op: 'replace', path: '/spec/replicas', value: 0 });
      before(`scale ${name}`, (other, key) => put(key ?? '', other));
      writes.push(`scale ${name}`);
      return put(keyOf(resource, name), { ...found, spec: { ...found.spec, replicas: 0 } } as Deployment);
    },
    create: async (resource: ApiResource<KubernetesObject>, namespace: string, object: KubernetesObject) => {
      await Promise.resolve();
      const { name } = object.metadata;
      expect(objects.has(keyOf(resource, name))).toBe(false);
      before(`create ${resource.plural}/${name}`, (other, key) => put(key ?? '', other));
      writes.push(`create ${resource.plural}/${name} in ${namespace}`);
      const stored = put(keyOf(resource, name), {
        ...object,
        metadata: { ...object.metadata, namespace, uid: 'u' },
      });
      if (jobEnds !== undefined) {
        const status = { conditions: [{ type: jobEnds, status: 'True' }] };
        void settled().then(() => put(keyOf(resource, name), { ...stored, status } as Job));
      }
      void settled().then(() => created((other, key) => put(key, other)));
      return stored;
    },
    delete: async (
      resource: ApiResource<KubernetesObject>,
      { name }: ObjectRef,
      { preconditions = {} }: { readonly preconditions?: { readonly uid?: string } } = {},
    ) => {
      await Promise.resolve();
      const key = keyOf(resource, name);
      before(`delete ${key}`, (other, otherKey = key) => put(otherKey, other));
      if (preconditions.uid !== lookUp(resource, name).metadata.uid) {
        throw new ApiError('DELETE', 409, { reason: 'Conflict', message: 'the UID in the precondition' });
      }
      writes.push(`delete ${key}`);
      objects.delete(key);
    },
  };
  return { client: client as unknown as ConnectedClient, writes, put };
}

interface PlayOptions {
  readonly jobEnds?: 'Complete' | 'Failed' | 'never';
  readonly confirm?: Confirm;
  readonly apps?: readonly AppName[];
  readonly namespace?: string;
  /** Of an earlier run. */
  readonly jobs?: readonly Job[];
  readonly leases?: readonly Lease[];
  /** By their plural. Default: of the Deployment in holdfast-system. */
  readonly webhooks?: Readonly<Record<string, KubernetesObject>>;
  /** @param put puts an object there, by default under the name of one that is about to be deleted. */
  readonly before?: (write: string, put: (object: KubernetesObject, key?: string) => void) => void;
  /** Called after a Job was created. */
  readonly created?: (put: (object: KubernetesObject, key: string) => void) => void;
  readonly signal?: AbortSignal;
  /** What becomes of a Deployment once it was confirmed. */
  readonly changed?: Deployment;
}

const resultsOf = ({ object }: { readonly object: object }) =>
  (object as { items: readonly { app: string; result: string; note: string }[] }).items.map(
    ({ app, result, note }) => [app, result, note],
  );

const stepsOf = (object: object) =>
  (object as { items: readonly { steps: readonly string[] }[] }).items.map(({ steps }) => steps.join());

describe('uninstall', () => {
  const yes: Confirm = () => Promise.resolve(true);
  const play = async (deployed: readonly Deployment[], options: PlayOptions = {}) => {
    const { jobEnds = 'Complete', confirm = yes, apps = [], namespace } = options;
    const { signal = new AbortController().signal } = options;
    const { client, writes, put } = cluster(deployed, jobEnds === 'never' ? undefined : jobEnds, options);
    const confirmed: Confirm = async (planned, question) => {
      const answer = await confirm(planned, question);
      if (options.changed !== undefined) {
        put(`deployments/${options.changed.metadata.name}`, options.changed);
      }
      return answer;
    };
    const clock = createFakeClock();
    const said: string[] = [];
    let isOver = false as boolean;
    const answering = answerUninstall(client, { apps, namespace }, confirmed, {
      ...{ logger, clock, timeout: 60_000, signal },
      say: (step) => said.push(step),
    }).finally(() => {
      isOver = true;
    });
    answering.catch(() => undefined);
    for (let second = 0; second < 300 && !isOver; second += 1) {
      await settled();
      await clock.advance(1_000);
    }
    const { code, object, parts } = await answering;
    const words = parts.flatMap((part) => (part.kind === 'text' ? part.lines : [])).join('\n');
    return { code, object, words, writes, said };
  };

  test('confirmed -> webhooks, then replicas, then the Job, which stays for its log', async () => {
    const { code, writes, object } = await play([shipped('pvc-protection')]);
    expect(writes).toEqual([
      'delete mutatingwebhookconfigurations/holdfast-pvc-protection',
      'delete validatingwebhookconfigurations/holdfast-pvc-protection',
      'scale pvc-protection',
      'create jobs/pvc-protection-uninstall in holdfast-system',
    ]);
    expect(code).toBe(0);
    expect(object).toMatchObject({
      items: [
        {
          app: 'pvc-protection',
          result: 'left',
          note: 'read what it left and why: kubectl logs job/pvc-protection-uninstall -n holdfast-system; then kubectl delete what you applied (docs/leave.md)',
        },
      ],
    });
  });

  test('Deployment is given another container after it was confirmed -> not scaled', async () => {
    const deployment = shipped('statefulset-pvc-retention');
    const template = deployment.spec?.template ?? {};
    const { code, writes, ...answered } = await play([deployment], {
      changed: {
        ...deployment,
        spec: {
          template: {
            spec: {
              containers: [...(template.spec?.containers ?? []), { name: 'driver', image: 'driver:1' }],
            },
          },
        },
      },
    });
    expect({ code, writes }).toEqual({ code: 1, writes: [] });
    expect(resultsOf(answered)).toEqual([
      [
        'statefulset-pvc-retention',
        'failed',
        'deployment statefulset-pvc-retention was changed meanwhile; run this again',
      ],
    ]);
  });

  test('pvc-protection changes after it was confirmed -> it is left alone, and so are its webhooks', async () => {
    const { spec, ...shape } = shipped('pvc-protection');
    const containers = spec?.template?.spec?.containers?.map((each) => ({ ...each, image: 'other:2' }));
    const template = { spec: { ...spec?.template?.spec, ...(containers && { containers }) } };
    const { code, writes } = await play([shipped('pvc-protection')], {
      changed: { ...shape, spec: { ...spec, template } },
    });
    expect({ code, writes }).toEqual({ code: 1, writes: [] });
  });

  test('webhooks of another installation -> left alone, which is said', async () => {
    const { code, writes, said } = await play([shipped('pvc-protection')], {
      webhooks: webhooksIn('elsewhere'),
    });
    expect({ code, writes: writes[0] }).toEqual({ code: 0, writes: 'scale pvc-protection' });
    expect(said[0]).toBe(
      'Leaving MutatingWebhookConfiguration holdfast-pvc-protection alone: its service is in namespace elsewhere',
    );
  });

  test('webhooks that are not there -> nothing is deleted', async () => {
    const { code, writes } = await play([shipped('pvc-protection')], { webhooks: {} });
    expect({ code, writes: writes[0] }).toEqual({ code: 0, writes: 'scale pvc-protection' });
  });

  test("webhooks at a URL, under the project's name -> deleted", async () => {
    const { writes } = await play([shipped('pvc-protection')], { webhooks: webhooksIn(undefined) });
    expect(writes[0]).toBe('delete mutatingwebhookconfigurations/holdfast-pvc-protection');
  });

  // Anyone who may create Deployments in some namespace chooses the flags of one that is labelled as Holdfast's.
  test.each([
    ['at a URL', [{ clientConfig: { url: 'https://webhook.example.com' } }]],
    ['none', []],
    ['one here, one elsewhere', [serviceIn('holdfast-system'), serviceIn('elsewhere')]],
    ['one here, one at a URL', [serviceIn('holdfast-system'), { clientConfig: { url: 'https://x' } }]],
  ])('a flag names configurations of others, webhooks %s -> left alone', async (_, webhooks) => {
    const metadata = { name: 'warden', uid: 'of-others', resourceVersion: '1' };
    const { writes, said } = await play([withWebhooksNamed('warden')], {
      webhooks: { validatingwebhookconfigurations: { metadata, webhooks } as KubernetesObject },
    });
    expect(writes[0]).toBe('scale pvc-protection');
    expect(said[0]).toMatch(/^Leaving ValidatingWebhookConfiguration warden alone: /);
  });

  test.each([
    ['its service is here', {}, [serviceIn('holdfast-system')]],
    ['it is labelled as part of Holdfast', { 'app.kubernetes.io/part-of': 'holdfast' }, []],
  ])('a flag names a configuration, and %s -> deleted', async (_, labels, webhooks) => {
    const metadata = { name: 'mine', uid: 'own', resourceVersion: '1', labels };
    const { writes } = await play([withWebhooksNamed('mine')], {
      webhooks: { mutatingwebhookconfigurations: { metadata, webhooks } as KubernetesObject },
    });
    expect(writes[0]).toBe('delete mutatingwebhookconfigurations/mine');
  });

  test('its webhook configurations have another name -> the plan says which', async () => {
    let planned: object = {};
    await play([withWebhooksNamed('warden')], {
      confirm: ({ object }) => {
        planned = object;
        return Promise.resolve(false);
      },
    });
    expect(stepsOf(planned)[0]).toMatch(/^delete its webhook configurations warden,scale/);
  });

  test.each([
    ['Failed', /^job statefulset-pvc-retention-uninstall failed: kubectl logs job/],
    [
      'never',
      /^job statefulset-pvc-retention-uninstall has not ended: kubectl logs job.*; run this again to wait for it$/,
    ],
  ] as const)('Job ends: %s -> exit code 1, the Job stays, and where its log is', async (jobEnds, note) => {
    const { code, writes, object } = await play([shipped('statefulset-pvc-retention')], { jobEnds });
    expect(code).toBe(1);
    expect(writes.at(-1)).toMatch(/^create jobs/);
    expect(object).toMatchObject({ items: [{ result: 'failed', note: expect.stringMatching(note) }] });
  });

  describe('pv-reclaim-honor for the folders of two nodes', () => {
    const ofNode = (name: string, namespace: string, args: readonly string[] = [], replicas = 1) => {
      const shape = shipped('pv-reclaim-honor/standalone', { name, namespace, uid: name });
      const { template } = shape.spec ?? {};
      const containers = (template?.spec?.containers ?? []).map((each) => ({
        ...each,
        args: [...(each.args ?? []), ...args],
      }));
      const spec = { ...shape.spec, replicas, template: { spec: { ...template?.spec, containers } } };
      return { ...shape, spec };
    };

    test.each([
      ['both are to be uninstalled', undefined],
      ['one is to be uninstalled', 'a'],
    ])(
      '%s, the other is not scaled to zero -> by hand: the Job would release its volumes',
      async (_, own) => {
        const deployed = [ofNode('node-1', 'a'), ofNode('node-2', 'b')];
        const { writes, object } = await play(deployed, own === undefined ? {} : { namespace: own });
        expect(writes).toStrictEqual([]);
        expect(JSON.stringify(object)).toMatch(
          /"by hand: others run as well \(b\/node-2\), and the Job would take their finalizers off volumes whose storage is still to be deleted: scale them to zero, and run this again"/,
        );
      },
    );

    test('the other is scaled to zero, and its pods are not gone yet -> by hand', async () => {
      const deployed = [ofNode('node-1', 'a'), { ...ofNode('node-2', 'b', [], 0), status: { replicas: 1 } }];
      const { writes, object } = await play(deployed, { namespace: 'a' });
      expect(writes).toStrictEqual([]);
      expect(JSON.stringify(object)).toMatch(/others run as well \(b\/node-2\)/);
    });

    test('the other is scaled up after that was confirmed -> the Job is not run, which is said', async () => {
      const deployed = [ofNode('node-1', 'a'), ofNode('node-2', 'b', [], 0)];
      const { code, writes, ...answered } = await play(deployed, {
        namespace: 'a',
        changed: ofNode('node-2', 'b'),
      });
      expect({ code, writes }).toEqual({ code: 1, writes: ['scale node-1'] });
      expect(resultsOf(answered)).toEqual([
        [
          'pv-reclaim-honor',
          'failed',
          expect.stringMatching(
            /^it is scaled to zero, but job node-1-uninstall was not run: others run as well \(b\/node-2\)/,
          ),
        ],
      ]);
    });

    test('the other is beside a CSI driver -> not told to scale that to zero alone', async () => {
      const beside = shipped('pv-reclaim-honor/sidecar', { name: 'driver', namespace: 'b', uid: 'driver' });
      const { object } = await play([ofNode('node-1', 'a'), beside], { namespace: 'a' });
      expect(JSON.stringify(object)).toMatch(
        /scale them to zero, or take the container out where a CSI driver is in the pod/,
      );
    });

    test.each([
      ['the other is scaled to zero', [ofNode('node-1', 'a'), ofNode('node-2', 'b', [], 0)]],
      [
        'they share no namespace of claims',
        [ofNode('node-1', 'a', ['--namespaces=shop']), ofNode('node-2', 'b', ['--namespaces=bank'])],
      ],
    ])('%s -> its steps', async (_, deployed) => {
      const { writes } = await play(deployed, { namespace: 'a' });
      expect(writes).toEqual(['scale node-1', 'create jobs/node-1-uninstall in a']);
    });
  });

  describe('pv-reclaim-honor that is to be uninstalled by hand, and another one', () => {
    const sidecar = (name: string, namespace: string) =>
      shipped('pv-reclaim-honor/sidecar', { name, namespace, uid: name });
    const ofHelm = (name: string, release: string) => {
      const made = shipped('pv-reclaim-honor/standalone', { name, uid: name });
      return {
        ...made,
        metadata: {
          ...made.metadata,
          labels: { ...made.metadata.labels, 'app.kubernetes.io/managed-by': 'Helm' },
          annotations: { 'meta.helm.sh/release-name': release },
        },
      };
    };
    const stopped = 'first stop the others';

    test.each([
      ['both beside CSI drivers', [sidecar('a', 'drivers-a'), sidecar('b', 'drivers-b')], true],
      ['of two releases of Helm', [ofHelm('a', 'one'), ofHelm('b', 'two')], true],
      ['of one release, whose value is for both', [ofHelm('a', 'one'), ofHelm('b', 'one')], false],
    ])('%s -> told to stop the other one first: %#', async (_, deployed, isTold) => {
      const { code, object } = await play(deployed);
      expect(code).toBe(1);
      expect(stepsOf(object).map((steps) => steps.includes(stopped))).toEqual([isTold, isTold]);
    });
  });

  test.each([
    ['alone', 'standalone', /by hand: you may not list deployments of other namespaces/],
    [
      'beside a CSI driver',
      'sidecar',
      /first stop the others \(any in namespaces whose deployments you may not list\)/,
    ],
  ])(
    'pv-reclaim-honor %s, Deployments of other namespaces may not be listed -> by hand: another might be hidden',
    async (_, form, words) => {
      const { client, writes } = cluster([shipped(`pv-reclaim-honor/${form}`)], 'Complete');
      const list = (
        resource: ApiResource<KubernetesObject>,
        { namespace }: { readonly namespace?: string },
      ) =>
        namespace === 'holdfast-system'
          ? (client.list as (of: object) => Promise<object>)(resource)
          : Promise.reject(new ApiError(`LIST ${resource.plural}`, 403, { reason: 'Forbidden' }));
      const narrow = { ...client, list } as unknown as ConnectedClient;
      const { code, object } = await answerUninstall(
        narrow,
        { apps: [], namespace: 'holdfast-system' },
        yes,
        {
          ...{ logger, clock: createFakeClock(), timeout: 60_000, say: () => undefined },
          signal: new AbortController().signal,
        },
      );
      expect({ code, writes }).toEqual({ code: 1, writes: [] });
      expect(JSON.stringify(object)).toMatch(words);
    },
  );

  describe('pv-reclaim-honor, a lease of its name is held', () => {
    const heldIn = (namespace: string, ago: number): Lease => ({
      metadata: { name: 'holdfast-pv-reclaim-honor', namespace, uid: 'l', resourceVersion: '1' },
      spec: {
        holderIdentity: 'csi-driver-0',
        leaseDurationSeconds: 15,
        renewTime: new Date(Date.now() - ago).toISOString(),
      },
    });

    test('where no Deployment of it is, as by a StatefulSet of a driver -> by hand: the Job would release its volumes', async () => {
      const { code, writes, object } = await play([shipped('pv-reclaim-honor/standalone')], {
        leases: [heldIn('drivers', 0)],
      });
      expect({ code, writes }).toEqual({ code: 1, writes: [] });
      expect(JSON.stringify(object)).toMatch(
        /by hand: other processes of it run that no deployment shows \(csi-driver-0 holds lease drivers\/holdfast-pv-reclaim-honor\)/,
      );
    });

    // Whoever may create Deployments in some namespace can label one so, and need not run it.
    test.each([
      ['names that lease', '--leader-elect-resource-namespace=drivers'],
      ['has flags that are not known', '--config=/x'],
    ])('a Deployment elsewhere that does not run %s -> by hand all the same', async (_, arg) => {
      const shape = shipped('pv-reclaim-honor/standalone', { namespace: 'tenant', name: 'other', uid: 'o' });
      const template = { spec: { containers: [{ name: 'pv-reclaim-honor', args: [arg] }] } };
      const { code, writes, object } = await play(
        [shipped('pv-reclaim-honor/standalone'), { ...shape, spec: { replicas: 0, template } }],
        { apps: ['pv-reclaim-honor'], namespace: 'holdfast-system', leases: [heldIn('drivers', 0)] },
      );
      expect({ code, writes }).toEqual({ code: 1, writes: [] });
      expect(JSON.stringify(object)).toMatch(/csi-driver-0 holds lease drivers/);
    });

    test('by the Deployment itself in the namespace that its flags name -> uninstalled', async () => {
      const deployment = shipped('pv-reclaim-honor/standalone');
      const { spec } = deployment;
      const [container] = spec?.template?.spec?.containers ?? [];
      const args = [...(container?.args ?? []), '--leader-elect-resource-namespace=drivers'];
      const template = { spec: { ...spec?.template?.spec, containers: [{ ...container, args }] } };
      const { code, writes } = await play([{ ...deployment, spec: { ...spec, template } }], {
        leases: [heldIn('drivers', 0)],
        before: (write, put) => {
          if (write.startsWith('scale')) {
            put(heldIn('drivers', 60_000), 'leases/holdfast-pv-reclaim-honor');
          }
        },
      });
      expect({ code, writes: writes.length }).toEqual({ code: 0, writes: 2 });
    });

    test.each([
      ['by the Deployment itself', heldIn('holdfast-system', 0)],
      ['no more, since it was not renewed', heldIn('drivers', 60_000)],
    ])('%s -> uninstalled', async (_, lease) => {
      const { code } = await play([shipped('pv-reclaim-honor/standalone')], { leases: [lease] });
      expect(code).toBe(0);
    });
  });

  test('two of one controller in a namespace -> a Job for each, with the flags of its own', async () => {
    const deployed = ['pvc-a', 'pvc-b'].map((name) =>
      shipped('statefulset-pvc-retention', { name, uid: name }),
    );
    const { code, writes, ...answered } = await play(deployed);
    expect(code).toBe(0);
    expect(writes).toEqual([
      'scale pvc-a',
      'create jobs/pvc-a-uninstall in holdfast-system',
      'scale pvc-b',
      'create jobs/pvc-b-uninstall in holdfast-system',
    ]);
    expect(resultsOf(answered).map(([, , note]) => note)).toEqual([
      expect.stringMatching(/job\/pvc-a-uninstall /),
      expect.stringMatching(/job\/pvc-b-uninstall /),
    ]);
  });

  test('Jobs may not be read -> nothing is written: the controller would be stopped for nothing', async () => {
    const { client, writes } = cluster([shipped('statefulset-pvc-retention')], 'Complete');
    const get = (resource: ApiResource<KubernetesObject>, ref: ObjectRef) =>
      resource.plural === 'jobs'
        ? Promise.reject(new ApiError('GET jobs', 403, { reason: 'Forbidden', message: 'no' }))
        : client.get(resource, ref);
    const narrow = { ...client, get } as unknown as ConnectedClient;
    const { code } = await answerUninstall(narrow, { apps: [], namespace: undefined }, yes, {
      ...{ logger, clock: createFakeClock(), timeout: 60_000, say: () => undefined },
      signal: new AbortController().signal,
    });
    expect({ code, writes }).toEqual({ code: 1, writes: [] });
  });

  test('Job may not be created -> failed, and that the controller is stopped is said', async () => {
    const { code, writes, ...answered } = await play([shipped('statefulset-pvc-retention')], {
      before: (write) => {
        if (write.startsWith('create')) {
          throw new ApiError('POST jobs', 403, { reason: 'Forbidden', message: 'no' });
        }
      },
    });
    expect({ code, writes }).toEqual({ code: 1, writes: ['scale statefulset-pvc-retention'] });
    expect(resultsOf(answered)[0]?.[2]).toMatch(
      /^it is scaled to zero, but job statefulset-pvc-retention-uninstall was not run: .*no/,
    );
  });

  test('Deployment is scaled up again while the Job runs -> not left: it may have put back what was removed', async () => {
    const deployment = shipped('statefulset-pvc-retention');
    const { code, ...answered } = await play([deployment], {
      before: (write, put) => {
        if (write.startsWith('create')) {
          put(deployment, 'deployments/statefulset-pvc-retention');
        }
      },
    });
    expect(code).toBe(1);
    expect(resultsOf(answered)).toEqual([
      [
        'statefulset-pvc-retention',
        'failed',
        expect.stringMatching(/^something scaled deployment statefulset-pvc-retention up again/),
      ],
    ]);
  });

  test('Job is replaced while it runs -> the end of the other one does not count', async () => {
    const name = 'statefulset-pvc-retention-uninstall';
    const metadata = { name, namespace: 'holdfast-system', uid: 'uid-of-other', resourceVersion: '1' };
    const other: Job = { metadata, status: { conditions: [{ type: 'Complete', status: 'True' }] } };
    const { code, ...answered } = await play([shipped('statefulset-pvc-retention')], {
      jobEnds: 'never',
      created: (put) => put(other, `jobs/${name}`),
    });
    expect(code).toBe(1);
    expect(resultsOf(answered)).toEqual([
      ['statefulset-pvc-retention', 'failed', `job ${name} was deleted before it ended`],
    ]);
  });

  test.each([
    ['do not go', { replicas: 2 }, 1],
    ['terminate still', { terminatingReplicas: 1 }, 1],
    ['were not counted since it was scaled', { observedGeneration: 1 }, 2],
  ])('pods that %s -> exit code 1, and no Job is made', async (_, status, generation) => {
    const deployment = {
      ...shipped('statefulset-pvc-retention', { generation }),
      status: { observedGeneration: 1, ...status },
    };
    const { code, writes } = await play([deployment]);
    expect({ code, writes }).toEqual({ code: 1, writes: ['scale statefulset-pvc-retention'] });
  });

  test('one of two named -> the other stays', async () => {
    const { writes } = await play([shipped('pvc-protection'), shipped('retroactive-default-sc')], {
      apps: ['retroactive-default-sc'],
    });
    expect(writes).toEqual(['scale retroactive-default-sc']);
  });

  test('not confirmed -> nothing is written, exit code 1', async () => {
    const asked: string[] = [];
    const { code, writes } = await play([shipped('pvc-protection')], {
      confirm: async ({ parts: [part] }, question) => {
        const [row] = part?.kind === 'table' ? part.rows : [];
        asked.push(question, typeof row?.[2] === 'string' ? row[2] : '');
        return Promise.resolve(false);
      },
    });
    expect({ code, writes }).toEqual({ code: 1, writes: [] });
    expect(asked).toEqual([
      'Uninstall',
      'delete its webhook configurations holdfast-pvc-protection; scale to zero; run job pvc-protection-uninstall; then, by you: kubectl delete what you applied (docs/leave.md)',
    ]);
  });

  test('nobody to ask -> refused, with the way out; nothing is written', async () => {
    const asked = play([shipped('pvc-protection')], { confirm: confirmByNobody });
    await expect(asked).rejects.toThrow(UsageError);
    await expect(asked).rejects.toThrow(/add --yes/);
  });

  test('deployments may not be listed -> said so, which is not wrong usage', async () => {
    const refuse = () => Promise.reject(new ApiError('GET', 403, { reason: 'Forbidden' }));
    const serverTime = () => undefined;
    const client = {
      ...{ document: refuse, text: refuse, list: refuse, serverTime },
    } as unknown as ConnectedClient;
    const options = {
      ...{ logger, clock: createFakeClock(), timeout: 60_000, say: () => undefined },
      signal: new AbortController().signal,
    };
    const asked = answerUninstall(client, { apps: [], namespace: undefined }, yes, options);
    await expect(asked).rejects.toThrow(Unreadable);
    await expect(asked).rejects.toThrow(/kubectl auth can-i list deployments -A/);
  });

  test('Deployments may be listed in the named namespace only -> those there are uninstalled', async () => {
    const { client, writes } = cluster([shipped('retroactive-default-sc')], undefined);
    const list = (resource: ApiResource<KubernetesObject>, { namespace }: { readonly namespace?: string }) =>
      namespace === 'holdfast-system'
        ? (client.list as (of: object) => Promise<object>)(resource)
        : Promise.reject(new ApiError(`LIST ${resource.plural}`, 403, { reason: 'Forbidden' }));
    const narrow = { ...client, list } as unknown as ConnectedClient;
    const { code } = await answerUninstall(narrow, { apps: [], namespace: 'holdfast-system' }, yes, {
      ...{ logger, clock: createFakeClock(), timeout: 60_000, say: () => undefined },
      signal: new AbortController().signal,
    });
    expect({ code, writes }).toEqual({ code: 0, writes: ['scale retroactive-default-sc'] });
  });

  describe('no Deployment shows a controller that holds a lease, as where it is a container of a CSI driver', () => {
    const lease: Lease = {
      metadata: { name: 'holdfast-pv-reclaim-honor', namespace: 'drivers', uid: 'l', resourceVersion: '1' },
      spec: {
        holderIdentity: 'csi-driver-0',
        leaseDurationSeconds: 15,
        renewTime: new Date(Date.now()).toISOString(),
      },
    };
    const words =
      /pv-reclaim-honor (is|was) not uninstalled: no deployment shows it, and csi-driver-0 holds lease drivers\/holdfast-pv-reclaim-honor\. If that/;

    test.each<readonly [string, PlayOptions]>([
      ['all', {}],
      ['by its name', { apps: ['pv-reclaim-honor'] }],
      ['those of its namespace', { namespace: 'drivers' }],
    ])('%s asked for -> said to be left, exit code 1', async (_, options) => {
      const { code, words: said, writes } = await play([], { ...options, leases: [lease] });
      expect({ code, writes }).toEqual({ code: 1, writes: [] });
      expect(said).toMatch(words);
      expect(said).not.toMatch(/No controller/);
    });

    test('it might be one of several, or the Job -> said what to do then', async () => {
      const { words: said } = await play([], { leases: [lease] });
      expect(said).toMatch(/If that is the Job of docs\/leave\.md, wait for its end\./);
      expect(said).toMatch(/first stop every other pv-reclaim-honor as well/);
    });

    test.each([
      ['pvc-protection', /Otherwise stop it, .* and run the Job in the namespace of the lease\.$/],
      ['retroactive-default-sc', /\. Stop it; nothing has to be taken back\.$/],
    ])('that is %s -> said what to do', async (app, wayOut) => {
      const metadata = { ...lease.metadata, name: `holdfast-${app}` };
      const { code, words: said } = await play([], { leases: [{ ...lease, metadata }] });
      expect(code).toBe(1);
      expect(said).toMatch(wayOut);
    });

    test('another one is uninstalled -> both are said, exit code 1', async () => {
      const {
        code,
        words: said,
        writes,
      } = await play([shipped('retroactive-default-sc')], { leases: [lease] });
      expect({ code, writes }).toEqual({ code: 1, writes: ['scale retroactive-default-sc'] });
      expect(said).toMatch(words);
    });

    test.each<readonly [string, PlayOptions]>([
      ['another namespace', { namespace: 'shop' }],
      ['another controller', { apps: ['retroactive-default-sc'] }],
    ])('%s asked for -> none of its business', async (_, options) => {
      const home = options.namespace ?? 'holdfast-system';
      const { code, words: said } = await play([shipped('retroactive-default-sc', { namespace: home })], {
        ...options,
        leases: [lease],
      });
      expect(code).toBe(0);
      expect(said).not.toMatch(/pv-reclaim-honor/);
    });
  });

  test.each([
    [undefined, 'No controller of Holdfast is deployed.'],
    ['shop', 'No controller of Holdfast is deployed in namespace "shop".'],
  ])('nothing is deployed, namespace %s -> said where it was looked for', async (namespace, words) => {
    const { code, words: said } = await play([], namespace === undefined ? {} : { namespace });
    expect(code).toBe(0);
    expect(said).toContain(words);
  });

  test('named, and not deployed -> refused', async () => {
    await expect(play([], { apps: ['pvc-protection'] })).rejects.toThrow(/pvc-protection is not deployed/);
  });

  test('Deployments may not be listed -> refused, and not taken for none', async () => {
    const { client } = cluster([], undefined);
    const list = ({ plural }: ApiResource<KubernetesObject>) =>
      Promise.reject(new ApiError(`LIST ${plural}`, 403, { reason: 'Forbidden' }));
    const answering = answerUninstall({ ...client, list }, { apps: [], namespace: undefined }, yes, {
      ...{ logger, clock: createFakeClock(), timeout: 60_000, say: () => undefined },
      signal: new AbortController().signal,
    });
    await expect(answering).rejects.toThrow(/you may not list deployments/);
  });

  test('nothing can be done from here -> nobody is asked, exit code 1: nothing was uninstalled', async () => {
    const { code, object, writes } = await play([shipped('pv-reclaim-honor/sidecar')], {
      confirm: confirmByNobody,
    });
    expect({ code, writes }).toEqual({ code: 1, writes: [] });
    expect(object).toMatchObject({ kind: 'UninstallPlan' });
  });

  test('Job of an earlier run is complete already -> it stays for its log, and another is run: the controller was at work since', async () => {
    const earlier: Job = {
      metadata: {
        ...{ name: 'statefulset-pvc-retention-uninstall', namespace: 'holdfast-system' },
        ...{ uid: 'uid-of-earlier', resourceVersion: '1' },
      },
      status: { conditions: [{ type: 'Complete', status: 'True' }] },
    };
    const { code, writes } = await play([shipped('statefulset-pvc-retention')], { jobs: [earlier] });
    expect(code).toBe(0);
    expect(writes).toEqual([
      'scale statefulset-pvc-retention',
      'create jobs/statefulset-pvc-retention-uninstall-2 in holdfast-system',
    ]);
  });

  describe('Job of an earlier run has not completed', () => {
    const earlierOf = (
      change: (args: readonly string[]) => readonly string[],
      deployment = shipped('statefulset-pvc-retention'),
    ): Job => {
      const { course } = leavingOf(deployment) ?? {};
      const job = (course?.kind === 'steps' ? course.job : undefined) as unknown as Job;
      const containers = job.spec?.template?.spec?.containers?.map(({ args = [], ...more }) => ({
        ...more,
        args: change(args),
      }));
      const metadata = {
        ...job.metadata,
        namespace: 'holdfast-system',
        uid: 'earlier',
        resourceVersion: '1',
      };
      return { ...job, metadata, spec: { template: { spec: { ...(containers && { containers }) } } } };
    };

    test('it does the same -> it is waited for', async () => {
      const { code, writes, said, ...answered } = await play([shipped('statefulset-pvc-retention')], {
        jobs: [earlierOf((args) => args)],
      });
      expect({ code, writes }).toEqual({ code: 1, writes: ['scale statefulset-pvc-retention'] });
      expect(said.at(-1)).toBe(
        'Waiting for job holdfast-system/statefulset-pvc-retention-uninstall of an earlier run',
      );
      expect(resultsOf(answered)[0]?.[2]).toMatch(/uninstall has not ended/);
    });

    test('it has other variables, as of other namespaces -> it is not taken for this one', async () => {
      const { spec, ...shape } = shipped('statefulset-pvc-retention');
      const inNamespace = (value: string): Deployment => {
        const containers = spec?.template?.spec?.containers?.map((each) => ({
          ...each,
          env: [{ name: 'HOLDFAST_NAMESPACES', value }],
        }));
        const template = { spec: { ...spec?.template?.spec, ...(containers && { containers }) } };
        return { ...shape, spec: { ...spec, template } };
      };
      const { code, writes, ...answered } = await play([inNamespace('shop')], {
        jobs: [earlierOf((args) => args, inNamespace('bank'))],
      });
      expect({ code, writes }).toEqual({ code: 1, writes: [] });
      expect(resultsOf(answered)[0]?.[2]).toMatch(/was made with other flags/);
    });

    test('it failed -> said before the controller is stopped', async () => {
      const status = { conditions: [{ type: 'Failed', status: 'True' }] };
      const { code, writes, ...answered } = await play([shipped('statefulset-pvc-retention')], {
        jobs: [{ ...earlierOf((args) => args), status }],
      });
      expect({ code, writes }).toEqual({ code: 1, writes: [] });
      expect(resultsOf(answered)[0]?.[2]).toBe(
        'job statefulset-pvc-retention-uninstall failed: kubectl logs job/statefulset-pvc-retention-uninstall -n holdfast-system; delete the job, and run this again',
      );
    });

    test('it has other flags, as a dry run -> it is not taken for this one', async () => {
      const { code, writes, ...answered } = await play([shipped('statefulset-pvc-retention')], {
        jobs: [earlierOf((args) => [...args, '--dry-run'])],
      });
      expect({ code, writes }).toEqual({ code: 1, writes: [] });
      expect(resultsOf(answered)[0]?.[2]).toBe(
        'job statefulset-pvc-retention-uninstall of an earlier run has not completed, and was made with other flags or variables: delete it, and run this again',
      );
    });
  });

  test('Ctrl-C before anything is written -> nothing is, exit code 1', async () => {
    const stop = new AbortController();
    const { code, writes, ...answered } = await play([shipped('pvc-protection')], {
      signal: stop.signal,
      confirm: () => {
        stop.abort(new Error('stopped by SIGINT'));
        return Promise.resolve(true);
      },
    });
    expect({ code, writes }).toEqual({ code: 1, writes: [] });
    expect(resultsOf(answered)).toEqual([['pvc-protection', 'failed', expect.stringMatching(/SIGINT/)]]);
  });

  test('Ctrl-C between two steps -> the next is not taken, and what was not begun is said', async () => {
    const stop = new AbortController();
    const { code, writes, ...answered } = await play(
      [shipped('pvc-protection'), shipped('statefulset-pvc-retention')],
      {
        signal: stop.signal,
        before: (write) => {
          if (write.startsWith('delete mutating')) {
            stop.abort(new Error('stopped by SIGINT'));
          }
        },
      },
    );
    expect({ code, writes }).toEqual({
      code: 1,
      writes: ['delete mutatingwebhookconfigurations/holdfast-pvc-protection'],
    });
    expect(resultsOf(answered)).toEqual([
      ['pvc-protection', 'failed', expect.stringMatching(/SIGINT/)],
      ['statefulset-pvc-retention', 'failed', expect.stringMatching(/^not begun/)],
    ]);
  });

  test('Deployment changes between look and write -> looked at again, and scaled', async () => {
    let times = 0;
    const { code } = await play([shipped('retroactive-default-sc')], {
      before: () => {
        times += 1;
        if (times === 1) {
          throw new ApiError('PATCH', 409, { reason: 'Conflict' });
        }
      },
    });
    expect(code).toBe(0);
  });

  test('one may not be scaled -> it failed, the other has left, and both are said', async () => {
    const { code, ...answered } = await play(
      [shipped('retroactive-default-sc'), shipped('statefulset-pvc-retention')],
      {
        before: (write) => {
          if (write === 'scale retroactive-default-sc') {
            throw new ApiError('PATCH deployments', 403, { reason: 'Forbidden', message: 'no' });
          }
        },
      },
    );
    expect(code).toBe(1);
    expect(resultsOf(answered)).toEqual([
      ['retroactive-default-sc', 'failed', expect.stringMatching(/no/)],
      ['statefulset-pvc-retention', 'left', expect.anything()],
    ]);
  });

  test('API server ceases to answer -> what has left is said, the rest is not begun', async () => {
    const { code, writes, ...answered } = await play(
      [shipped('retroactive-default-sc'), shipped('statefulset-pvc-retention'), shipped('pvc-protection')],
      {
        before: (write) => {
          if (write === 'scale statefulset-pvc-retention') {
            throw new Error('connect ECONNREFUSED');
          }
        },
      },
    );
    expect({ code, writes }).toEqual({ code: 1, writes: ['scale retroactive-default-sc'] });
    expect(resultsOf(answered)).toEqual([
      ['retroactive-default-sc', 'left', expect.anything()],
      ['statefulset-pvc-retention', 'failed', expect.stringMatching(/ECONNREFUSED/)],
      ['pvc-protection', 'failed', expect.stringMatching(/^not begun/)],
    ]);
  });

  test('namespace named -> what is deployed elsewhere is left alone', async () => {
    const deployed = [
      shipped('statefulset-pvc-retention'),
      shipped('retroactive-default-sc', { namespace: 'elsewhere' }),
    ];
    const { writes } = await play(deployed, { namespace: 'elsewhere' });
    expect(writes).toEqual(['scale retroactive-default-sc']);
    const missing = play(deployed, { namespace: 'elsewhere', apps: ['statefulset-pvc-retention'] });
    await expect(missing).rejects.toThrow(
      /statefulset-pvc-retention is not deployed in namespace "elsewhere"/,
    );
  });
});
