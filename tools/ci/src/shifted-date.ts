/** Milliseconds by which the run's day is off, from its environment; 0: the day is today. */
export const shift = Number(process.env['HOLDFAST_CLOCK_SHIFT'] ?? 0);

/**
 * A Date whose now is off. Times that are given are left as they are.
 *
 * @param shift milliseconds.
 */
export function shiftedDate(RealDate: DateConstructor, shift: number): DateConstructor {
  const now = (): number => RealDate.now() + shift;
  return new Proxy(RealDate, {
    apply: () => new RealDate(now()).toString(),
    construct: (target, args: readonly unknown[], newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as Date,
    get: (target, property): unknown => (property === 'now' ? now : Reflect.get(target, property)),
  });
}
