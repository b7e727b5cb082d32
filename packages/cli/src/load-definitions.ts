import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { CommandError, oneLine } from './exit-code.ts';
import type { FoundDefinition } from './found-definition.ts';
import type { LoadReport, ModulesToLoad } from './module-worker.ts';

/**
 * Returns the definitions that the modules export, each once. What the modules write to standard output goes
 * to standard error.
 *
 * @param names paths of the modules, from the working directory.
 * @throws CommandError for a module that cannot be loaded, exports no resource, or ends the process.
 */
export async function loadDefinitions(names: readonly string[]): Promise<readonly FoundDefinition[]> {
  const modules = names.map((name) => ({ name, path: resolve(name) }));
  for (const { name, path } of modules) {
    const stats = await stat(path).catch((error: unknown) => {
      throw new CommandError(`${name} can't be read: ${oneLine(error)}`);
    });
    if (!stats.isFile()) {
      throw new CommandError(`${name} is no file; name the module that exports the resource`);
    }
  }
  const here = new URL(`./module-worker${extname(import.meta.url)}`, import.meta.url);
  const workerData: ModulesToLoad = { modules };
  const worker = new Worker(here, { workerData, stdout: true });
  worker.stdout.pipe(process.stderr, { end: false });
  let at = names[0] ?? '';
  let last: LoadReport | undefined;
  worker.on('message', (report: LoadReport) => {
    if (report.kind === 'loading') {
      at = report.module;
    } else {
      last = report;
      // A module might have started something that never ends, such as a server.
      void worker.terminate();
    }
  });
  const [code] = (await once(worker, 'exit').catch((error: unknown) => {
    throw new CommandError(`${at} can't be loaded: ${oneLine(error)}`);
  })) as [number];
  switch (last?.kind) {
    case 'loaded':
      return last.found;
    case 'failed':
      throw new CommandError(last.message);
    default:
      throw new CommandError(
        `${at} ended by itself while it was loaded (exit code ${code}); name a module that only defines resources, not the operator's main`,
      );
  }
}
