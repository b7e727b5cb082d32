import type { Benchmark } from '../benchmark.ts';

/** Compares not the work but the start of an app with that of kube-controller-manager with one controller. */
export const startComparison = {
  name: 'start',
  summary:
    'each app beside kube-controller-manager with one controller: from the process to the lease and to ready',
  sizes: {},
} as const satisfies Pick<Benchmark, 'name' | 'summary' | 'sizes'>;

/** An app, and its counterpart in kube-controller-manager. */
export interface Pair {
  /** The folder below `apps/`. */
  readonly app: string;
  /** As in kube-controller-manager's `--controllers`. */
  readonly controller: string;
}

export const pairs: readonly Pair[] = [
  { app: 'pvc-protection', controller: 'persistentvolumeclaim-protection-controller' },
  { app: 'statefulset-pvc-retention', controller: 'statefulset-controller' },
  { app: 'pv-reclaim-honor', controller: 'persistentvolume-binder-controller' },
  { app: 'retroactive-default-sc', controller: 'persistentvolume-binder-controller' },
];
