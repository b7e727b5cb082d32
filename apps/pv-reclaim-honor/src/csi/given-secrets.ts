import { createSecretValues, type SecretValues } from '@holdfast/runtime';

/**
 * Values of Secrets that are remembered for one driver, since it might repeat them in later answers. More than workers use at once, where each
 * volume has a Secret of its own. They are looked for in this driver's words only: a user name among them might be any word.
 */
const rememberedSecrets = 1024;

/** Remembers the values that the driver at one address was given, over all connections to it. */
export function createGivenSecrets(): SecretValues {
  return createSecretValues(rememberedSecrets);
}
