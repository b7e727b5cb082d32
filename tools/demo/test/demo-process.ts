import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

export interface DemoProcess {
  readonly exit: Promise<number | null>;
  stdout(): string;
  stderr(): string;
  kill(signal: NodeJS.Signals): void;
}

/** What every story begins with. */
export const headings = [
  'pvc-protection: a claim in use is deleted, and waits',
  'retroactive-default-sc: a claim comes before the default storage class',
  'statefulset-pvc-retention: claims that go with their StatefulSet',
  'pv-reclaim-honor: a volume is deleted before its claim',
];

/** The demo as `npm start` runs it; whatever it puts on disk goes below the folder. */
export function startDemo(
  temporary: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): DemoProcess {
  const child = spawn(process.execPath, ['--conditions=@holdfast/source', main, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TMPDIR: temporary, ...env },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return {
    exit: once(child, 'close').then(([code]) => code as number | null),
    stdout: () => stdout,
    stderr: () => stderr,
    kill: (signal) => void child.kill(signal),
  };
}
