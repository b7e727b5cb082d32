/** Fields that conditions of all kinds have. */
export const conditionFields = {
  type: 'What the condition is about.',
  status: 'Whether it holds: True, False or Unknown.',
  reason: 'Cause of the last transition, in one CamelCase word.',
  message: 'Details about the last transition, for people.',
  lastTransitionTime: 'When status last changed.',
};
