import { describe, expect, jest, test } from '@jest/globals';
import type { ApiResource, KubernetesObject, Secret } from '@holdfast/core';
import { defineResource, type ObjectOf } from '@holdfast/core/custom-resource';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { z } from 'zod';
import { ApiError } from '../../src/client/api-error.ts';
import { parseCommandLine } from '../../src/flags/command-line.ts';
import type { RuntimeConfig } from '../../src/flags/runtime-flags.ts';
import type { ProgramApp } from '../../src/process/run-app.ts';
import { validating, validatingHandler, validatingPath } from '../../src/process/validating.ts';
import type { AdmissionRequest } from '../../src/webhook/admission.ts';
import { webhookFlags, type WebhookConfig } from '../../src/webhook/webhook-flags.ts';
import { until } from '../until.ts';

// A busy machine takes its time to make keys.
jest.setTimeout(30_000);

const pages = defineResource({
  group: 'docs.example.com',
  version: 'v1',
  kind: 'Page',
  spec: z.object({ text: z.string(), size: z.int().default(1) }),
  status: z.object({ words: z.int() }),
});
type Page = ObjectOf<typeof pages>;

interface Draft {
  readonly spec?: object;
  readonly status?: object;
  readonly labels?: Readonly<Record<string, string>>;
  readonly deletionTimestamp?: string;
}

const page = ({ spec = { text: 'a' }, status, ...metadata }: Draft): Page =>
  ({
    apiVersion: 'docs.example.com/v1',
    kind: 'Page',
    metadata: { name: 'home', ...metadata },
    spec,
    ...(status === undefined ? {} : { status }),
  }) as unknown as Page;

/** What the handler answers, and what it asked about. */
async function review(
  operation: AdmissionRequest['operation'],
  object: Page | null,
  oldObject: Page | null,
  says?: string,
) {
  const asked: (readonly [string, string | undefined])[] = [];
  const handler = validatingHandler(pages, (after, before) => {
    asked.push([after.spec.text, before?.spec.text]);
    return says;
  });
  const { group, version, kind } = pages;
  const request = { kind: { group, version, kind }, operation, object, oldObject } as AdmissionRequest;
  const answer = await handler(request, new AbortController().signal);
  return { answer, asked };
}

const allowed = { kind: 'allowed' };

describe('validatingHandler', () => {
  test('new object -> asked about, and the answer counts', async () => {
    expect(await review('CREATE', page({}), null)).toEqual({ answer: allowed, asked: [['a', undefined]] });
    expect(await review('CREATE', page({}), null, 'too short')).toEqual({
      answer: { kind: 'denied', message: 'too short' },
      asked: [['a', undefined]],
    });
  });

  test('new specification -> asked about, with the one before', async () => {
    const { answer, asked } = await review('UPDATE', page({ spec: { text: 'b' } }), page({}), 'no');
    expect([answer, asked]).toEqual([{ kind: 'denied', message: 'no' }, [['b', 'a']]]);
  });

  test.each<{ write: string; object: Page | null; operation?: 'DELETE' }>([
    { write: 'labels', object: page({ labels: { a: 'b' } }) },
    { write: 'a status of another form', object: page({ status: { words: 'many' } }) },
    { write: 'what is the default anyway', object: page({ spec: { size: 1, text: 'a' } }) },
    {
      write: 'a terminating object',
      object: page({ deletionTimestamp: '2030-01-01T00:00:00Z', spec: { text: 'b' } }),
    },
    { write: 'the deletion', object: null, operation: 'DELETE' },
  ])('$write -> allowed, and nobody is asked', async ({ object, operation }) => {
    expect(await review(operation ?? 'UPDATE', object, page({}), 'no')).toEqual({
      answer: allowed,
      asked: [],
    });
  });

  test('stored in another form -> asked about as if it were new', async () => {
    const { asked } = await review('UPDATE', page({}), page({ spec: { words: 3 } }));
    expect(asked).toEqual([['a', undefined]]);
  });

  test('stored in another form, only its labels are written -> allowed, and nobody is asked', async () => {
    const stored = { spec: { words: 3 } };
    const { answer, asked } = await review(
      'UPDATE',
      page({ ...stored, labels: { a: 'b' } }),
      page(stored),
      'no',
    );
    expect([answer, asked]).toEqual([allowed, []]);
  });

  test('object that the schema does not take -> denied, with what is wrong', async () => {
    const { answer, asked } = await review('CREATE', page({ spec: { text: 1 } }), null);
    expect(asked).toStrictEqual([]);
    expect(answer).toMatchObject({ kind: 'denied', message: expect.stringContaining('spec.text: ') });
  });
});

test('webhook with a certificate of its own -> the configuration of validating webhooks is to trust it', async () => {
  const asked: string[] = [];
  const client = {
    get: ({ plural }: ApiResource<KubernetesObject>) => {
      asked.push(plural);
      return Promise.reject(new ApiError('GET', 404, { reason: 'NotFound' }));
    },
    create: (_resource: unknown, _namespace: unknown, { metadata, ...secret }: Secret) =>
      Promise.resolve({ ...secret, metadata: { ...metadata, uid: 'uid-1', resourceVersion: '1' } }),
  };
  const line = parseCommandLine(
    { name: 'app', version: '1', description: '', flags: webhookFlags('app') },
    ['--webhook-bind-address=127.0.0.1:0', '--webhook-self-signed'],
    {},
  );
  const config = line.kind === 'print' ? undefined : line.values;
  const app = { config, client, logger: pino({ level: 'silent' }), registry: new Registry() };
  const webhooks = validating(
    pages,
    () => undefined,
  )(app as unknown as ProgramApp<RuntimeConfig & WebhookConfig>);
  const server = await webhooks.start();
  const stop = new AbortController();
  const running = webhooks.run(stop.signal);
  try {
    await until('certificate', () => webhooks.isReady());
  } finally {
    stop.abort(new Error('end of the test'));
    await Promise.all([running, server?.close()]);
  }
  expect(asked).toEqual(['secrets', 'validatingwebhookconfigurations']);
});

test('path -> as kubebuilder has it', () => {
  expect(validatingPath(pages)).toBe('/validate-docs-example-com-v1-page');
});
