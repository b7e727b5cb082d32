import { stageIn, stockFeatures, type AppName, type Release } from '../cluster/release.ts';

/** Whether the control plane does what a controller of Holdfast does. */
export interface Feature {
  /** The gate of Kubernetes. */
  readonly gate: string;
  readonly state: 'on' | 'off' | 'absent' | 'unknown';
  readonly because: string;
}

/**
 * Judges by the release, and by the API server's own gates if they may be read:
 *
 * | release           | the API server's gate | answer                                        |
 * |-------------------|-----------------------|-----------------------------------------------|
 * | not known         | on or off             | as it is there                                |
 * | not known         | not readable          | unknown                                       |
 * | before alpha      | -                     | absent                                        |
 * | GA                | -                     | on                                            |
 * | alpha, beta       | on or off             | as it is there                                |
 * | alpha, beta       | not readable          | the release's default: off, on                |
 *
 * kube-controller-manager carries out all features except the admission of a class. It is assumed to have the
 * same gates as the API server, since no API shows its own.
 */
export function featureOf(
  app: AppName,
  release: Release | undefined,
  serverGates: ReadonlyMap<string, boolean> | undefined,
): Feature {
  const { gate } = stockFeatures[app];
  const stage = stageIn(stockFeatures[app], release);
  const text = release?.text ?? 'a release that is not known';
  if (stage === 'absent') {
    return { gate, state: 'absent', because: `not in ${text}` };
  }
  if (stage === 'GA') {
    return { gate, state: 'on', because: `always on in ${text}` };
  }
  const own = serverGates?.get(gate);
  if (own !== undefined) {
    return {
      gate,
      state: own ? 'on' : 'off',
      because: `${own ? 'on' : 'off'} in the API server's metrics`,
    };
  }
  if (stage === 'unknown') {
    return { gate, state: 'unknown', because: text };
  }
  const unread = "the API server's metrics don't say";
  return stage === 'beta'
    ? { gate, state: 'on', because: `on by default in ${text}: ${unread}` }
    : { gate, state: 'off', because: `off by default in ${text}: ${unread}` };
}
