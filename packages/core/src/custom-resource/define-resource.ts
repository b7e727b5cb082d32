import { safeParse, type $ZodType, type input, type output } from 'zod/v4/core';
import type { ApiResource } from '../api-resource.ts';
import type { Json } from '../json.ts';
import type { KubernetesObject } from '../resources.ts';
import { parseAbsent } from './absent-field.ts';
import type { CustomResourceDefinition } from './custom-resource-definition.ts';
import { isRecord } from '../json-value.ts';
import { describeProblems, type FieldProblem } from './problem.ts';
import { nameProblems, pluralOf } from './resource-names.ts';
import { withoutNulls } from './server-form.ts';
import type { StructuralSchema } from './structural-schema.ts';
import { versionOf, type VersionOptions } from './version-of.ts';

/** The scope in the spelling of a CustomResourceDefinition. */
export type ResourceScope = 'Cluster' | 'Namespaced';

/**
 * Describes a custom kind for {@link defineResource}. The fields of the stored version stand next to the
 * names.
 */
export interface ResourceOptions<
  Spec extends $ZodType,
  Status extends $ZodType | undefined,
  Scope extends ResourceScope = ResourceScope,
> extends VersionOptions<Spec, Status> {
  /** A DNS name of your own, such as `example.com`. */
  readonly group: string;
  /** The stored version, which the resource reads and writes. */
  readonly version: string;
  /** `Site` */
  readonly kind: string;
  /** Default: the plural that Kubernetes guesses from the kind, in lower case. */
  readonly plural?: string;
  /** Default: the kind in lower case. */
  readonly singular?: string;
  /** Default: the kind followed by `List`. */
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  /** Groups of kinds that the kind belongs to, such as `all` for `kubectl get all`. */
  readonly categories?: readonly string[];
  /** Default: Namespaced. */
  readonly scope?: Scope;
  /**
   * Further versions that the API server serves, or knows without serving them.
   *
   * Nothing is converted between versions (strategy None): the API server answers with the object as it was
   * written, under the requested apiVersion, without the fields that the requested version does not know.
   */
  readonly otherVersions?: readonly OtherVersion[];
  /** Labels of the CustomResourceDefinition itself. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Annotations of the CustomResourceDefinition itself, such as `api-approved.kubernetes.io`. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A version other than the stored one. */
export interface OtherVersion extends VersionOptions {
  readonly version: string;
  /** Default: true. */
  readonly served?: boolean;
}

/** An object of a defined kind as the API server returns it, with defaults filled in. */
export type CustomObject<Spec extends $ZodType, Status extends $ZodType | undefined> = KubernetesObject &
  (undefined extends output<Spec>
    ? { readonly spec?: Json<output<Spec>> }
    : { readonly spec: Json<output<Spec>> }) &
  (Status extends $ZodType ? { readonly status?: Json<output<Status>> } : unknown);

/**
 * What a client sends of an object of a defined kind, apart from its metadata. Fields with a default can be
 * left out.
 */
export type CustomDraft<
  Spec extends $ZodType,
  Status extends $ZodType | undefined,
> = (undefined extends input<Spec>
  ? { readonly spec?: Json<input<Spec>> }
  : { readonly spec: Json<input<Spec>> }) &
  (Status extends $ZodType ? { readonly status?: Json<input<Status>> } : unknown);

/** The result of {@link DefinedResource.check}. */
export type CheckedObject<T> =
  | {
      readonly kind: 'valid';
      /**
       * The object as the API server would store it: with defaults, and without fields that the schema does
       * not know.
       */
      readonly object: T;
    }
  | { readonly kind: 'invalid'; readonly problems: readonly FieldProblem[] };

/** A custom kind. It is itself an ApiResource, so clients and informers accept it. */
export interface DefinedResource<
  T extends KubernetesObject,
  Draft = object,
  Scope extends ResourceScope = ResourceScope,
> extends ApiResource<T> {
  readonly namespaced: Scope extends 'Namespaced' ? true : false;
  /** Carries the type of a new object for the compiler; never set at run time. */
  readonly draft?: Draft;
  /** Create this in the cluster before the first object; `npx holdfast crd` writes it as YAML. */
  readonly definition: CustomResourceDefinition;
  /**
   * Checks an object from outside, such as one in an admission request, against the zod schemas.
   *
   * Only the API server checks metadata, formats, and rules in CEL.
   */
  check(object: unknown): CheckedObject<T>;
}

/** Thrown for a kind that API servers would refuse, or whose zod schema states what they cannot check. */
export class ResourceDefinitionError extends Error {
  override readonly name = 'ResourceDefinitionError';
  readonly problems: readonly FieldProblem[];

  constructor(kind: string, problems: readonly FieldProblem[]) {
    super(`kind ${kind} can't be defined: ${describeProblems(problems)}`);
    this.problems = problems;
  }
}

/**
 * Defines a kind once. Its type, where it is served, its CustomResourceDefinition, and the check of its
 * objects all follow from one pair of zod schemas.
 *
 * The API server then accepts what zod accepts and returns what zod returns. What a structural schema cannot
 * express is refused.
 *
 * @throws ResourceDefinitionError listing everything that cannot be expressed or that API servers would
 *   refuse, each with its path and what to do instead.
 */
export function defineResource<
  Spec extends $ZodType,
  Status extends $ZodType | undefined = undefined,
  Scope extends ResourceScope = 'Namespaced',
>(
  options: ResourceOptions<Spec, Status, Scope>,
): DefinedResource<CustomObject<Spec, Status>, CustomDraft<Spec, Status>, Scope> {
  const { group, version, kind, plural = pluralOf(kind) } = options;
  const scope: ResourceScope = options.scope ?? 'Namespaced';
  const { otherVersions = [], shortNames, categories, labels, annotations } = options;
  const names = {
    plural,
    singular: options.singular ?? kind.toLowerCase(),
    ...(shortNames === undefined ? {} : { shortNames }),
    kind,
    listKind: options.listKind ?? `${kind}List`,
    ...(categories === undefined ? {} : { categories }),
  };
  const problems = [...nameProblems(group, [version, ...otherVersions.map((other) => other.version)], names)];
  const stored = versionOf(version, true, true, options, problems);
  const others = otherVersions.map((other) => {
    const found: FieldProblem[] = [];
    const made = versionOf(other.version, false, other.served ?? true, other, found);
    problems.push(...found.map(({ path, message }) => ({ path: `${other.version}: ${path}`, message })));
    return made;
  });
  if (problems.length > 0) {
    throw new ResourceDefinitionError(kind, problems);
  }
  const definition: CustomResourceDefinition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${group}`,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec: {
      group,
      names,
      scope,
      versions: [stored, ...others],
      ...(others.length === 0 ? {} : { conversion: { strategy: 'None' } }),
    },
  };
  const { openAPIV3Schema } = stored.schema;
  return {
    group,
    version,
    kind,
    plural,
    namespaced: (scope === 'Namespaced') as Scope extends 'Namespaced' ? true : false,
    definition,
    check: (object) =>
      checkObject(object, options, openAPIV3Schema) as CheckedObject<CustomObject<Spec, Status>>,
  };
}

interface Parts {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly spec: $ZodType;
  readonly status?: $ZodType | undefined;
}

function checkObject(
  given: unknown,
  { group, version, kind, spec, status }: Parts,
  schema: StructuralSchema,
): CheckedObject<unknown> {
  const object = withoutNulls(given, schema);
  if (!isRecord(object) || !isRecord(object['metadata'])) {
    return { kind: 'invalid', problems: [{ path: '', message: 'it is no object with metadata' }] };
  }
  const problems: FieldProblem[] = [];
  const checked: Record<string, unknown> = {};
  // The items of a list come without these fields.
  for (const [field, wanted] of Object.entries({ apiVersion: `${group}/${version}`, kind })) {
    const is = object[field];
    if (is === wanted) {
      checked[field] = is;
    } else if (is !== undefined) {
      problems.push({ path: field, message: `it is ${JSON.stringify(is)}, and ${wanted} was asked for` });
    }
  }
  checked['metadata'] = object['metadata'];
  const read = (field: string, type: $ZodType): void => {
    const value = object[field];
    const parsed = value === undefined ? parseAbsent(type) : safeParse(type, value);
    if (!parsed.success) {
      const within = value === undefined ? 1 : 0;
      // One by one: there can be more than a call can have arguments.
      for (const { path, message } of parsed.error.issues) {
        problems.push({ path: pathOf([field, ...path.slice(within)]), message });
      }
    } else if (parsed.data !== undefined) {
      checked[field] = parsed.data;
    }
  };
  read('spec', spec);
  if (status !== undefined && (object['status'] !== undefined || status._zod.optin !== undefined)) {
    read('status', status);
  }
  return problems.length > 0 ? { kind: 'invalid', problems } : { kind: 'valid', object: checked };
}

/** A key on the way to a problem is cut after this many characters. */
const longestKey = 256;

/** Keys are cut: thousands of problems below one key of a megabyte would fill the memory with their paths. */
function pathOf(segments: readonly PropertyKey[]): string {
  return segments
    .map((segment, index) =>
      typeof segment === 'number' ? `[${segment}]` : `${index === 0 ? '' : '.'}${cut(String(segment))}`,
    )
    .join('');
}

function cut(key: string): string {
  return key.length > longestKey ? `${key.slice(0, longestKey)}...` : key;
}
