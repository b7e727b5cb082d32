import { writeOverlay } from '../kustomize.ts';

/**
 * The older release differs from the newer one in its image tags, and lacks a gate of it where the form can set one.
 */
export type State = 'older' | 'newer' | 'newer, gate off';

/** Where an installation is put. */
export interface Place {
  readonly namespace: string;
  /** For kustomizations and other files. */
  readonly folder: string;
  readonly kubectl: (args: readonly string[], input?: string) => Promise<string>;
  /** A file. */
  readonly kubeconfig: string;
}

/** How one takes an installation to the cluster, and away again. */
export interface Form {
  readonly form: string;
  /** Why this form can't be had here; undefined when it can. */
  readonly missing?: string | undefined;
  readonly apply: (place: Place, state: State) => Promise<void>;
  /** Takes the older release back. Default: applies it again. */
  readonly rollBack?: (place: Place) => Promise<void>;
  /** Ends the names of all that belongs to pv-reclaim-honor, of which there is one for each driver. */
  readonly ofDriver: string;
  /** Whether the newer release turns a gate on. */
  readonly hasGate: boolean;
  /** Objects of the newer release that going back to the older one leaves. */
  readonly surplus: readonly string[];
  /** Puts the Jobs in the place of the controllers, whose processes have ended, and has each run. */
  readonly leave: (place: Place, run: RunJob) => Promise<void>;
  /** Takes away all that is left, when the Jobs have completed. */
  readonly remove: (place: Place) => Promise<void>;
}

/** Runs what the Job of an app calls for under this account, and expects it to end with 0. */
export type RunJob = (app: Leaving, account: string) => Promise<void>;

export type Leaving = (typeof leaving)[number];

/** The apps that put something on objects, each with a Job that takes it back. */
export const leaving = ['pvc-protection', 'statefulset-pvc-retention', 'pv-reclaim-honor'] as const;

/** The Job of deploy/<controller>/uninstall. */
export async function runUninstallJob(
  { namespace, folder, kubectl }: Pick<Place, 'namespace' | 'folder' | 'kubectl'>,
  app: Leaving,
  run: RunJob,
): Promise<void> {
  const own = await writeOverlay(folder, { resources: [`${app}/uninstall`], namespace });
  await kubectl(['apply', '--validate=strict', '-k', own]);
  await run(app, app === 'statefulset-pvc-retention' ? app : `${app}-uninstall`);
}

export async function removeJobs(
  { namespace, folder, kubectl }: Place,
  apps: readonly Leaving[],
): Promise<void> {
  for (const app of apps) {
    await kubectl([
      'delete',
      '-k',
      await writeOverlay(folder, { resources: [`${app}/uninstall`], namespace }),
    ]);
  }
}
