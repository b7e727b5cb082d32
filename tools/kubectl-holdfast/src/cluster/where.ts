import type { loadKubeConfig } from '@holdfast/runtime';
import { printable } from '../output/printable.ts';

type Config = Pick<ReturnType<typeof loadKubeConfig>, 'getCurrentCluster' | 'getCurrentContext'>;

/**
 * Describes the cluster, for a person who is asked whether to write to it: `context prod,
 * api.example.com:6443`.
 */
export function whereOf(config: Config): string {
  const { server = '' } = config.getCurrentCluster() ?? {};
  // Only the host, because the part before it in a URL can contain a password.
  const host = URL.canParse(server) ? new URL(server).host : 'a server whose address is invalid';
  return printable(`context ${config.getCurrentContext()}, ${host}`);
}
