import { madeBy } from '@holdfast/scenario';
import { garbageCollector, kubelet, statefulSetController } from '@holdfast/testing';
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

/** The stock controllers by which pods come and go, and claims with their owners. */
export const stockControllers = [garbageCollector, statefulSetController({ retention: false }), kubelet()];
