import { numberFlag, optionalTextFlag, textFlag } from '@holdfast/runtime';

const flags = {
  target: textFlag({
    description: 'What is fed: one of the targets, or all of them in turn.',
    placeholder: 'NAME',
    default: 'all',
  }),
  minutes: numberFlag(
    { description: 'How long inputs are made, minutes.', placeholder: 'N', default: '5' },
    { min: 0, integer: false },
  ),
  seed: optionalTextFlag({
    description: 'Seed of the inputs. Default: a fresh one, which is printed.',
    placeholder: 'N',
  }),
};

/** The command line of the fuzzer. */
export const command = {
  name: 'holdfast-fuzz',
  version: '0.1.0',
  description: 'feeds bad input to the four controllers, and keeps in its corpus what breaks something.',
  flags,
};
