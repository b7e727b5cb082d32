import { CelFailure, type CelFunction } from './function-table.ts';
import { spend } from './metering.ts';
import { OpaqueValue } from './opaque-value.ts';

/*
 * The functions on semantic versions of k8s.io/apiserver/pkg/cel/library/semverlib.go (version 1), which
 * parses them as github.com/blang/semver does.
 */

export class Semver extends OpaqueValue {
  readonly numbers: readonly [major: bigint, minor: bigint, patch: bigint];
  /** The identifiers after the hyphen. Numbers sort before texts. */
  readonly prerelease: readonly (bigint | string)[];

  constructor(numbers: Semver['numbers'], prerelease: Semver['prerelease']) {
    super();
    this.numbers = numbers;
    this.prerelease = prerelease;
  }
}

export const semverType = 'kubernetes.Semver';

export const semverFunctions: readonly CelFunction[] = [
  [`semver(string): ${semverType}`, (text: string) => parse(text)],
  [`semver(string, bool): ${semverType}`, parse],
  ['isSemver(string): bool', (text: string) => isSemver(text)],
  ['isSemver(string, bool): bool', isSemver],
  [`${semverType}.major(): int`, ({ numbers: [major] }: Semver) => signed(major)],
  [`${semverType}.minor(): int`, ({ numbers: [, minor] }: Semver) => signed(minor)],
  [`${semverType}.patch(): int`, ({ numbers: [, , patch] }: Semver) => signed(patch)],
  [`${semverType}.isLessThan(${semverType}): bool`, (a: Semver, b: Semver) => compareVersions(a, b) < 0],
  [`${semverType}.isGreaterThan(${semverType}): bool`, (a: Semver, b: Semver) => compareVersions(a, b) > 0],
  [`${semverType}.compareTo(${semverType}): int`, (a: Semver, b: Semver) => BigInt(compareVersions(a, b))],
];

/** Converts an unsigned number of a version to CEL's signed integer. */
function signed(value: bigint): bigint {
  return BigInt.asIntN(64, value);
}

function isSemver(text: string, isNormalized = false): boolean {
  try {
    parse(text, isNormalized);
    return true;
  } catch (error) {
    if (error instanceof Malformed) {
      return false;
    }
    throw error;
  }
}

class Malformed extends CelFailure {}

function parse(text: string, isNormalized = false): Semver {
  spend(text.length / 10);
  return parseStrictly(isNormalized ? normalized(text) : text);
}

/** Splits a version at its first two dots. */
function partsOf(text: string): string[] {
  const [major = '', minor, ...rest] = text.split('.');
  return [major, ...(minor === undefined ? [] : [minor]), ...(rest.length === 0 ? [] : [rest.join('.')])];
}

function normalized(text: string): string {
  const parts = partsOf(text.replace(/^v/, '')).map((part) =>
    part.length > 1 ? part.replace(/^0+/, '').replace(/^(?!\d)/, '0') : part,
  );
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? '')) {
    throw new Malformed('short version cannot contain PreRelease/Build meta data');
  }
  return [...parts, '0', '0'].slice(0, Math.max(3, parts.length)).join('.');
}

function parseStrictly(text: string): Semver {
  if (text === '') {
    throw new Malformed('Version string empty');
  }
  const parts = partsOf(text);
  const [major = '', minor = '', rest] = parts;
  if (rest === undefined) {
    throw new Malformed('No Major.Minor.Patch elements found');
  }
  const numbers: [bigint, bigint] = [numberOf(major, 'Major', 'major'), numberOf(minor, 'Minor', 'minor')];
  const [beforeBuild, build] = splitOnce(rest, '+');
  const [patch, prerelease] = splitOnce(beforeBuild, '-');
  const last = numberOf(patch, 'Patch', 'patch');
  const identifiers = prerelease?.split('.').map(identifierOf) ?? [];
  for (const part of build?.split('.') ?? []) {
    if (part === '') {
      throw new Malformed('Build meta data is empty');
    }
    if (!alphanumeric.test(part)) {
      throw new Malformed(`Invalid character(s) found in build meta data ${JSON.stringify(part)}`);
    }
  }
  return new Semver([...numbers, last], identifiers);
}

function splitOnce(text: string, separator: string): readonly [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

const alphanumeric = /^[0-9A-Za-z-]*$/;

function numberOf(text: string, name: string, within: string): bigint {
  if (!/^\d*$/.test(text)) {
    throw new Malformed(`Invalid character(s) found in ${within} number ${JSON.stringify(text)}`);
  }
  if (/^0./s.test(text)) {
    throw new Malformed(`${name} number must not contain leading zeroes ${JSON.stringify(text)}`);
  }
  return unsigned(text);
}

function identifierOf(text: string): bigint | string {
  if (text === '') {
    throw new Malformed('Prerelease is empty');
  }
  if (!/^\d+$/.test(text)) {
    if (!alphanumeric.test(text)) {
      throw new Malformed(`Invalid character(s) found in prerelease ${JSON.stringify(text)}`);
    }
    return text;
  }
  if (/^0./s.test(text)) {
    throw new Malformed(`Numeric PreRelease version must not contain leading zeroes ${JSON.stringify(text)}`);
  }
  return unsigned(text);
}

/** Parses an unsigned 64-bit number, which has 20 digits at most. */
function unsigned(text: string): bigint {
  const problem = text === '' ? 'invalid syntax' : 'value out of range';
  const value = text !== '' && text.length <= 20 ? BigInt(text) : undefined;
  if (value === undefined || BigInt.asUintN(64, value) !== value) {
    throw new Malformed(`strconv.ParseUint: parsing ${JSON.stringify(text)}: ${problem}`);
  }
  return value;
}

/** Returns less than 0 if `a` comes before `b`. Build metadata does not count. */
function compareVersions(a: Semver, b: Semver): number {
  for (const [index, number] of a.numbers.entries()) {
    const difference = order(number, b.numbers[index] ?? 0n);
    if (difference !== 0) {
      return difference;
    }
  }
  if (a.prerelease.length === 0 || b.prerelease.length === 0) {
    return order(b.prerelease.length, a.prerelease.length);
  }
  for (const [index, identifier] of a.prerelease.entries()) {
    const other = b.prerelease[index];
    if (other === undefined) {
      return 1;
    }
    const difference =
      typeof identifier === typeof other ? order(identifier, other) : typeof identifier === 'bigint' ? -1 : 1;
    if (difference !== 0) {
      return difference;
    }
  }
  return a.prerelease.length < b.prerelease.length ? -1 : 0;
}

function order<Value extends bigint | number | string>(a: Value, b: Value): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
