import { choiceFlag, numberFlag, optionalTextFlag } from '@holdfast/runtime';
import { appNames } from './model.ts';

const flags = {
  runs: numberFlag(
    { description: 'Stories to play, each in a world of its own.', placeholder: 'N', default: '100' },
    { min: 1, integer: true },
  ),
  seed: optionalTextFlag({
    description: 'Seed of the stories. Default: a fresh one, which is printed.',
    placeholder: 'S',
  }),
  app: choiceFlag(
    {
      description: `Whose stories are told: ${['all', ...appNames].join(', ')}. The controllers of the others run all the same.`,
      placeholder: 'APP',
      default: 'all',
    },
    ['all', ...appNames],
  ),
  length: numberFlag(
    { description: 'Commands of a story at the most.', placeholder: 'N', default: '25' },
    { min: 1, integer: true },
  ),
  path: optionalTextFlag({
    description: 'Plays one story again, with its --seed: as a report names it.',
    placeholder: 'P',
  }),
  replayPath: optionalTextFlag({
    description: 'Which of its commands were left out: as a report names it.',
    placeholder: 'P',
  }),
};

/** The command line of the models. */
export const command = {
  name: 'holdfast-models',
  version: '0.1.0',
  description:
    'plays random users and clusters against the four controllers, and judges what survives and what goes.',
  flags,
};
