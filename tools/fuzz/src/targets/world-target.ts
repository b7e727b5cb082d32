import fc from 'fast-check';
import type { Deviation } from '../deviation.ts';
import { deviationsOf } from '../deviations-of.ts';
import type { Schemas } from '../openapi.ts';
import { playWorld } from '../play-world.ts';
import type { Target } from '../target.ts';
import type { World, WorldInput } from '../worlds/world.ts';

/**
 * The number of characters that etcd accepts in a request by default: the API server stores nothing larger.
 */
const largest = 1_500_000;

/** The factor by which the deviations can enlarge an object if they are all nested. */
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

/** An app in a world with one or two odd objects. */
export function worldTarget(create: () => World, schemas: Schemas): Target<WorldInput> {
  const { app, inhabitants, close } = create();
  close();
  const places = [...inhabitants].filter(([, { canBeOdd }]) => canBeOdd);
  const oddOne = fc.constantFrom(...places).chain(([location, { object, schema }]) =>
    deviationsOf(object, schemas.named(schema), schemas)
      // A deviating kind would make it not an odd object but another kind of answer, which ends the list or
      // the watch.
      .filter((deviations) => deviations.every(({ at }) => at[0] !== 'kind'))
      // Ten thousand copies of a long text are gigabytes: they would end the fuzzer, and no server would
      // store such an object.
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
