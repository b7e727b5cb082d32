import type { FieldError } from '../../meta/field-error.ts';
import {
  type Json,
  type JsonObject,
  cloneJson,
  isObject,
  jsonEqual,
  withoutFields,
} from '../../meta/json.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import { dnsSubdomain } from '../../meta/names.ts';
import { validateImmutable } from '../../meta/object-meta.ts';
import { structSchema } from '../../schema/schema.ts';
import { validateBySchema } from '../../schema/validate.ts';
import type { ResourceDefinition, StrategyContext } from '../resource-definition.ts';
import { type TableColumn, nameColumn } from '../table-columns.ts';

/*
 * The engine of the built-in kinds that a schema describes: what the published OpenAPI says is checked for all of them in the same way, and a description
 * adds what it does not say: defaults, columns, fields that never change, and the mistakes that people make.
 */

/** A column besides the name, and what stands in it. */
export interface Shown<Kind extends KubeObject = KubeObject> {
  readonly column: TableColumn;
  cell(object: Kind, context: StrategyContext): Json;
}

/** Where it says nothing, a kind is as most are. */
export interface KindDescription extends Omit<
  ResourceDefinition,
  'singular' | 'columns' | 'cells' | 'nameRule' | 'status' | 'validate' | 'validateUpdate' | 'validation'
> {
  readonly struct: string;
  /** Default: the kind in lower case. */
  readonly singular?: string;
  /** Default: DNS subdomains. */
  readonly nameRule?: ResourceDefinition['nameRule'];
  /** Whether there is the subresource status, and the field is written through it alone. Default false. */
  readonly hasStatus?: boolean;
  /** Metadata that a write to status leaves as it is. Default none. */
  readonly statusKeeps?: readonly ('labels' | 'annotations')[];
  /** Annotations that stand for fields of the spec: a write to status leaves them as they are. Default none. */
  readonly specAnnotations?: readonly string[];
  readonly shown: readonly Shown[];
  /** Paths of fields that stay as they are. Default none. */
  readonly immutable?: readonly string[];
  /** Whether the refusals are all of upstream's rules, so that the schema judges nothing. Default false. */
  readonly hasAllRules?: boolean;
  /** Structs of the schema data whose fields the schema does not judge, as `refusals` does. Default: pod templates. */
  readonly judgedHere?: readonly string[];
  /** What is wrong besides what the schema says. `old` is undefined for a new object. Default nothing. */
  refusals?(object: KubeObject, old: KubeObject | undefined): readonly FieldError[];
  /** What is wrong with a status. Default nothing. */
  statusRefusals?(object: KubeObject, old: KubeObject): readonly FieldError[];
  /** Warnings of a write to status. Default none. */
  statusWarnings?(object: KubeObject): readonly string[];
}

/** From a description to all that the server knows about the kind. */
export function describedResource(description: KindDescription): ResourceDefinition {
  const {
    shown,
    immutable = [],
    hasStatus = false,
    hasAllRules = false,
    statusKeeps = [],
    specAnnotations = [],
    judgedHere = ['core.v1.PodTemplateSpec'],
    ...given
  } = description;
  const without = new Set(['meta.v1.ObjectMeta', 'meta.v1.LabelSelector', ...judgedHere]);
  const validate = (object: KubeObject, old?: KubeObject): FieldError[] => [
    ...(hasAllRules || without.has(given.struct)
      ? []
      : validateBySchema(given.struct, withoutStatus(object), without)),
    ...(description.refusals?.(object, old) ?? []),
  ];
  return {
    singular: given.kind.toLowerCase(),
    nameRule: dnsSubdomain,
    ...given,
    specAnnotations,
    ...(hasAllRules
      ? undefined
      : { validation: description.refusals === undefined ? 'schema' : 'usual mistakes' }),
    prepareForCreate(object, context) {
      if (hasStatus) {
        object['status'] = {};
      }
      description.prepareForCreate?.(object, context);
    },
    prepareForUpdate(object, old, context) {
      if (hasStatus) {
        object['status'] = old['status'] ?? {};
      }
      description.prepareForUpdate?.(object, old, context);
    },
    validate: (object) => validate(object),
    validateUpdate: (object, old) => [
      ...validate(object, old),
      ...immutable.flatMap((path) => {
        const zero = isText(given.struct, path) ? '' : undefined;
        return validateImmutable(valueAt(object, path) ?? zero, valueAt(old, path) ?? zero, path);
      }),
    ],
    ...(hasStatus
      ? {
          status: {
            prepareForUpdate(object: KubeObject, old: KubeObject) {
              keepAllButStatus(object, old);
              for (const field of statusKeeps) {
                keepMetadata(object, old, field);
              }
              for (const name of specAnnotations) {
                keepAnnotation(object, old, name);
              }
            },
            keptMetadata: statusKeeps,
            validateUpdate: (object: KubeObject, old: KubeObject) =>
              description.statusRefusals?.(object, old) ?? [],
            warnings: (object: KubeObject) => description.statusWarnings?.(object) ?? [],
          },
        }
      : undefined),
    columns: [nameColumn, ...shown.map(({ column }) => column)],
    cells: (object, context) => [
      object.metadata.name ?? '',
      ...shown.map(({ cell }) => cell(object, context)),
    ],
  };
}

function withoutStatus(object: KubeObject): JsonObject {
  return withoutFields(object, ['status']);
}

function keepAllButStatus(object: KubeObject, old: KubeObject): void {
  for (const field of Object.keys({ ...old, ...object })) {
    if (field !== 'metadata' && field !== 'status' && !jsonEqual(object[field], old[field])) {
      const before = old[field];
      if (before === undefined) {
        Reflect.deleteProperty(object, field);
      } else {
        object[field] = cloneJson(before);
      }
    }
  }
}

function keepMetadata({ metadata }: KubeObject, old: KubeObject, field: 'labels' | 'annotations'): void {
  const before = old.metadata[field];
  if (before === undefined) {
    Reflect.deleteProperty(metadata, field);
  } else {
    metadata[field] = { ...before };
  }
}

function keepAnnotation({ metadata }: KubeObject, old: KubeObject, name: string): void {
  const before = old.metadata.annotations?.[name];
  const annotations = { ...metadata.annotations };
  if (before === undefined) {
    Reflect.deleteProperty(annotations, name);
  } else {
    annotations[name] = before;
  }
  metadata.annotations = annotations;
}

/** A field that is a string in Go, and so is never absent. */
function isText(struct: string, path: string): boolean {
  const [first = '', ...rest] = path.split('.');
  const type = structSchema(struct).byName.get(first)?.type;
  const inner = type?.kind === 'pointer' ? type.of : type;
  return rest.length === 0
    ? type?.kind === 'string'
    : inner?.kind === 'struct' && isText(inner.name, rest.join('.'));
}

/** What stands at a path of names, such as spec.selector. */
function valueAt(object: KubeObject, path: string): Json | undefined {
  return path
    .split('.')
    .reduce<Json | undefined>((value, step) => (isObject(value) ? value[step] : undefined), object);
}
