import type { OperatorRequest } from './operator-request.ts';
import type { Place } from './place.ts';
import type { Treatment } from './proxy.ts';

/** What an operator changes outside the API server, such as the storage of a driver. */
export interface Outside {
  /**
   * Carries out what the operator has asked for. This is a place of the run (`call DeleteVolume v #1`) and is
   * perturbed like a write: the operator is killed before or after it, loses its lease, or loses the
   * connection.
   *
   * @param name must be the same in every run, so it must not contain times or random parts
   * @throws {@link ConnectionLost} if the operator must not get an answer
   */
  carryOut(name: string, effect: () => Promise<void>): Promise<void>;
}

/** The request, or its answer, does not arrive. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';

  constructor(place: Place) {
    super(`the connection of "${place}" is lost`);
  }
}

export interface OutsideOptions {
  readonly placeOf: (name: string) => Place;
  readonly before: (request: OperatorRequest) => Promise<Treatment>;
  /** Called when the effect has happened. */
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
