import fc from 'fast-check';
import { deviationsOf } from '../deviations-of.ts';
import type { Schemas } from '../openapi.ts';
import { playWorld } from '../play-world.ts';
import type { Target } from '../target.ts';
import type { World, WorldInput } from '../worlds/world.ts';

/** An app in a world of which one or two objects are odd. */
export function worldTarget(create: () => World, schemas: Schemas): Target<WorldInput> {
  const { app, inhabitants, close } = create();
  close();
  const places = [...inhabitants].filter(([, { canBeOdd }]) => canBeOdd);
  const oddOne = fc.constantFrom(...places).chain(([location, { object, schema }]) =>
    deviationsOf(object, schemas.named(schema), schemas)
      // What says that it is of another kind is no odd object but another's answer, and ends the list or the watch.
      .filter((deviations) => deviations.every(({ at }) => at[0] !== 'kind'))
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
