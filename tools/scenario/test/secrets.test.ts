import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually, startApp, type AppProcess } from '@holdfast/scenario';
import { startCsiDriver } from '@holdfast/testing';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startConnectProxy } from './api-front.ts';
import { findCanary, plantCanary, type Canary } from './canary.ts';
import { startEchoingApi, type EchoingApi, type Taken } from './echoing-api.ts';

/*
 * Issue 17. Each app is run as it is shipped and at level trace, with a canary in everything secret that it reads,
 * against servers that repeat what they were given in all that they refuse. Then everything that has come out of the
 * process is searched.
 */

const root = join(import.meta.dirname, '../../..');

let folder: string;
let tls: { readonly cert: string; readonly key: string };
const undo: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  const fixture = (name: string): Promise<string> =>
    readFile(join(root, 'packages/runtime/test/fixtures', name), 'utf8');
  tls = { cert: await fixture('loopback.crt'), key: await fixture('loopback.key') };
  folder = await mkdtemp(join(tmpdir(), 'holdfast-secrets-'));
});
afterEach(async () => {
  for (let step = undo.pop(); step !== undefined; step = undo.pop()) {
    await step();
  }
});
afterAll(() => rm(folder, { recursive: true }));

interface Run {
  readonly api: EchoingApi;
  readonly user: object;
  readonly cluster?: object;
  readonly flags?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Secrets that the process knows when it breaks down: the error that nobody catches holds them. */
  readonly known: readonly string[];
}

/**
 * Starts the app; once it is ready, `play` makes it do all that it is to do, and adds what it has answered. Then the
 * kubeconfig names other users, one after the other, each of whom alone is served. At the end the process dies of an
 * error that nobody catches.
 *
 * @returns all that came out of it: its log, what it serves, and what it has written to the API server, Secrets and
 *   token reviews aside.
 */
async function outputOf(
  app: string,
  { api, user, cluster, flags = [], env = {}, known }: Run,
  play: (process: AppProcess) => Promise<readonly string[]>,
): Promise<string> {
  const kubeconfig = join(folder, `${app}.yaml`);
  const writeKubeconfig = (current: object): Promise<void> =>
    writeFile(kubeconfig, kubeconfigText(current, { server: api.url, ...cluster }));
  await writeKubeconfig(user);
  const others = [userOfProvider('expired'), userOfProvider('valid'), await userOfPluginWithKey(app)];
  const process = startApp(
    app,
    [
      `--kubeconfig=${kubeconfig}`,
      '--log-level=trace',
      '--metrics-bind-address=127.0.0.1:0',
      '--health-probe-bind-address=127.0.0.1:0',
      ...flags,
    ],
    { NODE_OPTIONS: await preload(app, [...known, ...others.flatMap((other) => other.known)]), ...env },
  );
  undo.push(() => process.end('SIGKILL'));
  const health = `http://${await process.address('health-probe')}/readyz?verbose`;
  await eventually('it is ready', async () => (await fetch(health)).ok);
  const served = [await (await fetch(health)).text(), ...(await play(process))];
  for (const { user: next, isBy } of others) {
    await writeKubeconfig(next);
    api.serveOnly(isBy ?? (() => false));
    await eventually('the next user is served, or their kubeconfig refused', () =>
      isBy === undefined
        ? process.stderr().includes('has an id-token that has expired')
        : api.requests.some(isBy),
    );
  }
  const output = [...served, await lastWords(process), writtenTo(api)].join('\n');
  expect(
    leaksOf(
      output,
      others.flatMap((other) => other.canaries),
    ),
  ).toStrictEqual([]);
  return output;
}

function kubeconfigText(user: object, cluster: object): string {
  return JSON.stringify({
    'current-context': 'here',
    clusters: [{ name: 'here', cluster: { 'certificate-authority-data': encode(tls.cert), ...cluster } }],
    users: [{ name: 'me', user }],
    contexts: [{ name: 'here', context: { cluster: 'here', user: 'me' } }],
  });
}

/**
 * What the process is started with. Waits of random length, which are those between tries, take a fiftieth of their
 * time; limits are round numbers, and hold. At SIGUSR2 it dies of an error that holds the secrets.
 *
 * @returns NODE_OPTIONS.
 */
async function preload(name: string, known: readonly string[], more = ''): Promise<string> {
  const path = join(folder, `${name}.mjs`);
  await writeFile(
    path,
    `const { setTimeout } = globalThis;
     globalThis.setTimeout = (callback, delay, ...rest) =>
       setTimeout(callback, delay > 700 && !Number.isInteger(delay) ? delay / 50 : delay, ...rest);
     process.on('SIGUSR2', () => {
       const known = ${JSON.stringify(known)};
       const error = new Error('broken down: ' + known.join(), { cause: new Error('cause: ' + known.join()) });
       void Promise.reject(Object.assign(error, { headers: known, nested: { known } }));
     });
     ${more}`,
  );
  return `--import=${path}`;
}

/** @returns all that the process has written until it died of an error that holds secrets. */
async function lastWords(process: AppProcess): Promise<string> {
  process.kill('SIGUSR2');
  expect(await process.exit).toEqual({ code: 1, signal: null });
  expect(process.stderr().includes('broken down: ')).toBe(true);
  return [process.stdout(), process.stderr()].join('\n');
}

function writtenTo(api: EchoingApi): string {
  return api.requests
    .filter(({ method, path }) => method !== 'GET' && !/\/(secrets|tokenreviews)(\/|$)/.test(path))
    .map(({ path, query, body }) => `${path} ${String(query)} ${body}`)
    .join('\n');
}

/** A user of a kubeconfig, and what is secret of them. */
interface OtherUser {
  readonly user: object;
  readonly canaries: readonly Canary[];
  /** See {@link Run.known}. */
  readonly known: readonly string[];
  /** Whether a request is by this user; undefined: the kubeconfig is refused. */
  readonly isBy?: (taken: Taken) => boolean;
}

/** Who has been given an id token by an identity provider. */
function userOfProvider(validity: 'valid' | 'expired'): OtherUser {
  const signature = plantCanary(`id token, ${validity}`, '');
  const renewal = plantCanary('refresh token', '+/=');
  const client = plantCanary('client secret');
  const claims = { sub: 'me', exp: validity === 'valid' ? 4_000_000_000 : 1_700_000_000 };
  const token = `${encodeForUrl({ alg: 'RS256' })}.${encodeForUrl(claims)}.${signature.value}`;
  const config = { 'client-secret': client.value, 'id-token': token, 'refresh-token': renewal.value };
  return {
    user: { 'auth-provider': { name: 'oidc', config } },
    canaries: [signature, renewal, client],
    known: [token, renewal.value, client.value],
    ...(validity === 'valid'
      ? { isBy: ({ headers }: Taken) => headers.authorization === `Bearer ${token}` }
      : {}),
  };
}

/** Whose plugin answers a token, and a client certificate with its key. */
async function userOfPluginWithKey(app: string): Promise<OtherUser> {
  const token = plantCanary('token beside a certificate');
  const plugin = join(folder, `${app}-key`);
  await writePlugin(plugin, {
    token: token.value,
    clientCertificateData: tls.cert,
    clientKeyData: tls.key,
  });
  return {
    user: { exec: { apiVersion: execVersion, command: plugin } },
    canaries: [token, ...keyOf('exec plugin', tls.key)],
    known: [token.value, tls.key],
    isBy: ({ headers, isCertified }) => isCertified && headers.authorization === `Bearer ${token.value}`,
  };
}

const execVersion = 'client.authentication.k8s.io/v1';

/** @param before lines of shell; `$credential` is the answer. */
async function writePlugin(path: string, status: object, before: readonly string[] = []): Promise<void> {
  const credential = JSON.stringify({ apiVersion: execVersion, kind: 'ExecCredential', status });
  await writeFile(
    path,
    ['#!/bin/sh', `credential='${credential}'`, ...before, `printf '%s' "$credential"`, ''].join('\n'),
  );
  await chmod(path, 0o755);
}

/** The private key as a whole, and two lines of it. */
function keyOf(input: string, pem: string): readonly Canary[] {
  return pem
    .split('\n')
    .slice(1, 3)
    .map((line) => ({ input: `private key of the ${input}`, value: line.slice(-32) }));
}

/** What has a process find the service account of a pod in another folder, since this machine has no pod. */
function inPod(account: string): string {
  return `const { default: fs } = await import('node:fs');
     const { syncBuiltinESMExports } = await import('node:module');
     const moved = (path) =>
       typeof path === 'string' ? path.replace('/var/run/secrets/kubernetes.io/serviceaccount', ${JSON.stringify(account)}) : path;
     for (const name of ['existsSync', 'statSync', 'accessSync', 'readFileSync']) {
       const call = fs[name];
       fs[name] = (path, ...rest) => call(moved(path), ...rest);
     }
     syncBuiltinESMExports();`;
}

const encode = (text: string): string => Buffer.from(text).toString('base64');
const encodeForUrl = (object: object): string => Buffer.from(JSON.stringify(object)).toString('base64url');

async function pagesOf(process: AppProcess): Promise<readonly string[]> {
  const address = await process.address('metrics');
  return Promise.all(
    ['metrics', 'flagz', 'statusz'].map(async (page) => (await fetch(`http://${address}/${page}`)).text()),
  );
}

async function openApi(...parameters: Parameters<typeof startEchoingApi>): Promise<EchoingApi> {
  const api = await startEchoingApi(...parameters);
  undo.push(() => api.close());
  return api;
}

const carries = (api: EchoingApi, { value }: Canary): boolean =>
  api.requests.some(({ headers }) => headers.authorization === `Bearer ${value}`);

/** The servers have repeated what they were given, in answers and within watches, and broken one off. */
async function allWasRefused(api: EchoingApi, ...more: readonly RegExp[]): Promise<void> {
  const kinds = [/^401 GET/, /^403 GET/, /^event /, ...more];
  await eventually('all has been refused', () =>
    kinds.every((kind) => api.refusals.some((refusal) => kind.test(refusal))),
  );
  await eventually('a watch has been broken off', () => api.broken.length > 0);
}

function leaksOf(output: string, canaries: readonly Canary[]): readonly object[] {
  return canaries.flatMap((canary) => {
    const found = findCanary(canary, output);
    return found === undefined ? [] : [{ input: canary.input, found }];
  });
}

/** What kubectl leaves on an object, a Secret's content included. */
const applied = (canary: Canary): object => ({
  'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({
    data: { password: Buffer.from(canary.value).toString('base64') },
    stringData: { password: canary.value },
  }),
});

/** The private keys that were written to the server, or were to be. */
function keysIn(api: EchoingApi): readonly Canary[] {
  return api.requests
    .filter(({ method, path }) => method === 'POST' && path.endsWith('/secrets'))
    .flatMap(({ body }) => {
      const { data } = JSON.parse(body) as { readonly data: Readonly<Record<string, string>> };
      return ['ca.key', 'tls.key'].map((name) => {
        const pem = Buffer.from(data[name] ?? '', 'base64').toString();
        return { input: `${name} of the webhook`, value: (pem.split('\n')[1] ?? '').slice(-32) };
      });
    });
}

const claimPath = '/api/v1/persistentvolumeclaims';

describe('Issue 17: secrets in every input, and servers that repeat them', () => {
  test('pvc-protection: exec plugin, proxy, callers of metrics, webhook keys -> no output has them', async () => {
    const token = plantCanary('token of the exec plugin', '+/=');
    const noise = plantCanary('standard error of the exec plugin');
    const setting = plantCanary('environment of the exec plugin');
    const argument = plantCanary('argument of the exec plugin');
    const password = plantCanary('password of the proxy', '');
    const inherited = plantCanary('environment', '');
    const caller = plantCanary('token of a caller of metrics', '');
    const reviewed = plantCanary('admission request');
    const annotation = plantCanary('annotation of a claim');
    const proxy = await startConnectProxy(1);
    undo.push(() => proxy.close());
    const api = await openApi(tls, {
      [claimPath]: [
        {
          metadata: {
            namespace: 'ns',
            name: 'data',
            uid: 'u',
            resourceVersion: '1',
            annotations: applied(annotation),
          },
        },
      ],
    });
    const plugin = join(folder, 'plugin');
    await writePlugin(plugin, { token: token.value }, [
      `echo "$1 $SETTING" >> ${join(folder, 'plugin.ran')}`,
      `echo '${noise.value}' >&2`,
      // The first run fails.
      `if [ $(wc -l < ${join(folder, 'plugin.ran')}) = 1 ]; then printf '%s' "$credential"; exit 1; fi`,
    ]);

    const output = await outputOf(
      'pvc-protection',
      {
        api,
        user: {
          exec: {
            apiVersion: execVersion,
            command: plugin,
            args: [argument.value],
            env: [{ name: 'SETTING', value: setting.value }],
          },
        },
        cluster: { 'proxy-url': proxy.url.replace('//', `//me:${password.value}@`) },
        flags: [
          '--leader-elect-retry-period=200ms',
          '--metrics-secure',
          '--webhook-bind-address=127.0.0.1:0',
          '--webhook-self-signed',
          '--webhook-namespace=ns',
        ],
        env: {
          SOME_PASSWORD: inherited.value,
          HTTPS_PROXY: `http://me:${inherited.value}@127.0.0.1:1`,
        },
        known: [token.value, password.value],
      },
      async (process) => {
        const metrics = await process.address('metrics');
        const scrape = (path: string): Promise<string> =>
          askOverTls(`https://${metrics}${path}`, { authorization: `Bearer ${caller.value}` });
        const answers = [await scrape('/flagz'), await scrape('/flagz'), await scrape('/metrics')];
        const webhook = `https://${await process.address('webhook')}/mutate-v1-persistentvolumeclaim`;
        answers.push(
          await askOverTls(webhook, { 'content-type': 'application/json' }, `{"a":${reviewed.value}}`),
        );
        await allWasRefused(api, /^403 PATCH/, /^500 .*leases/, /^403 .*tokenreviews/, /^403 .*secrets/);
        await eventually('it leads', () => process.stderr().includes('Became leader'));
        expect(answers[1]?.includes('log-level=trace')).toBe(true);
        return answers;
      },
    );

    const encoded = Buffer.from(`me:${password.value}`).toString('base64');
    expect(proxy.heads.filter((head) => head.includes(encoded)).length).toBeGreaterThan(1);
    expect(carries(api, token)).toBe(true);
    expect(await readFile(join(folder, 'plugin.ran'), 'utf8')).toContain(
      `${argument.value} ${setting.value}`,
    );
    expect(
      api.requests.some(({ path, body }) => /tokenreviews/.test(path) && body.includes(caller.value)),
    ).toBe(true);
    const keys = keysIn(api);
    expect(keys.length).toBeGreaterThan(1);
    expect(
      leaksOf(output, [
        token,
        noise,
        setting,
        argument,
        password,
        inherited,
        caller,
        reviewed,
        annotation,
        ...keys,
      ]),
    ).toStrictEqual([]);
  });

  test('pv-reclaim-honor: token, client certificate, secrets of a CSI driver -> no output has them', async () => {
    const token = plantCanary('token', '+/=');
    const secret = plantCanary('Secret for the CSI driver');
    const annotation = plantCanary('annotation of a volume');
    const socket = join(folder, 'csi.sock');
    const driver = await startCsiDriver({ folder: join(folder, 'csi'), socket });
    undo.push(() => driver.stop());
    await driver.addVolume('handle');
    driver.inject(
      {
        kind: 'fail',
        code: 'INTERNAL',
        message: `login failed: password=${secret.value} ${Buffer.from(`-${secret.value}`).toString('base64')} ${JSON.stringify(JSON.stringify(secret.value))}`,
      },
      1,
    );
    const api = await openApi(tls, {
      '/api/v1/persistentvolumes': [
        {
          metadata: {
            name: 'pv',
            uid: 'u',
            resourceVersion: '1',
            finalizers: ['external-provisioner.volume.kubernetes.io/finalizer'],
            annotations: {
              ...applied(annotation),
              'pv.kubernetes.io/provisioned-by': driver.name,
              'volume.kubernetes.io/provisioner-deletion-secret-name': 'csi',
              'volume.kubernetes.io/provisioner-deletion-secret-namespace': 'ns',
            },
          },
          spec: {
            csi: { driver: driver.name, volumeHandle: 'handle' },
            persistentVolumeReclaimPolicy: 'Delete',
            claimRef: { namespace: 'ns', name: 'data', uid: 'gone' },
          },
          status: { phase: 'Released' },
        } as { metadata: Record<string, unknown> },
      ],
      '/api/v1/secrets': [
        {
          metadata: { namespace: 'ns', name: 'csi', uid: 's', resourceVersion: '1' },
          data: { password: Buffer.from(secret.value).toString('base64') },
        } as { metadata: Record<string, unknown> },
      ],
    });

    const output = await outputOf(
      'pv-reclaim-honor',
      {
        api,
        user: {
          token: token.value,
          'client-certificate-data': encode(tls.cert),
          'client-key-data': encode(tls.key),
        },
        flags: ['--leader-elect=false', `--csi-address=${driver.address}`],
        known: [token.value, tls.key],
      },
      async (process) => {
        await allWasRefused(api, /^403 .*events/, /^(403 DELETE|403 PATCH)/);
        await eventually('the driver has deleted the volume', () => !driver.hasVolume('handle'));
        const notes = (): string => api.requests.map(({ path, body }) => `${path} ${body}`).join('\n');
        await eventually('the failure is an Event', () => notes().includes('login failed'));
        return pagesOf(process);
      },
    );

    expect(carries(api, token)).toBe(true);
    expect(driver.deletions.map(({ secrets }) => secrets)).toContainEqual({ password: secret.value });
    expect(output.includes('DeleteVolume: INTERNAL: login failed: ')).toBe(true);
    expect(leaksOf(output, [token, secret, annotation, ...keyOf('client', tls.key)])).toStrictEqual([]);
  });

  test('retroactive-default-sc: token file -> no output has it', async () => {
    const token = plantCanary('token file', '+/=');
    const annotation = plantCanary('annotation of a claim');
    const file = join(folder, 'token');
    await writeFile(file, `${token.value}\n`);
    const api = await openApi(tls, {
      [claimPath]: [
        {
          metadata: {
            namespace: 'ns',
            name: 'data',
            uid: 'u',
            resourceVersion: '1',
            annotations: applied(annotation),
          },
          spec: {},
          status: { phase: 'Pending' },
        } as { metadata: Record<string, unknown> },
      ],
      '/apis/storage.k8s.io/v1/storageclasses': [
        {
          metadata: {
            name: 'standard',
            uid: 'c',
            resourceVersion: '1',
            creationTimestamp: '2030-01-01T00:00:00Z',
            annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' },
          },
        },
      ],
    });

    const output = await outputOf(
      'retroactive-default-sc',
      { api, user: { tokenFile: file }, flags: ['--leader-elect=false'], known: [token.value] },
      async (process) => {
        await allWasRefused(api, /^403 PATCH/, /^403 .*events/);
        return pagesOf(process);
      },
    );

    expect(carries(api, token)).toBe(true);
    expect(output.includes('was not assigned: refused: ')).toBe(true);
    expect(leaksOf(output, [token, annotation])).toStrictEqual([]);
  });

  test('statefulset-pvc-retention: password, user and password in the URL of the server -> no output has them', async () => {
    const password = plantCanary('password', '+/=');
    const inUrl = plantCanary('URL of the server', '');
    const annotation = plantCanary('annotation of a set');
    const api = await openApi(tls, {
      '/apis/apps/v1/statefulsets': [
        {
          metadata: {
            namespace: 'ns',
            name: 'db',
            uid: 'u',
            resourceVersion: '1',
            annotations: applied(annotation),
          },
          spec: {
            replicas: 1,
            selector: { matchLabels: { app: 'db' } },
            template: { metadata: { labels: { app: 'db' } } },
            volumeClaimTemplates: [{ metadata: { name: 'data' } }],
            persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Retain' },
          },
        } as { metadata: Record<string, unknown> },
      ],
      [claimPath]: [
        {
          metadata: {
            namespace: 'ns',
            name: 'data-db-0',
            uid: 'c',
            resourceVersion: '1',
            labels: { app: 'db' },
          },
        },
      ],
    });

    const output = await outputOf(
      'statefulset-pvc-retention',
      {
        api,
        user: { username: 'me', password: password.value },
        cluster: { server: api.url.replace('//', `//me:${inUrl.value}@`) },
        flags: ['--leader-elect=false', '--yield-to-stock-controller=false'],
        known: [password.value, inUrl.value],
      },
      async (process) => {
        await allWasRefused(api, /^403 PATCH/);
        return pagesOf(process);
      },
    );

    const encoded = Buffer.from(`me:${password.value}`).toString('base64');
    expect(api.requests.some(({ headers }) => headers.authorization === `Basic ${encoded}`)).toBe(true);
    expect(leaksOf(output, [password, inUrl, annotation])).toStrictEqual([]);
  });

  const webhookKey = async (name: string, certificate: string, key: string): Promise<string> => {
    const path = join(folder, name);
    await mkdir(path);
    await writeFile(join(path, 'tls.crt'), certificate);
    await writeFile(join(path, 'tls.key'), key);
    return path;
  };

  test('pvc-protection in a pod: token of the service account, key in --webhook-cert-dir -> no output has them', async () => {
    const token = plantCanary('token of the service account', '');
    const account = join(folder, 'serviceaccount');
    await mkdir(account);
    await writeFile(join(account, 'token'), token.value);
    await writeFile(join(account, 'ca.crt'), tls.cert);
    await writeFile(join(account, 'namespace'), 'ns');
    const api = await openApi(tls, {});
    const { hostname, port } = new URL(api.url);

    const process = startApp(
      'pvc-protection',
      [
        '--log-level=trace',
        '--metrics-bind-address=127.0.0.1:0',
        '--health-probe-bind-address=127.0.0.1:0',
        '--leader-elect=false',
        '--webhook-bind-address=127.0.0.1:0',
        `--webhook-cert-dir=${await webhookKey('webhook', tls.cert, tls.key)}`,
      ],
      {
        KUBERNETES_SERVICE_HOST: hostname,
        KUBERNETES_SERVICE_PORT: port,
        NODE_OPTIONS: await preload('in-pod', [token.value, tls.key], inPod(account)),
      },
    );
    undo.push(() => process.end('SIGKILL'));
    await process.address('webhook');
    await allWasRefused(api);
    const pages = await pagesOf(process);
    const output = [...pages, await lastWords(process), writtenTo(api)].join('\n');

    expect(carries(api, token)).toBe(true);
    expect(leaksOf(output, [token, ...keyOf('webhook', tls.key)])).toStrictEqual([]);
  });

  test('key in --webhook-cert-dir that can not be used -> not in what is said of it', async () => {
    const key = plantCanary('key of the webhook', '');
    const kubeconfig = join(folder, 'unusable-key.yaml');
    await writeFile(kubeconfig, kubeconfigText({}, { server: 'https://127.0.0.1:1' }));
    const process = startApp('pvc-protection', [
      '--webhook-bind-address=127.0.0.1:0',
      `--webhook-cert-dir=${await webhookKey('unusable', tls.cert, `${tls.key.slice(0, 60)}${key.value}`)}`,
      `--kubeconfig=${kubeconfig}`,
    ]);
    expect(await process.exit).toEqual({ code: 2, signal: null });
    expect(process.stderr().includes('--webhook-cert-dir: ')).toBe(true);
    expect(leaksOf(process.stdout() + process.stderr(), [key, ...keyOf('webhook', tls.key)])).toStrictEqual(
      [],
    );
  });
});

/** @returns the body of the answer, whatever its code. */
function askOverTls(url: string, headers: Readonly<Record<string, string>>, body?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request(
      url,
      { method: body === undefined ? 'GET' : 'POST', headers, rejectUnauthorized: false },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => resolve(text));
      },
    );
    asked.on('error', reject).end(body);
  });
}
