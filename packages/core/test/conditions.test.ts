import { describe, expect, test } from '@jest/globals';
import {
  conditionProblems,
  findCondition,
  formatTimestamp,
  isConditionTrue,
  setCondition,
  type Condition,
  type ConditionState,
  type Pod,
} from '@holdfast/core';
import fc from 'fast-check';
import { stored } from './stored.ts';

const before = '2026-01-01T00:00:00Z';
const now = new Date('2026-02-03T04:05:06.789Z');
const nowText = '2026-02-03T04:05:06Z';

const ready: Condition = {
  type: 'Ready',
  status: 'True',
  observedGeneration: 2,
  lastTransitionTime: before,
  reason: 'AllThere',
  message: 'three of three',
};
const stalled: Condition = {
  type: 'Stalled',
  status: 'False',
  lastTransitionTime: before,
  reason: 'Moving',
  message: '',
};
const state: ConditionState = {
  type: 'Ready',
  status: 'True',
  reason: 'AllThere',
  message: 'three of three',
  observedGeneration: 2,
};

describe('asking', () => {
  test.each<{ state: string; conditions: readonly Condition[] | undefined; found: Condition | undefined }>([
    { state: 'no list', conditions: undefined, found: undefined },
    { state: 'empty list', conditions: [], found: undefined },
    { state: 'others', conditions: [stalled], found: undefined },
    { state: 'it, after another', conditions: [stalled, ready], found: ready },
    { state: 'another spelling', conditions: [{ ...ready, type: 'ready' }], found: undefined },
  ])('$state -> $found.type', ({ conditions, found }) => {
    expect(findCondition(conditions, 'Ready')).toBe(found);
    expect(isConditionTrue(conditions, 'Ready')).toBe(found !== undefined);
  });

  test.each([
    ['True', true],
    ['False', false],
    ['Unknown', false],
    ['true', false],
  ])('status %s -> true: %s', (status, isTrue) => {
    expect(isConditionTrue([{ ...ready, status }], 'Ready')).toBe(isTrue);
  });

  test('condition of a pod, without reason -> found', () => {
    const pod: Pod = { ...stored(), status: { conditions: [{ type: 'Ready', status: 'True' }] } };
    expect(isConditionTrue(pod.status?.conditions, 'Ready')).toBe(true);
  });
});

describe('setting', () => {
  test.each(['type', 'reason', 'message'] as const)(
    '%s is left out by plain JavaScript -> refused',
    (field) => {
      const without = { ...state, [field]: undefined };
      expect(() => setCondition([], without, now)).toThrow(`${field} is undefined; give a text`);
    },
  );

  test.each<{
    state: string;
    conditions?: readonly Condition[];
    change?: Partial<ConditionState>;
    after: Condition;
  }>([
    { state: 'no list', after: { ...ready, lastTransitionTime: nowText } },
    { state: 'empty list', conditions: [], after: { ...ready, lastTransitionTime: nowText } },
    {
      state: 'status changes',
      conditions: [ready],
      change: { status: 'Unknown' },
      after: { ...ready, status: 'Unknown', lastTransitionTime: nowText },
    },
    {
      state: 'reason changes',
      conditions: [ready],
      change: { reason: 'Enough' },
      after: { ...ready, reason: 'Enough' },
    },
    {
      state: 'message changes',
      conditions: [ready],
      change: { message: '' },
      after: { ...ready, message: '' },
    },
    {
      state: 'generation changes',
      conditions: [ready],
      change: { observedGeneration: 3 },
      after: { ...ready, observedGeneration: 3 },
    },
    {
      state: 'field of a newer definition, reason changes',
      conditions: [{ ...ready, severity: 'Info' } as Condition],
      change: { reason: 'Enough' },
      after: { ...ready, reason: 'Enough', severity: 'Info' } as Condition,
    },
  ])('$state -> $after', ({ conditions, change, after }) => {
    expect(setCondition(conditions, { ...state, ...change }, now)).toStrictEqual([after]);
  });

  test('generation is not stated any more -> the old one goes', () => {
    const { observedGeneration, ...without } = state;
    expect(observedGeneration).toBe(2);
    const [after] = setCondition([ready], without, now);
    expect(after).toStrictEqual({
      type: 'Ready',
      status: 'True',
      lastTransitionTime: before,
      reason: 'AllThere',
      message: 'three of three',
    });
    expect(setCondition([ready], { ...without, observedGeneration: undefined }, now)).toStrictEqual([after]);
  });

  test('says all of it already -> the same list, nothing to write', () => {
    const conditions = [stalled, ready];
    expect(setCondition(conditions, state, now)).toBe(conditions);
  });

  test('lastTransitionTime in what is stated -> not taken', () => {
    expect(
      setCondition([ready], { ...state, reason: 'Enough', ...{ lastTransitionTime: nowText } }, now),
    ).toEqual([{ ...ready, reason: 'Enough' }]);
  });

  test('others -> stay in their places, the very objects', () => {
    const third = { ...stalled, type: 'Third' };
    const after = setCondition([stalled, ready, third], { ...state, status: 'False' }, now);
    expect(after[0]).toBe(stalled);
    expect(after[1]?.status).toBe('False');
    expect(after[2]).toBe(third);
    expect(after).toHaveLength(3);
  });

  test('twice in the list, which no API server takes -> the first is found and set, the second stays', () => {
    const second = { ...ready, status: 'False' };
    expect(findCondition([ready, second], 'Ready')).toBe(ready);
    const after = setCondition([ready, second], { ...state, reason: 'Enough' }, now);
    expect(after).toStrictEqual([{ ...ready, reason: 'Enough' }, second]);
  });

  test('one problem -> an Error', () => {
    expect(() => setCondition([], { ...state, type: 'Is ready' }, now)).toThrow(
      `condition "Is ready" can't be set: type is "Is ready"; give a word such as Ready or example.com/Ready`,
    );
  });

  test('what is refused by API servers -> an Error names the condition and each problem', () => {
    const bad: ConditionState = { ...state, reason: '', observedGeneration: -1 };
    expect(() => setCondition([ready], bad, now)).toThrow(
      `condition "Ready" can't be set: reason is ""; give a word such as QuotaExceeded; observedGeneration is -1; give metadata.generation of the object`,
    );
  });
});

describe('problems', () => {
  test.each<{ change: Partial<ConditionState> }>([
    { change: {} },
    { change: { type: 'a' } },
    { change: { type: 'Web_Site.v1-Ready' } },
    { change: { type: 'a-b.example.com/Ready' } },
    { change: { type: `${'a'.repeat(252)}/${'b'.repeat(63)}` } },
    { change: { reason: 'R' } },
    { change: { reason: 'Quota:a,b_' } },
    { change: { reason: 'r'.repeat(1024) } },
    { change: { message: '' } },
    { change: { message: 'line\nline' } },
    { change: { message: 'm'.repeat(32_768) } },
    { change: { message: '💾'.repeat(32_768) } },
    { change: { observedGeneration: 0 } },
    { change: { observedGeneration: undefined } },
  ])('valid, as $change -> none', ({ change }) => {
    expect(conditionProblems({ ...state, ...change })).toStrictEqual([]);
  });

  test.each<{ change: Record<string, unknown>; problem: string }>([
    { change: { type: '' }, problem: 'type is ""; give a word such as Ready or example.com/Ready' },
    { change: { type: '-Ready' }, problem: 'type is "-Ready"; give a word' },
    { change: { type: 'Ready-' }, problem: 'type is "Ready-"' },
    { change: { type: 'Is ready' }, problem: 'type is "Is ready"' },
    { change: { type: 'Ready\n' }, problem: 'type is "Ready\n"' },
    { change: { type: 'Example.com/Ready' }, problem: 'type is "Example.com/Ready"' },
    { change: { type: 'example.com/a/Ready' }, problem: 'type is "example.com/a/Ready"' },
    { change: { type: 'example..com/Ready' }, problem: 'type is "example..com/Ready"' },
    { change: { type: '-example.com/Ready' }, problem: 'type is "-example.com/Ready"' },
    { change: { type: 'example.com-/Ready' }, problem: 'type is "example.com-/Ready"' },
    { change: { type: 'example.-com/Ready' }, problem: 'type is "example.-com/Ready"' },
    { change: { type: 'example.com/' }, problem: 'type is "example.com/"' },
    { change: { type: 'a'.repeat(317) }, problem: 'type has 317 characters; 316 are allowed' },
    { change: { status: 'true' }, problem: 'status is "true"; allowed are True, False and Unknown' },
    { change: { status: '' }, problem: 'status is ""' },
    { change: { reason: '' }, problem: 'reason is ""; give a word such as QuotaExceeded' },
    { change: { reason: '1st' }, problem: 'reason is "1st"' },
    { change: { reason: '_a' }, problem: 'reason is "_a"' },
    { change: { reason: 'a:' }, problem: 'reason is "a:"' },
    { change: { reason: 'Quota exceeded' }, problem: 'reason is "Quota exceeded"' },
    { change: { reason: 'Quota-exceeded' }, problem: 'reason is "Quota-exceeded"' },
    { change: { reason: 'r'.repeat(1025) }, problem: 'reason has 1025 characters; 1024 are allowed' },
    { change: { message: 'm'.repeat(32_769) }, problem: 'message has 32769 characters; 32768 are allowed' },
    { change: { message: '💾'.repeat(32_769) }, problem: 'message has 32769 characters' },
    { change: { observedGeneration: -1 }, problem: 'observedGeneration is -1; give metadata.generation' },
    { change: { observedGeneration: 1.5 }, problem: 'observedGeneration is 1.5' },
    { change: { observedGeneration: NaN }, problem: 'observedGeneration is NaN' },
  ])('$problem', ({ change, problem }) => {
    expect(conditionProblems({ ...state, ...change })).toEqual([expect.stringContaining(problem)]);
  });
});

const anyType = fc.constantFrom('Ready', 'Stalled', 'example.com/Synced');
const anyState = fc.record<ConditionState>({
  type: anyType,
  status: fc.constantFrom('True', 'False', 'Unknown'),
  reason: fc.stringMatching(/^[A-Z][a-z]{0,3}$/),
  message: fc.string(),
  observedGeneration: fc.option(fc.nat(3), { nil: undefined }),
});
const anyTime = fc.date({ min: new Date(0), max: new Date('2100-01-01T00:00:00Z'), noInvalidDate: true });

test('any states set one after the other -> each is found, once, with the time of its last change of status', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(anyState, anyTime)), (steps) => {
      let conditions: readonly Condition[] | undefined;
      const expected = new Map<string, { status: string; since: string }>();
      for (const [next, time] of steps) {
        const known = expected.get(next.type);
        if (known?.status !== next.status) {
          expected.set(next.type, { status: next.status, since: formatTimestamp(time) });
        }
        conditions = setCondition(conditions, next, time);
        const { since } = expected.get(next.type) ?? {};
        const { observedGeneration, ...others } = next;
        const generation = observedGeneration === undefined ? {} : { observedGeneration };
        expect(findCondition(conditions, next.type)).toStrictEqual({
          ...others,
          ...generation,
          lastTransitionTime: since,
        });
        expect(setCondition(conditions, next, new Date(0))).toBe(conditions);
      }
      expect((conditions ?? []).map(({ type }) => type)).toEqual([...expected.keys()]);
    }),
  );
});
