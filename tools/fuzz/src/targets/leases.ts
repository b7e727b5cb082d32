import type { JsonPatch } from '@holdfast/core';
import {
  createApiClient,
  createClientMetrics,
  createLeaderElectionMetrics,
  runLeaderElection,
  serializeError,
} from '@holdfast/runtime';
import { createFakeClock } from '@holdfast/testing/fake-clock';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { serveBytes, type Answer } from '../bytes-server.ts';
import { deviate, type Deviation } from '../deviation.ts';
import { deviationsOf } from '../deviations-of.ts';
import { applyPatch } from '../json-patch.ts';
import { objectIn, type Mutable } from '../json.ts';
import type { Schema, Schemas } from '../openapi.ts';
import type { Target } from '../target.ts';

interface LeaseInput {
  /** The deviations of the Lease that another process renews. */
  readonly deviations: readonly Deviation[];
}

const microTime: Schema = { type: 'string', format: 'date-time' };

/** `coordination.k8s.io/v1` LeaseSpec, limited to what an election uses. */
const spec: Schema = {
  type: 'object',
  properties: {
    holderIdentity: { type: 'string' },
    leaseDurationSeconds: { type: 'integer' },
    leaseTransitions: { type: 'integer' },
    preferredHolder: { type: 'string' },
    strategy: { type: 'string' },
    acquireTime: microTime,
    renewTime: microTime,
  },
};

const us = 'us';
/** In milliseconds; the other process renews as often as ours tries. */
const [leaseDuration, retryPeriod] = [15_000, 2_000];

const lease = (version: number): Mutable => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'lock', namespace: 'ops', uid: 'u', resourceVersion: String(version) },
  spec: {
    holderIdentity: 'other',
    leaseDurationSeconds: 15,
    leaseTransitions: 1,
    acquireTime: '2026-01-01T00:00:00.000000Z',
    renewTime: new Date(Date.UTC(2026, 0) + version * 1_000).toISOString(),
  },
});

/**
 * A candidate for a Lease that another process holds and renews. The spec is odd, and after a minute the
 * renewals stop. Our candidate must not take the Lease before the spec has stayed unchanged for the duration
 * in it, or for our own duration if that cannot be read; after that, it must take it.
 */
export function leases(schemas: Schemas): Target<LeaseInput> {
  return {
    name: 'leases',
    input: deviationsOf({ spec: lease(1)['spec'] }, { type: 'object', properties: { spec } }, schemas).map(
      (deviations) => ({ deviations }),
    ),
    play: async ({ deviations }) => {
      const clock = createFakeClock();
      const wrongs = new Set<string>();
      let version = 1;
      let changed = clock.now();
      let stored = odd(version, deviations);
      let requests = 0;
      let logged = 0;

      const serve = ({ method, body }: { readonly method: string; readonly body?: string }): Answer => {
        requests += 1;
        if (method === 'GET') {
          return { body: JSON.stringify(stored) };
        }
        const after = applyPatch(stored, JSON.parse(body ?? '[]') as JsonPatch);
        if (after === undefined) {
          return {
            status: 422,
            body: JSON.stringify({
              kind: 'Status',
              reason: 'Invalid',
              message: 'the server rejected our request due to an error in our request',
            }),
          };
        }
        const waited = clock.now() - changed;
        const kept = keptFor(stored);
        if (waited < kept) {
          wrongs.add(`taken after ${String(waited)} ms from one who may keep it for ${String(kept)} ms`);
        }
        version += 1;
        changed = clock.now();
        stored = { ...after, metadata: lease(version)['metadata'] };
        return { body: JSON.stringify(stored) };
      };
      const registry = new Registry();
      const logger = pino(
        { base: null, serializers: { err: serializeError } },
        {
          write: (line: string) => {
            logged += line.length;
          },
        },
      );
      let term: 'none' | 'begun' = 'none';
      const leads = (): boolean => term === 'begun';
      const stop = new AbortController();
      const died = (error: unknown): void =>
        void wrongs.add(`the process would have ended: ${String(error)}`);
      process.on('unhandledRejection', died);
      process.on('uncaughtException', died);
      const ended = runLeaderElection(
        {
          client: createApiClient({
            transport: serveBytes(serve),
            credentials: {
              fresh: () => ({ headers: {}, tls: {} }),
              get: () => Promise.resolve({ headers: {}, tls: {} }),
              renew: () => undefined,
            },
            metrics: createClientMetrics(registry, 'odd'),
            clock,
            userAgent: 'fuzz',
          }),
          namespace: 'ops',
          name: 'lock',
          identity: us,
          leaseDuration,
          renewDeadline: 10_000,
          retryPeriod,
          clock,
          logger,
          metrics: createLeaderElectionMetrics(registry, 'lock'),
        },
        async (lost) => {
          term = 'begun';
          const over = AbortSignal.any([lost, stop.signal]);
          await new Promise((resolve) => over.addEventListener('abort', resolve, { once: true }));
        },
        stop.signal,
      );
      for (let passed = 0; passed < 60_000 && !leads(); passed += retryPeriod) {
        await clock.advance(retryPeriod);
        if (holderOf(stored) !== us) {
          version += 1;
          const renewed = odd(version, deviations);
          // A write that does not change the spec is no renewal.
          if (JSON.stringify(renewed['spec']) !== JSON.stringify(stored['spec'])) {
            changed = clock.now();
          }
          stored = renewed;
        }
      }
      const lasts = durationOf(stored);
      if (lasts < 600_000 && !leads()) {
        await clock.advance(lasts + 60_000);
        if (!leads()) {
          wrongs.add('not taken from one who is gone');
        }
      }
      stop.abort(new Error('the election is over'));
      await clock.advance(60_000);
      await ended;
      process.off('unhandledRejection', died);
      process.off('uncaughtException', died);
      if (requests > 1_000 || logged > 256 * 1024) {
        wrongs.add(`${String(requests)} requests, ${String(logged)} characters logged`);
      }
      if (wrongs.size > 0) {
        throw new Error([...wrongs].join('\n'));
      }
    },
  };
}

/** The object as it arrives over the network. */
function odd(version: number, deviations: readonly Deviation[]): Mutable {
  return JSON.parse(JSON.stringify(deviate(lease(version), deviations))) as Mutable;
}

function holderOf(object: Mutable): unknown {
  return objectIn(object['spec'])?.['holderIdentity'];
}

/** For how many milliseconds after its last change no other process may take the lease. */
function keptFor(object: Mutable): number {
  const holder = holderOf(object);
  return typeof holder !== 'string' || holder === '' || holder === us ? 0 : durationOf(object);
}

/** How many milliseconds the lease lasts. */
function durationOf(object: Mutable): number {
  const seconds = objectIn(object['spec'])?.['leaseDurationSeconds'];
  return Number.isInteger(seconds) && Number(seconds) > 0 ? Number(seconds) * 1_000 : leaseDuration;
}
