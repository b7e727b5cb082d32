import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Narrator } from './narrator.ts';
import { startTool, type RunningProcess } from './processes.ts';
import { until } from './until.ts';

/** The folder that gets its bundle. */
export const toolFolder = 'tools/kubectl-holdfast';

/**
 * Serves the page of the cluster and prints its address. Then prints which controllers are at work, again
 * after each change, as `kubectl holdfast status -w` does.
 *
 * @param folder for the page's output
 * @param started called with each process as soon as it exists
 * @throws StoryFailed if no page is served; the signal's reason if it is aborted
 */
export async function showCluster(
  { folder, kubeconfig, narrator }: { folder: string; kubeconfig: string; narrator: Narrator },
  started: (process: RunningProcess) => void,
  signal: AbortSignal,
): Promise<void> {
  const file = join(folder, 'view.txt');
  const output = openSync(file, 'a');
  started(startTool(['view', '--all-namespaces', '--no-open'], kubeconfig, output));
  closeSync(output);
  let address: string | undefined;
  await until('the page is served', signal, async () => {
    address = /http:\S+/.exec(await readFile(file, 'utf8'))?.[0];
    return address !== undefined;
  });
  narrator.say(`what holds what, live: ${address ?? ''}`);
  narrator.heading('Who is at work, and each change of it');
  started(startTool(['status', '--watch'], kubeconfig, process.stdout.fd));
}
