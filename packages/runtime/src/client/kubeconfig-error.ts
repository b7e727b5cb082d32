import { legible } from '../logging/legible.ts';

/** Thrown for an unusable kubeconfig; the message is one line that says why and what to do. */
export class KubeConfigError extends Error {
  override readonly name = 'KubeConfigError';

  constructor(message: string) {
    super(legible(message));
  }
}
