import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import {
  mutatingWebhookConfigurations,
  namespaces,
  secrets,
  validatingWebhookConfigurations,
  type Secret,
} from '@holdfast/core';
import { startApiServer, type ApiServer } from '@holdfast/testing';
import { createFakeClock, type FakeClock } from '@holdfast/testing/fake-clock';
import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import type { ApiClient } from '../../src/client/api-client.ts';
import { ApiError } from '../../src/client/api-error.ts';
import { connect } from '../../src/client/connect.ts';
import { loadKubeConfig } from '../../src/client/kubeconfig.ts';
import { createAuthority, type ServingCertificate } from '../../src/serving/serving-certificate.ts';
import { createSelfSignedCertificate } from '../../src/webhook/self-signed-certificate.ts';

// A busy machine takes its time.
jest.setTimeout(30_000);

const day = 24 * 60 * 60 * 1000;
const start = Date.UTC(2026, 0, 1);
const ref = { namespace: 'ops', name: 'hook' };
const hosts = ['hook.ops.svc', '127.0.0.1'];

let server: ApiServer;
let folder: string;
let client: ApiClient;
/** All of its writes are dry runs. */
let rehearsal: ApiClient;
let today: number;
const stops: (() => Promise<void>)[] = [];

beforeEach(async () => {
  today = start;
  server = await startApiServer();
  folder = await mkdtemp(join(tmpdir(), 'holdfast-self-signed-'));
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, server.kubeconfig);
  const connected = (dryRun: boolean): ApiClient =>
    connect({
      kubeConfig: () => loadKubeConfig({ kubeconfig }),
      ...{ registry: new Registry(), program: 'test', version: '0', dryRun },
    });
  client = connected(false);
  rehearsal = connected(true);
  await client.create(namespaces, undefined, { metadata: { name: 'ops' } });
}, 30_000);

afterEach(async () => {
  for (const stop of stops.splice(0)) {
    await stop();
  }
  await Promise.all([client.close(), rehearsal.close()]);
  await server.stop();
  await rm(folder, { recursive: true });
});

interface Replica {
  readonly clock: FakeClock;
  /** What it has shown so far, oldest first. */
  readonly shown: readonly ServingCertificate[];
  readonly logged: readonly string[];
}

/** A replica that looks every ten seconds of its own clock. */
function replica(names: readonly string[] = hosts, by = client, ownHosts: readonly string[] = []): Replica {
  const clock = createFakeClock();
  const shown: ServingCertificate[] = [];
  const logged: string[] = [];
  const source = createSelfSignedCertificate({
    client: by,
    secret: ref,
    hosts: names,
    ownHosts,
    configurations: [
      { resource: mutatingWebhookConfigurations, name: 'hooks' },
      { resource: validatingWebhookConfigurations, name: 'hooks' },
    ],
    clock,
    now: () => new Date(today),
    logger: pino({ level: 'info' }, { write: (line: string) => logged.push(line) }),
  });
  const stop = new AbortController();
  const running = source.follow((certificate) => shown.push(certificate), stop.signal);
  stops.push(async () => {
    stop.abort(new Error('end of the test'));
    await running;
    expect(clock.pending).toBe(0);
  });
  return { clock, shown, logged };
}

async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  ...replicas: Replica[]
): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!(await holds())) {
    if (performance.now() > deadline) {
      throw new Error(`not within 20 s: ${what}; ${replicas.flatMap(({ logged }) => logged).join('')}`);
    }
    for (const { clock } of replicas) {
      await clock.advance(10_000);
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function secretTexts(): Promise<Readonly<Record<string, string>>> {
  const { data = {} } = await client.get(secrets, ref);
  return Object.fromEntries(
    Object.entries(data).map(([name, text]) => [name, Buffer.from(text, 'base64').toString()]),
  );
}

function configuration(...caBundles: (string | undefined)[]): object {
  return {
    metadata: { name: 'hooks' },
    webhooks: caBundles.map((caBundle, index) => ({
      name: `hook-${String(index)}.holdfast.dev`,
      clientConfig: {
        service: { namespace: 'ops', name: 'hook', path: '/hook' },
        ...(caBundle === undefined ? {} : { caBundle }),
      },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    })),
  };
}

async function trusted(): Promise<readonly (string | undefined)[]> {
  const bundles: (string | undefined)[] = [];
  for (const resource of [mutatingWebhookConfigurations, validatingWebhookConfigurations]) {
    const { webhooks = [] } = await client.get(resource, { name: 'hooks' });
    bundles.push(...webhooks.map(({ clientConfig }) => clientConfig.caBundle));
  }
  return bundles;
}

describe('first start', () => {
  test('nothing there -> a Secret of type kubernetes.io/tls, and a certificate for all hosts that its authority signed', async () => {
    const one = replica();
    await until('a certificate is shown', () => one.shown.length > 0, one);
    const secret: Secret = await client.get(secrets, ref);
    expect(secret.type).toBe('kubernetes.io/tls');
    const texts = await secretTexts();
    expect(texts['tls.crt']?.trim()).toBe(one.shown[0]?.certificate.trim());
    const certificate = new X509Certificate(texts['tls.crt'] ?? '');
    const signer = new X509Certificate(texts['ca.crt'] ?? '');
    expect(certificate.checkIssued(signer) && certificate.verify(signer.publicKey)).toBe(true);
    expect(certificate.subjectAltName).toBe('DNS:hook.ops.svc, IP Address:127.0.0.1');
    expect(certificate.ca).toBe(false);
    expect(signer.ca).toBe(true);
  });

  test('five replicas at once -> all show the same certificate, however often they look', async () => {
    const replicas = Array.from({ length: 5 }, () => replica());
    await until('all show one', () => replicas.every(({ shown }) => shown.length > 0), ...replicas);
    for (const { clock } of replicas) {
      await clock.advance(60_000);
    }
    expect(
      new Set(replicas.flatMap(({ shown }) => shown.map(({ certificate }) => certificate.trim()))).size,
    ).toBe(1);
  });

  test('replicas that listen on addresses of their own -> the Secret is written once, each shows one for its address', async () => {
    const addresses = ['10.0.0.1', '10.0.0.2', 'fd00::3'];
    const replicas = addresses.map((address) => replica(['hook.ops.svc'], client, [address]));
    const [first] = replicas;
    await until('all show one', () => replicas.every(({ shown }) => shown.length > 0), ...replicas);
    const { metadata } = await client.get(secrets, ref);
    const looks = (): number =>
      server.requests.all.filter(({ verb, resource }) => verb === 'get' && resource === 'secrets').length;
    const before = looks();
    await until('all have looked again', () => looks() >= before + 6, ...replicas);
    expect((await client.get(secrets, ref)).metadata.resourceVersion).toBe(metadata.resourceVersion);
    const signer = new X509Certificate((await secretTexts())['ca.crt'] ?? '');
    for (const [at, { shown }] of replicas.entries()) {
      expect(shown).toHaveLength(1);
      const certificate = new X509Certificate(shown[0]?.certificate ?? '');
      expect(certificate.verify(signer.publicKey)).toBe(true);
      expect(certificate.checkHost('hook.ops.svc')).toBeDefined();
      expect(addresses.filter((address) => certificate.checkIP(address) !== undefined)).toEqual([
        addresses[at],
      ]);
    }
    today = start + 250 * day;
    await until('another is shown', () => (first?.shown.length ?? 0) > 1, ...replicas);
    const renewed = new X509Certificate(first?.shown.at(-1)?.certificate ?? '');
    expect(renewed.checkIP('10.0.0.1')).toBeDefined();
    expect(renewed.validToDate.getTime()).toBeGreaterThan(start + 600 * day);
  });

  test('empty Secret, five replicas -> filled once', async () => {
    await client.create(secrets, 'ops', {
      metadata: ref,
      type: 'kubernetes.io/tls',
      data: { 'tls.crt': '', 'tls.key': '' },
    });
    const replicas = Array.from({ length: 5 }, () => replica());
    await until('all show one', () => replicas.every(({ shown }) => shown.length > 0), ...replicas);
    expect(
      new Set(replicas.flatMap(({ shown }) => shown.map(({ certificate }) => certificate.trim()))).size,
    ).toBe(1);
    expect((await client.get(secrets, ref)).metadata.name).toBe('hook');
  });

  test('Secret of somebody else -> untouched, nothing shown, and the log names the way out', async () => {
    const data = { 'tls.crt': Buffer.from('theirs').toString('base64'), 'tls.key': '' };
    const before = await client.create(secrets, 'ops', { metadata: ref, type: 'kubernetes.io/tls', data });
    const one = replica();
    await until('it is logged', () => one.logged.length > 0, one);
    expect(one.logged[0]).toContain('--webhook-cert-dir');
    expect(one.shown).toStrictEqual([]);
    expect((await client.get(secrets, ref)).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  });

  test.each([
    ['no', false],
    ['an empty', true],
  ])(
    'dry run, %s Secret -> one certificate, however often it looks, and nothing stored',
    async (_, isThere) => {
      if (isThere) {
        await client.create(secrets, 'ops', { metadata: ref });
      }
      await client.create(mutatingWebhookConfigurations, undefined, configuration(undefined));
      const one = replica(hosts, rehearsal);
      await until('a certificate is shown', () => one.shown.length > 0, one);
      const logged = one.logged.length;
      const looks = jest.spyOn(rehearsal, 'get');
      await until('it has looked again', () => looks.mock.calls.length > 5, one);
      expect(one.shown).toHaveLength(1);
      expect(one.logged.slice(logged)).toStrictEqual([]);
      if (isThere) {
        expect((await client.get(secrets, ref)).data).toBeUndefined();
      }
      expect((await client.get(mutatingWebhookConfigurations, { name: 'hooks' })).webhooks).toMatchObject([
        { clientConfig: expect.not.objectContaining({ caBundle: expect.anything() }) },
      ]);
    },
  );

  test.each(['Secret', 'MutatingWebhookConfiguration'])(
    'etcd restored, %s has the version again that it had before it was written -> written again',
    async (kind) => {
      await client.create(secrets, 'ops', { metadata: ref });
      await client.create(mutatingWebhookConfigurations, undefined, configuration(undefined));
      const earlier =
        kind === 'Secret'
          ? await client.get(secrets, ref)
          : await client.get(mutatingWebhookConfigurations, { name: 'hooks' });
      let isRestored = false;
      let patches = 0;
      const get: ApiClient['get'] = async (...args) => {
        const found = await client.get(...args);
        return isRestored && found.metadata.uid === earlier.metadata.uid ? (earlier as typeof found) : found;
      };
      const patch: ApiClient['patch'] = (resource, ...args) => {
        patches += isRestored && resource.kind === kind ? 1 : 0;
        return client.patch(resource, ...args);
      };
      const one = replica(hosts, { ...client, get, patch });
      await until('a certificate is shown', () => one.shown.length > 0, one);
      isRestored = true;
      await until('it is written again', () => patches > 0, one);
    },
  );

  test('Secret is missing and may not be created -> the log says that the manifests have it', async () => {
    const refused = new ApiError('POST /', 403, { reason: 'Forbidden' });
    const one = replica(hosts, { ...client, create: () => Promise.reject(refused) });
    await until('it is logged', () => one.logged.length > 0, one);
    expect(one.logged[0]).toContain('apply the manifests again');
  });

  test('API server away at the start -> tried again until it is there', async () => {
    const create = client.create.bind(client);
    let failures = 3;
    client = {
      ...client,
      create: (...args) =>
        failures-- > 0 ? Promise.reject(new Error('connect ECONNREFUSED')) : create(...args),
    };
    const one = replica();
    await until('a certificate is shown', () => one.shown.length > 0, one);
    expect(failures).toBeLessThan(0);
  });
});

describe('webhook configurations', () => {
  test('without, with a stale and with another caBundle -> all trust our authority', async () => {
    const stale = Buffer.from((await createAuthority('stale', new Date())).certificate).toString('base64');
    await client.create(mutatingWebhookConfigurations, undefined, configuration(undefined, stale));
    await client.create(validatingWebhookConfigurations, undefined, configuration(undefined));
    const one = replica();
    await until('a certificate is shown', () => one.shown.length > 0, one);
    const bundle = Buffer.from((await secretTexts())['ca.crt'] ?? '').toString('base64');
    expect(await trusted()).toEqual([bundle, bundle, bundle]);
  });

  test('made after the start, then overwritten -> filled in both times', async () => {
    const one = replica();
    await until('a certificate is shown', () => one.shown.length > 0, one);
    await client.create(mutatingWebhookConfigurations, undefined, configuration(undefined));
    await client.create(validatingWebhookConfigurations, undefined, configuration(undefined));
    const filled = async (): Promise<boolean> => (await trusted()).every((bundle) => bundle !== undefined);
    await until('both are filled', filled, one);
    await client.patch(mutatingWebhookConfigurations, { name: 'hooks' }, [
      { op: 'remove', path: '/webhooks/0/clientConfig/caBundle' },
    ]);
    expect(await filled()).toBe(false);
    await until('both are filled again', filled, one);
  });
});

describe('renewal', () => {
  test('two thirds of a year -> a new certificate of the same authority; before that, none', async () => {
    const one = replica();
    await until('a certificate is shown', () => one.shown.length > 0, one);
    const before = await secretTexts();
    today = start + 240 * day;
    await one.clock.advance(60_000);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(one.shown.length).toBe(1);
    today = start + 250 * day;
    await until('another is shown', () => one.shown.length > 1, one);
    const after = await secretTexts();
    expect(after['ca.crt']).toBe(before['ca.crt']);
    expect(after['tls.crt']).not.toBe(before['tls.crt']);
    expect(new X509Certificate(after['tls.crt'] ?? '').validToDate.getTime()).toBeGreaterThan(
      start + 600 * day,
    );
  });

  test('two thirds of a year are over once the Secret is read -> no certificate beside that of the Secret', async () => {
    const { get } = client;
    const by: typeof client = {
      ...client,
      get: (resource, ...args) => {
        // The configurations are read after the Secret.
        today = resource.kind === mutatingWebhookConfigurations.kind ? start + 250 * day : today;
        return get(resource, ...args);
      },
    };
    const one = replica(hosts, by);
    await until('another is shown', () => one.shown.length > 1, one);
    expect(one.shown.at(-1)?.certificate.trim()).toBe((await secretTexts())['tls.crt']?.trim());
    expect(one.logged.join('')).not.toContain('address of this replica');
  });

  test('two thirds of ten years, three replicas -> one new authority, the old one still trusted beside it', async () => {
    await client.create(mutatingWebhookConfigurations, undefined, configuration(undefined));
    await client.create(validatingWebhookConfigurations, undefined, configuration(undefined));
    const replicas = [replica(), replica(), replica()];
    await until('all show one', () => replicas.every(({ shown }) => shown.length > 0), ...replicas);
    const before = await secretTexts();
    today = start + 2500 * day;
    await until('all show another', () => replicas.every(({ shown }) => shown.length > 1), ...replicas);
    const after = await secretTexts();
    expect(after['ca.crt']).not.toBe(before['ca.crt']);
    expect(after['ca.crt']?.endsWith(before['ca.crt'] ?? 'nothing')).toBe(true);
    expect(new Set(replicas.map(({ shown }) => shown.at(-1)?.certificate.trim())).size).toBe(1);
    const bundle = Buffer.from(after['ca.crt'] ?? '').toString('base64');
    expect(new Set(await trusted())).toEqual(new Set([bundle]));
  });

  test('made on a machine whose clock is 20 hours ahead of all others -> valid there too, and not replaced', async () => {
    const one = replica();
    await until('a certificate is shown', () => one.shown.length > 0, one);
    today = start - (20 / 24) * day;
    const two = replica();
    await until('a certificate is shown', () => two.shown.length > 0, two);
    expect(two.shown[0]?.certificate.trim()).toBe(one.shown[0]?.certificate.trim());
  });

  test('app is now called by another name -> a certificate for it', async () => {
    const one = replica();
    await until('a certificate is shown', () => one.shown.length > 0, one);
    const two = replica(['other.ops.svc']);
    await until('a certificate is shown', () => two.shown.length > 0, two);
    expect(new X509Certificate(two.shown[0]?.certificate ?? '').checkHost('other.ops.svc')).toBeDefined();
  });
});
