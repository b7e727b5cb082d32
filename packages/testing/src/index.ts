export { startEmbeddedControlPlane } from './embedded-control-plane.ts';
export type { EmbeddedControlPlane, EmbeddedControlPlaneOptions } from './embedded-control-plane.ts';
export { startApiServer } from './apiserver/server.ts';
export type { ApiServer, ApiServerOptions } from './apiserver/server.ts';
export { createFaultPlan } from './apiserver/faults.ts';
export type {
  Fault,
  FaultMatch,
  FaultPlan,
  FaultRequest,
  FaultSchedule,
  InjectedFault,
} from './apiserver/faults.ts';
export type { RequestLog, ServedRequest } from './apiserver/request-log.ts';
export { chosenBackend, controlPlaneMissing, startControlPlane } from './control-plane.ts';
export type { ControlPlane, ControlPlaneBackend, ControlPlaneOptions } from './control-plane.ts';
export { startRealControlPlane } from './real/real-control-plane.ts';
export type { RealControlPlane, RealControlPlaneOptions } from './real/real-control-plane.ts';
export type { ControllerManagerOptions } from './real/kube-controller-manager.ts';
export type { KubectlOptions, KubectlResult } from './real/kubectl.ts';
export { processUsage } from './real/process-usage.ts';
export type { ProcessUsage } from './real/process-usage.ts';
export {
  binaryNames,
  controlPlaneCacheFolder,
  findAssets,
  findBinaries,
  kubernetesReleases,
  missingBinaries,
} from './real/binaries.ts';
export type {
  BinaryName,
  Environment,
  FindBinariesOptions,
  FoundBinaries,
  KubernetesRelease,
} from './real/binaries.ts';
