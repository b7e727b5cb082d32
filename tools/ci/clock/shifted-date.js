/* JavaScript, since the machine's own Node loads it too, where a test starts npm; an older one reads no TypeScript. */

/** Milliseconds by which the run's day is off, from its environment; 0: the day is today. */
export const shift = Number(process.env.HOLDFAST_CLOCK_SHIFT ?? 0);

/**
 * A Date whose now is off. Times that are given are left as they are. The real one's instances are of it from then on.
 *
 * @param {DateConstructor} RealDate
 * @param {number} shift milliseconds.
 * @returns {DateConstructor}
 */
export function shiftedDate(RealDate, shift) {
  const now = () => RealDate.now() + shift;
  const shifted = new Proxy(RealDate, {
    apply: () => new RealDate(now()).toString(),
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    get: (target, property) => (property === 'now' ? now : Reflect.get(target, property)),
  });
  // Whoever goes by a value's constructor, as the evaluator of CEL does, finds the Date that everybody has.
  RealDate.prototype.constructor = shifted;
  return shifted;
}
