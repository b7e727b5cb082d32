import { CommandError } from '../exit-code.ts';

/** The names in a new project, all derived from those of the operator and the kind. */
export interface ProjectNames {
  /** `site-operator` */
  readonly operator: string;
  /** `example.com` */
  readonly group: string;
  /** `Site` */
  readonly kind: string;
  /** The name of one object in code: `site` */
  readonly one: string;
  /** The name of the resource in code: `sites` */
  readonly many: string;
  /** The name of the resource as Kubernetes guesses it: `sites` */
  readonly plural: string;
}

/**
 * Derives the names.
 *
 * @param kind default: the operator's name without `-operator` or `-controller`, in capitals.
 * @throws CommandError for an invalid name, with what is valid.
 */
export function projectNames(operator: string, group: string, kind = kindFrom(operator)): ProjectNames {
  check(
    'NAME',
    operator,
    /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/,
    'small letters, digits and dashes, up to 63, a letter first and no dash last, such as site-operator',
  );
  check(
    '--group',
    group,
    /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$/,
    'a DNS name of yours with a dot, in small letters, such as example.com',
  );
  check(
    '--kind',
    kind,
    /^[A-Z][A-Za-z0-9]{0,57}$/,
    'letters and digits, up to 58, the first a capital, such as Site',
  );
  if (taken.has(kind.toLowerCase())) {
    throw new CommandError(
      `the kind would be ${kind}, a name that the code has other uses for; give another by --kind`,
    );
  }
  const one = `${kind.charAt(0).toLowerCase()}${kind.slice(1)}`;
  return { operator, group, kind, one, many: pluralOf(one), plural: pluralOf(kind.toLowerCase()) };
}

/** Words that have another meaning in the project's code, its tests or the language, in lower case. */
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

/** Guesses the plural as Kubernetes does (UnsafeGuessKindToResource). */
function pluralOf(singular: string): string {
  if (/s$/.test(singular)) {
    return `${singular}es`;
  }
  return singular.endsWith('y') ? `${singular.slice(0, -1)}ies` : `${singular}s`;
}
