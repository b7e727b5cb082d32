/** Of the API server and kube-controller-manager: the release whose behaviour the controllers are written to. */
export const kubernetesRelease = '1.36';
