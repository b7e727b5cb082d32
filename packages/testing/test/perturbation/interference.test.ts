import { describe, expect, test } from '@jest/globals';
import { interfere, type Controls } from '../../src/perturbation/interference.ts';
import type { OperatorProcess } from '../../src/perturbation/operator-process.ts';
import { operatorRequest, type OperatorRequest } from '../../src/perturbation/operator-request.ts';
import type { Perturbation } from '../../src/perturbation/perturbation.ts';
import type { Treatment } from '../../src/perturbation/proxy.ts';

const at = 'create configmaps shop #1';
const [write, other] = [at, 'create configmaps shop #2'].map((place) =>
  operatorRequest('POST', '/api/v1/namespaces/shop/configmaps', () => place),
) as [OperatorRequest, OperatorRequest];

const processNamed = (name: string): OperatorProcess => ({
  name,
  output: { stdout: '', stderr: '' },
  hasEnded: false,
  isFrozen: false,
  ended: new Promise(() => undefined),
  kill: () => Promise.resolve(),
  freeze: () => undefined,
  thaw: () => undefined,
});
const process = processNamed('process 1');

/** A perturbation at work, and what it has done to the run. */
function atWork(perturbation: Perturbation, happened: readonly string[] = []) {
  const done: string[] = [];
  const controls: Controls = {
    crash: ({ name }) => Promise.resolve(void done.push(`${name} is killed`)),
    handOver: ({ name }) => Promise.resolve(void done.push(`${name} is handed over`)),
    showStateBefore: (change) => {
      done.push(`before ${change}`);
      return happened.includes(change);
    },
    showNewestState: () => void done.push('newest state'),
    hasHappened: (change) => happened.includes(change),
    letGo: (how) => void done.push(`let go ${how}`),
    note: () => undefined,
  };
  return { ...{ done, happened }, interference: interfere(perturbation, controls) };
}

/** The code of an answer in place of the server's. */
const said = (treatment: Treatment): string =>
  treatment.kind === 'answer' ? String(treatment.answer.code) : treatment.kind;

describe('request at the place of the perturbation -> what happens before and after it, once', () => {
  test.each<[Exclude<Perturbation['kind'], 'stale-restart' | 'event-delayed' | 'event-hidden'>, ...string[]]>(
    [
      ['answer-403', '403', 'pass', ''],
      ['answer-409', '409', 'pass', ''],
      ['answer-410', '410', 'pass', ''],
      ['answer-422', '422', 'pass', ''],
      ['answer-429', '429', 'pass', ''],
      ['answer-500', '500', 'pass', ''],
      ['answer-504', '504', 'pass', ''],
      ['answer-504-after', 'pass', '504', ''],
      ['reset-before', 'reset', 'pass', ''],
      ['reset-after', 'pass', 'reset', ''],
      ['crash-before-write', 'reset', 'pass', 'process 1 is killed'],
      ['crash-after-write', 'pass', 'reset', 'process 1 is killed'],
      ['handover-before-write', 'pass', 'pass', 'process 1 is handed over'],
      ['handover-after-write', 'pass', 'pass', 'process 1 is handed over'],
    ],
  )('%s -> %s, %s', async (kind, before, after, done) => {
    const run = atWork({ kind, at });
    const play = async (request: OperatorRequest): Promise<readonly string[]> => [
      said(await run.interference.before(request, process)),
      run.done.join(),
      said(await run.interference.after(request, process)),
      run.done.join(),
    ];
    expect(await play(other)).toEqual(['pass', '', 'pass', '']);
    expect(run.interference.isReached).toBe(false);
    const isAfter = kind.includes('after');
    expect(await play(write)).toEqual([before, isAfter ? '' : done, after, done]);
    expect(run.interference.isReached).toBe(true);
    expect(await play(write)).toEqual(['pass', done, 'pass', done]);
    expect(run.interference.isHolding).toBe(false);
  });
});

describe('an event that is held', () => {
  const from = 'DELETED ConfigMap shop/a #1';
  const to = 'ADDED ConfigMap shop/a #2';

  test.each([
    ['event-delayed', 'in order'],
    ['event-hidden', 'by a new list'],
  ] as const)('%s, the operator writes in the dark -> let go %s when that is answered', async (kind, how) => {
    const happened: string[] = [];
    const { done, interference } = atWork({ kind, from, to, untilStep: 2 }, happened);
    expect([interference.mayPass('ADDED ConfigMap shop/b #1'), interference.isReached]).toEqual([
      true,
      false,
    ]);
    expect([interference.mayPass(from), interference.isReached, interference.isHolding]).toEqual([
      ...[false, true, true],
    ]);
    await interference.before(other, process);
    await interference.after(other, process);
    happened.push(to);
    await interference.before(write, process);
    expect(done).toStrictEqual([]);
    await interference.after(write, process);
    expect([done, interference.isHolding, interference.mayPass(from)]).toEqual([
      [`let go ${how}`],
      false,
      true,
    ]);
  });

  test('at rest before its step -> held on; in its step -> let go', () => {
    const { done, interference } = atWork({ kind: 'event-hidden', from, to, untilStep: 2 });
    interference.mayPass(from);
    expect([interference.rested(1), done]).toEqual([false, []]);
    expect([interference.rested(2), done]).toEqual([true, ['let go by a new list']]);
    expect(interference.rested(2)).toBe(false);
  });
});

describe('a restart on a stale cache', () => {
  const view = 'DELETED ConfigMap shop/a-copy #1';

  test('the new process writes -> the cache has caught up once that is answered', async () => {
    const { done, interference } = atWork({ kind: 'stale-restart', at, view }, [view]);
    expect(said(await interference.after(write, process))).toBe('reset');
    const stale = [`before ${view}`, 'process 1 is killed'];
    expect([done, interference.isReached]).toEqual([stale, true]);
    await interference.after(other, process);
    expect(done).toEqual(stale);
    await interference.after(other, processNamed('process 2'));
    expect(done).toEqual([...stale, 'newest state']);
  });

  test('the change has not happened -> nothing; the new process rests -> the cache has caught up', async () => {
    const early = atWork({ kind: 'stale-restart', at, view });
    expect(said(await early.interference.after(write, process))).toBe('pass');
    expect(early.interference.isReached).toBe(false);
    const { done, interference } = atWork({ kind: 'stale-restart', at, view }, [view]);
    await interference.after(write, process);
    expect([interference.rested(0), interference.rested(0)]).toEqual([true, false]);
    expect(done.at(-1)).toBe('newest state');
  });
});
