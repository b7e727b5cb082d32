/** When the kubelet pulls an image. */
export const pullPolicies: readonly string[] = ['Always', 'IfNotPresent', 'Never'];
