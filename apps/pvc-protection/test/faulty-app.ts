import { madeBy } from '@holdfast/scenario';
import { handOf, openStage, type Hand, type Stage } from './stage.ts';

/** This app for scenes with faults. Every finalizer seen there is put on by the controller. */
export const faultyApp = {
  name: 'pvc-protection',
  options: {},
  disableAdmissionPlugins: ['StorageObjectInUseProtection'],
  openStage,
  handOf: ({ client }: Stage, namespace: string): Hand => handOf(client, namespace),
};

/** The requests of this app. */
export const ours = madeBy(faultyApp.name);
