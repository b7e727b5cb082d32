import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { connect } from '../../src/client/connect.ts';
import { createEventRecorder } from '../../src/events/event-recorder.ts';
import { createEventSink } from '../events/event-sink.ts';

const kubeConfig = (): never => {
  throw new Error('the kubeconfig is read');
};
const connectWith = (rate: object): unknown =>
  connect({ kubeConfig, registry: new Registry(), program: 'p', version: '0', ...rate });
const record = (rate: object): unknown =>
  createEventRecorder({
    client: createEventSink().client,
    app: 'p',
    logger: pino({ level: 'silent' }),
    ...rate,
  });

test.each([
  { owner: 'connect', option: 'qps', make: connectWith },
  { owner: 'connect', option: 'burst', make: connectWith },
  { owner: 'createEventRecorder', option: 'qps', make: record },
  { owner: 'createEventRecorder', option: 'burst', make: record },
])('$option NaN of $owner -> refused, with both names', ({ owner, option, make }) => {
  expect(() => make({ [option]: NaN })).toThrow(new RegExp(`^${owner}: ${option} is NaN; give `));
});

test('qps below 0 of connect -> no limit, as documented', () => {
  expect(() => connectWith({ qps: -1, burst: 0 })).toThrow('the kubeconfig is read');
});
