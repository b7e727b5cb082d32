#!/usr/bin/env node
import { once } from 'node:events';
import { basename } from 'node:path';
import {
  ApiError,
  connect,
  createLogger,
  isForbidden,
  KubeConfigError,
  loadKubeConfig,
  quoted,
  systemClock,
  UsageError,
  type ConnectedClient,
} from '@holdfast/runtime';
import { Registry } from 'prom-client';
import { answer } from './answers/answer.ts';
import type { Surroundings } from './answers/surroundings.ts';
import { readCommandLine, readFlags } from './command-line/read-command-line.ts';
import type { Request, ViewRequest } from './command-line/request.ts';
import { complete } from './complete/complete.ts';
import { confirmByNobody, type Confirm } from './answers/confirm.ts';
import { NotFound, NothingPending, Unreadable } from './cluster/not-found.ts';
import { unusedProxy } from './cluster/unused-proxy.ts';
import { whereOf } from './cluster/where.ts';
import { followAnswers } from './follow/follow-answers.ts';
import { print, separator, type Output } from './output/print.ts';
import { printable } from './output/printable.ts';
import { stopOnSignal } from './uninstall/stop-on-signal.ts';
import { version } from './version.ts';

const name = 'kubectl-holdfast';

/** Returns the exit code: 0 answered, 1 not available, 2 wrong usage or kubeconfig. */
async function run(argv: readonly string[]): Promise<number> {
  const line = readCommandLine(argv, version);
  if (line.kind === 'print') {
    process.stdout.write(`${line.text}\n`);
    return 0;
  }
  if (line.kind === 'complete') {
    process.stdout.write(await completeWords(line.words));
    return 0;
  }
  const { flags, request } = line;
  const kubeConfig = () => loadKubeConfig(flags);
  const config = kubeConfig();
  const namespace = flags.namespace ?? contextNamespace(config);
  const client = connect({ kubeConfig, registry: new Registry(), program: name, version, retries: 3 });
  const surroundings = { ...flags, namespace };
  const colours = process.stdout.isTTY && process.env['NO_COLOR'] === undefined;
  try {
    if (request.kind === 'view') {
      return await showPage(client, request, surroundings);
    }
    if (line.watch) {
      return await follow(client, request, surroundings, { output: flags.output, colours });
    }
    const stop = new AbortController();
    const ask: Confirm = line.yes ? () => Promise.resolve(true) : askAtTerminal(colours);
    const confirm: Confirm = async (planned, question) => {
      const isYes = await ask(planned, `${question} (${whereOf(config)})`);
      if (isYes && request.kind === 'uninstall') {
        // From here on, the first signal must not stop in the middle of a step. Before that, ending the
        // process is enough.
        stopOnSignal(process, complain, stop);
      }
      return isYes;
    };
    const answered = await answer(client, request, surroundings, {
      confirm,
      say: (step) => process.stderr.write(`${step}\n`),
      signal: stop.signal,
    });
    process.stdout.write(await print(answered, flags.output, colours));
    return answered.code;
  } catch (error) {
    const { text, code, isUnreached } = explain(error);
    const proxy = isUnreached ? unusedProxy(config.getCurrentCluster(), process.env) : undefined;
    throw proxy === undefined ? error : new Explained(`${text}; ${proxy}`, code);
  } finally {
    await client.close();
  }
}

function completeWords(words: readonly string[]): Promise<string> {
  const flags = readFlags(words);
  const kubeConfig = () => loadKubeConfig(flags);
  return complete(words, {
    client: () => connect({ kubeConfig, registry: new Registry(), program: name, version, retries: 0 }),
    namespace: () => flags.namespace ?? contextNamespace(kubeConfig()),
    contexts: () =>
      kubeConfig()
        .getContexts()
        .map((context) => context.name),
  });
}

function contextNamespace(config: ReturnType<typeof loadKubeConfig>): string {
  const { namespace = '' } = config.getContextObject(config.getCurrentContext()) ?? {};
  return namespace === '' ? 'default' : namespace;
}

/** On a terminal: shows what would be done; only `y` and `yes` count as a yes. */
function askAtTerminal(colours: boolean): Confirm {
  return async (planned, question) => {
    if (!process.stdin.isTTY) {
      return confirmByNobody(planned, question);
    }
    process.stderr.write(await print(planned, undefined, colours));
    const { createInterface } = await import('node:readline/promises');
    const terminal = createInterface({ input: process.stdin, output: process.stderr });
    try {
      // Ctrl-D and Ctrl-C count as a no.
      const closed = once(terminal, 'close').then(() => '');
      const asked = terminal.question(`\n${question}? [y/N] `).catch(() => '');
      return /^y(es)?$/i.test((await Promise.race([asked, closed])).trim());
    } finally {
      terminal.close();
    }
  };
}

/**
 * Prints each answer that differs from the previous one, until Ctrl-C, or until nothing reads the output any
 * more.
 */
async function follow(
  client: ConnectedClient,
  request: Exclude<Request, ViewRequest>,
  surroundings: Surroundings,
  { output, colours }: { readonly output: Output | undefined; readonly colours: boolean },
): Promise<0> {
  const stop = new AbortController();
  const end = (): void => stop.abort(new Error('stopped'));
  process.once('SIGINT', end);
  process.once('SIGTERM', end);
  process.stdout.on('error', end);
  const separate = separator(output);
  let shown: string | undefined;
  const logger = await createLogger(name, { logLevel: 'error', logFormat: 'json', dryRun: false });
  const ended = await followAnswers(
    {
      client,
      clock: systemClock,
      logger,
      ask: (followed) => answer(followed, request, surroundings),
      show: async (answered) => {
        const text = await print(answered, output, colours);
        if (text !== shown) {
          process.stdout.write(shown === undefined ? text : `${separate(new Date())}${text}`);
          shown = text;
        }
      },
      onTrouble: (what) => complain(`${what} can't be followed for now; what is shown may be old`),
      onError: (error) => complain(explain(error).text),
    },
    stop.signal,
  );
  if (ended === 'gone' && output === undefined) {
    process.stdout.write(`${separate(new Date())}It is gone.\n`);
  }
  return 0;
}

/** Serves the page until Ctrl-C. A second Ctrl-C ends the process at once. */
async function showPage(
  client: ConnectedClient,
  { port, open }: ViewRequest,
  surroundings: Surroundings,
): Promise<number> {
  // Imported only here, because the other commands do not need it.
  const { view } = await import('./view/view.ts');
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => ending.abort(new Error(signal)));
  }
  const write = (text: string): void => void process.stdout.write(text);
  await view(client, { port, open, surroundings, write }, ending.signal);
  return 0;
}

function complain(text: string): void {
  process.stderr.write(`${name}: ${printable(text)}\n`);
}

/** An error that is already one line with its way out. */
class Explained extends Error {
  override readonly name = 'Explained';
  readonly code: number;

  constructor(message: string, code: number) {
    super(message);
    this.code = code;
  }
}

/**
 * Returns one line that names the problem and the way out, instead of a stack trace, which does not help if a
 * name does not exist.
 */
function explain(error: unknown): {
  readonly text: string;
  readonly code: number;
  /** Whether the API server did not answer. */
  readonly isUnreached: boolean;
} {
  if (error instanceof UsageError || error instanceof KubeConfigError) {
    return { text: error.message, code: 2, isUnreached: false };
  }
  if (error instanceof Explained) {
    return { text: error.message, code: error.code, isUnreached: false };
  }
  if (error instanceof NotFound || error instanceof NothingPending || error instanceof Unreadable) {
    return { text: error.message, code: 1, isUnreached: false };
  }
  const text = error instanceof Error ? error.message : quoted(String(error));
  const wayOut = isForbidden(error) ? 'kubectl auth can-i --list' : 'kubectl cluster-info';
  return { text: `${text} (see ${wayOut})`, code: 1, isUnreached: !(error instanceof ApiError) };
}

for (const stream of [process.stdout, process.stderr]) {
  // The reader of the output might end, as `head` does. A command that is in progress, such as uninstall,
  // must not end between two steps because of that.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (stream === process.stdout && error.code !== 'EPIPE') {
      complain(`standard output can't be written: ${error.message}`);
      process.once('exit', () => {
        process.exitCode = 1;
      });
    }
  });
}
try {
  // Under the name that kubectl looks for, the program completes.
  const isCompletion = basename(process.argv[1] ?? '').startsWith('kubectl_complete-');
  process.exitCode = await run([...(isCompletion ? ['__complete'] : []), ...process.argv.slice(2)]);
} catch (error) {
  const { text, code } = explain(error);
  complain(text);
  process.exitCode = code;
}
