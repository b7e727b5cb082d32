import type { Entry } from '../storage/storage.ts';
import type { ResourceDefinition } from './resource-definition.ts';

/*
 * Entries of kinds that a webhook converts, in the form of a definition. Lists, watches and writes share what was converted once, as they share
 * a watch cache in the real server; each version of a kind is a definition of its own, and so is each change of its conversion.
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

/** The entries in the form of the definition, in their order. Throws 500 where the webhook fails. */
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

/** A failure is kept for nobody but those who wait for it. */
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

/** The entries as the webhook makes them now, whatever it made of them before. Throws 500. */
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

/** What was made of an entry before by a call that has ended. */
export function knownConversion(definition: ResourceDefinition, entry: Entry): Entry | undefined {
  return conversions.get(definition)?.get(entry)?.converted;
}
