import type { Admission } from './admission/admission.ts';
import type { ResourceRegistry } from './resources/registry.ts';
import type { Storage } from './storage.ts';

/** What every handler works with: the parts of one server. */
export interface ServerState {
  readonly storage: Storage;
  readonly registry: ResourceRegistry;
  readonly admission: Admission;
  readonly now: () => number;
}
