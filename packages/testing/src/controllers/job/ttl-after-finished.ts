import { isTerminating, jobs, objectKey, parseKey, type Job } from '@holdfast/core';
import { ApiError } from '../api-client.ts';
import type { Controller } from '../controller.ts';
import { finishOf } from './job.ts';

/**
 * Stands in for kube-controller-manager's ttl-after-finished-controller. It deletes each Job, after the Job's
 * pods, `ttlSecondsAfterFinished` after the Job has finished.
 */
export const ttlAfterFinished: Controller = {
  name: 'ttl-after-finished-controller',
  async setUp({ client, now, watch }) {
    const cache = await watch(jobs, ({ object }) => [objectKey(object)]);
    return async (key) => {
      const job = cache.get(key);
      const left = job === undefined ? undefined : timeLeft(job, now());
      if (left === undefined) {
        return undefined;
      }
      if (left > 0) {
        return { deadlineIn: left };
      }
      // `ttlSecondsAfterFinished` might have changed a moment ago.
      const live = await client.get(jobs, parseKey(key));
      if (live !== undefined && (timeLeft(live, now()) ?? 1) <= 0) {
        const { uid, resourceVersion } = live.metadata;
        try {
          await client.delete(jobs, parseKey(key), {
            propagationPolicy: 'Foreground',
            preconditions: { uid, resourceVersion },
          });
        } catch (error) {
          if (!(error instanceof ApiError) || error.code !== 404) {
            throw error;
          }
        }
      }
      return undefined;
    };
  },
};

/** Returns the milliseconds left, 0 or less if the time is over; undefined for a Job that stays. */
function timeLeft(job: Job, now: number): number | undefined {
  const { ttlSecondsAfterFinished } = job.spec ?? {};
  const ended = finishOf(job)?.lastTransitionTime;
  return ttlSecondsAfterFinished === undefined || ended === undefined || isTerminating(job)
    ? undefined
    : Date.parse(ended) + ttlSecondsAfterFinished * 1000 - now;
}
