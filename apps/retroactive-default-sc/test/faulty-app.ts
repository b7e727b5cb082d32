import { madeBy } from '@holdfast/scenario';
import { handOf, openStage, type Hand, type Stage } from './stage.ts';

/** This app for scenes with faults. Every class seen there is given by the controller. */
export const faultyApp = {
  name: 'retroactive-default-sc',
  options: {},
  disableAdmissionPlugins: ['DefaultStorageClass'],
  openStage,
  handOf: ({ client }: Stage, namespace: string): Hand => handOf(client, namespace),
};

/** The requests of this app. */
export const ours = madeBy(faultyApp.name);
