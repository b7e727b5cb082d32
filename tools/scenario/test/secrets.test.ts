import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { eventually, startApp, type AppProcess } from '@holdfast/scenario';
import { startCsiDriver } from '@holdfast/testing';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startConnectProxy } from './api-front.ts';
import { findCanary, plantCanary, type Canary } from './canary.ts';
import { startEchoingApi, type EchoingApi } from './echoing-api.ts';

/*
 * Issue 17. Each app is run once, as it is shipped and at level trace, with a canary in everything secret that it reads, against servers that
 * repeat what they were given in all that they refuse. Then everything that has come out of the process is searched.
 */

// What a server breaks off or refuses is tried again after a second and more, several times in each run.
jest.setTimeout(120_000);

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
  readonly known: readonly Canary[];
}

/**
 * Starts the app; once it is ready, `play` makes it do all that it is to do, and adds what it has answered. At the end it
 * dies of an error that nobody catches.
 *
 * @returns all that came out of it: its log, what it serves, and what it has written to the API server, Secrets and token reviews aside.
 */
async function outputOf(
  app: string,
  { api, user, cluster, flags = [], env = {}, known }: Run,
  play: (process: AppProcess) => Promise<readonly string[]>,
): Promise<string> {
  const kubeconfig = join(folder, `${app}.yaml`);
  await writeFile(
    kubeconfig,
    JSON.stringify({
      'current-context': 'here',
      clusters: [
        {
          name: 'here',
          cluster: {
            server: api.url,
            'certificate-authority-data': Buffer.from(tls.cert).toString('base64'),
            ...cluster,
          },
        },
      ],
      users: [{ name: 'me', user }],
      contexts: [{ name: 'here', context: { cluster: 'here', user: 'me' } }],
    }),
  );
  const breakdown = join(folder, `${app}.mjs`);
  await writeFile(
    breakdown,
    `process.on('SIGUSR2', () => {
       const known = ${JSON.stringify(known.map(({ value }) => value))};
       const error = new Error('broken down: ' + known.join(), { cause: new Error('cause: ' + known.join()) });
       void Promise.reject(Object.assign(error, { headers: known, nested: { known } }));
     });`,
  );
  const process = startApp(
    app,
    [
      `--kubeconfig=${kubeconfig}`,
      '--log-level=trace',
      '--metrics-bind-address=127.0.0.1:0',
      '--health-probe-bind-address=127.0.0.1:0',
      ...flags,
    ],
    { NODE_OPTIONS: `--import=${breakdown}`, ...env },
  );
  undo.push(() => process.end('SIGKILL'));
  const health = `http://${await process.address('health-probe')}/readyz?verbose`;
  await eventually('it is ready', async () => (await fetch(health)).ok);
  const served = [await (await fetch(health)).text(), ...(await play(process))];
  process.kill('SIGUSR2');
  expect(await process.exit).toEqual({ code: 1, signal: null });
  expect(process.stderr().includes('broken down: ')).toBe(true);
  const written = api.requests
    .filter(({ method, path }) => method !== 'GET' && !/\/(secrets|tokenreviews)(\/|$)/.test(path))
    .map(({ path, query, body }) => `${path} ${String(query)} ${body}`);
  return [process.stdout(), process.stderr(), ...served, ...written].join('\n');
}

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
    const apiVersion = 'client.authentication.k8s.io/v1';
    const credential = { apiVersion, kind: 'ExecCredential', status: { token: token.value } };
    await writeFile(
      plugin,
      [
        '#!/bin/sh',
        `echo "$1 $SETTING" >> ${join(folder, 'plugin.ran')}`,
        `echo '${noise.value}' >&2`,
        // The first run fails.
        `if [ $(wc -l < ${join(folder, 'plugin.ran')}) = 1 ]; then echo '${JSON.stringify(credential)}'; exit 1; fi`,
        `echo '${JSON.stringify(credential)}'`,
        '',
      ].join('\n'),
    );
    await chmod(plugin, 0o755);

    const output = await outputOf(
      'pvc-protection',
      {
        api,
        user: {
          exec: {
            apiVersion,
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
        known: [token, password],
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
    ).toEqual([]);
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
    const encode = (text: string): string => Buffer.from(text).toString('base64');

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
        known: [token, { input: 'client key', value: tls.key }],
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
    const key = { input: 'client key', value: (tls.key.split('\n')[2] ?? '').slice(0, 32) };
    expect(leaksOf(output, [token, secret, annotation, key])).toEqual([]);
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
            annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' },
          },
        },
      ],
    });

    const output = await outputOf(
      'retroactive-default-sc',
      { api, user: { tokenFile: file }, flags: ['--leader-elect=false'], known: [token] },
      async (process) => {
        await allWasRefused(api, /^403 PATCH/, /^403 .*events/);
        return pagesOf(process);
      },
    );

    expect(carries(api, token)).toBe(true);
    expect(output.includes('was not assigned: refused: ')).toBe(true);
    expect(leaksOf(output, [token, annotation])).toEqual([]);
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
        known: [password, inUrl],
      },
      async (process) => {
        await allWasRefused(api, /^403 PATCH/);
        return pagesOf(process);
      },
    );

    const encoded = Buffer.from(`me:${password.value}`).toString('base64');
    expect(api.requests.some(({ headers }) => headers.authorization === `Basic ${encoded}`)).toBe(true);
    expect(leaksOf(output, [password, inUrl, annotation])).toEqual([]);
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
