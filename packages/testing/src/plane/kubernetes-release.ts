/** The Kubernetes releases that `tools/control-plane` can build. The first is the default everywhere. */
export const kubernetesReleases = ['1.36', '1.31'] as const;
export type KubernetesRelease = (typeof kubernetesReleases)[number];
