import { execFileSync } from 'node:child_process';
import { accessSync, constants, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, posix, win32 } from 'node:path';
import { type KubernetesRelease, kubernetesReleases } from '../plane/kubernetes-release.ts';

/** The programs that a real control plane consists of. */
export const binaryNames = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl'] as const;
export type BinaryName = (typeof binaryNames)[number];

/** The environment variables that this module reads; `process.env` has the right type. */
export type Environment = Readonly<Record<string, string | undefined>>;

export type FoundBinaries =
  | {
      readonly found: true;
      /** The absolute path of the folder. The programs in it have their usual names. */
      readonly folder: string;
      readonly source: 'KUBEBUILDER_ASSETS' | 'cache';
    }
  | {
      readonly found: false;
      /** What is missing, where it was searched for, and what to do about it. */
      readonly reason: string;
    };

export interface FindBinariesOptions {
  /**
   * The release to look for. If left out: the default release, which $KUBEBUILDER_ASSETS replaces with
   * whatever version it holds. If given: $KUBEBUILDER_ASSETS is used only if its kube-apiserver is of that
   * release, and otherwise the cache.
   */
  readonly release?: KubernetesRelease | undefined;
  /**
   * The programs that must be there. Default: all. Some sources lack one: setup-envtest's archives have no
   * kube-controller-manager.
   */
  readonly needed?: readonly BinaryName[];
  /** Default: `process.env`. */
  readonly env?: Environment;
}

/**
 * Returns the folder that keeps built binaries: `holdfast/control-plane` in the user's cache folder. In it,
 * `<release>` is a link to the newest complete build of that release. Everything else there belongs to
 * `tools/control-plane`.
 */
export function controlPlaneCacheFolder(
  env: Environment = process.env,
  platform: NodeJS.Platform = process.platform,
  home: string = homedir(),
): string {
  const path = platform === 'win32' ? win32 : posix;
  return path.join(userCacheFolder(env, platform, home), 'holdfast', 'control-plane');
}

function userCacheFolder(env: Environment, platform: NodeJS.Platform, home: string): string {
  const path = platform === 'win32' ? win32 : posix;
  // The XDG base directory specification says to ignore a relative path.
  if (env['XDG_CACHE_HOME'] && path.isAbsolute(env['XDG_CACHE_HOME'])) {
    return env['XDG_CACHE_HOME'];
  }
  switch (platform) {
    case 'win32':
      return env['LOCALAPPDATA'] || path.join(home, 'AppData', 'Local');
    case 'darwin':
      return path.join(home, 'Library', 'Caches');
    default:
      return path.join(home, '.cache');
  }
}

/** Returns the names among `needed` that are not executable files in the folder. */
export function missingBinaries(folder: string, needed: readonly string[] = binaryNames): string[] {
  return needed.filter((name) => {
    try {
      accessSync(binaryPath(folder, name), constants.X_OK);
      return false;
    } catch {
      return true;
    }
  });
}

/** Returns the path of the program in the folder. */
export function binaryPath(folder: string, name: string): string {
  return join(folder, process.platform === 'win32' ? `${name}.exe` : name);
}

/**
 * Looks for the binaries of a real control plane: in $KUBEBUILDER_ASSETS if it is set, and otherwise in the
 * cache. Starts no build.
 */
export function findBinaries(options: FindBinariesOptions = {}): FoundBinaries {
  const { needed = binaryNames, env = process.env } = options;
  const release = options.release ?? kubernetesReleases[0];
  const assets = findAssets(options.release, needed, env);
  if (assets !== undefined) {
    return assets;
  }

  const link = join(controlPlaneCacheFolder(env), release);
  const build = `"npm run control-plane -- --release ${release}"`;
  let folder: string;
  try {
    // Resolved now: if a build replaces the link while a control plane runs, a restart must still use the
    // same binaries.
    folder = realpathSync(link);
  } catch {
    const passedOver = env['KUBEBUILDER_ASSETS'];
    return {
      found: false,
      reason: passedOver
        ? `no binaries of Kubernetes ${release}: not in KUBEBUILDER_ASSETS, ${passedOver}, ${whatItHolds(passedOver)}, nor at ${link}: build them with ${build} or set KUBEBUILDER_ASSETS to a folder with that release`
        : `no binaries of Kubernetes ${release} at ${link}: build them with ${build} or set KUBEBUILDER_ASSETS`,
    };
  }
  const missing = missingBinaries(folder, needed);
  if (missing.length === 0) {
    return { found: true, folder, source: 'cache' };
  }
  return {
    found: false,
    reason: `${folder} lacks ${missing.join(', ')}: remove that folder and run ${build}`,
  };
}

/**
 * Returns what $KUBEBUILDER_ASSETS provides; undefined if it is not set or holds a release other than the one
 * asked for. An incomplete folder is reported instead of being passed over, because a user who sets the
 * variable wants to know.
 */
export function findAssets(
  release: KubernetesRelease | undefined,
  needed: readonly BinaryName[],
  env: Environment,
): FoundBinaries | undefined {
  const folder = env['KUBEBUILDER_ASSETS'];
  if (!folder) {
    return undefined;
  }
  if (!isAbsolute(folder)) {
    return {
      found: false,
      reason: `KUBEBUILDER_ASSETS is "${folder}", a relative path: give an absolute one`,
    };
  }
  if (
    release !== undefined &&
    missingBinaries(folder, ['kube-apiserver']).length === 0 &&
    assetsRelease(folder) !== release
  ) {
    return undefined;
  }
  const missing = missingBinaries(folder, needed);
  if (missing.length > 0) {
    return {
      found: false,
      reason: `KUBEBUILDER_ASSETS is ${folder}, which lacks ${missing.join(', ')}: put them there, or unset it to use the cache`,
    };
  }
  return { found: true, folder, source: 'KUBEBUILDER_ASSETS' };
}

function whatItHolds(folder: string): string {
  const release = assetsRelease(folder);
  return release === undefined ? 'whose kube-apiserver does not say its release' : `which holds ${release}`;
}

/**
 * Returns `1.36` for a kube-apiserver whose version is `Kubernetes v1.36.3`; undefined if it prints no such
 * version.
 */
function assetsRelease(folder: string): string | undefined {
  try {
    const said = execFileSync(binaryPath(folder, 'kube-apiserver'), ['--version'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 10_000,
    });
    return /\bv(\d+\.\d+)\./.exec(said)?.[1];
  } catch {
    return undefined;
  }
}
