import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  configMaps,
  mutatingWebhookConfigurations,
  namespaces,
  validatingWebhookConfigurations,
  type ConfigMap,
} from '@holdfast/core';
import {
  createWebhookServer,
  isForbidden,
  parseCommandLine,
  webhookFlags,
  type ApiClient,
} from '@holdfast/runtime';
import { controlPlaneMissing, startRealControlPlane, type RealControlPlane } from '@holdfast/testing';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { connectPlane, type ConnectedPlane } from '../connected-plane.ts';

const missing = controlPlaneMissing({ backend: 'real' });
(missing === undefined ? describe : describe.skip)(
  `webhooks that kube-apiserver calls ${missing ?? ''}`,
  () => {
    let connected: ConnectedPlane<RealControlPlane>;
    let client: ApiClient;
    let end: () => Promise<void>;

    beforeAll(async () => {
      connected = await connectPlane(startRealControlPlane({}));
      ({ client } = connected);
      const line = parseCommandLine(
        { name: 'app', version: '1', description: '', flags: webhookFlags('app') },
        ['--webhook-bind-address=127.0.0.1:0', '--webhook-self-signed'],
        {},
      );
      if (line.kind === 'print') {
        throw new Error(line.text);
      }
      const webhooks = createWebhookServer({
        config: line.values,
        client,
        logger: pino({ level: process.env['HOLDFAST_TEST_LOG'] ?? 'silent' }),
        registry: new Registry(),
        routes: {
          '/mutate': ({ object }) => ({
            kind: 'patch',
            patch:
              (object as ConfigMap).data === undefined
                ? [{ op: 'add', path: '/data', value: { by: 'us' } }]
                : [],
            warnings: ['changed by us'],
          }),
          '/validate': ({ name }) => {
            if (name === 'broken') {
              throw new Error('the handler is broken');
            }
            return name === 'bad' ? { kind: 'denied', message: 'bad name' } : { kind: 'allowed' };
          },
        },
        configurations: [mutatingWebhookConfigurations, validatingWebhookConfigurations],
      });
      const server = await webhooks.start();
      const webhook = (path: string): object => ({
        metadata: { name: 'app' },
        webhooks: [
          {
            name: 'hook.example.com',
            clientConfig: { url: `https://${server?.address ?? ''}${path}` },
            rules: [
              { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] },
            ],
            namespaceSelector: { matchLabels: { hooked: 'yes' } },
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
          },
        ],
      });
      await client.create(mutatingWebhookConfigurations, undefined, webhook('/mutate'));
      await client.create(validatingWebhookConfigurations, undefined, webhook('/validate'));
      await client.create(namespaces, undefined, { metadata: { name: 'hooked', labels: { hooked: 'yes' } } });
      const stop = new AbortController();
      const running = webhooks.run(stop.signal);
      end = async () => {
        stop.abort(new Error('end of the test'));
        await Promise.all([running, server?.close()]);
      };
      // Until the API server has noticed, failurePolicy Fail answers with 500.
      const deadline = performance.now() + 30_000;
      for (;;) {
        try {
          await client.create(configMaps, 'hooked', { metadata: { generateName: 'probe-' } });
          break;
        } catch (error) {
          if (performance.now() > deadline) {
            throw error;
          }
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
      }
    }, 120_000);

    afterAll(async () => {
      await end();
      await connected.close();
    }, 30_000);

    test('handler patches -> stored so, with a warning', async () => {
      const created = await client.create(configMaps, 'hooked', { metadata: { name: 'good' } });
      expect(created.data).toEqual({ by: 'us' });
      const { stderr } = await connected.plane.kubectl(['create', 'configmap', 'warned', '-n', 'hooked']);
      expect(stderr).toContain('Warning: changed by us');
    });

    test('handler denies -> 403 with its message', async () => {
      const failure = client.create(configMaps, 'hooked', { metadata: { name: 'bad' } });
      expect(isForbidden(await failure.catch((error: unknown) => error))).toBe(true);
      await expect(failure).rejects.toThrow(
        /admission webhook "hook\.example\.com" denied the request: bad name/,
      );
    });

    test('handler throws -> refused with its message', async () => {
      await expect(client.create(configMaps, 'hooked', { metadata: { name: 'broken' } })).rejects.toThrow(
        /the handler is broken/,
      );
    });
  },
);
