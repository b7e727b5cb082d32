import { processUsage } from '@holdfast/testing';
import { json, type ClusterApi } from '../cluster-api.ts';
import type { ServerFigure } from './server-figures.ts';
import type { ComparisonSizes } from './comparison.ts';
import { claim, claimsIn, configMap, configMapsIn, namespace, namespaces, turnPatch } from './objects.ts';
import type { Server } from './server.ts';

type WriteFigures = Readonly<
  Record<
    Extract<
      ServerFigure,
      | 'creationsPerSecond'
      | 'creationsByManyPerSecond'
      | 'patchesPerSecond'
      | 'patchesByManyPerSecond'
      | 'cpuSecondsPerThousandWrites'
    >,
    number
  >
>;

/** Returns how many warm-up writes precede the given number of measured ones. */
export function warmUpOf(writes: number): number {
  return Math.ceil(writes / 4);
}

/**
 * Measures the creation of config maps and the patching of claims, by one writer and by many concurrent ones.
 * Each writer waits for an answer before its next write.
 */
export async function measureWrites(
  api: ClusterApi,
  { pid }: Server,
  { writes, writers }: ComparisonSizes,
): Promise<WriteFigures> {
  const home = 'writes';
  await api.post(namespaces, namespace(home));
  for (let writer = 0; writer < writers; writer++) {
    await api.post(claimsIn(home), claim(`data-${writer}`));
  }

  let made = 0;
  const create = (): Promise<void> => api.post(configMapsIn(home), configMap(`config-${made++}`), json);
  let patched = 0;
  const patch = (writer: number): Promise<void> =>
    api.mergePatch(`${claimsIn(home)}/data-${writer}`, turnPatch(patched++), json);

  let cpuSeconds = 0;
  const rate = async (atOnce: number, write: (writer: number) => Promise<void>): Promise<number> => {
    await writeAll(warmUpOf(writes), atOnce, write);
    const before = await processUsage(pid);
    const started = performance.now();
    await writeAll(writes, atOnce, write);
    const seconds = (performance.now() - started) / 1000;
    cpuSeconds += (await processUsage(pid)).cpuSeconds - before.cpuSeconds;
    return writes / seconds;
  };
  const creationsPerSecond = await rate(1, create);
  const creationsByManyPerSecond = await rate(writers, create);
  const patchesPerSecond = await rate(1, patch);
  const patchesByManyPerSecond = await rate(writers, patch);
  return {
    creationsPerSecond,
    creationsByManyPerSecond,
    patchesPerSecond,
    patchesByManyPerSecond,
    cpuSecondsPerThousandWrites: (cpuSeconds / (4 * writes)) * 1000,
  };
}

async function writeAll(
  count: number,
  writers: number,
  write: (writer: number) => Promise<void>,
): Promise<void> {
  let left = count;
  const writeOn = async (writer: number): Promise<void> => {
    while (left-- > 0) {
      await write(writer);
    }
  };
  await Promise.all(Array.from({ length: writers }, (_, writer) => writeOn(writer)));
}
