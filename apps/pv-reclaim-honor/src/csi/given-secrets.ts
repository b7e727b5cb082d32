import { createSecretValues, type SecretValues } from '@holdfast/runtime';

/**
 * How many values of Secrets are remembered for one driver, since it might repeat them in later responses. It
 * is more than workers use at once if each volume has a Secret of its own. They are redacted only in this
 * driver's texts, because a user name among them might be any word.
 */
const rememberedSecrets = 1024;

/** Creates the set of secrets that the driver at one address has received, over all connections to it. */
export function createGivenSecrets(): SecretValues {
  return createSecretValues(rememberedSecrets);
}
