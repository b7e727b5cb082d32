import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseCommandLine, switchFlag, UsageError, type Command } from '@holdfast/runtime';
import { startControlPlane } from '@holdfast/testing';
import { startController, type RunningController } from './controller-process.ts';
import { connectAs } from './cluster.ts';
import { createNarrator, StoryFailed } from './narrator.ts';
import { playPvcProtection } from './pvc-protection-story.ts';

const flags = {
  once: switchFlag({
    description: 'End after the story: exit 0, or 1 if a step did not hold.',
    default: 'false',
  }),
};

const command: Command<typeof flags> = {
  name: 'holdfast-demo',
  version: '0.1.0',
  description: 'plays the story of pvc-protection on an embedded control plane, then stays up for kubectl.',
  flags,
};

async function run(once: boolean): Promise<number> {
  const narrator = createNarrator(process.stdout);
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => stop.abort(new Error(`stopped by ${signal}`)));
  }
  // npm hands a signal on to the shell between us only, which ends without a word.
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) {
      stop.abort(new Error('npm has ended'));
    }
  }, 500).unref();
  const isStopped = (): boolean => stop.signal.aborted;
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-demo-'));
  // The controller puts on every finalizer seen here: the API server's own plugin, which would do so too, is off.
  const plane = await startControlPlane({
    backend: 'embedded',
    disableAdmissionPlugins: ['StorageObjectInUseProtection'],
  });
  let controller: RunningController | undefined;
  try {
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, plane.kubeconfig, { mode: 0o600 });
    narrator.heading('An embedded API server and the pvc-protection controller');
    narrator.say(`API server at ${plane.url}`);
    controller = startController('pvc-protection', kubeconfig, join(folder, 'pvc-protection.log'));
    const client = connectAs('holdfast-demo', kubeconfig);
    try {
      await playPvcProtection(client, narrator, stop.signal);
    } finally {
      await client.close();
    }
    if (once || isStopped()) {
      return 0;
    }
    narrator.heading('It stays up; Ctrl-C ends it');
    narrator.say(`export KUBECONFIG=${kubeconfig}`);
    narrator.say('kubectl get pvc --all-namespaces --watch');
    narrator.say(`the controller's log: ${controller.logFile}`);
    await Promise.race([aborted(stop.signal), controller.ended]);
    return isStopped() ? 0 : 1;
  } catch (error) {
    if (isStopped()) {
      return 0;
    }
    if (error instanceof StoryFailed) {
      narrator.fail(error.message);
      narrator.say(
        controller === undefined ? 'the controller was not started' : await controller.lastLines(),
      );
      return 1;
    }
    throw error;
  } finally {
    await controller?.stop();
    await plane.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

try {
  const line = parseCommandLine(command, process.argv.slice(2), {});
  if (line.kind === 'print') {
    process.stdout.write(`${line.text}\n`);
  } else {
    process.exitCode = await run(line.values.once);
  }
} catch (error) {
  if (!(error instanceof UsageError)) {
    throw error;
  }
  process.stderr.write(`${command.name}: ${error.message}\n`);
  process.exitCode = 2;
}
