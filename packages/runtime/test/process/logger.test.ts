import { describe, expect, test } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { ApiError } from '../../src/client/api-error.ts';
import { processSecrets } from '../../src/logging/secret-values.ts';
import { createLogger } from '../../src/process/logger.ts';

const source = join(import.meta.dirname, '..', '..', 'src', 'process', 'logger.ts');
const standardErrorSource = join(source, '..', '..', 'logging', 'standard-error.ts');

/** Starts a program that has a `logger`. */
function start(body: string, stderr: 'pipe' | number = 'pipe'): ChildProcess {
  const program = [
    `import { createLogger } from ${JSON.stringify(source)};`,
    `const logger = await createLogger('example', { logLevel: 'info', logFormat: 'json', dryRun: false });`,
    body,
  ].join('\n');
  return spawn(
    process.execPath,
    ['--conditions=@holdfast/source', '--input-type=module', '--eval', program],
    { stdio: ['pipe', 'pipe', stderr], timeout: 20_000 },
  );
}

/** Runs a program that has a `logger`; gives what it wrote to standard error, and how it ended. */
async function run(body: string): Promise<{ readonly text: string; readonly code: number | null }> {
  const child = start(body);
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  child.stdout?.resume();
  const [code] = (await once(child, 'close')) as [number | null];
  return { text, code };
}

/** Returns what a logger of this process writes to standard error, which costs a tenth of another process. */
async function textOf(log: (logger: Logger) => void, logFormat: 'json' | 'pretty' = 'json'): Promise<string> {
  let text = '';
  const stream = { write: (line: string) => (text += line) };
  log(await createLogger('example', { logLevel: 'info', logFormat, dryRun: false }, () => stream));
  return text;
}

const messagesIn = (text: string): readonly unknown[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => (JSON.parse(line) as { msg: unknown }).msg);

describe('lines in JSON', () => {
  test('many in one turn -> all there, in order, each whole', async () => {
    const { text } = await run(
      `for (let n = 0; n < 5000; n++) logger.info({ n, fill: 'x'.repeat(100) }, String(n));`,
    );
    expect(messagesIn(text)).toEqual(Array.from({ length: 5000 }, (_, n) => String(n)));
  });

  test('logged right before the process exits -> written', async () => {
    const { text, code } = await run(`logger.info('last words'); process.exit(3);`);
    expect(messagesIn(text)).toEqual(['last words']);
    expect(code).toBe(3);
  });

  test('logged right before an error that nobody catches -> written', async () => {
    const { text, code } = await run(`logger.info('last words'); throw new Error('nobody catches this');`);
    expect(messagesIn(text)).toEqual(['last words']);
    expect(text).toContain('nobody catches this');
    expect(code).toBe(1);
  });

  test('killed in a later turn -> what was logged before is there', async () => {
    const { text } = await run(
      `logger.info('before'); setImmediate(() => setImmediate(() => process.kill(process.pid, 'SIGKILL')));`,
    );
    expect(messagesIn(text)).toEqual(['before']);
  });

  test('nobody reads standard error any more -> the process goes on', async () => {
    const child = start(`
      process.stdin.once('data', () => {
        logger.info('into the void');
        setTimeout(() => { logger.info('again'); setTimeout(() => process.exit(7), 10); }, 10);
      });
      process.stdout.write('ready');
    `);
    child.stderr?.destroy();
    child.stdout?.once('data', () => child.stdin?.write('go'));
    expect(await once(child, 'exit')).toEqual([7, null]);
  });

  test('H10: disk is full -> the process goes on, lines are dropped and counted', async () => {
    const full = openSync('/dev/full', 'w');
    const child = start(
      `
        import { droppedLines } from ${JSON.stringify(standardErrorSource)};
        logger.info('one'); logger.info('two');
        await new Promise(setImmediate);
        process.exit(droppedLines());
      `,
      full,
    );
    closeSync(full);
    expect(await once(child, 'exit')).toEqual([2, null]);
  });
});

test.each(['json', 'pretty'])(
  'H10: reader of standard error stalls, %s -> the process goes on, lines are dropped and counted',
  async (format) => {
    // Nobody reads what it writes to standard error before it has ended.
    const child = start(`
      import { droppedLines } from ${JSON.stringify(standardErrorSource)};
      const other = await createLogger('example', { logLevel: 'info', logFormat: '${format}', dryRun: false });
      const fill = 'x'.repeat(10_000);
      for (let turn = 0; turn < 100; turn++) {
        for (let n = 0; n < 10; n++) other.info(fill);
        await new Promise(setImmediate);
      }
      process.stdout.write(String(droppedLines()), () => process.exit(7));
    `);
    const exit = once(child, 'exit');
    let stdout = '';
    for await (const chunk of child.stdout ?? []) {
      stdout += String(chunk);
    }
    expect(await exit).toEqual([7, null]);
    // 1,000 times a little over 10 KB, of which 4 MiB wait and some 64 KiB are in the pipe.
    const dropped = Number(stdout);
    expect(dropped).toBeGreaterThan(400);
    expect(dropped).toBeLessThan(800);
  },
  30_000,
);

test('Issue 17: an error -> logged by its type, message, code, stack and causes, and nothing else that is on it', async () => {
  const text = await textOf((logger) => {
    const cause = Object.assign(new TypeError('no host'), { input: 'https://me:hunter2@host' });
    const err = Object.assign(new Error('no answer', { cause }), {
      ...{ code: 'ENOTFOUND', headers: { authorization: 'Bearer hunter2' }, output: ['hunter2'] },
    });
    logger.warn({ err }, 'Watch failed');
    logger.warn({ err: new AggregateError([new Error('one'), new Error('other')]) }, 'Watch failed');
    logger.warn({ err: { token: 'hunter2' } }, 'Watch failed');
  });
  expect(text).not.toContain('hunter2');
  const stack = expect.stringMatching(/\n +at /) as unknown;
  const logged = text
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { err: unknown }).err);
  expect(logged).toEqual([
    {
      type: 'Error',
      message: 'no answer',
      code: 'ENOTFOUND',
      stack,
      cause: { type: 'TypeError', message: 'no host', stack },
    },
    {
      type: 'AggregateError',
      message: '',
      stack,
      errors: [
        { type: 'Error', message: 'one', stack },
        { type: 'Error', message: 'other', stack },
      ],
    },
    { type: 'object', message: '[object Object]' },
  ]);
});

test('Issue 17: an error that is very long, or goes in circles -> cut', async () => {
  const text = await textOf((logger) => {
    const err = new Error('x'.repeat(1e6));
    err.cause = err;
    logger.warn({ err }, 'Watch failed');
  });
  expect(text.length).toBeLessThan(200_000);
  expect(messagesIn(text)).toEqual(['Watch failed']);
});

test('Issue 19: fields that others have written, of megabytes -> cut', async () => {
  const labels = Object.fromEntries(Array.from({ length: 1e5 }, (_, n) => [n, n]));
  const text = await textOf((logger) => logger.info({ by: ['x'.repeat(1e6)], labels }, 'Reclaim postponed'));
  expect(messagesIn(text)).toEqual(['Reclaim postponed']);
  expect(text.length).toBeLessThan(2_000);
});

test.each(['json', 'pretty'] as const)(
  'Issue 17: a secret of the process, %s -> replaced in every field and message',
  async (format) => {
    const secret = 'open "sesame" of the logger';
    processSecrets.add(secret);
    const text = await textOf(
      (logger) => logger.info({ says: secret, err: new Error(`not ${secret}`) }, secret),
      format,
    );
    expect(text).not.toContain('sesame');
    expect(text.match(/\[redacted\]/g)?.length).toBeGreaterThanOrEqual(3);
  },
);

test('H15: the API server forbids -> one line that says who may not do what, and the way to it', async () => {
  const text = await textOf((logger) => {
    const message =
      'persistentvolumes is forbidden: User "system:serviceaccount:ops:app" cannot list resource "persistentvolumes"';
    const err = new ApiError('GET /api/v1/persistentvolumes', 403, {
      reason: 'Forbidden',
      message,
      details: { kind: 'x' },
    });
    logger.warn({ err }, 'Watch failed');
  });
  expect(text.trim().split('\n')).toHaveLength(1);
  const { err } = JSON.parse(text) as { readonly err: object };
  expect(err).toEqual({
    type: 'ApiError',
    message:
      'GET /api/v1/persistentvolumes: 403 Forbidden: persistentvolumes is forbidden: User "system:serviceaccount:ops:app" cannot list resource "persistentvolumes"',
    code: 403,
    reason: 'Forbidden',
    hint: 'grant it to the account: the role in deploy/, or "Permissions" in the README',
  });
});
