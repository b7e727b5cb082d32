import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startCsiDriver, type CsiDriver } from '@holdfast/testing';
import { json, type WatchEvent } from '../cluster-api.ts';
import { median } from '../median.ts';
import { appByDefault, withApp } from './app-run.ts';
import type { Trial, TrialFigure, TrialStage } from './trial.ts';
import { createVolume, isHeld, removeVolumes, volumesPath } from '../benchmarks/volumes.ts';

/** How many calls to one driver an app has in flight at once by default. */
const callsAtOnce = 10;

/** A driver that never answers may delay its own volumes, but no others. */
export const hangingDriver: Trial<'volumes' | 'others'> = {
  name: 'hanging-driver',
  summary: 'a CSI driver that never answers has released volumes; how long those of another driver wait',
  sizes: {
    volumes: { default: 1_000, description: 'released volumes of the driver that hangs' },
    others: {
      default: 20,
      description: 'volumes of the other that are bound, and as many that are released',
    },
  },
  apps: ['pv-reclaim-honor'],
  disabledAdmissionPlugins: ['StorageObjectInUseProtection'],
  async measure(stage, { volumes, others }) {
    const { api, folder } = stage.arena;
    const startDriver = (name: string): Promise<CsiDriver> =>
      startCsiDriver({
        name: `${name}.example.com`,
        folder: join(folder, name),
        socket: join(folder, `${name}.sock`),
      });
    const hanging = await startDriver('hanging');
    const healthy = await startDriver('healthy');
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    hanging.inject({ kind: 'hold', until: released });
    try {
      await removeVolumes(api);
      stage.say('the other driver alone');
      const alone = await serve(stage, hanging, healthy, others, 0);
      await removeVolumes(api);
      await Promise.all(
        Array.from({ length: volumes }, (_, index) =>
          createVolume(api, { name: `stuck-${String(index)}`, driver: hanging.name, phase: 'Released' }),
        ),
      );
      stage.say('beside the driver that hangs');
      const beside = await serve(stage, hanging, healthy, others, Math.min(callsAtOnce, volumes));
      return [...figuresOf('alone', alone), ...figuresOf('beside it', beside, 1_000)];
    } finally {
      release();
      await hanging.stop();
      await healthy.stop();
    }
  },
};

interface Waits {
  /** From bound to held, in milliseconds. */
  readonly held: readonly number[];
  /** From released to gone, including storage and object, in milliseconds. */
  readonly reclaimed: readonly number[];
}

function figuresOf(when: string, { held, reclaimed }: Waits, aim?: number): readonly TrialFigure[] {
  const limit = aim === undefined ? {} : { aim };
  return [
    { title: `held, ${when}: median`, value: median(held) ?? NaN, unit: 'milliseconds' },
    { title: `held, ${when}: slowest`, value: Math.max(...held), unit: 'milliseconds', ...limit },
    { title: `reclaimed, ${when}: median`, value: median(reclaimed) ?? NaN, unit: 'milliseconds' },
    { title: `reclaimed, ${when}: slowest`, value: Math.max(...reclaimed), unit: 'milliseconds', ...limit },
  ];
}

/** @param calls how many calls the hanging driver must have received before volumes of the other one come */
async function serve(
  stage: TrialStage,
  hanging: CsiDriver,
  healthy: CsiDriver,
  others: number,
  calls: number,
): Promise<Waits> {
  const { plane, api } = stage.arena;
  const program = appByDefault(stage.bundleOf('pv-reclaim-honor'), plane.kubeconfigFile, [
    '--leader-elect=false',
    '--host-path-root=none',
    `--csi-address=${hanging.address},${healthy.address}`,
  ]);
  const waiting = new Map<
    string,
    { readonly isDone: (event: WatchEvent) => boolean; readonly done: () => void }
  >();
  const watch = await api.watch(`${volumesPath}?watch=true&timeoutSeconds=86400`, json, (event) => {
    const one = waiting.get(event.object.metadata.name);
    if (one?.isDone(event) === true) {
      one.done();
    }
  });
  const timeUntil = async (name: string, isDone: (event: WatchEvent) => boolean): Promise<number> => {
    const done = new Promise<void>((resolve) => waiting.set(name, { isDone, done: resolve }));
    const { driver, phase } = name.startsWith('bound')
      ? ({ driver: healthy.name, phase: 'Bound' } as const)
      : ({ driver: healthy.name, phase: 'Released' } as const);
    await healthy.addVolume(name);
    const began = performance.now();
    await createVolume(api, { name, driver, phase });
    await Promise.race([done, watch.failed]);
    return performance.now() - began;
  };
  try {
    return await withApp(stage, program, async () => {
      const asked = hanging.deletions.length + calls;
      // The first volume of the other driver shows that the app has begun; it is not counted.
      await timeUntil('bound-first', ({ object }) => isHeld(object));
      while (hanging.deletions.length < asked) {
        await pause(20);
      }
      const held: number[] = [];
      const reclaimed: number[] = [];
      for (let index = 0; index < others; index++) {
        held.push(await timeUntil(`bound-${String(index)}`, ({ object }) => isHeld(object)));
        reclaimed.push(await timeUntil(`released-${String(index)}`, ({ type }) => type === 'DELETED'));
      }
      return { held, reclaimed };
    });
  } finally {
    watch.close();
  }
}
