/** What is done to the replicas and their surroundings. */
export type Hostility =
  /** Stops a process for a second. */
  | { readonly kind: 'freeze'; readonly replica: string }
  | { readonly kind: 'stall'; readonly replica: string }
  | { readonly kind: 'reset'; readonly replica: string }
  | { readonly kind: 'halfOpen'; readonly replica: string }
  | { readonly kind: 'slow'; readonly replica: string }
  /** The next writes of both replicas take effect but are not answered. */
  | { readonly kind: 'loseAnswers'; readonly app: string }
  /** Requests of both replicas are answered with 429. */
  | { readonly kind: 'storm'; readonly app: string }
  /** The credential plugin of a replica that has one hangs. */
  | { readonly kind: 'pluginHangs'; readonly replica: string }
  /** The credentials of a replica are replaced, and the old ones become invalid at the same moment. */
  | { readonly kind: 'rotate'; readonly replica: string }
  /** The leader is cut off for longer than its lease lasts. */
  | { readonly kind: 'cutOffLeader'; readonly app: string }
  /** The leader's process is stopped for longer than its lease lasts, and continued afterwards. */
  | { readonly kind: 'freezeLeader'; readonly app: string }
  | { readonly kind: 'driverCrash' }
  | { readonly kind: 'driverFails' }
  | { readonly kind: 'driverSlow' }
  | { readonly kind: 'restartApiServer' };

export interface PlannedHostility {
  /** Milliseconds since the run began. */
  readonly at: number;
  readonly hostility: Hostility;
}

export interface Scene {
  readonly apps: readonly string[];
  /**
   * The names of the replicas, the names of those with a credential plugin, and the source of random choices.
   */
  readonly replicas: readonly string[];
  readonly withPlugin: readonly string[];
  readonly random: () => number;
}

const minute = 60_000;
const rotationInterval = 40_000;

/**
 * Plans what is done, and when. Each minute a random replica is frozen, another one is stalled, and so on.
 * Every tenth minute one app's leader is cut off, and every tenth minute one is frozen, for longer than a
 * lease lasts. These are rare because each of them costs a process, and a process has to live for a while to
 * show that it does not grow.
 */
export function hostilitiesOf(duration: number, scene: Scene): readonly PlannedHostility[] {
  const { apps, replicas, withPlugin, random } = scene;
  const one = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
  const planned: PlannedHostility[] = [];
  const plan = (at: number, hostility: Hostility): void => {
    if (at < duration) {
      planned.push({ at, hostility });
    }
  };
  for (let index = 0; index * minute < duration; index++) {
    const start = index * minute;
    const replica = (): string => one(replicas);
    const app = (shift: number): string => apps[(Math.floor(index / 10) + shift) % apps.length] ?? '';
    plan(start + 5_000, { kind: 'freeze', replica: replica() });
    plan(start + 14_000, { kind: 'reset', replica: replica() });
    plan(start + 31_000, { kind: 'halfOpen', replica: replica() });
    plan(start + 40_000, { kind: 'slow', replica: replica() });
    plan(start + 50_000, { kind: 'loseAnswers', app: one(apps) });
    if (index % 10 === 1) {
      plan(start + 20_000, { kind: 'cutOffLeader', app: app(0) });
    } else if (index % 10 === 6) {
      plan(start + 20_000, { kind: 'freezeLeader', app: app(2) });
    } else {
      plan(start + 10_000, { kind: 'stall', replica: replica() });
      plan(start + 20_000, { kind: 'storm', app: one(apps) });
    }
    if (index % 5 === 2) {
      plan(start + 55_000, { kind: 'pluginHangs', replica: one(withPlugin) });
    }
    const kinds = ['driverSlow', 'driverFails', 'driverCrash'] as const;
    plan(start + 57_000, { kind: kinds[index % kinds.length] ?? 'driverSlow' });
  }
  for (let at = rotationInterval; at < duration; at += rotationInterval) {
    const turn = at / rotationInterval - 1;
    plan(at, { kind: 'rotate', replica: replicas[turn % replicas.length] ?? '' });
  }
  for (const quarter of [1, 2, 3]) {
    plan((duration * quarter) / 4, { kind: 'restartApiServer' });
  }
  return planned.toSorted((a, b) => a.at - b.at);
}
