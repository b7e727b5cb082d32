/**
 * The release of the API server and kube-controller-manager. The controllers are written to the behaviour of
 * this release.
 */
export const kubernetesRelease = '1.36';
