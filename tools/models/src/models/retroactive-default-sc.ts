import { byUid, now, sinceRest, type State } from '../history.ts';
import type { Model } from '../model.ts';
import {
  annotation,
  isEnding,
  names,
  uidOf,
  type PersistentVolumeClaim,
  type StorageClass,
} from '../objects.ts';

/*
 * An unbound claim without a class gets the default one as soon as there is one (KEP-3333).
 *
 * - Must survive: what a user chose, an empty class name included; a claim that has a volume or the older annotation.
 * - A class is given only if it was the default at some moment since the last rest, and no newer class was the default
 *   all the while.
 * - Must come: the class, for each waiting claim while there is a default.
 */
export const retroactiveDefault: Model = {
  app: 'retroactive-default-sc',
  lost: ({ history, after }) => {
    const moments = sinceRest(history);
    return [...now(history).state.claims.values()].flatMap((claim) => {
      const { name } = claim.metadata;
      const next = byUid(after.claims, uidOf(claim));
      const given = next?.spec?.storageClassName;
      if (next === undefined || given === claim.spec?.storageClassName) {
        return [];
      }
      if (given === undefined || !waits(claim)) {
        return [`claim ${name} had made its choice, and got the class ${String(given)}`];
      }
      const wasDefault = moments.some(({ state }) =>
        defaults(state).some((each) => each.metadata.name === given),
      );
      if (!wasDefault) {
        return [
          `claim ${name} got the class ${given}, which was not the default at any time since the last rest`,
        ];
      }
      const created = createdOf(after.classes.get(given) ?? now(history).state.classes.get(given));
      const newer = defaults(now(history).state).filter(
        (each) =>
          createdOf(each) > created &&
          moments.every(({ state }) => defaults(state).some((other) => uidOf(other) === uidOf(each))),
      );
      return newer.map(
        (each) => `claim ${name} got the class ${given}, although ${each.metadata.name} is newer`,
      );
    });
  },
  owed: (history) => {
    const { state } = now(history);
    return defaults(state).length === 0
      ? []
      : [...state.claims.values()]
          .filter((claim) => waits(claim) && !isEnding(claim))
          .map(({ metadata }) => `claim ${metadata.name} waits for a class, and there is a default`);
  },
};

function waits(claim: PersistentVolumeClaim): boolean {
  return (
    claim.spec?.storageClassName === undefined &&
    (claim.spec?.volumeName ?? '') === '' &&
    annotation(claim, names.betaClass) === undefined &&
    annotation(claim, 'pv.kubernetes.io/bind-completed') === undefined
  );
}

function defaults({ classes }: State): readonly StorageClass[] {
  return [...classes.values()].filter(
    (each) => !isEnding(each) && annotation(each, names.isDefaultClass) === 'true',
  );
}

function createdOf(storageClass: StorageClass | undefined): number {
  return Date.parse(storageClass?.metadata.creationTimestamp ?? '1970-01-01T00:00:00Z');
}
