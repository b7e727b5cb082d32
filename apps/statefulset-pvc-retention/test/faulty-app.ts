import { garbageCollector, kubelet, statefulSetController } from '@holdfast/testing';
import { handOf, openStage } from './stage.ts';

/** This app for scenes with faults, with the stock controllers that its stories need. */
export const faultyApp = {
  name: 'statefulset-pvc-retention',
  options: {},
  disableAdmissionPlugins: ['StorageObjectInUseProtection'],
  openStage,
  handOf,
  standIns: [garbageCollector, statefulSetController({ retention: false }), kubelet()],
};
