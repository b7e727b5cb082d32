import { madeBy } from '@holdfast/scenario';
import { garbageCollectorOf, kubelet, statefulSetController } from '@holdfast/testing';
import { handOf, openStage } from './stage.ts';

/** This app for scenes with faults, without stock controllers. */
export const faultyApp = {
  name: 'statefulset-pvc-retention',
  options: {},
  disableAdmissionPlugins: ['StorageObjectInUseProtection'],
  openStage,
  handOf,
};

/** The requests of this app. */
export const ours = madeBy(faultyApp.name);

/** The garbage collector, which follows the kinds of these scenes alone: each scene starts it anew. */
export const claimCollector = garbageCollectorOf(
  'ControllerRevision',
  'Database',
  'PersistentVolumeClaim',
  'Pod',
  'StatefulSet',
);

/** The stock controllers by which pods come and go, and claims with their owners. */
export const stockControllers = [claimCollector, statefulSetController({ retention: false }), kubelet()];
