export { startEmbeddedControlPlane } from './embedded-control-plane.ts';
export type { EmbeddedControlPlane, EmbeddedControlPlaneOptions } from './embedded-control-plane.ts';
export { startApiServer } from './apiserver/server.ts';
export type { ApiServer, ApiServerOptions, InProcessAnswer } from './apiserver/server.ts';
export type { ApiServerUser } from './apiserver/auth/authenticator.ts';
export type { ServiceAddresses } from './apiserver/admission/webhook-call.ts';
export type { ApiServerFeatureGate } from './apiserver/resources/feature-gates.ts';
export { createFaultPlan } from './apiserver/http/faults.ts';
export type {
  Fault,
  FaultMatch,
  FaultPlan,
  FaultRequest,
  FaultSchedule,
  InjectedFault,
} from './apiserver/http/faults.ts';
export type { RequestLog, ServedRequest } from './apiserver/http/request-log.ts';
export type { ResourceDefinition } from './apiserver/resources/resource-definition.ts';
export { CompactedError, createStorage } from './apiserver/storage/storage.ts';
export type { Change, Storage, StorageOptions } from './apiserver/storage/storage.ts';
export { ageColumn, column, nameColumn, since } from './apiserver/resources/table-columns.ts';
export { dnsLabel, dnsSubdomain } from './apiserver/meta/names.ts';
export { chosenBackend, controlPlaneMissing, startControlPlane } from './start-control-plane.ts';
export type { ControlPlane, ControlPlaneBackend, ControlPlaneOptions } from './plane/control-plane.ts';
export { kubernetesReleases } from './plane/kubernetes-release.ts';
export type { KubernetesRelease } from './plane/kubernetes-release.ts';
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
  missingBinaries,
} from './real/binaries.ts';
export type { BinaryName, Environment, FindBinariesOptions, FoundBinaries } from './real/binaries.ts';
export { allIdle, startController } from './controllers/controller.ts';
export type {
  Controller,
  Plane,
  Reconcile,
  RunningController,
  Stage,
  StartOptions,
} from './controllers/controller.ts';
export { garbageCollector } from './controllers/garbage-collector/garbage-collector.ts';
export { kubelet, terminatePod } from './controllers/kubelet.ts';
export type { KubeletOptions } from './controllers/kubelet.ts';
export { namespaceDeletion } from './controllers/namespaces/namespace-deletion.ts';
export { defaultServiceAccounts, rootCaPublisher } from './controllers/namespaces/namespace-defaults.ts';
export { statefulSetController } from './controllers/stateful-set/stateful-set-controller.ts';
export type { StatefulSetControllerOptions } from './controllers/stateful-set/stateful-set-controller.ts';
export { dynamicProvisioner } from './controllers/volumes/dynamic-provisioner.ts';
export type { DynamicProvisionerOptions } from './controllers/volumes/dynamic-provisioner.ts';
export { persistentVolumeBinder } from './controllers/volumes/persistent-volume-binder.ts';
export { persistentVolumeProtection } from './controllers/volumes/persistent-volume-protection.ts';
export { startCsiDriver } from './csi/csi-driver.ts';
export type { CsiDeletion, CsiDriver, CsiDriverOptions, CsiFault } from './csi/csi-driver.ts';
