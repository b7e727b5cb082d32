import { Duration } from '@marcbachmann/cel-js/evaluator';
import { CelFailure, type CelFunction } from './function-table.ts';

/*
 * Conversions to times and durations, as cel-go makes them. They replace the library's, which accepts days
 * that a month does not have, and whose time to parse a long row of digits grows with the square of its
 * length.
 */

const timestampType = 'google.protobuf.Timestamp';
const durationType = 'google.protobuf.Duration';

export const timeFunctions: readonly CelFunction[] = [
  [`k8s_timestamp(string): ${timestampType}`, timestampOf],
  [`k8s_timestamp(int): ${timestampType}`, timestampOfSeconds],
  [`k8s_timestamp(${timestampType}): ${timestampType}`, (time: Date) => time],
  [`k8s_duration(string): ${durationType}`, durationOf],
  [`k8s_duration(${durationType}): ${durationType}`, (duration: Duration) => duration],
  [`k8s_string(${durationType}): string`, textOfDuration],
  [`k8s_string(${timestampType}): string`, textOfTimestamp],
];

/** Formats a duration in seconds. */
function textOfDuration({ seconds, nanos }: Duration): string {
  const text = (Number(seconds) + nanos / 1e9).toFixed(9);
  return `${text.replace(/\.?0+$/, '')}s`;
}

const written = new WeakMap<Date, string>();

/** A time that keeps the offset from UTC and the nanoseconds of the text, because string() returns them. */
export function timeOf(text: string): Date {
  const time = new Date(text);
  written.set(time, text);
  return time;
}

function textOfTimestamp(time: Date): string {
  const [whole, seconds = '', fraction = '', zone = ''] =
    withOffset.exec((written.get(time) ?? '').toUpperCase()) ?? withOffset.exec(time.toISOString()) ?? [];
  if (whole === undefined) {
    throw new CelFailure('timestamp overflow');
  }
  const digits = fraction.slice(0, 9).replace(/0+$/, '');
  return `${seconds}${digits === '' ? '' : `.${digits}`}${/^[+-]00:00$/.test(zone) ? 'Z' : zone}`;
}

const withOffset = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/;

/** The first and the last millisecond of the years 1 to 9999, since 1970. */
const first = -62_135_596_800_000;
const last = 253_402_300_799_999;

function inRange(milliseconds: number): Date {
  if (milliseconds < first || milliseconds > last) {
    throw new CelFailure('timestamp overflow');
  }
  return new Date(milliseconds);
}

/**
 * @param seconds since 1970
 *
 * @throws CelFailure for a time outside the years 1 to 9999
 */
export function timestampOfSeconds(seconds: bigint): Date {
  return inRange(Number(seconds) * 1000);
}

const rfc3339 =
  /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** Parses a time. Throws a CelFailure if the text is not one. */
export function timestampOf(text: string): Date {
  const [whole, year = '', month = '', day = ''] = rfc3339.exec(text) ?? [];
  const midnight = new Date(`${year}-${month}-${day}T00:00:00Z`);
  if (whole === undefined || Number.isNaN(midnight.getTime()) || midnight.getUTCDate() !== Number(day)) {
    throw new CelFailure(`type conversion error from 'string' to '${timestampType}'`);
  }
  inRange(Date.parse(text));
  return timeOf(text);
}

/** The units of a duration in nanoseconds. */
const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const second = 1_000_000_000n;

/** Parses a duration like Go's time.ParseDuration. Throws a CelFailure if the text is not one. */
export function durationOf(text: string): Duration {
  const failure = new CelFailure(`type conversion error from 'string' to '${durationType}'`);
  const [, sign = '', rest = ''] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  if (rest === '0') {
    return new Duration(0n);
  }
  const part = /(\d+)?(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/y;
  let nanos = 0n;
  do {
    const [whole, digits, fraction = '', unit = ''] = part.exec(rest) ?? [];
    if (whole === undefined || (digits === undefined && fraction === '') || whole.length > longestPart) {
      throw failure;
    }
    const shown = fraction.slice(0, 18);
    nanos += (BigInt(`${digits ?? ''}${shown}`) * (units[unit] ?? 0n)) / 10n ** BigInt(shown.length);
  } while (part.lastIndex < rest.length);
  const signed = sign === '-' ? -nanos : nanos;
  if (BigInt.asIntN(64, signed) !== signed) {
    throw failure;
  }
  return new Duration(signed / second, Number(signed % second));
}

/** A number that fits into 64 bits, and its fraction, have fewer digits. */
const longestPart = 1_000;
