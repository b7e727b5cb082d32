/* The schedules of CronJobs, parsed as in github.com/robfig/cron and with its error messages. */

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const bounds: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: months },
  { min: 0, max: 6, names: days },
];

const descriptors: ReadonlySet<string> = new Set([
  '@yearly',
  '@annually',
  '@monthly',
  '@weekly',
  '@daily',
  '@midnight',
  '@hourly',
]);

/** Thrown and caught within this file. */
class ScheduleProblem extends Error {}

/** The error in a schedule; undefined if it is valid. */
export function scheduleProblem(schedule: string): string | undefined {
  try {
    checkSchedule(withoutZone(schedule));
    return undefined;
  } catch (error) {
    if (error instanceof ScheduleProblem) {
      return error.message;
    }
    throw error;
  }
}

function withoutZone(schedule: string): string {
  if (!/^(CRON_)?TZ=/.test(schedule)) {
    return schedule;
  }
  const end = schedule.indexOf(' ');
  const begin = schedule.indexOf('=') + 1;
  if (end < 0) {
    throw new ScheduleProblem(`invalid schedule format: runtime error: slice bounds out of range [:${end}]`);
  }
  const zone = schedule.slice(begin, end);
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone === '' ? 'UTC' : zone });
  } catch {
    throw new ScheduleProblem(`provided bad location ${zone}: unknown time zone ${zone}`);
  }
  return schedule.slice(end).trim();
}

function checkSchedule(schedule: string): void {
  if (schedule.startsWith('@')) {
    checkDescriptor(schedule);
    return;
  }
  const fields = schedule.split(/\s+/).filter((field) => field !== '');
  if (fields.length !== bounds.length) {
    throw new ScheduleProblem(
      `expected exactly ${bounds.length} fields, found ${fields.length}: [${fields.join(' ')}]`,
    );
  }
  for (const [index, range] of bounds.entries()) {
    for (const expression of (fields[index] ?? '').split(',').filter((part) => part !== '')) {
      checkRange(expression, range);
    }
  }
}

const every = '@every ';

function checkDescriptor(descriptor: string): void {
  if (descriptor.startsWith(every)) {
    const problem = durationProblem(descriptor.slice(every.length));
    if (problem !== undefined) {
      throw new ScheduleProblem(`failed to parse duration ${descriptor}: ${problem}`);
    }
  } else if (!descriptors.has(descriptor)) {
    throw new ScheduleProblem(`unrecognized descriptor: ${descriptor}`);
  }
}

const number = String.raw`(\d+\.?\d*|\.\d+)`;
const units = ['ns', 'us', 'µs', 'μs', 'ms', 's', 'm', 'h'];

/** The error in the words of Go's time.ParseDuration. */
function durationProblem(text: string): string | undefined {
  const shown = JSON.stringify(text);
  let rest = text.replace(/^[+-]/, '');
  if (rest === '0') {
    return undefined;
  }
  if (rest === '') {
    return `time: invalid duration ${shown}`;
  }
  while (rest !== '') {
    const [, amount = '', unit = ''] = new RegExp(`^${number}([^\\d.]*)`).exec(rest) ?? [];
    if (amount === '') {
      return `time: invalid duration ${shown}`;
    }
    if (unit === '') {
      return `time: missing unit in duration ${shown}`;
    }
    if (!units.includes(unit)) {
      return `time: unknown unit ${JSON.stringify(unit)} in duration ${shown}`;
    }
    rest = rest.slice(amount.length + unit.length);
  }
  return undefined;
}

function checkRange(expression: string, { min, max, names = [] }: Bounds): void {
  const [range = '', ...steps] = expression.split('/');
  const [low = '', ...highs] = range.split('-');
  const isAll = low === '*' || low === '?';
  const first = isAll ? min : valueOf(low, min, names);
  if (!isAll && highs.length > 1) {
    throw new ScheduleProblem(`too many hyphens: ${expression}`);
  }
  const [high] = highs;
  const last = isAll ? max : high === undefined ? first : valueOf(high, min, names);
  if (steps.length > 1) {
    throw new ScheduleProblem(`too many slashes: ${expression}`);
  }
  const step = steps[0] === undefined ? 1 : wholeNumber(steps[0]);
  const end = steps.length === 1 && high === undefined ? max : last;
  if (first < min) {
    throw new ScheduleProblem(`beginning of range (${first}) below minimum (${min}): ${expression}`);
  }
  if (end > max) {
    throw new ScheduleProblem(`end of range (${end}) above maximum (${max}): ${expression}`);
  }
  if (first > end) {
    throw new ScheduleProblem(`beginning of range (${first}) beyond end of range (${end}): ${expression}`);
  }
  if (step === 0) {
    throw new ScheduleProblem(`step of range should be a positive number: ${expression}`);
  }
}

function valueOf(text: string, min: number, names: readonly string[]): number {
  const index = names.indexOf(text.toLowerCase());
  return index < 0 ? wholeNumber(text) : index + min;
}

function wholeNumber(text: string): number {
  const value = Number(text);
  const isNumber = /^[+-]?\d+$/.test(text);
  if (!isNumber || Math.abs(value) >= 2 ** 63) {
    const problem = isNumber ? 'value out of range' : 'invalid syntax';
    throw new ScheduleProblem(
      `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: ${problem}`,
    );
  }
  if (value < 0) {
    throw new ScheduleProblem(`negative number (${value}) not allowed: ${text}`);
  }
  return value;
}
