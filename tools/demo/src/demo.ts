import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  namesFlag,
  parseCommandLine,
  switchFlag,
  UsageError,
  type Command,
  type FlagValues,
} from '@holdfast/runtime';
import {
  findBinaries,
  startEmbeddedControlPlane,
  startOrphanGuard,
  startRealControlPlane,
} from '@holdfast/testing';
import { connectAs } from './cluster.ts';
import { createCompany } from './companions.ts';
import { createNarrator, StoryFailed, type Narrator, type TextStream } from './narrator.ts';
import { bundle, startController, type RunningController, type RunningProcess } from './processes.ts';
import { stories } from './stories.ts';
import type { Story } from './story.ts';
import { showCluster, toolFolder } from './view.ts';

const apps = stories.map(({ app }) => app);

/**
 * The release whose gates can be turned off. On a later one the stock controllers do some of the work
 * themselves.
 */
const release = '1.31';

const flags = {
  once: switchFlag({
    description: 'End after the stories: exit 0, or 1 if a step did not hold.',
    default: 'false',
  }),
  only: namesFlag({
    description: `Only the stories of these controllers: ${apps.join(', ')}. Default: all.`,
    placeholder: 'a,b',
  }),
  real: switchFlag({
    description: `Play on etcd, kube-apiserver and kube-controller-manager ${release} instead of the embedded API server and stand-ins ("npm run control-plane -- --release ${release}" gets them).`,
    default: 'false',
  }),
};

const command: Command<typeof flags> = {
  name: 'holdfast-demo',
  version: '0.1.0',
  description:
    'plays the stories of the controllers on one control plane, then stays up for kubectl, with a page of what holds what.',
  flags,
  check: ({ only }) => {
    const unknown = only.find((name) => !apps.includes(name));
    return unknown === undefined
      ? undefined
      : `--only: there is no story of "${unknown}"; there are ${apps.join(', ')}`;
  },
};

/** Aborted when the demo has to end: on a signal, or when npm ends. */
function untilStopped(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => stop.abort(new Error(`stopped by ${signal}`)));
  }
  // npm passes a signal on only to the shell between npm and this process, and that shell ends without
  // passing it on.
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) {
      stop.abort(new Error('npm has ended'));
    }
  }, 500).unref();
  return stop.signal;
}

/** What surrounds the demo. */
export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly stdout: TextStream;
  readonly stderr: TextStream;
}

/**
 * Plays the demo.
 *
 * @returns the exit code, once nothing runs any more
 */
export async function demo(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { env, stdout, stderr } = surroundings;
  try {
    const line = parseCommandLine(command, args, env);
    if (line.kind === 'print') {
      stdout.write(`${line.text}\n`);
      return 0;
    }
    return await run(line.values, surroundings);
  } catch (error) {
    if (!(error instanceof UsageError)) {
      throw error;
    }
    stderr.write(`${command.name}: ${error.message}\n`);
    return 2;
  }
}

/** @returns the exit code, once nothing runs any more */
async function run(
  { once, only, real }: FlagValues<typeof flags>,
  { env, stdout, stderr }: Surroundings,
): Promise<number> {
  const narrator = createNarrator(stdout);
  const chosen = stories.filter(({ app }) => only.length === 0 || only.includes(app));
  const binaries = real ? findBinaries({ release, env }) : undefined;
  if (binaries?.found === false) {
    stderr.write(
      shout(['NO STORY WAS PLAYED: THE REAL BINARIES ARE MISSING', '', ...binaries.reason.split('\n')]),
    );
    return 1;
  }
  if (binaries !== undefined) {
    narrator.say(`Kubernetes ${release}, from ${binaries.folder}`);
  }
  const stopped = untilStopped();
  const undo: (() => Promise<unknown>)[] = [];
  try {
    await play(chosen, { real, once, narrator, stopped, undo });
    return 0;
  } catch (error) {
    if (stopped.aborted) {
      // With `--once`, a user who stops the demo has not seen the stories to their end.
      return once ? 1 : 0;
    }
    if (error instanceof StoryFailed) {
      return 1;
    }
    throw error;
  } finally {
    await undoAll(undo);
  }
}

/**
 * Takes every step, even if earlier ones fail, so that nothing is left running.
 * @throws what the last failed step threw
 */
async function undoAll(undo: (() => Promise<unknown>)[]): Promise<void> {
  const step = undo.pop();
  if (step !== undefined) {
    try {
      await step();
    } finally {
      await undoAll(undo);
    }
  }
}

interface Circumstances {
  readonly real: boolean;
  readonly once: boolean;
  readonly narrator: Narrator;
  readonly stopped: AbortSignal;
  /** What has to be undone at the end, last step first. */
  readonly undo: (() => Promise<unknown>)[];
}

/**
 * Resolves after the stories (`once`), or when it is stopped.
 *
 * @throws StoryFailed, once the failure has been printed; the reason of `stopped` if that comes before the
 *   end of the stories
 */
async function play(chosen: readonly Story[], circumstances: Circumstances): Promise<void> {
  const { real, once, narrator, stopped, undo } = circumstances;
  const folder = await makeFolder();
  undo.push(() => rm(folder, { recursive: true, force: true }));
  await bundle([...chosen.map(({ app }) => `apps/${app}`), ...(once ? [] : [toolFolder])]);
  stopped.throwIfAborted();
  // The guard cleans up if the demo is killed. It needs a shell; without one, as on Windows, something might
  // be left behind.
  const guard = await startOrphanGuard(folder).catch(() => undefined);
  undo.push(async () => guard?.dismiss());
  // The API server's own plugin that adds these finalizers is off, so every finalizer that the demo shows was
  // added by the controllers.
  const disableAdmissionPlugins = ['StorageObjectInUseProtection'];
  const plane = real
    ? await startRealControlPlane({ release, disableAdmissionPlugins })
    : await startEmbeddedControlPlane({ disableAdmissionPlugins });
  undo.push(() => plane.stop());
  stopped.throwIfAborted();
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, plane.kubeconfig, { mode: 0o600 });
  narrator.heading(`${real ? 'A real' : 'An embedded'} API server and, side by side, our controllers`);
  narrator.say(`API server at ${plane.url}`);

  const company = createCompany(plane);
  undo.push(() => company.stop());
  const controllers: RunningController[] = [];
  const fallen = new AbortController();
  const keep = (running: RunningProcess): void => {
    undo.push(() => running.stop());
    const { name, pid, ended } = running;
    if (pid !== undefined) {
      guard?.watch(pid);
      void ended.then(() => guard?.forget(pid));
    }
    void ended.then(() => fallen.abort(new StoryFailed(`${name} has ended by itself`)));
  };
  const prepared = [];
  for (const story of chosen) {
    const { app } = story;
    const ready = await story.prepare(folder);
    undo.push(() => ready.close());
    const controller = startController(app, kubeconfig, join(folder, `${app}.log`), {
      args: ready.args,
      // The leases show the page which controllers are at work.
      isElected: !once,
    });
    keep(controller);
    controllers.push(controller);
    prepared.push({ ...story, ...ready });
    narrator.say(`${app} is started`);
  }

  const client = connectAs('holdfast-demo', kubeconfig);
  undo.push(() => client.close());
  const signal = AbortSignal.any([stopped, fallen.signal]);
  try {
    for (const { app, heading, companions, play: playStory } of prepared) {
      narrator.heading(`${app}: ${heading}`);
      for (const line of await company.join(companions)) {
        narrator.say(line);
      }
      signal.throwIfAborted();
      await playStory(client, narrator, signal);
    }
    if (once) {
      return;
    }
    narrator.heading('It stays up; Ctrl-C ends it');
    narrator.say(`export KUBECONFIG=${kubeconfig}`);
    narrator.say('kubectl get pvc --all-namespaces --watch');
    narrator.say(`the controllers' logs: ${join(folder, '*.log')}`);
    await showCluster({ folder, kubeconfig, narrator }, keep, signal);
    await aborted(signal);
    if (!stopped.aborted) {
      signal.throwIfAborted();
    }
  } catch (error) {
    if (!stopped.aborted) {
      narrator.fail(error instanceof Error ? error.message : String(error));
      for (const controller of controllers) {
        narrator.say(`${controller.name}:\n${await controller.lastLines()}`);
      }
    }
    throw error;
  }
}

async function makeFolder(): Promise<string> {
  try {
    return await mkdtemp(join(tmpdir(), 'holdfast-demo-'));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(
      `nothing can be written to ${tmpdir()}: ${reason}; set TMPDIR to a folder for temporary files`,
    );
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
    }
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function shout(lines: readonly string[]): string {
  const rule = '!'.repeat(100);
  return [rule, ...lines.map((line) => `!! ${line}`.trimEnd()), rule, ''].join('\n');
}
