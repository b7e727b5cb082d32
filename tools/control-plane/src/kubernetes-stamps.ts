/**
 * What Kubernetes' programs are linked with to know their version. Without it they say v0.0.0 of themselves, and clients believe it; client-go has
 * its own copy.
 *
 * @param version the tag
 */
export function kubernetesStamps(version: string): Readonly<Record<string, string>> {
  const [major = '', minor = ''] = version.slice(1).split('.');
  return {
    'k8s.io/component-base/version.gitVersion': version,
    'k8s.io/component-base/version.gitMajor': major,
    'k8s.io/component-base/version.gitMinor': minor,
    'k8s.io/client-go/pkg/version.gitVersion': version,
  };
}
