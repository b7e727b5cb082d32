import type { Duration } from '@marcbachmann/cel-js/evaluator';
import { CelFailure, type CelFunction } from './function-table.ts';

/*
 * The parts of times in a time zone, as cel-go counts them: months, days of the week, days of the year and
 * `getDayOfMonth` start at 0. They replace the library's functions, which compute in the time zone of the
 * process, so that its daylight saving time shifts some results, and which refuse an offset without a sign.
 */

const timestampType = 'google.protobuf.Timestamp';
const dayLength = 86_400_000;

/** Each takes a time that is shifted so that its UTC parts are the parts in the zone. */
const parts: Readonly<Record<string, (local: Date) => number>> = {
  getFullYear: (local) => local.getUTCFullYear(),
  getMonth: (local) => local.getUTCMonth(),
  getDate: (local) => local.getUTCDate(),
  getDayOfMonth: (local) => local.getUTCDate() - 1,
  getDayOfWeek: (local) => local.getUTCDay(),
  getDayOfYear: (local) => Math.floor((local.getTime() - startOfYear(local)) / dayLength),
  getHours: (local) => local.getUTCHours(),
  getMinutes: (local) => local.getUTCMinutes(),
  getSeconds: (local) => local.getUTCSeconds(),
  getMilliseconds: (local) => local.getUTCMilliseconds(),
};

function startOfYear(local: Date): number {
  const start = new Date(local);
  start.setUTCMonth(0, 1);
  return start.setUTCHours(0, 0, 0, 0);
}

const second = 1_000_000_000n;

/** The unit in nanoseconds. A duration is divided by it, and the remainder is dropped. */
const unitsOfDurations = {
  getHours: 3600n * second,
  getMinutes: 60n * second,
  getSeconds: second,
  getMilliseconds: second / 1000n,
} as const;

export const calendarMethods: readonly string[] = Object.keys(parts);

export const calendarFunctions: readonly CelFunction[] = [
  ...Object.entries(parts).flatMap(([name, partOf]): readonly CelFunction[] => [
    [`${timestampType}.k8s_${name}(): int`, (time: Date) => BigInt(partOf(time))],
    [
      `${timestampType}.k8s_${name}(string): int`,
      (time: Date, zone: string) => BigInt(partOf(new Date(time.getTime() + offsetOf(zone, time)))),
    ],
  ]),
  ...Object.entries(unitsOfDurations).map(([name, unit]): CelFunction => [
    `google.protobuf.Duration.k8s_${name}(): int`,
    ({ seconds, nanos }: Duration) => (seconds * second + BigInt(nanos)) / unit,
  ]),
];

/**
 * The zone's offset from UTC in milliseconds.
 *
 * @param zone a name, or hours and minutes
 */
function offsetOf(zone: string, time: Date): number {
  const at = zone.indexOf(':');
  if (at >= 0) {
    const [hours, minutes] = [wholeNumber(zone.slice(0, at)), wholeNumber(zone.slice(at + 1))];
    return (hours * 60 + (zone.startsWith('-') ? -minutes : minutes)) * 60_000;
  }
  const shown = formatterOf(zone === '' ? 'UTC' : zone)
    .formatToParts(time)
    .find(({ type }) => type === 'timeZoneName')?.value;
  const [, sign, hours = '0', minutes = '0', seconds = '0'] =
    /^GMT([+-])(\d+):(\d+)(?::(\d+))?$/.exec(shown ?? '') ?? [];
  const offset = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return sign === '-' ? -offset : offset;
}

function wholeNumber(text: string): number {
  if (!/^[+-]?\d+$/.test(text)) {
    throw new CelFailure(`strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`);
  }
  return Number(text);
}

/**
 * Kept because making a formatter takes longer than evaluating most expressions. There are some 600 zones.
 */
const formatters = new Map<string, Intl.DateTimeFormat>();
const mostFormatters = 100;

/** Throws a RangeError for an unknown zone. */
function formatterOf(timeZone: string): Intl.DateTimeFormat {
  let found = formatters.get(timeZone);
  if (found === undefined) {
    found = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
    if (formatters.size >= mostFormatters) {
      formatters.clear();
    }
    formatters.set(timeZone, found);
  }
  return found;
}
