import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A script of this folder in a process of its own. */
export interface Child<Message> {
  readonly pid: number;
  /** Its first message. */
  readonly message: Message;
  /** Sends SIGTERM; resolves when it has ended. */
  stop(): Promise<void>;
}

/**
 * Resolves when the script sends its first message, which is assumed to be a `Message`.
 *
 * @throws if it ends before that; its output goes to standard error
 */
export async function startChild<Message>(
  script: URL,
  args: readonly string[],
  signal: AbortSignal,
): Promise<Child<Message>> {
  signal.throwIfAborted();
  const child = fork(fileURLToPath(script), args, { stdio: ['ignore', 2, 2, 'ipc'] });
  const exited = once(child, 'exit').then(([code, how]) => String(how ?? `exit code ${String(code)}`));
  const end = (): void => void child.kill();
  signal.addEventListener('abort', end);
  const listening = new AbortController();
  try {
    const [message] = (await Promise.race([
      once(child, 'message', { signal: listening.signal }),
      exited.then((how) => {
        throw new Error(`${fileURLToPath(script)} ended before it had a result (${how})`);
      }),
    ])) as [Message];
    return {
      pid: child.pid ?? 0,
      message,
      async stop() {
        child.kill();
        await exited;
        signal.removeEventListener('abort', end);
      },
    };
  } finally {
    listening.abort();
  }
}

/** Runs a script of this folder until it has sent its result. @throws as `startChild` */
export async function askChild<Message>(
  script: URL,
  args: readonly string[],
  signal: AbortSignal,
): Promise<Message> {
  const child = await startChild<Message>(script, args, signal);
  await child.stop();
  return child.message;
}
