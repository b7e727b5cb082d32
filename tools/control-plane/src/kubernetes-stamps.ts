/**
 * The link-time variables by which Kubernetes' programs know their version. Without them they report v0.0.0,
 * and clients believe that; client-go has its own copy.
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
