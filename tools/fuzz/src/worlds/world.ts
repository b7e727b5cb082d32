import type { AppName } from '../apps.ts';
import type { Deviation } from '../deviation.ts';
import type { Mutable } from '../json.ts';
import type { Location, Objects, OddServer, Write } from '../odd-server.ts';

/** An object of a world as it should be, and the schema of its kind. */
export interface Inhabitant {
  readonly object: Mutable;
  /** The name of the schema in the API server's OpenAPI documents. */
  readonly schema: string;
  /** Whether it can become odd. */
  readonly canBeOdd: boolean;
}

/**
 * A small cluster in which an app has something to do, and something to leave alone. What it must leave alone
 * is judged from the raw objects by independent code that makes no assumptions and shares nothing with the
 * app.
 */
export interface World {
  readonly app: AppName;
  readonly inhabitants: ReadonlyMap<Location, Inhabitant>;
  /** Does what users do once the odd object exists, to tempt the app to do harm. */
  tempt(server: OddServer): void;
  /** Returns why the write was not allowed; undefined if it was. */
  wrongIn(write: Write): string | undefined;
  /** Returns what is wrong outside the API server, such as missing files. */
  wrongOutside?(objects: Objects): string | undefined;
  /**
   * Returns what must have been done at the end, however odd the odd objects are: for objects that are
   * unrelated to them.
   *
   * @param odd where objects were made odd
   * @returns what is still to be done
   */
  owed(objects: Objects, odd: ReadonlySet<Location>): string | undefined;
  /**
   * Whether the world needs pauses between steps, for effects that take real time, such as those on files.
   */
  readonly needsTime?: boolean;
  /** The folder below which volumes have their data. */
  readonly root: string;
  close(): void;
}

/** What is done to a world. */
export interface WorldInput {
  /** The odd objects, and how they deviate. */
  readonly odd: readonly { readonly location: Location; readonly deviations: readonly Deviation[] }[];
  /** Whether the odd objects exist from the start, or arrive by the watch. */
  readonly when: 'listed' | 'watched';
}

export function inhabitant(schema: string, object: Mutable, canBeOdd = true): Inhabitant {
  return { schema, object, canBeOdd };
}

/** Returns the metadata of an object that the API server has stored. */
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
