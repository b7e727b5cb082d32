import {
  boundedFields,
  createApiClient,
  createClientMetrics,
  createEventRecorder,
  runControllers,
  serializeError,
  type ApiClient,
} from '@holdfast/runtime';
import { createFakeClock, settled } from '@holdfast/testing/fake-clock';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createApp } from './apps.ts';
import { deviate } from './deviation.ts';
import { objectIn, type Mutable } from './json.ts';
import { createOddServer, type OddServer, type Write } from './odd-server.ts';
import type { World, WorldInput } from './worlds/world.ts';

/**
 * An app that neither spins nor floods its log stays far below these limits, in the minutes that a world
 * lasts.
 */
const limits = { requests: 1_500, logged: 256 * 1024, line: 64 * 1024 } as const;

/** How long each part of a world lasts, in milliseconds of its own clock, and in how many steps. */
const part = { duration: 30_000, steps: 6 } as const;

/** How many times to check for effects that take real time. */
const patience = 4_000;

const start = Date.UTC(2026, 0, 2);

/**
 * Plays an app in a world with odd objects: the app starts, users do what tempts it to do harm, minutes pass,
 * and the app ends.
 *
 * @throws Error that names a forbidden action or a missing one; also if a process would have ended, does not
 *   come to rest, or logs without end
 */
export async function playWorld(world: World, { odd, when }: WorldInput): Promise<void> {
  const wrongs: string[] = [];
  const wrong = (words: string | undefined): void => {
    if (words !== undefined && !wrongs.includes(words)) {
      wrongs.push(words);
    }
  };
  const server = createOddServer((write) => {
    wrong(wrongOfEvent(write));
    wrong(world.wrongIn(write));
  });
  const strange = new Map(odd.map(({ location, deviations }) => [location, deviations]));
  for (const [location, { object }] of world.inhabitants) {
    const deviations = when === 'listed' ? (strange.get(location) ?? []) : [];
    server.put(location, deviate(versioned(object, server), deviations));
  }

  const clock = createFakeClock(1_000);
  const date = (): Date => new Date(start + clock.now());
  let logged = 0;
  const logger = pino(
    { base: null, level: 'info', serializers: { err: serializeError }, formatters: { log: boundedFields } },
    {
      write: (line: string) => {
        logged += line.length;
        if (line.length > limits.line) {
          wrong(`a line of ${String(line.length)} characters was logged: ${line.slice(0, 200)}`);
        }
      },
    },
  );
  const registry = new Registry();
  const connect = (dryRun: boolean): ApiClient =>
    createApiClient({
      transport: server.transport,
      credentials,
      metrics: createClientMetrics(registry, 'odd'),
      clock,
      userAgent: 'fuzz',
      dryRun,
    });
  const client = connect(false);
  const events = createEventRecorder({ client, app: world.app, logger, clock, now: date, qps: 0 });
  const parts = createApp[world.app]({
    client,
    dryClient: connect(true),
    logger,
    registry,
    events,
    clock,
    date,
    root: world.root,
  });
  const [stop, abandon, watching] = [new AbortController(), new AbortController(), new AbortController()];
  const died = (error: unknown): void => wrong(`the process would have ended: ${describe(error)}`);
  process.on('unhandledRejection', died);
  process.on('uncaughtException', died);
  const recording = events.run(watching.signal);
  parts.informers.forEach((informer) => informer.holdHandlers());
  const following = Promise.all(parts.informers.map((informer) => informer.run(watching.signal)));
  const working = runControllers(parts, stop.signal, abandon.signal);

  const pass = async (): Promise<void> => {
    for (let step = 0; step < part.steps && wrongs.length === 0; step++) {
      await clock.advance(part.duration / part.steps);
      if (world.needsTime === true) {
        await new Promise((resolve) => setTimeout(resolve, 3));
      }
      if (server.requests > limits.requests) {
        wrong(`it does not come to rest: ${String(server.requests)} requests`);
      }
    }
  };
  /** Effects on files take real time. */
  const stillOwed = async (): Promise<string | undefined> => {
    const owed = (): string | undefined => world.owed(server.objects, new Set(strange.keys()));
    for (let tries = 0; world.needsTime === true && owed() !== undefined && tries < patience; tries++) {
      await clock.advance(500);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return owed();
  };
  try {
    await pass();
    if (when === 'watched') {
      for (const [location, deviations] of strange) {
        const known = server.objects.get(location);
        if (known !== undefined) {
          server.put(location, deviate(versioned(known, server), deviations));
        }
      }
      await pass();
    }
    world.tempt(server);
    await pass();
    await pass();
    wrong(world.wrongOutside?.(server.objects));
    if (wrongs.length === 0) {
      wrong(await stillOwed());
    }
    if (logged > limits.logged) {
      wrong(`${String(logged)} characters were logged`);
    }
  } finally {
    stop.abort(new Error('the world ends'));
    abandon.abort(new Error('the world ends'));
    watching.abort(new Error('the world ends'));
    await ending(clock, Promise.all([working, following, recording]), world.needsTime === true ? 5 : 0);
    process.off('unhandledRejection', died);
    process.off('uncaughtException', died);
    world.close();
  }
  if (wrongs.length > 0) {
    throw new Error(wrongs.join('\n'));
  }
}

const credentials = {
  fresh: () => ({ headers: {}, tls: {} }),
  get: () => Promise.reject(new Error('they are always fresh')),
  renew: () => undefined,
};

/** Gives the object a version that the server has not used yet. */
function versioned(object: Readonly<Mutable>, server: OddServer): Mutable {
  const copy = structuredClone(object) as Mutable;
  const metadata = objectIn(copy['metadata']) as Mutable | undefined;
  if (metadata !== undefined) {
    metadata['resourceVersion'] = server.nextVersion();
  }
  return copy;
}

/** Advances the clock for whatever waits for a delay at the end. */
async function ending(
  clock: ReturnType<typeof createFakeClock>,
  all: Promise<unknown>,
  pause: number,
): Promise<void> {
  let isOver = false as boolean;
  void all.finally(() => {
    isOver = true;
  });
  for (let tries = 0; !isOver; tries++) {
    if (tries === 2_000) {
      throw new Error('the app does not end');
    }
    await clock.advance(1_000);
    await (pause === 0 ? settled() : new Promise((resolve) => setTimeout(resolve, pause)));
  }
}

/** The API server refuses an Event whose note exceeds 1,024 bytes. */
function wrongOfEvent({ verb, location, after }: Write): string | undefined {
  if (verb !== 'create' || !location.startsWith('events')) {
    return undefined;
  }
  const note = after?.['note'];
  return typeof note !== 'string' || Buffer.byteLength(note) > 1024
    ? `an Event has a note of ${String(typeof note === 'string' ? Buffer.byteLength(note) : typeof note)} bytes`
    : undefined;
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
