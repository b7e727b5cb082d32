import { Optional } from '@marcbachmann/cel-js';
import {
  type NameRule,
  dns1035Label,
  dnsLabel,
  dnsSubdomain,
  labelValueProblems,
  qualifiedNameProblems,
} from '../meta/names.ts';
import { hasFormat } from '../structural/formats.ts';
import type { CelFunction } from './function-table.ts';
import { spend } from './metering.ts';
import { urlProblem } from './url-functions.ts';
import { OpaqueValue } from './opaque-value.ts';

/* The functions for named formats of strings in k8s.io/apiserver/pkg/cel/library/format.go. */

export class NamedFormat extends OpaqueValue {
  readonly name: string;

  constructor(name: string) {
    super();
    this.name = name;
  }
}

export const formatType = 'kubernetes.NamedFormat';

interface Format {
  readonly problemsOf: (text: string) => readonly string[];
  /** The length, in characters, of the regular expression that the cost is computed for. */
  readonly length: number;
}

const nameFormat = (rule: NameRule, isPrefix: boolean, length: number): Format => ({
  problemsOf: (text) => rule(text, isPrefix),
  length,
});

const known = (format: string, problem: string, length: number): Format => ({
  problemsOf: (text) => (hasFormat(format, text) ? [] : [problem]),
  length,
});

const formats: ReadonlyMap<string, Format> = new Map([
  ['dns1123Label', nameFormat(dnsLabel, false, 30)],
  ['dns1123Subdomain', nameFormat(dnsSubdomain, false, 60)],
  ['dns1035Label', nameFormat(dns1035Label, false, 30)],
  ['qualifiedName', { problemsOf: qualifiedNameProblems, length: 60 }],
  ['dns1123LabelPrefix', nameFormat(dnsLabel, true, 30)],
  ['dns1123SubdomainPrefix', nameFormat(dnsSubdomain, true, 60)],
  ['dns1035LabelPrefix', nameFormat(dns1035Label, true, 30)],
  ['labelValue', { problemsOf: labelValueProblems, length: 40 }],
  [
    'uri',
    { problemsOf: (text) => [urlProblem(text)].filter((problem) => problem !== undefined), length: 1103 },
  ],
  ['uuid', known('uuid', 'does not match the UUID format', 70)],
  ['byte', known('byte', 'invalid base64', 84)],
  ['date', known('date', 'invalid date', 71)],
  ['datetime', known('datetime', 'invalid datetime', 71)],
]);

export const formatFunctions: readonly CelFunction[] = [
  [
    `format.named(string): optional<${formatType}>`,
    (_: unknown, name: string) => (formats.has(name) ? Optional.of(new NamedFormat(name)) : Optional.none()),
  ],
  ...Array.from(formats.keys(), (name): CelFunction => [
    `format.${name}(): ${formatType}`,
    () => new NamedFormat(name),
  ]),
  [`${formatType}.validate(string): optional<list<string>>`, validate],
];

function validate({ name }: NamedFormat, text: string): Optional {
  const format = formats.get(name);
  if (format === undefined) {
    throw new Error(`There is no format ${name}: take one of ${[...formats.keys()].join(', ')}`);
  }
  spend(Math.ceil((text.length + 1) / 10) * Math.ceil(format.length / 4));
  const problems = format.problemsOf(text);
  return problems.length === 0 ? Optional.none() : Optional.of([...problems]);
}
