/*
 * Finds the programs of real control planes. It is an entry point of its own because the index loads the API
 * server: a program that only looks for the binaries starts in half the time without it.
 */
export { kubernetesReleases } from './plane/kubernetes-release.ts';
export type { KubernetesRelease } from './plane/kubernetes-release.ts';
export {
  binaryNames,
  binaryPath,
  controlPlaneCacheFolder,
  findAssets,
  findBinaries,
  missingBinaries,
} from './real/binaries.ts';
export type { BinaryName, Environment, FindBinariesOptions, FoundBinaries } from './real/binaries.ts';
