import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  binaryNames,
  controlPlaneCacheFolder,
  findAssets,
  kubernetesReleases,
  type Environment,
  type KubernetesRelease,
} from '@holdfast/testing';
import { build } from './build.ts';
import { addEntry, cacheKey, readBuildInputs, useEntry } from './cache.ts';
import { withLock } from './lock.ts';
import { releases } from './releases.ts';
import { UnavailableError } from './unavailable-error.ts';

export interface EnsureOptions {
  /** Default: the default release, for which $KUBEBUILDER_ASSETS stands in whatever version it holds. */
  readonly release?: KubernetesRelease | undefined;
  readonly env: Environment;
  readonly signal: AbortSignal;
  /** Gets a line of progress now and then. */
  readonly report: (line: string) => void;
  /** The Go module; default that of this repository. */
  readonly goFolder?: string;
}

/**
 * A folder with etcd, kube-apiserver, kube-controller-manager and kubectl: $KUBEBUILDER_ASSETS when it is set, else the
 * cache, else the cache after a build.
 *
 * @throws UnavailableError when $KUBEBUILDER_ASSETS is incomplete, or Go is missing or too old
 * @throws the signal's reason when it is aborted; an Error with the end of Go's output when the build fails
 */
export async function ensureBinaries(options: EnsureOptions): Promise<string> {
  const { env, signal, report, goFolder = join(import.meta.dirname, '..', 'go') } = options;
  const release = releases[options.release ?? kubernetesReleases[0]];

  const assets = findAssets(options.release, binaryNames, env);
  if (assets?.found === true) {
    return assets.folder;
  }
  if (assets?.found === false) {
    throw new UnavailableError(assets.reason);
  }
  if (env['KUBEBUILDER_ASSETS']) {
    report(
      `KUBEBUILDER_ASSETS is ${env['KUBEBUILDER_ASSETS']}, which is not Kubernetes ${release.name}: passed over`,
    );
  }

  const cache = controlPlaneCacheFolder(env);
  const folder = join(cache, release.name);
  const key = cacheKey(await readBuildInputs(release, goFolder));
  if (await useEntry(cache, release, key)) {
    return folder;
  }

  await mkdir(cache, { recursive: true });
  const onWait = (pid: number): void =>
    report(`process ${pid} is building Kubernetes ${release.name}: waiting for it`);
  await withLock(join(cache, `${release.name}.lock`), { signal, onWait }, async () => {
    if (await useEntry(cache, release, key)) {
      return;
    }
    await addEntry(cache, release, key, (into) => build(release, goFolder, into, { env, signal, report }));
  });
  return folder;
}
