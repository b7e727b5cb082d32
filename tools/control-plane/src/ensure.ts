import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  binaryNames,
  controlPlaneCacheFolder,
  findAssets,
  kubernetesReleases,
  type Environment,
  type KubernetesRelease,
} from '@holdfast/testing/binaries';
import { build } from './build.ts';
import { addEntry, cacheKey, readBuildInputs, useEntry } from './cache.ts';
import { kubernetesBuild, toolBuild, toolsCacheFolder, type GoBuild } from './go-build.ts';
import { withLock } from './lock.ts';
import { releases } from './releases.ts';
import { toolSets, type ToolSetName } from './tool-sets.ts';
import { UnavailableError } from './unavailable-error.ts';

export interface EnsureOptions {
  readonly env: Environment;
  readonly signal: AbortSignal;
  /** Called with a line of progress at intervals. */
  readonly report: (line: string) => void;
  /** The folder of the Go modules; default those of this repository. */
  readonly goFolder?: string;
}

export interface EnsureBinariesOptions extends EnsureOptions {
  /** Default: the default release, for which $KUBEBUILDER_ASSETS is accepted in whatever version it holds. */
  readonly release?: KubernetesRelease | undefined;
}

/**
 * Returns a folder with etcd, kube-apiserver, kube-controller-manager and kubectl: $KUBEBUILDER_ASSETS if it
 * is set, otherwise the cache, after a build if necessary.
 *
 * @throws UnavailableError if $KUBEBUILDER_ASSETS is incomplete, or Go is missing or too old
 * @throws the signal's reason if it is aborted; an Error with the end of Go's output if the build fails
 */
export async function ensureBinaries(options: EnsureBinariesOptions): Promise<string> {
  const { env, report, goFolder } = options;
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
  return ensureBuild(kubernetesBuild(release, goFolder), controlPlaneCacheFolder(env), options);
}

/**
 * Returns a folder with the programs of a set of tools: the cache, after a build if necessary.
 *
 * @throws UnavailableError if Go is missing or too old
 * @throws the signal's reason if it is aborted; an Error with the end of Go's output if the build fails
 */
export async function ensureTools(name: ToolSetName, options: EnsureOptions): Promise<string> {
  return ensureBuild(toolBuild(toolSets[name], options.goFolder), toolsCacheFolder(options.env), options);
}

async function ensureBuild(what: GoBuild, cache: string, options: EnsureOptions): Promise<string> {
  const { env, signal, report } = options;
  const folder = join(cache, what.name);
  const key = cacheKey(await readBuildInputs(what));
  if (await useEntry(cache, what, key)) {
    return folder;
  }

  await mkdir(cache, { recursive: true });
  const onWait = (pid: number): void => report(`process ${pid} is building ${what.title}: waiting for it`);
  await withLock(join(cache, `${what.name}.lock`), { signal, onWait }, async () => {
    if (await useEntry(cache, what, key)) {
      return;
    }
    await addEntry(cache, what, key, (into) => build(what, into, { env, signal, report }));
  });
  return folder;
}
