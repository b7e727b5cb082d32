import { startApiServer } from '@holdfast/testing';
import { claim, claimsIn, configMap, configMapsIn, mergePatchType, turnPatch } from './objects.ts';
import { warmUpOf } from './writes.ts';

/*
 * Writes to the embedded API server within its own process, without the network, so that only the server
 * itself is measured.
 */

export interface InProcessFigures {
  readonly creationsInProcessPerSecond: number;
  readonly patchesInProcessPerSecond: number;
}

const writes = Number(process.argv[2]);
process.once('disconnect', () => process.exit());
const server = await startApiServer({ tls: false });

async function send(method: string, path: string, body: unknown, contentType?: string): Promise<void> {
  const { code, body: answer } = await server.handle(method, path, JSON.stringify(body), contentType);
  if (code >= 300) {
    throw new Error(`${method} ${path} answered ${code}: ${answer}`);
  }
}

/** Returns the writes per second, after as many warm-up writes as over the network. */
async function rate(write: (turn: number) => Promise<void>): Promise<number> {
  const warmUp = warmUpOf(writes);
  let turn = 0;
  while (turn < warmUp) {
    await write(turn++);
  }
  const started = performance.now();
  while (turn < warmUp + writes) {
    await write(turn++);
  }
  return writes / ((performance.now() - started) / 1000);
}

const creationsInProcessPerSecond = await rate((turn) =>
  send('POST', configMapsIn('default'), configMap(`config-${turn}`)),
);
await send('POST', claimsIn('default'), claim('data'));
const patchesInProcessPerSecond = await rate((turn) =>
  send('PATCH', `${claimsIn('default')}/data`, turnPatch(turn), mergePatchType),
);
const figures: InProcessFigures = { creationsInProcessPerSecond, patchesInProcessPerSecond };
process.send?.(figures);
