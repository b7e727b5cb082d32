import { describe, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const source = join(import.meta.dirname, '..', '..', 'src', 'process', 'logger.ts');

/** Runs a program that has a `logger`; gives what it wrote to standard error, and how it ended. */
async function run(body: string): Promise<{ readonly text: string; readonly code: number | null }> {
  const program = [
    `import { createLogger } from ${JSON.stringify(source)};`,
    `const logger = await createLogger('example', { logLevel: 'info', logFormat: 'json', dryRun: false });`,
    body,
  ].join('\n');
  const child = spawn(
    process.execPath,
    ['--conditions=@holdfast/source', '--input-type=module', '--eval', program],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  return { text, code };
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
    const program = `
      import { spawn } from 'node:child_process';
      const child = spawn(process.execPath, ['--conditions=@holdfast/source', '--input-type=module', '--eval', \`
        import { createLogger } from ${JSON.stringify(source)};
        const logger = await createLogger('example', { logLevel: 'info', logFormat: 'json', dryRun: false });
        process.stdin.once('data', () => {
          logger.info('into the void');
          setTimeout(() => { logger.info('again'); setTimeout(() => process.exit(7), 10); }, 10);
        });
        process.stdout.write('ready');
      \`], { stdio: ['pipe', 'pipe', 'pipe'] });
      child.stderr.destroy();
      child.stdout.once('data', () => child.stdin.write('go'));
      child.once('exit', (code) => process.exit(code ?? 99));
    `;
    const { code } = await run(program);
    expect(code).toBe(7);
  });
});
