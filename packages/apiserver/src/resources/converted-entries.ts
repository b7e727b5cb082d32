import type { Entry } from '../storage/storage.ts';
import type { ResourceDefinition } from './resource-definition.ts';

/*
 * Converts entries of kinds that a webhook converts to the version of a definition. Each conversion is cached
 * for lists, watches and writes, as they share a watch cache on the real server. Each version of a kind has a
 * definition of its own, and so has each change of its conversion, so a cached result is never outdated.
 */

interface Conversion {
  readonly converting: Promise<Entry>;
  converted: Entry | undefined;
}

type Conversions = WeakMap<Entry, Conversion>;

const conversions = new WeakMap<ResourceDefinition, Conversions>();

function conversionsOf(definition: ResourceDefinition): Conversions {
  let own = conversions.get(definition);
  if (own === undefined) {
    conversions.set(definition, (own = new WeakMap()));
  }
  return own;
}

/** Returns the entries, converted, in their order. Throws 500 if the webhook fails. */
export async function convertedEntries(
  definition: ResourceDefinition,
  entries: readonly Entry[],
): Promise<readonly Entry[]> {
  const own = conversionsOf(definition);
  const missing = entries.filter((entry) => !own.has(entry));
  if (missing.length > 0) {
    const converting = freshlyConverted(definition, missing);
    for (const [index, entry] of missing.entries()) {
      own.set(entry, conversionOf(own, entry, converting, index));
    }
  }
  return Promise.all(entries.map((entry) => own.get(entry)?.converting ?? Promise.resolve(entry)));
}

/**
 * Caches a conversion. A failed one is removed again; only the calls that were waiting for it see the
 * failure.
 */
function conversionOf(
  own: Conversions,
  entry: Entry,
  all: Promise<readonly Entry[]>,
  index: number,
): Conversion {
  const settle = async (): Promise<Entry> => {
    try {
      return (conversion.converted = (await all)[index] ?? entry);
    } catch (error) {
      own.delete(entry);
      throw error;
    }
  };
  const conversion: Conversion = { converted: undefined, converting: all.then(settle, settle) };
  return conversion;
}

export async function convertedEntry(definition: ResourceDefinition, entry: Entry): Promise<Entry> {
  const [converted = entry] = await convertedEntries(definition, [entry]);
  return converted;
}

/** Calls the webhook for the entries, even if their conversions are cached. Throws 500. */
export async function freshlyConverted(
  { askedConversion }: ResourceDefinition,
  entries: readonly Entry[],
): Promise<readonly Entry[]> {
  if (askedConversion === undefined) {
    return entries;
  }
  const objects = await askedConversion.fromStored(entries.map(({ object }) => object));
  return entries.map((entry, index) => ({ ...entry, object: objects[index] ?? entry.object }));
}

/** The cached conversion of an entry. Undefined if there is none, or if it has not finished. */
export function knownConversion(definition: ResourceDefinition, entry: Entry): Entry | undefined {
  return conversions.get(definition)?.get(entry)?.converted;
}
