import { afterEach, describe, expect, jest, test } from '@jest/globals';
import type { OrphanGuard } from '../../src/real/orphan-guard.ts';
import { ProcessFailedError, startProcess, untilReady, type RunningProcess } from '../../src/real/process.ts';
import { isAlive, until } from './until.ts';

const started: RunningProcess[] = [];
const watched = new Set<number>();
const guard: OrphanGuard = {
  watch: (pid) => void watched.add(pid),
  forget: (pid) => void watched.delete(pid),
  dismiss: () => Promise.resolve(),
};

async function shell(script: string): Promise<RunningProcess> {
  const running = await startProcess({
    name: 'it',
    command: '/bin/sh',
    args: ['-c', script],
    cwd: '/',
    guard,
  });
  started.push(running);
  return running;
}

afterEach(async () => {
  jest.useRealTimers();
  await Promise.all(started.splice(0).map((running) => running.kill()));
});

describe('startProcess', () => {
  test('no such program -> throws and names it', async () => {
    const starting = startProcess({ name: 'etcd', command: '/nowhere/etcd', args: [], cwd: '/', guard });
    await expect(starting).rejects.toThrow(/cannot start etcd: .*\/nowhere\/etcd.*ENOENT/);
  });

  test('ends by itself -> says how, with what it wrote, and the guard forgets it', async () => {
    const running = await shell('echo out; echo err >&2; exit 3');
    expect(await running.ended).toBe('exit code 3');
    expect(running.output()).toContain('out\n');
    expect(running.output()).toContain('err\n');
    expect(watched).not.toContain(running.pid);
  });

  test('writes without end -> the last 16 KiB are kept', async () => {
    const running = await shell('seq 1 100000');
    await running.ended;
    expect(Buffer.byteLength(running.output())).toBe(16 * 1024);
    expect(running.output().endsWith('99999\n100000\n')).toBe(true);
  });

  test('runs -> the guard watches it; stopped -> it has ended by SIGTERM', async () => {
    const running = await shell('sleep 600');
    expect(watched).toContain(running.pid);
    await running.stop();
    expect(await running.ended).toBe('signal SIGTERM');
    expect(isAlive(running.pid)).toBe(false);
  });

  test('has children of its own -> stopped with it', async () => {
    const running = await shell('sleep 600 & echo $!; wait');
    await until('the child is there', () => running.output() !== '');
    await running.stop();
    await until('the child has ended', () => !isAlive(Number(running.output())));
  });

  test('does not heed SIGTERM -> SIGKILL after 5 seconds', async () => {
    const running = await shell(`trap '' TERM; echo ready; while :; do sleep 1; done`);
    await until('the trap is set', () => running.output() !== '');
    // Node's own code calls process.nextTick, by which it learns that a process has ended.
    jest.useFakeTimers({ doNotFake: ['nextTick'] });
    const stopping = running.stop();
    jest.advanceTimersByTime(4_999);
    expect(isAlive(running.pid)).toBe(true);
    jest.advanceTimersByTime(1);
    await stopping;
    expect(await running.ended).toBe('signal SIGKILL');
  });

  test('has ended already -> stop and kill resolve', async () => {
    const running = await shell('exit 0');
    await running.ended;
    await running.stop();
    await running.kill();
  });
});

describe('untilReady', () => {
  test('probe fails at first -> asked again until it answers ready', async () => {
    const answers = ['not yet', 'not yet', 'ready'];
    await untilReady(await shell('sleep 600'), () => Promise.resolve(answers.shift() ?? 'asked too often'));
    expect(answers).toStrictEqual([]);
  });

  test('process ends first -> throws with how and what it wrote', async () => {
    const waiting = untilReady(await shell('echo no such flag >&2; exit 1'), () =>
      Promise.resolve('not yet'),
    );
    await expect(waiting).rejects.toThrow(ProcessFailedError);
    await expect(waiting).rejects.toThrow(
      'it ended before it was ready (exit code 1); the end of its output:\nno such flag',
    );
  });

  test('a process that it needs ends first -> throws that one, and kills the one that waits', async () => {
    const running = await shell('sleep 600');
    const needed = await startProcess({
      name: 'etcd',
      command: '/bin/sh',
      args: ['-c', 'echo disk full; exit 1'],
      cwd: '/',
      guard,
    });
    const waiting = untilReady(running, () => Promise.resolve('not yet'), [needed]);
    await expect(waiting).rejects.toThrow('etcd ended before it was ready (exit code 1)');
    expect(isAlive(running.pid)).toBe(false);
  });

  test('not ready in a minute -> throws with the last answer, and the process is killed', async () => {
    jest.useFakeTimers({ now: 0, doNotFake: ['setTimeout', 'setImmediate', 'nextTick'] });
    const running = await shell('sleep 600');
    const waiting = untilReady(running, () => {
      jest.setSystemTime(Date.now() + 30_000);
      return Promise.resolve('not yet');
    });
    await expect(waiting).rejects.toThrow('it was not ready after 60 s (not yet); it wrote nothing');
    expect(isAlive(running.pid)).toBe(false);
  });
});
