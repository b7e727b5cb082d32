import { urlPath } from '@holdfast/core';
import type { ConnectedClient } from '@holdfast/runtime';
import { unlessRefused } from './refused.ts';

/**
 * Reads the feature gates of the API server from its metric `kubernetes_feature_enabled` (1.26 and later);
 * undefined if its metrics may not be read, or lack that metric. kube-controller-manager has its own flags,
 * which no API shows.
 */
export async function readServerGates(
  client: Pick<ConnectedClient, 'text'>,
): Promise<ReadonlyMap<string, boolean> | undefined> {
  const metrics = await unlessRefused(client.text(urlPath('metrics')));
  const gates = new Map(
    (metrics ?? '').split('\n').flatMap((line) => {
      const [, name, value] = /^kubernetes_feature_enabled\{.*\bname="([^"]+)".*\} ([01])$/.exec(line) ?? [];
      return name === undefined ? [] : [[name, value === '1'] as const];
    }),
  );
  return gates.size === 0 ? undefined : gates;
}
