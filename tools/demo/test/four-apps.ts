import { eventually, startApp, type AppProcess } from '@holdfast/scenario';

export const appNames = [
  'pvc-protection',
  'retroactive-default-sc',
  'statefulset-pvc-retention',
  'pv-reclaim-honor',
] as const;

export type AppName = (typeof appNames)[number];

/** One of the four, as a process of its own: the bundle that is shipped. */
export interface RunningApp {
  readonly name: AppName;
  readonly process: AppProcess;
  /** Where it serves what it logged so: `metrics`, `webhook`. */
  address(purpose: string): Promise<string>;
  /** What it exports now. */
  metrics(): Promise<string>;
  /** SIGTERM; resolves with how it ended. */
  stop(): Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
}

export function runApp(name: AppName, args: readonly string[]): RunningApp {
  const process = startApp(name, [
    ...args,
    '--metrics-bind-address=127.0.0.1:0',
    '--health-probe-bind-address=0',
  ]);
  let hasEnded = false;
  void process.exit.then(() => (hasEnded = true));
  const address = async (purpose: string): Promise<string> => {
    const logged = new RegExp(`"purpose":"${purpose}","address":"([^"]+)"`);
    const find = (): string | undefined => logged.exec(process.stderr())?.[1];
    await eventually(`${name} serves its ${purpose}`, () => {
      if (hasEnded) {
        throw new Error(`${name} has ended by itself (is apps/${name}/dist built?): ${process.stderr()}`);
      }
      return find() !== undefined;
    });
    return find() ?? '';
  };
  return {
    name,
    process,
    address,
    metrics: async () => (await fetch(`http://${await address('metrics')}/metrics`)).text(),
    stop: () => {
      process.kill('SIGTERM');
      return process.exit;
    },
  };
}

/** The lines of one metric, without those of its comments. */
export function samplesOf(metrics: string, name: string): readonly string[] {
  return metrics.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
}
