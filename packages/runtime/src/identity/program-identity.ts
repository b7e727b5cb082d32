/**
 * The identity of a program. It determines all names that are the program's own: environment variables,
 * leases, Secrets, Events, metrics, the user agent.
 */
export interface ProgramIdentity {
  /**
   * The program's name, such as `acme-sites`: a DNS label that begins with a letter. The log and
   * managedFields show it without the suite.
   */
  readonly name: string;
  /**
   * A DNS domain of its author, such as `acme.example`: then Events are reported by
   * `acme.example/acme-sites`. Default: by the name alone.
   */
  readonly domain?: string | undefined;
  /**
   * The suite that the program belongs to. For example, `sites` and `shops` of the suite `acme` share the
   * variables `ACME_*` and the metrics `acme_*`, and their objects in a cluster are named `acme-sites` and
   * `acme-shops`. Default: the program stands by itself.
   */
  readonly suite?: string | undefined;
}

/** A program, or only its name: then it has no domain and belongs to no suite. */
export type ProgramOrName = string | ProgramIdentity;

/** Returns only the fields of the identity, without any others that the argument has. */
export function identityOf(program: ProgramOrName): ProgramIdentity {
  if (typeof program === 'string') {
    return { name: program };
  }
  const { name, domain, suite } = program;
  return { name, domain, suite };
}

/** Returns the prefix of the environment variables of a program's flags, for example `ACME_SITES_`. */
export function environmentPrefix(program: ProgramOrName): string {
  return `${ownWord(program).toUpperCase()}_`;
}

/**
 * Returns the prefix of a program's own metrics, for example `acme_sites_`. Metrics known from upstream have
 * no prefix.
 */
export function metricsPrefix(program: ProgramOrName): string {
  return `${ownWord(program)}_`;
}

/**
 * Returns the name of a program's lease and webhook configuration, with which the names of its other objects
 * begin.
 */
export function objectName(program: ProgramOrName): string {
  const { name, suite } = identityOf(program);
  return suite === undefined ? name : `${suite}-${name}`;
}

/** Returns the `reportingController` of its Events, for example `acme.example/acme-sites`. */
export function reporterName(program: ProgramOrName): string {
  const { name, domain } = identityOf(program);
  return domain === undefined ? name : `${domain}/${name}`;
}

/** Returns the name of an annotation of the program, for example `acme.example/led-again`. */
export function annotationName(program: ProgramOrName, word: string): string {
  const { domain } = identityOf(program);
  return domain === undefined ? word : `${domain}/${word}`;
}

/** Returns the user agent. The API server uses the word before the slash as the field manager. */
export function userAgentOf(program: ProgramOrName, version: string): string {
  const { name, suite } = identityOf(program);
  const agent = `${name}/${version} (${process.platform}/${process.arch})`;
  return suite === undefined ? agent : `${agent} ${suite}`;
}

/** The name of a Service appends `-webhook`, and has at most 63 characters. */
const longestObjectName = 55;

/**
 * Checks that all names that follow from an identity are valid.
 *
 * @throws Error naming the part, its value and what is allowed.
 */
export function checkIdentity(identity: ProgramIdentity): void {
  const { name, domain, suite } = identity;
  mustBeLabel('name', name);
  if (suite !== undefined) {
    mustBeLabel('suite', suite);
  }
  if (objectName(identity).length > longestObjectName) {
    throw new Error(
      `"${objectName(identity)}" has ${String(objectName(identity).length)} characters: give the program a name of at most ${String(longestObjectName)}, together with its suite`,
    );
  }
  if (
    domain !== undefined &&
    (domain.length > 253 || !/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(domain))
  ) {
    throw new Error(`the domain of the program is "${domain}": write a DNS domain such as acme.example`);
  }
}

function mustBeLabel(part: string, value: string): void {
  if (!/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(value)) {
    throw new Error(
      `the ${part} of the program is "${value}": write a-z, 0-9 and "-", a letter first and no "-" last`,
    );
  }
}

function ownWord(program: ProgramOrName): string {
  const { name, suite } = identityOf(program);
  return (suite ?? name).replaceAll('-', '_');
}
