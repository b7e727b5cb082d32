/** The issuer of service account tokens, and the audience of tokens that name none: the API server itself. */
export const issuer = 'https://kubernetes.default.svc.cluster.local';

/** An object whose deletion invalidates the token. */
export interface BoundObject {
  readonly kind: 'Pod' | 'Secret' | 'Node';
  readonly name: string;
  readonly uid: string;
}

/** The claims of a service account token. */
export interface TokenClaims {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly audiences: readonly string[];
  readonly bound: BoundObject | undefined;
  /** Seconds since the epoch. */
  readonly expires: number;
}
