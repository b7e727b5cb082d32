import { execFileSync } from 'node:child_process';
import { accessSync, constants, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, posix, win32 } from 'node:path';
import { type KubernetesRelease, kubernetesReleases } from '../plane/kubernetes-release.ts';

/** The programs a real control plane is made of. */
export const binaryNames = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl'] as const;
export type BinaryName = (typeof binaryNames)[number];

/** The environment variables read here; `process.env` fits. */
export type Environment = Readonly<Record<string, string | undefined>>;

export type FoundBinaries =
  | {
      readonly found: true;
      /** Absolute folder; the programs in it bear their own names. */
      readonly folder: string;
      readonly source: 'KUBEBUILDER_ASSETS' | 'cache';
    }
  | {
      readonly found: false;
      /** What is missing, where it was looked for, and what to do. */
      readonly reason: string;
    };

export interface FindBinariesOptions {
  /**
   * Not given: the default release, for which $KUBEBUILDER_ASSETS stands in whatever version it holds. Given:
   * $KUBEBUILDER_ASSETS counts only where its kube-apiserver is of that release, else the cache is asked.
   */
  readonly release?: KubernetesRelease | undefined;
  /** Default: all. setup-envtest's archives, for one, carry no kube-controller-manager. */
  readonly needed?: readonly BinaryName[];
  /** Default: `process.env`. */
  readonly env?: Environment;
}

/**
 * Where built binaries are kept: `holdfast/control-plane` in the user's cache folder. In it `<release>` is a link to the
 * newest complete build of that release; everything else there is the business of `tools/control-plane`.
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
  // By the XDG base directory specification a relative value is ignored.
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

/** The names among `needed` that are no executable files in the folder. */
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

/** Where the folder has the program of that name. */
export function binaryPath(folder: string, name: string): string {
  return join(folder, process.platform === 'win32' ? `${name}.exe` : name);
}

/** Looks for the real binaries: in $KUBEBUILDER_ASSETS when it is set, else in the cache. Starts no build. */
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
    // A build that replaces the link while a control plane runs must not change what that one restarts with.
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
 * What $KUBEBUILDER_ASSETS answers, or undefined when it is not set or holds another release than the one asked for by
 * name. An incomplete folder is an answer: who set the variable wants to hear that, not to have it passed over.
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

/** `1.36` for a kube-apiserver that says `Kubernetes v1.36.3`; undefined when it says nothing of the kind. */
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
