import { arch, availableParallelism, cpus, loadavg, release, totalmem } from 'node:os';
import { inMebibytes } from './figures.ts';

/** What the figures depend on apart from the contestants. */
export interface Machine {
  readonly cores: number;
  readonly processor: string;
  readonly memoryBytes: number;
  /** The version of Linux. */
  readonly kernel: string;
  readonly node: string;
  /** The version of the API server and kube-controller-manager. */
  readonly kubernetes: string;
  /** The average number of runnable processes in the last minute, before the control plane was started. */
  readonly load: number;
}

export function readMachine(kubernetes: string, load: number): Machine {
  return {
    cores: availableParallelism(),
    processor: cpus()[0]?.model ?? arch(),
    memoryBytes: totalmem(),
    kernel: release(),
    node: process.version,
    kubernetes,
    load,
  };
}

/** Returns the average over the last minute. */
export function currentLoad(): number {
  return loadavg()[0] ?? 0;
}

export function machineLine({
  cores,
  processor,
  memoryBytes,
  kernel,
  node,
  kubernetes,
  load,
}: Machine): string {
  return `${String(cores)} cores (${processor}), ${inMebibytes(memoryBytes)}, Linux ${kernel}, Node ${node}, Kubernetes ${kubernetes}, load before ${load.toFixed(2)}`;
}
