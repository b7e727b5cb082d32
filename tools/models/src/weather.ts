import type { FaultPlan } from '@holdfast/testing';

export const weathers = ['slow requests', 'lost answers', 'stale watches', 'silent watches', 'calm'] as const;

/** Sets the faults that the controllers meet from now on; stand-ins and users meet none. */
export function setWeather(faults: FaultPlan, weather: (typeof weathers)[number]): void {
  faults.clear();
  const watch = { userAgent: ours, verb: 'watch' } as const;
  const writes = { userAgent: ours, verb: ['patch', 'delete'] } as const;
  switch (weather) {
    case 'slow requests':
      faults.on(
        { userAgent: ours, verb: ['get', 'list', 'patch', 'delete'] },
        { kind: 'delay', milliseconds: 8 },
        half,
      );
      break;
    case 'lost answers':
      faults.on(writes, { kind: 'reset', when: 'after' }, half);
      break;
    case 'stale watches':
      faults.on(watch, { kind: 'stale', behind: 8 }, half).on(watch, { kind: 'duplicateEvents' }, half);
      break;
    case 'silent watches':
      faults.on(watch, { kind: 'stallWatch', afterEvents: 1 }, half);
      break;
    case 'calm':
      break;
  }
}

/** Matches the user agents of our four controllers. */
const ours = /^(pvc-protection|statefulset-pvc-retention|pv-reclaim-honor|retroactive-default-sc)\//;

const half = { probability: 0.5 } as const;
