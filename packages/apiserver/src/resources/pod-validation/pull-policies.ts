/** When an image is pulled anew. */
export const pullPolicies: readonly string[] = ['Always', 'IfNotPresent', 'Never'];
