import type { Admission } from '../admission/admission.ts';
import type { Authenticator } from '../auth/authenticator.ts';
import type { Authorizer } from '../auth/authorizer.ts';
import type { After } from '../meta/timer.ts';
import type { ResourceRegistry } from '../resources/registry.ts';
import type { TokenClaims } from '../resources/token-claims.ts';
import type { Storage } from '../storage/storage.ts';

/** The parts of a server, which every handler works with. */
export interface ServerState {
  readonly storage: Storage;
  readonly registry: ResourceRegistry;
  readonly admission: Admission;
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  /** Signs a service account's token. `issuedAt` is in seconds since the epoch. */
  readonly issueToken: (claims: TokenClaims, issuedAt: number) => string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly after: After;
}
