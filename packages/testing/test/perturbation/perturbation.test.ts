import { expect, test } from '@jest/globals';
import { perturbationKinds } from '@holdfast/testing/perturbation';
import { copies, ordersPaper } from './copier.ts';
import { lessonOf, testFaulty, testOrders, testSound } from './trial.ts';
import { faulty, faultyToo, orders, sound } from './trials.ts';

test('an undisturbed operator -> the same places and the same ends, twice', async () => {
  const { requests, events, ends, unstable } = await lessonOf(copies);
  expect(unstable).toStrictEqual([]);
  expect(requests.map(({ step, effect, place }) => `${String(step)} ${effect}: ${place}`)).toEqual([
    '-1 read: list configmaps shop #1',
    '-1 read: get configmaps shop/count-copy #1',
    '-1 watch: watch configmaps shop #1',
    '0 read: get configmaps shop/a-copy #1',
    '0 write: create configmaps shop #1',
    '0 read: get configmaps shop/a-copy #2',
    '1 read: get configmaps shop/a-copy #3',
    '1 read: get configmaps shop/a #1',
    '1 write: delete configmaps shop/a-copy #1',
    '1 read: get configmaps shop/a-copy #4',
    '2 read: get configmaps shop/a-copy #5',
    '2 write: create configmaps shop #2',
    '2 read: get configmaps shop/a-copy #6',
  ]);
  expect(events.map(({ step, place }) => `${String(step)} ${place}`)).toEqual([
    '0 ADDED ConfigMap shop/a #1',
    '0 ADDED ConfigMap shop/a-copy #1',
    '1 DELETED ConfigMap shop/a #1',
    '1 DELETED ConfigMap shop/a-copy #1',
    '2 ADDED ConfigMap shop/a #2',
    '2 ADDED ConfigMap shop/a-copy #2',
  ]);
  expect(ends).toHaveLength(4);
});

test('each kind of perturbation is in a table', () => {
  const played = [...faulty, ...faultyToo].map(([perturbation]) => perturbation.split(/[ :]/)[0]);
  expect(played.toSorted()).toEqual([...perturbationKinds].toSorted());
});

testFaulty(faulty);
testSound(sound);

test('operator that orders outside -> the call is a place, and is perturbed as a write', async () => {
  const { requests, unstable } = await lessonOf(ordersPaper);
  expect(unstable).toStrictEqual([]);
  expect(requests.filter(({ effect }) => effect === 'call')).toEqual([
    { place: 'call order a-copy #1', effect: 'call', step: 0 },
  ]);
});

testOrders(orders);
