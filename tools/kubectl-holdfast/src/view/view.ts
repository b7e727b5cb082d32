import { randomBytes } from 'node:crypto';
import { find, systemClock, UsageError, type Clock, type ConnectedClient } from '@holdfast/runtime';
import { persistentVolumes } from '@holdfast/core';
import { answer } from '../answers/answer.ts';
import type { Surroundings } from '../answers/surroundings.ts';
import { NotFound } from '../cluster/not-found.ts';
import { nowOf } from '../cluster/read-set.ts';
import type { Kind } from '../command-line/request.ts';
import { createFeed } from './feed.ts';
import { follow } from './follow.ts';
import { openBrowser } from './open-browser.ts';
import { pageFiles } from './page-files.at-build.ts';
import { pictureOf } from './picture-of.ts';
import { serveView, type Explained } from './serve.ts';

export interface ViewOptions {
  /** 0 for a free one. */
  readonly port: number;
  /** Whether to open the page in a browser. */
  readonly open: boolean;
  readonly surroundings: Surroundings;
  /** Takes the lines to print. */
  readonly write: (text: string) => void;
  readonly clock?: Clock;
}

/**
 * Serves the page until the signal is aborted; nothing is written to the cluster.
 *
 * @throws UsageError if the port cannot be listened on
 */
export async function view(
  client: ConnectedClient,
  options: ViewOptions,
  signal: AbortSignal,
): Promise<void> {
  const { surroundings, clock = systemClock, write } = options;
  const namespace = surroundings.allNamespaces ? undefined : surroundings.namespace;
  const scope = namespace === undefined ? 'all namespaces' : `namespace ${namespace}`;
  const following = await follow({ client, namespace, clock, changed: () => feed.changed() });
  const feed = createFeed(
    {
      groups: () => pictureOf(following.seen()),
      state: () => ({
        ...{ now: nowOf(client), scope },
        ...{ isComplete: following.isComplete(), troubles: following.troubles() },
      }),
    },
    clock,
  );
  const server = await serveView({
    ...{ port: options.port, token: randomBytes(32).toString('base64url'), files: pageFiles, feed },
    explain: (query) => explained(client, query, surroundings),
  });
  write(
    `What holds what in ${scope}: ${server.address}\nEveryone who has this address can see the page. Ctrl-C ends it.\n`,
  );
  if (options.open) {
    openBrowser(server.address, () => write('No browser could be opened: open the address yourself.\n'));
  }
  const aborted = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) {
      resolve();
    }
  });
  const run = following.run(signal);
  await aborted;
  await Promise.all([run, server.close()]);
}

const kinds: readonly Kind[] = ['pvc', 'pv', 'sts', 'sc'];

const elsewhere = ({ namespace }: Surroundings): string =>
  `this page shows only namespace ${namespace}; kubectl holdfast view -A shows all`;

async function explained(
  client: ConnectedClient,
  query: URLSearchParams,
  surroundings: Surroundings,
): Promise<Explained> {
  const kind = kinds.find((each) => each === query.get('kind'));
  const name = query.get('name') ?? '';
  if (kind === undefined || name === '') {
    return { status: 400, body: { error: 'name a kind (pvc, pv, sts or sc) and a name' } };
  }
  const namespace = query.get('namespace') ?? surroundings.namespace;
  if (!surroundings.allNamespaces && namespace !== surroundings.namespace) {
    // A person who was given the address may see what the page shows, but not everything that its user may
    // see.
    return { status: 403, body: { error: elsewhere(surroundings) } };
  }
  try {
    if (kind === 'pv' && !surroundings.allNamespaces) {
      const volume = await find(client, persistentVolumes, { name });
      const { namespace: of = namespace } = volume?.spec?.claimRef ?? {};
      if (of !== namespace) {
        return { status: 403, body: { error: elsewhere(surroundings) } };
      }
    }
    const { object } = await answer(
      client,
      { kind: 'explain', of: kind, name },
      { ...surroundings, allNamespaces: false, namespace },
    );
    return { status: 200, body: object };
  } catch (error) {
    const status = error instanceof NotFound ? 404 : error instanceof UsageError ? 400 : 502;
    return { status, body: { error: error instanceof Error ? error.message : String(error) } };
  }
}
