import { type FieldError, invalid, required } from './field-error.ts';

/* The naming rules of k8s.io/apimachinery/pkg/util/validation, with the API server's messages. */

/** Returns what is wrong with a name; nothing if it is valid. A prefix (generateName) may end in a dash. */
export type NameRule = (name: string, isPrefix: boolean) => readonly string[];

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomain = `${label}(\\.${label})*`;
const qualified = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const labelValue = `(${qualified})?`;

const label1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const label1035Pattern = new RegExp(`^${label1035}$`);
const labelPattern = new RegExp(`^${label}$`);
const subdomainPattern = new RegExp(`^${subdomain}$`);
const qualifiedPattern = new RegExp(`^${qualified}$`);
const labelValuePattern = new RegExp(`^${labelValue}$`);

function regexProblem(message: string, pattern: string, ...examples: string[]): string {
  const listed = examples.map((example) => `'${example}'`).join(',  or ');
  return `${message} (e.g. ${listed}, regex used for validation is '${pattern}')`;
}

const labelProblem = regexProblem(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  label,
  'my-name',
  '123-abc',
);
const label1035Problem = regexProblem(
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  label1035,
  'my-name',
  'abc-123',
);
const subdomainProblem = regexProblem(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  subdomain,
  'example.com',
);
const qualifiedProblem = regexProblem(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  qualified,
  'MyName',
  'my.name',
  '123-abc',
);
const labelValueProblem = regexProblem(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  labelValue,
  'MyValue',
  'my_value',
  '12345',
);

function tooLong(maximum: number): string {
  return `must be no more than ${maximum} characters`;
}

function tooManyBytes(maximum: number): string {
  return `must be no more than ${maximum} bytes`;
}

function maskPrefix(name: string): string {
  return name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name;
}

/** The rule for a DNS label (RFC 1123), such as the name of a namespace: at most 63 characters. */
export const dnsLabel: NameRule = (name, isPrefix) => {
  const checked = isPrefix ? maskPrefix(name) : name;
  const problems: string[] = [];
  if (checked.length > 63) {
    problems.push(tooLong(63));
  }
  if (subdomainPattern.test(checked) && checked.includes('.')) {
    problems.push('must not contain dots');
  } else if (!labelPattern.test(checked)) {
    problems.push(labelProblem);
  }
  return problems;
};

/**
 * The rule for DNS labels separated by dots (RFC 1123), which the names of most objects follow: at most 253
 * characters.
 */
export const dnsSubdomain: NameRule = (name, isPrefix) => {
  const checked = isPrefix ? maskPrefix(name) : name;
  const problems: string[] = [];
  if (checked.length > 253) {
    problems.push(tooLong(253));
  }
  if (!subdomainPattern.test(checked)) {
    problems.push(subdomainProblem);
  }
  return problems;
};

/**
 * Like dnsSubdomain, for kinds with declarative validation: prefixes are not checked, and messages state the
 * length in bytes.
 */
export const longName: NameRule = (name, isPrefix) =>
  isPrefix
    ? []
    : [
        ...(name.length > 253 ? [tooManyBytes(253)] : []),
        ...(subdomainPattern.test(name) ? [] : [subdomainProblem]),
      ];

/**
 * Like dnsLabel, but the name must begin with a letter: for names that become DNS names of services, and for
 * versions of an API.
 */
export const dns1035Label: NameRule = (name, isPrefix) => {
  const checked = isPrefix ? maskPrefix(name) : name;
  const problems: string[] = [];
  if (checked.length > 63) {
    problems.push(tooLong(63));
  }
  if (!label1035Pattern.test(checked)) {
    problems.push(label1035Problem);
  }
  return problems;
};

/** The rule for names that fit into one segment of a URL path (roles and their bindings). */
export const pathSegment: NameRule = (name, isPrefix) => {
  if (!isPrefix && (name === '.' || name === '..')) {
    return [`may not be '${name}'`];
  }
  const bad = ['/', '%'].filter((character) => name.includes(character));
  return bad.map((character) => `may not contain '${character}'`);
};

/** Checks a label key, annotation key or finalizer: an optional DNS prefix and a name part. */
export function qualifiedNameProblems(value: string): readonly string[] {
  const parts = value.split('/');
  const problems: string[] = [];
  let name = parts[0] ?? '';
  if (parts.length === 2) {
    const prefix = parts[0] ?? '';
    name = parts[1] ?? '';
    if (prefix === '') {
      problems.push('prefix part must be non-empty');
    } else {
      if (prefix.length > 253) {
        problems.push(`prefix part ${tooManyBytes(253)}`);
      }
      if (!subdomainPattern.test(prefix)) {
        problems.push(`prefix part ${subdomainProblem}`);
      }
    }
  } else if (parts.length !== 1) {
    return [
      `a valid label key ${qualifiedProblem} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  if (name === '') {
    problems.push('name part must be non-empty');
  } else if (name.length > 63) {
    problems.push(`name part ${tooManyBytes(63)}`);
  }
  if (!qualifiedPattern.test(name)) {
    problems.push(`name part ${qualifiedProblem}`);
  }
  return problems;
}

export function labelValueProblems(value: string): readonly string[] {
  const problems: string[] = [];
  if (value.length > 63) {
    problems.push(tooManyBytes(63));
  }
  if (!labelValuePattern.test(value)) {
    problems.push(labelValueProblem);
  }
  return problems;
}

const wildcard = String.raw`\*\.${subdomain}`;
const wildcardPattern = new RegExp(`^${wildcard}$`);
const wildcardProblem = regexProblem(
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
  wildcard,
  '*.example.com',
);

/** What is wrong with the name of all names below another one. */
export function wildcardSubdomain(name: string): readonly string[] {
  return [
    ...(name.length > 253 ? [tooLong(253)] : []),
    ...(wildcardPattern.test(name) ? [] : [wildcardProblem]),
  ];
}

const httpPath = String.raw`[A-Za-z0-9/\-._~%!$&'()*+,;=:]+`;
const httpPathPattern = new RegExp(`^${httpPath}$`);

/**
 * Checks a domain-prefixed path, such as acme.io/foo.
 *
 * @param field its path in the object
 */
export function validateDomainPrefixedPath(value: string, field: string): FieldError[] {
  if (value === '') {
    return [required(field)];
  }
  const [host = '', ...rest] = value.split('/');
  const path = rest.join('/');
  if (host === '' || path === '') {
    return [invalid(field, value, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  const pathProblem = `Invalid path (regex used for validation is '${httpPath}')`;
  return [
    ...dnsSubdomain(host, false).map((problem) => invalid(field, host, problem)),
    ...(httpPathPattern.test(path) ? [] : [invalid(field, path, pathProblem)]),
  ];
}
