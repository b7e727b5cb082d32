import { urlPath } from '@holdfast/core';
import type { ConnectedClient } from '@holdfast/runtime';
import { unlessRefused } from './refused.ts';

/**
 * The feature gates of the API server, by its metric `kubernetes_feature_enabled` (from 1.26 on); undefined: its metrics may not be read, or have no
 * such line. kube-controller-manager has flags of its own, which no API shows.
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
