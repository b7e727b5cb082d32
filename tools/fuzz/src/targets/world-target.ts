import fc from 'fast-check';
import type { Deviation } from '../deviation.ts';
import { deviationsOf } from '../deviations-of.ts';
import type { Schemas } from '../openapi.ts';
import { playWorld } from '../play-world.ts';
import type { Target } from '../target.ts';
import type { World, WorldInput } from '../worlds/world.ts';

/** Characters of what etcd takes in one request by default: the API server stores nothing larger. */
const largest = 1_500_000;

/** How many times larger an object may be by what is done to it, if all of it is done inside of one another. */
export function growthOf(deviations: readonly Deviation[]): number {
  return deviations.reduce((product, deviation) => {
    if ('characters' in deviation) {
      return product * deviation.characters;
    }
    if ('elements' in deviation) {
      return product * deviation.elements;
    }
    if ('members' in deviation) {
      return product * deviation.members;
    }
    return 'doubled' in deviation ? product * 2 : product;
  }, 1);
}

/** An app in a world of which one or two objects are odd. */
export function worldTarget(create: () => World, schemas: Schemas): Target<WorldInput> {
  const { app, inhabitants, close } = create();
  close();
  const places = [...inhabitants].filter(([, { canBeOdd }]) => canBeOdd);
  const oddOne = fc.constantFrom(...places).chain(([location, { object, schema }]) =>
    deviationsOf(object, schemas.named(schema), schemas)
      // What says that it is of another kind is no odd object but another's answer, and ends the list or the watch.
      .filter((deviations) => deviations.every(({ at }) => at[0] !== 'kind'))
      // Ten thousand times a long text is gigabytes, which end the fuzzer and are no object.
      .filter((deviations) => growthOf(deviations) < largest)
      .map((deviations) => ({ location, deviations })),
  );
  return {
    name: app,
    input: fc.record({
      odd: fc.uniqueArray(oddOne, { minLength: 1, maxLength: 2, selector: ({ location }) => location }),
      when: fc.constantFrom('listed', 'watched'),
    }),
    play: (input) => playWorld(create(), input),
  };
}
