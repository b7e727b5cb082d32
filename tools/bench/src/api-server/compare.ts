import { connectToCluster } from '../cluster-api.ts';
import { settled } from '../settle.ts';
import { askChild } from './child.ts';
import type { ComparisonSizes } from './comparison.ts';
import { measureFanOut } from './fan-out.ts';
import type { InProcessFigures } from './in-process.ts';
import { startServer } from './server.ts';
import { serverNames, type ServerName, type ServerResult } from './server-figures.ts';
import type { StartFigures } from './start-process.ts';
import { measureWrites } from './writes.ts';

export interface CompareOptions {
  readonly sizes: ComparisonSizes;
  readonly rounds: number;
  readonly signal: AbortSignal;
  /** Called with what is being done. */
  readonly say: (line: string) => void;
}

/**
 * In each round both servers are newly started and do the same work; they take turns in going first.
 *
 * @throws when interrupted, and if a server does not answer as it should
 */
export async function* compareServers(options: CompareOptions): AsyncGenerator<ServerResult> {
  for (let round = 1; round <= options.rounds; round++) {
    for (const server of round % 2 === 1 ? serverNames : serverNames.toReversed()) {
      const saying = (what: string): void => options.say(`round ${round}, ${server}: ${what}`);
      yield { round, server, figures: await measure(server, options, saying) };
    }
  }
}

async function measure(
  name: ServerName,
  { sizes, signal }: CompareOptions,
  say: (what: string) => void,
): Promise<ServerResult['figures']> {
  say('start and stop');
  const starts = await askChild<StartFigures>(new URL('./start-process.ts', import.meta.url), [name], signal);
  const inProcess =
    name === 'embedded'
      ? await askChild<InProcessFigures>(
          new URL('./in-process.ts', import.meta.url),
          [String(sizes.writes)],
          signal,
        )
      : undefined;
  const server = await startServer(name, signal);
  try {
    const api = connectToCluster(server.kubeconfig, Math.max(sizes.writers, sizes.watchers + 1));
    const closeApi = (): void => void api.close();
    signal.addEventListener('abort', closeApi);
    try {
      await settled(server.pid, signal);
      say('writes');
      const writes = await measureWrites(api, server, sizes);
      await settled(server.pid, signal);
      say('fan-out');
      const fanOut = await measureFanOut(api, sizes);
      return { ...starts, ...inProcess, ...writes, ...fanOut };
    } finally {
      signal.removeEventListener('abort', closeApi);
      await api.close();
    }
  } finally {
    await server.stop();
  }
}
