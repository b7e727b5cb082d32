import { expect, test } from '@jest/globals';
import { createHandovers } from '../../src/perturbation/handover.ts';
import type { OperatorProcess } from '../../src/perturbation/operator-process.ts';

/** A process that does nothing but stand still, or not. */
function standIn(name: string): OperatorProcess {
  let isFrozen = false;
  return {
    name,
    output: { stdout: '', stderr: '' },
    hasEnded: false,
    get isFrozen() {
      return isFrozen;
    },
    ended: new Promise(() => undefined),
    kill: () => Promise.resolve(),
    freeze: () => {
      isFrozen = true;
    },
    thaw: () => {
      isFrozen = false;
    },
  };
}

/** Two processes, of which the first that is not stopped leads. The world is quiet when the test says so. */
function twoProcesses() {
  const first = standIn('process 1');
  const second = standIn('process 2');
  const trace: string[] = [];
  const world = { isQuiet: false, isDecided: false };
  const handovers = createHandovers({
    processes: () => [first, second],
    leads: (process) => Promise.resolve(!process.isFrozen),
    untilQuiet: async (isCalledOff) => {
      while (!world.isQuiet && !isCalledOff()) {
        await nextTurn();
      }
    },
    isDecided: () => world.isDecided,
    note: (text) => trace.push(text),
  });
  return { first, second, trace, world, handovers };
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) {
    await nextTurn();
  }
}

test('another leads, and has work -> stopped until it has none', async () => {
  const { first, trace, world, handovers } = twoProcesses();
  const over = handovers.handOver(first);
  await until(() => trace.includes('another process leads'));
  expect({ isFrozen: first.isFrozen, awaited: handovers.awaited }).toEqual({ isFrozen: true, awaited: 1 });
  world.isQuiet = true;
  await over;
  expect({ isFrozen: first.isFrozen, awaited: handovers.awaited }).toEqual({ isFrozen: false, awaited: 0 });
  expect(trace).toEqual(['process 1 is stopped', 'another process leads', 'process 1 is continued']);
});

test('the one that took over is handed over too -> the first goes on at once, and leads', async () => {
  const { first, second, trace, world, handovers } = twoProcesses();
  const earlier = handovers.handOver(first);
  await until(() => trace.includes('another process leads'));
  const later = handovers.handOver(second);
  await earlier;
  expect({ first: first.isFrozen, second: second.isFrozen }).toEqual({ first: false, second: true });
  world.isQuiet = true;
  await later;
  expect(second.isFrozen).toBe(false);
});

test('two writes of one process -> it is stopped once, and both wait', async () => {
  const { first, trace, world, handovers } = twoProcesses();
  const both = Promise.all([handovers.handOver(first), handovers.handOver(first)]);
  await until(() => trace.includes('another process leads'));
  expect(handovers.awaited).toBe(2);
  world.isQuiet = true;
  await both;
  expect(trace.filter((line) => line === 'process 1 is stopped')).toHaveLength(1);
});

test('nobody takes over until the run is decided -> it ends, and the process goes on', async () => {
  const { first, second, world, handovers } = twoProcesses();
  second.freeze();
  const over = handovers.handOver(first);
  world.isDecided = true;
  await over;
  expect(first.isFrozen).toBe(false);
});
