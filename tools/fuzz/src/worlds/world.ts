import type { AppName } from '../apps.ts';
import type { Deviation } from '../deviation.ts';
import type { Mutable } from '../json.ts';
import type { Location, Objects, OddServer, Write } from '../odd-server.ts';

/** An object of a world as it should be, and the schema of its kind. */
export interface Inhabitant {
  readonly object: Mutable;
  /** Name of the schema in the API server's OpenAPI documents. */
  readonly schema: string;
  /** It can become odd. */
  readonly canBeOdd: boolean;
}

/**
 * A small cluster in which an app has something to do, and something to leave alone. What must be left alone is judged from the raw objects, by a
 * reader of its own that takes nothing for granted: it shares no code with the app.
 */
export interface World {
  readonly app: AppName;
  readonly inhabitants: ReadonlyMap<Location, Inhabitant>;
  /** What users do once the odd object is there: it tempts the app to do harm. */
  tempt(server: OddServer): void;
  /** Why the write must not have been; undefined: it may. */
  wrongIn(write: Write): string | undefined;
  /** What is wrong with what the world outside of the API server has come to, such as files that are gone. */
  wrongOutside?(objects: Objects): string | undefined;
  /**
   * What must have been done at the end, whatever is odd: for objects that the odd one has nothing to do with.
   *
   * @param odd where objects were made odd.
   * @returns what is still owed.
   */
  owed(objects: Objects, odd: ReadonlySet<Location>): string | undefined;
  /** For what needs the machine's own time, such as files: pauses between steps. */
  readonly needsTime?: boolean;
  /** The folder below which volumes have their data. */
  readonly root: string;
  close(): void;
}

/** What is done to a world. */
export interface WorldInput {
  /** The objects that are odd, and in what. */
  readonly odd: readonly { readonly location: Location; readonly deviations: readonly Deviation[] }[];
  /** Whether the odd objects are there from the start, or come by the watch. */
  readonly when: 'listed' | 'watched';
}

export function inhabitant(schema: string, object: Mutable, canBeOdd = true): Inhabitant {
  return { schema, object, canBeOdd };
}

/** Metadata of an object that the API server has stored. */
export function metadata(name: string, more: Mutable = {}, namespace?: string): Mutable {
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    uid: `uid-of-${name}`,
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    ...more,
  };
}
