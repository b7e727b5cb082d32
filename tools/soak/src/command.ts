import { choiceFlag, numberFlag, optionalTextFlag, switchFlag, type FlagValues } from '@holdfast/runtime';
import { churnedApps } from './churn.ts';

const flags = {
  app: choiceFlag(
    {
      description: `Folder below apps/ of the controller: ${churnedApps.join(', ')}.`,
      placeholder: 'APP',
      default: 'pvc-protection',
    },
    churnedApps,
  ),
  minutes: numberFlag(
    {
      description: 'How long it churns. Under 5 there are too few samples to tell anything of memory.',
      placeholder: 'N',
      default: '10',
    },
    { min: 0.5, integer: false },
  ),
  changesPerSecond: numberFlag(
    {
      description: "Writes a second by the soak itself; the controller's own come on top.",
      placeholder: 'N',
      default: '200',
    },
    { min: 1, integer: false },
  ),
  real: switchFlag({
    description:
      'On etcd and kube-apiserver ("npm run control-plane" gets them) instead of the embedded API server.',
    default: 'false',
  }),
  hostile: switchFlag({
    description:
      "Two replicas of each of the four controllers on a real API server, through a proxy that stalls, resets and loses what passes, with credentials that end, storms of 429, objects that can't be read and processes that freeze. --app, --real and --changes-per-second have no effect then. Use --minutes=60; under 20 there are too few samples to tell anything of memory.",
    default: 'false',
  }),
  json: optionalTextFlag({ description: 'File for the samples and findings.', placeholder: 'FILE' }),
};

/** The command line of the soak. */
export const command = {
  name: 'holdfast-soak',
  version: '0.1.0',
  description: 'runs a controller under heavy churn and tells whether memory, handles and queues stay level.',
  flags,
};

export type SoakConfig = FlagValues<typeof flags>;
