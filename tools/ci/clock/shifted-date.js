/*
 * This is JavaScript because an older Node, which reads no TypeScript, might load it, too: the one with which
 * a test starts npm.
 */

/** How many milliseconds the run's day is off, from its environment; 0 if the day is today. */
export const shift = Number(process.env.HOLDFAST_CLOCK_SHIFT ?? 0);

/**
 * Returns a Date whose present time is off. Times that are passed in are unchanged. From then on, instances
 * of the real Date are instances of this one.
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
  // Code that checks a value's constructor, such as the evaluator of CEL, then finds the same Date as
  // everything else.
  RealDate.prototype.constructor = shifted;
  return shifted;
}
