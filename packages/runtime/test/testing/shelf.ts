import { objectKey, parseKey, validatingWebhookConfigurations } from '@holdfast/core';
import { defineResource, type ObjectOf } from '@holdfast/core/custom-resource';
import { z } from 'zod';
import { appCommand } from '../../src/flags/app-command.ts';
import type { RuntimeConfig } from '../../src/flags/runtime-flags.ts';
import type { App } from '../../src/process/app.ts';
import type { ProgramApp } from '../../src/process/run-app.ts';
import { wake } from '../../src/process/wake.ts';
import { checkWebhookConfig, webhookFlags, type WebhookConfig } from '../../src/webhook/webhook-flags.ts';
import { createWebhookServer, type WebhookServer } from '../../src/webhook/webhook-server.ts';
import { createProjection } from '../../src/wire/projection.ts';

/** A kind of the tests' own: of each shelf, its books are counted. */
export const shelves = defineResource({
  group: 'library.example.com',
  version: 'v1',
  kind: 'Shelf',
  plural: 'shelves',
  spec: z.object({ books: z.array(z.string()), rested: z.int().optional() }),
  status: z.object({ count: z.int() }),
});
export type Shelf = ObjectOf<typeof shelves>;

const slimShelf = createProjection<Shelf>(shelves, {
  spec: { books: true, rested: true },
  status: { count: true },
});

/** Counts the books of each shelf; one with `rested` only after so many seconds. */
export function countBooks({ client, watch, controller, clock }: App): void {
  const all = watch(shelves, slimShelf);
  const seen = new Map<string, number>();
  controller({
    wakes: [wake(all, { present: objectKey })],
    reconcile: async (key, _batch, signal) => {
      const shelf = all.store.get(key);
      if (shelf === undefined || shelf.status?.count === shelf.spec.books.length) {
        return { kind: 'done' };
      }
      const since = seen.get(key) ?? clock.now();
      seen.set(key, since);
      const left = (shelf.spec.rested ?? 0) * 1_000 - (clock.now() - since);
      if (left > 0) {
        return { kind: 'requeueAfter', delay: left };
      }
      const status = { count: shelf.spec.books.length };
      await client.patch(shelves, parseKey(key), [{ op: 'add', path: '/status', value: status }], {
        subresource: 'status',
        signal,
      });
      return { kind: 'done' };
    },
  });
}

export const command = appCommand({
  name: 'librarian',
  version: '1.0.0',
  description: 'counts books.',
  gates: {},
  flags: webhookFlags('librarian'),
  check: checkWebhookConfig,
});

const path = '/validate-shelf';

/** Refuses a shelf with a forbidden book. */
export function guardShelves(app: ProgramApp<RuntimeConfig & WebhookConfig>): WebhookServer {
  return createWebhookServer({
    ...app,
    configurations: [validatingWebhookConfigurations],
    routes: {
      [path]: ({ object }) => {
        const checked = shelves.check(object);
        return checked.kind === 'valid' && checked.object.spec.books.includes('forbidden')
          ? { kind: 'denied', message: 'this book is forbidden' }
          : { kind: 'allowed' };
      },
    },
  });
}

/** As it would be shipped. */
export const guardConfiguration = {
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'librarian' },
  webhooks: [
    {
      name: 'shelves.library.example.com',
      clientConfig: { service: { namespace: 'library', name: 'librarian', path } },
      rules: [
        {
          apiGroups: [shelves.group],
          apiVersions: ['v1'],
          operations: ['CREATE', 'UPDATE'],
          resources: ['shelves'],
        },
      ],
      failurePolicy: 'Ignore',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    },
  ],
} as const;

export const shelf = (name: string, ...books: readonly string[]) => ({ metadata: { name }, spec: { books } });
