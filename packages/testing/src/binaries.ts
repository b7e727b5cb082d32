/* Where the programs of real control planes are. Apart from the index, which loads the API server: a program that only looks for them starts in half of the time. */
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
