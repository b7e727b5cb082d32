import type { loadKubeConfig } from '@holdfast/runtime';
import { printable } from '../output/printable.ts';

type Config = Pick<ReturnType<typeof loadKubeConfig>, 'getCurrentCluster' | 'getCurrentContext'>;

/** The cluster that is talked to, for whoever is asked whether to write to it: `context prod, api.example.com:6443`. */
export function whereOf(config: Config): string {
  const { server = '' } = config.getCurrentCluster() ?? {};
  // Without what might stand before the host: that is a secret.
  const host = URL.canParse(server) ? new URL(server).host : 'a server that can not be read';
  return printable(`context ${config.getCurrentContext()}, ${host}`);
}
