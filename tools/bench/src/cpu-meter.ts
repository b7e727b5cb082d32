import { cpus } from 'node:os';
import { processUsage } from '@holdfast/testing';
import type { Figures } from './figures.ts';

type Around = Pick<Figures, 'apiServerCpuSeconds' | 'benchCpuSeconds' | 'elsewhereCpuSeconds'>;

/**
 * Measures the CPU time of everything but the contestant, from now on.
 *
 * @returns a function that takes the contestant's CPU time and returns the other times until it is called
 */
export async function startCpuMeter(
  apiServerPid: number,
): Promise<(contestantCpuSeconds: number) => Promise<Around>> {
  const before = await readMeters(apiServerPid);
  return async (contestantCpuSeconds) => {
    const after = await readMeters(apiServerPid);
    const apiServerCpuSeconds = after.apiServer - before.apiServer;
    const benchCpuSeconds = after.bench - before.bench;
    const machine = after.machine - before.machine;
    return {
      apiServerCpuSeconds,
      benchCpuSeconds,
      // The clocks are not read at exactly the same moment.
      elsewhereCpuSeconds: Math.max(
        0,
        machine - contestantCpuSeconds - apiServerCpuSeconds - benchCpuSeconds,
      ),
    };
  };
}

async function readMeters(
  apiServerPid: number,
): Promise<{ readonly apiServer: number; readonly bench: number; readonly machine: number }> {
  const { user, system } = process.cpuUsage();
  return {
    apiServer: (await processUsage(apiServerPid)).cpuSeconds,
    bench: (user + system) / 1e6,
    machine:
      cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0) / 1e3,
  };
}
