import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { connect, loadKubeConfig } from '@holdfast/runtime';
import { Registry } from 'prom-client';
import { createChurn, prepareChurn, type Churn } from './churn.ts';
import { command, type SoakConfig } from './command.ts';
import { startControlPlaneProcess, type ControlPlaneOrder } from './control-plane.ts';
import { disturb, disturbancesOf } from './disturbances.ts';
import { takeSample, type Sample } from './sample.ts';
import { buildApp, startApp, type SoakedApp } from './soaked-app.ts';
import type { Run } from './verdict.ts';

const sampleInterval = 2_000;
const progressInterval = 30_000;
/** Milliseconds after the churn in which work in progress must be finished. */
const settleLimit = 60_000;

/**
 * Runs a controller under churn. In any case it ends everything that it started.
 *
 * @param say called with what is being done
 * @throws the signal's reason when aborted; if the app ends by itself; if the API server refuses a change
 */
export async function soak(
  { app: name, minutes, changesPerSecond, real }: SoakConfig,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<Run> {
  const undo: (() => Promise<unknown>)[] = [];
  try {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-soak-'));
    undo.push(() => rm(folder, { recursive: true, force: true }));
    say(`building apps/${name}`);
    await buildApp(name);
    signal.throwIfAborted();
    const backend = real ? 'real' : 'embedded';
    say(`starting the control plane (${backend})`);
    const plane = await startControlPlaneProcess(backend);
    undo.push(() => plane.stop());
    signal.throwIfAborted();
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, plane.kubeconfig, { mode: 0o600 });
    const client = connect({
      kubeConfig: () => loadKubeConfig({ kubeconfig }),
      registry: new Registry(),
      program: command.name,
      version: command.version,
    });
    undo.push(() => client.close());
    await prepareChurn(client);
    signal.throwIfAborted();
    const app = await startApp(name, kubeconfig);
    undo.push(() => app.stop());

    const duration = minutes * 60_000;
    const over = new AbortController();
    const ending = AbortSignal.any([signal, over.signal]);
    const churn = createChurn(name, client, changesPerSecond, ending);
    const disturbances = new Map<ControlPlaneOrder, number>();
    const samples: Sample[] = [];
    const began = performance.now();
    say(`churning for ${String(minutes)} minutes at ${String(changesPerSecond)} changes a second`);
    const working = [
      churn.run(),
      sampleAll(app, samples, began, ending),
      tellProgress(churn, samples, began, say, ending),
      disturb(
        plane,
        disturbancesOf(duration, backend),
        (order) => disturbances.set(order, (disturbances.get(order) ?? 0) + 1),
        ending,
      ),
    ];
    try {
      await Promise.race([
        pause(duration, undefined, { signal: ending }),
        // A part that has finished must not end the run, but a part that fails must.
        ...working.map((part) => part.then(() => new Promise<never>(() => undefined))),
        app.ended.then((how) => {
          throw new Error(`apps/${name} ended by itself, ${how}; its last lines:\n${app.lastLines()}`);
        }),
      ]);
    } catch (error) {
      over.abort();
      await Promise.allSettled(working);
      throw error;
    }
    const seconds = (performance.now() - began) / 1000;
    const { changes } = churn;
    over.abort();
    await Promise.all(working);
    signal.throwIfAborted();
    const { retries, accusations } = churn;
    const told = [...disturbances].map(([order, times]) => `${order} ${String(times)}`).join(', ');
    say(
      `disturbed: ${told === '' ? 'nothing' : told}; ${String(retries)} requests of the soak were sent again`,
    );
    const { lists = 0, watches = 0 } = samples.at(-1) ?? {};
    say(`the app has listed ${String(lists)} times and begun to watch ${String(watches)} times`);
    say('the churn is over; waiting until the app has done its work');
    const { unfinished, queued } = await settle(churn, app, began, signal);
    return {
      seconds,
      samples,
      asked: changesPerSecond,
      changes,
      accusations,
      unfinished,
      queued,
      exit: await app.stop(),
      strayLines: app.strayLines(),
    };
  } finally {
    for (let step = undo.pop(); step !== undefined; step = undo.pop()) {
      await step();
    }
  }
}

async function sampleAll(
  app: SoakedApp,
  samples: Sample[],
  began: number,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    samples.push(await takeSample(app.metricsUrl, (performance.now() - began) / 1000));
    await pause(sampleInterval, undefined, { signal }).catch(() => undefined);
  }
}

async function tellProgress(
  churn: Churn,
  samples: readonly Sample[],
  began: number,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const before = churn.changes;
    await pause(progressInterval, undefined, { signal }).catch(() => undefined);
    const sample = samples.at(-1);
    if (signal.aborted || sample === undefined) {
      return;
    }
    const rate = (churn.changes - before) / (progressInterval / 1000);
    const minutes = (performance.now() - began) / 60_000;
    const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
    say(
      `${minutes.toFixed(1)} min: ${rate.toFixed(0)} changes a second, resident ${mebibytes(sample.residentBytes)}, heap ${mebibytes(sample.heapUsedBytes)}, handles ${String(sample.handles)}, queued ${String(sample.queueDepth)}`,
    );
  }
}

/** Returns the app's unfinished work once it is idle, or after a minute. */
async function settle(
  churn: Churn,
  app: SoakedApp,
  began: number,
  signal: AbortSignal,
): Promise<Pick<Run, 'unfinished' | 'queued'>> {
  const deadline = performance.now() + settleLimit;
  for (;;) {
    const unfinished = await churn.unfinished();
    const sample = await takeSample(app.metricsUrl, (performance.now() - began) / 1000);
    const queued = sample.queueDepth;
    const rests = unfinished.length === 0 && queued === 0 && sample.unfinishedSeconds === 0;
    if (rests || performance.now() > deadline) {
      return { unfinished, queued };
    }
    await pause(500, undefined, { signal });
  }
}
