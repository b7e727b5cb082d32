import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { createFakeClock, settled } from '@holdfast/testing/fake-clock';
import { createFileCalls, NoAnswerError, type Patience } from '../src/in-tree/file-calls.ts';

interface Row {
  readonly path: string;
  readonly patience: Patience;
  readonly end: (result: string) => void;
  readonly fail: (error: Error) => void;
}

/** Calls that end when they are let to. */
function open(atMost = 10, atOnce = 100) {
  const clock = createFakeClock();
  const counts: number[] = [];
  const lines: string[] = [];
  const logged: string[] = [];
  const begun: Row[] = [];
  const late: string[] = [];
  const calls = createFileCalls({
    clock,
    logger: {
      info: (fields: unknown, line?: string) => {
        lines.push(line ?? '');
        logged.push(JSON.stringify(fields));
      },
      warn: (fields: unknown, line?: string) => {
        lines.push(line ?? '');
        logged.push(JSON.stringify(fields));
      },
    },
    atOnce,
    atMost,
    onSilent: (rows) => counts.push(rows),
  });
  const make = (path: string): Promise<string> =>
    calls.make(
      path,
      (patience) => {
        const { promise, resolve, reject } = Promise.withResolvers<string>();
        begun.push({ path, patience, end: resolve, fail: reject });
        return promise;
      },
      {
        late: (result) => {
          late.push(result);
          return Promise.resolve();
        },
      },
    );
  /** A row that has got no answer. */
  const silent = async (path: string): Promise<Row> => {
    const outcome = expect(make(path)).rejects.toThrow(NoAnswerError);
    const row = begun.at(-1);
    await clock.advance(10_000);
    await outcome;
    if (row === undefined) {
      throw new Error('no row was begun');
    }
    return row;
  };
  return { clock, counts, lines, logged, begun, late, make, silent };
}

test('path of 300,000 characters, no answer -> neither the log nor an error has more than a file system takes', async () => {
  const { clock, logged, begun, make } = open();
  const errors: unknown[] = [];
  for (const name of ['a', 'b', 'c']) {
    const given = make(`/${name}${'x'.repeat(300_000)}`).catch((error: unknown) => errors.push(error));
    await clock.advance(10_000);
    await given;
  }
  begun[0]?.end('late');
  await clock.advance(0);
  expect(errors).toHaveLength(3);
  for (const text of [...logged, ...errors.map(String)]) {
    expect(text.length).toBeLessThan(10_000);
  }
});

test('no answer for 10 s -> given up on by its caller, counted and logged once, and the row learns of it', async () => {
  const { clock, counts, lines, begun, make } = open();
  const outcome = expect(make('/far/a')).rejects.toThrow('has not answered for 10 s (at "/far/a")');
  await clock.advance(9_999);
  expect(begun[0]?.patience.signal.aborted).toBe(false);
  await clock.advance(1);
  await outcome;
  expect(begun[0]?.patience.signal.aborted).toBe(true);
  expect(counts).toEqual([1]);
  expect(lines).toEqual(['File system does not answer']);
});

test('answered again and again -> waited for however long it takes', async () => {
  const { clock, begun, make } = open();
  const made = make('/far/a');
  for (let second = 0; second < 60; second += 6) {
    await clock.advance(6_000);
    begun[0]?.patience.answered();
  }
  begun[0]?.end('done');
  expect(await made).toBe('done');
});

test.each(['/far/a', '/far/a/', '/far//a/below', '/far', '/'])(
  'no answer at /far/a, then %s is asked for -> refused at once, no call is made',
  async (path) => {
    const { begun, make, silent } = open();
    await silent('/far/a');
    await expect(make(path)).rejects.toThrow('(at "/far/a")');
    expect(begun).toHaveLength(1);
  },
);

test('no answer at one path -> another below the same folder is asked for, since a link might have led away', async () => {
  const { begun, make, silent } = open();
  await silent('/far/a');
  const made = make('/far/ab');
  begun[1]?.end('there');
  expect(await made).toBe('there');
});

test('no answer at a path in a mount of its own -> nothing else in that mount is asked for', async () => {
  const { begun, make, silent } = open();
  // /proc is a mount wherever these tests run.
  await silent('/proc/far');
  await expect(make('/proc/other')).rejects.toThrow('(at "/proc/far")');
  expect(begun).toHaveLength(1);
});

test('no answer at a path that leads into a mount by a link -> nothing else in that mount is asked for', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-file-calls-'));
  await symlink('/proc', join(folder, 'far'));
  await symlink('far', join(folder, 'link'));
  const { begun, make, silent } = open();
  const path = join(folder, 'link', 'a');
  await silent(path);
  await expect(make(join(folder, 'link', 'b'))).rejects.toThrow(`(at "${path}")`);
  expect(begun).toHaveLength(1);
  await rm(folder, { recursive: true });
});

test('as many without an answer as may be -> no call is made until one ends', async () => {
  const { begun, counts, make, silent } = open(2);
  const first = await silent('/far/a');
  await silent('/far/b');
  await expect(make('/near')).rejects.toThrow('file systems of "/far/a", "/far/b" do not answer');
  expect(begun).toHaveLength(2);
  first.end('late');
  await settled();
  const made = make('/near');
  begun[2]?.end('there');
  expect(await made).toBe('there');
  expect(counts).toEqual([1, 2, 1]);
});

test('answer after all -> its result is cleaned up, and the path is asked for anew', async () => {
  const { begun, counts, late, lines, make, silent } = open();
  const row = await silent('/far/a');
  row.end('late');
  await settled();
  const made = make('/far/a');
  begun[1]?.end('there');
  expect(await made).toBe('there');
  expect(late).toEqual(['late']);
  expect(counts).toEqual([1, 0]);
  expect(lines.at(-1)).toBe('File system has answered');
});

test('row fails after all -> counted as an answer', async () => {
  const { begun, counts, make, silent } = open();
  const row = await silent('/far/a');
  row.fail(new Error('ENOTCONN'));
  await settled();
  expect(counts).toEqual([1, 0]);
  const made = make('/far/a');
  begun[1]?.end('there');
  expect(await made).toBe('there');
});

const threadPool = fileURLToPath(import.meta.resolve('../src/thread-pool.ts'));

test('process with more threads, five file systems hang -> a file can still be read', async () => {
  // To open a pipe that nobody writes to is a call that does not return.
  const script = `
    import ${JSON.stringify(threadPool)};
    import { execFileSync } from 'node:child_process';
    import { mkdtempSync, rmSync } from 'node:fs';
    import { open, readFile } from 'node:fs/promises';
    import { tmpdir } from 'node:os';
    const folder = mkdtempSync(tmpdir() + '/holdfast-threads-');
    execFileSync('mkfifo', [folder + '/pipe']);
    for (let call = 0; call < 5; call++) {
      open(folder + '/pipe', 'r');
    }
    await readFile('/proc/self/status');
    rmSync(folder, { recursive: true });
    console.log('read');
    setImmediate(() => process.kill(process.pid, 'SIGKILL'));
  `;
  const env = { PATH: process.env['PATH'] };
  const run = promisify(execFile)(
    process.execPath,
    ['--no-warnings', '--input-type=module', '--eval', script],
    { env, timeout: 20_000 },
  );
  await expect(run).rejects.toMatchObject({ signal: 'SIGKILL', stdout: 'read\n' });
}, 30_000);
