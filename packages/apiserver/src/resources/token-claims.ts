/** The issuer of the tokens of service accounts, and the audience of those that name none: the API server itself. */
export const issuer = 'https://kubernetes.default.svc.cluster.local';

/** An object whose deletion ends the token. */
export interface BoundObject {
  readonly kind: 'Pod' | 'Secret' | 'Node';
  readonly name: string;
  readonly uid: string;
}

/** What a service account's token says of its bearer. */
export interface TokenClaims {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly audiences: readonly string[];
  readonly bound: BoundObject | undefined;
  /** Seconds since the epoch. */
  readonly expires: number;
}
