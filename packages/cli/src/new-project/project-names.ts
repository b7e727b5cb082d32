import { CommandError } from '../exit-code.ts';

/** The names in a new project, all from the operator's and the kind's. */
export interface ProjectNames {
  /** `site-operator` */
  readonly operator: string;
  /** `example.com` */
  readonly group: string;
  /** `Site` */
  readonly kind: string;
  /** Of one object, in code: `site` */
  readonly one: string;
  /** Of the resource, in code: `sites` */
  readonly many: string;
  /** Of the resource, as Kubernetes guesses it: `sites` */
  readonly plural: string;
}

/**
 * @param kind default: the operator's name without `-operator` or `-controller`, in capitals.
 * @throws CommandError for a name that can't be one, with what it may be.
 */
export function projectNames(operator: string, group: string, kind = kindFrom(operator)): ProjectNames {
  check(
    'NAME',
    operator,
    /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/,
    'small letters, digits and dashes, such as site-operator',
  );
  check(
    '--group',
    group,
    /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$/,
    'a DNS name of yours, such as example.com',
  );
  check('--kind', kind, /^[A-Z][A-Za-z0-9]{0,57}$/, 'letters and digits, the first a capital, such as Site');
  if (taken.has(kind.toLowerCase())) {
    throw new CommandError(
      `the kind would be ${kind}, a name that the code has other uses for; give another by --kind`,
    );
  }
  const one = `${kind.charAt(0).toLowerCase()}${kind.slice(1)}`;
  return { operator, group, kind, one, many: pluralOf(one), plural: pluralOf(kind.toLowerCase()) };
}

/** What the project's own code, the language or its tests call something else, in small letters. */
const taken: ReadonlySet<string> = new Set(
  [
    'break case catch class const continue debugger default delete do else enum export extends false finally for function if import in instanceof new',
    'null return super switch this throw true try typeof var void while with yield let static await async implements interface package private',
    'protected public undefined object string number boolean symbol bigint promise record readonly array map set error date json math',
    'app apply assert client command configmap controller decide decision flags kind lease level made managed metadata name owns programapp',
    'ref start status t test text theirs wanted z',
  ].flatMap((line) => line.split(' ')),
);

function check(name: string, value: string, allowed: RegExp, hint: string): void {
  if (!allowed.test(value)) {
    throw new CommandError(`${name} is ${JSON.stringify(value)}: it may be ${hint}`);
  }
}

function kindFrom(operator: string): string {
  return operator
    .replace(/-(operator|controller)$/, '')
    .split('-')
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join('');
}

/** As Kubernetes guesses it (UnsafeGuessKindToResource). */
function pluralOf(singular: string): string {
  if (/s$/.test(singular)) {
    return `${singular}es`;
  }
  return singular.endsWith('y') ? `${singular.slice(0, -1)}ies` : `${singular}s`;
}
