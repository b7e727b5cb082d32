import type { OperatorRequest } from './operator-request.ts';
import type { Place } from './place.ts';
import type { Treatment } from './proxy.ts';

/** What an operator changes besides the API server, such as storage that a driver has. */
export interface Outside {
  /**
   * Carries out what the operator has asked for. That is a place of the run (`call DeleteVolume v #1`), and is perturbed as a write is: the operator is killed before and
   * after it, loses its lease, or loses the connection.
   *
   * @param name the same in every run, without times or random parts.
   * @throws {@link ConnectionLost} when the operator must not get an answer.
   */
  carryOut(name: string, effect: () => Promise<void>): Promise<void>;
}

/** The request does not arrive, or its answer does not. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';

  constructor(place: Place) {
    super(`the connection of "${place}" is lost`);
  }
}

export interface OutsideOptions {
  readonly placeOf: (name: string) => Place;
  readonly before: (request: OperatorRequest) => Promise<Treatment>;
  /** Called when the effect is there. */
  readonly after: (request: OperatorRequest) => Promise<Treatment>;
}

export function createOutside({ placeOf, before, after }: OutsideOptions): Outside {
  return {
    async carryOut(name, effect) {
      const request: OperatorRequest & { readonly place: Place } = {
        place: placeOf(`call ${name}`),
        effect: 'call',
        info: undefined,
      };
      if ((await before(request)).kind !== 'pass') {
        throw new ConnectionLost(request.place);
      }
      await effect();
      if ((await after(request)).kind !== 'pass') {
        throw new ConnectionLost(request.place);
      }
    },
  };
}
