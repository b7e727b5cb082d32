export { startEmbeddedControlPlane } from './embedded-control-plane.ts';
export type { EmbeddedControlPlane, EmbeddedControlPlaneOptions } from './embedded-control-plane.ts';
export {
  CompactedError,
  ageColumn,
  column,
  createFaultPlan,
  createStorage,
  dnsLabel,
  dnsSubdomain,
  nameColumn,
  since,
  startApiServer,
} from '@holdfast/apiserver';
export type {
  ApiServer,
  ApiServerFeatureGate,
  ApiServerOptions,
  ApiServerUser,
  Change,
  Fault,
  FaultMatch,
  FaultPlan,
  FaultRequest,
  FaultSchedule,
  InProcessAnswer,
  InjectedFault,
  RequestLog,
  ResourceDefinition,
  ServedAnswer,
  ServedRequest,
  ServiceAddresses,
  Storage,
  StorageOptions,
} from '@holdfast/apiserver';
export { chosenBackend, controlPlaneMissing, startControlPlane } from './start-control-plane.ts';
export type { ControlPlane, ControlPlaneBackend, ControlPlaneOptions } from './plane/control-plane.ts';
export { kubernetesReleases } from './plane/kubernetes-release.ts';
export type { KubernetesRelease } from './plane/kubernetes-release.ts';
export { startRequestRecorder } from './request-recorder.ts';
export type { RecordedRequest, RequestRecorder, RequestRecorderOptions } from './request-recorder.ts';
export { startRealControlPlane } from './real/real-control-plane.ts';
export type { RealControlPlane, RealControlPlaneOptions } from './real/real-control-plane.ts';
export type { BumpedVersions } from './real/etcd.ts';
export type { ControllerManagerOptions } from './real/kube-controller-manager.ts';
export type { KubectlOptions, KubectlResult } from './real/kubectl.ts';
export { startOrphanGuard } from './real/orphan-guard.ts';
export type { OrphanGuard } from './real/orphan-guard.ts';
export { processUsage } from './real/process-usage.ts';
export type { ProcessUsage } from './real/process-usage.ts';
export {
  binaryNames,
  binaryPath,
  controlPlaneCacheFolder,
  findAssets,
  findBinaries,
  missingBinaries,
} from './real/binaries.ts';
export type { BinaryName, Environment, FindBinariesOptions, FoundBinaries } from './real/binaries.ts';
export type { Plane } from './controllers/client-of.ts';
export { allIdle, startController } from './controllers/controller.ts';
export type {
  Controller,
  Deadline,
  Reconcile,
  RunningController,
  Stage,
  StartOptions,
} from './controllers/controller.ts';
export { garbageCollector, garbageCollectorOf } from './controllers/garbage-collector/garbage-collector.ts';
export { deploymentController } from './controllers/deployment/deployment-controller.ts';
export { jobController } from './controllers/job/job-controller.ts';
export { ttlAfterFinished } from './controllers/job/ttl-after-finished.ts';
export { kubelet, terminatePod } from './controllers/kubelet.ts';
export type { KubeletOptions } from './controllers/kubelet.ts';
export { namespaceDeletion } from './controllers/namespaces/namespace-deletion.ts';
export { defaultServiceAccounts, rootCaPublisher } from './controllers/namespaces/namespace-defaults.ts';
export { replicaSetController } from './controllers/replica-set/replica-set-controller.ts';
export { startStandIns } from './controllers/stand-ins.ts';
export { statefulSetController } from './controllers/stateful-set/stateful-set-controller.ts';
export type { StatefulSetControllerOptions } from './controllers/stateful-set/stateful-set-controller.ts';
export { dynamicProvisioner } from './controllers/volumes/dynamic-provisioner.ts';
export type { DynamicProvisionerOptions } from './controllers/volumes/dynamic-provisioner.ts';
export { persistentVolumeBinder } from './controllers/volumes/persistent-volume-binder.ts';
export { persistentVolumeProtection } from './controllers/volumes/persistent-volume-protection.ts';
export { startCsiDriver } from './csi/csi-driver.ts';
export type {
  CsiDeletion,
  CsiDriver,
  CsiDriverOptions,
  CsiFault,
  CsiListAnswer,
  CsiListRequest,
} from './csi/csi-driver.ts';
