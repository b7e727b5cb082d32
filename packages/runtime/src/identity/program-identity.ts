/**
 * Whose program it is. All that a program calls its own follows from this: variables in its environment, leases, Secrets, Events, metrics,
 * the user agent.
 */
export interface ProgramIdentity {
  /** Of the program, such as `acme-sites`: a DNS label that begins with a letter. Alone it also stands in the log and in managedFields. */
  readonly name: string;
  /** A DNS domain of its author, such as `acme.example`: Events are reported by `acme.example/acme-sites`. Default: by the name alone. */
  readonly domain?: string | undefined;
  /**
   * What several programs are parts of, such as `acme` of `acme-sites` and `acme-shops` with the names `sites` and `shops`: they share the variables `ACME_*` and the
   * metrics `acme_*`, and what they have in a cluster is called `acme-sites` and `acme-shops`. Default: none, a program is by itself.
   */
  readonly suite?: string | undefined;
}

/** A program, or its name alone: then it has no domain and is part of no suite. */
export type ProgramOrName = string | ProgramIdentity;

/** The parts of an identity, and nothing else of what has them. */
export function identityOf(program: ProgramOrName): ProgramIdentity {
  if (typeof program === 'string') {
    return { name: program };
  }
  const { name, domain, suite } = program;
  return { name, domain, suite };
}

/** What a flag's variable in the environment begins with, for example `ACME_SITES_`. */
export function environmentPrefix(program: ProgramOrName): string {
  return `${ownWord(program).toUpperCase()}_`;
}

/** What the names of a program's own metrics begin with, for example `acme_sites_`. Those that are upstream's have no prefix. */
export function metricsPrefix(program: ProgramOrName): string {
  return `${ownWord(program)}_`;
}

/** What a program's lease and webhook configuration are called, and what the names of its other objects begin with. */
export function objectName(program: ProgramOrName): string {
  const { name, suite } = identityOf(program);
  return suite === undefined ? name : `${suite}-${name}`;
}

/** The `reportingController` of its Events, for example `acme.example/acme-sites`. */
export function reporterName(program: ProgramOrName): string {
  const { name, domain } = identityOf(program);
  return domain === undefined ? name : `${domain}/${name}`;
}

/** What it calls itself before the API server, which takes the word before the slash as the field manager. */
export function userAgentOf(program: ProgramOrName, version: string): string {
  const { name, suite } = identityOf(program);
  const agent = `${name}/${version} (${process.platform}/${process.arch})`;
  return suite === undefined ? agent : `${agent} ${suite}`;
}

/** `-webhook` stands behind it in the name of a Service, which has 63 characters at the most. */
const longestObjectName = 55;

/**
 * Looks whether all that follows from an identity can be used.
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
