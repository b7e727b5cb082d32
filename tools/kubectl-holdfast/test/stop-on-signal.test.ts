import { EventEmitter } from 'node:events';
import { expect, test } from '@jest/globals';
import { stopOnSignal } from '../src/uninstall/stop-on-signal.ts';

test.each([
  ['SIGINT', 'Ctrl-C'],
  ['SIGTERM', 'SIGTERM'],
])('%s -> stops after the step, and whatever comes next ends the process', (signal, name) => {
  const process = new EventEmitter();
  const said: string[] = [];
  const stop = new AbortController();
  stopOnSignal(process, (text) => said.push(text), stop);
  process.emit(signal, signal);
  expect(stop.signal.reason).toEqual(new Error(`stopped by ${name}; run it again to go on`));
  expect(said).toEqual([`stopping after this step; ${name} again stops in the middle of it`]);
  expect(process.eventNames()).toStrictEqual([]);
});
