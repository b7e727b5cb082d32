/** The kubeconfig can't be used; the message names the file or context, and the way out. */
export class KubeConfigError extends Error {
  override readonly name = 'KubeConfigError';
}
