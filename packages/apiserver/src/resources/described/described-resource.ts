import type { FieldError } from '../../meta/field-error.ts';
import { type Json, cloneJson, isObject, jsonEqual } from '../../meta/json.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import { dnsSubdomain } from '../../meta/names.ts';
import { resetMetadata, validateImmutable } from '../../meta/object-meta.ts';
import { structSchema } from '../../schema/schema.ts';
import type { ResourceDefinition, StrategyContext, WriteContext } from '../resource-definition.ts';
import { type TableColumn, nameColumn } from '../table-columns.ts';

/*
 * Turns descriptions of built-in kinds into definitions. A description says how its kind differs from most
 * others: defaults, columns, immutable fields, and the rules by which it is validated.
 */

/** A column in addition to the name, and its cell. */
export interface Shown<Kind extends KubeObject = KubeObject> {
  readonly column: TableColumn;
  cell(object: Kind, context: StrategyContext): Json;
}

type KeptMetadata = 'labels' | 'annotations' | 'finalizers' | 'ownerReferences' | 'deletionTimestamp';

/** Describes how a kind differs from most others. */
export interface KindDescription extends Omit<
  ResourceDefinition,
  'singular' | 'columns' | 'cells' | 'nameRule' | 'status' | 'validate' | 'validateUpdate'
> {
  readonly struct: string;
  /** Default: the kind in lower case. */
  readonly singular?: string;
  /** Default: DNS subdomains. */
  readonly nameRule?: ResourceDefinition['nameRule'];
  /** Whether the kind has the subresource status, through which alone the field is written. Default false. */
  readonly hasStatus?: boolean;
  /** The metadata that a write to status does not change. Default none. */
  readonly statusKeeps?: 'all' | readonly KeptMetadata[];
  /**
   * Annotations that stand for fields of the spec, so that a write to status does not change them. Default
   * none.
   */
  readonly specAnnotations?: readonly string[];
  readonly shown: readonly Shown[];
  /** The paths of immutable fields. Default none. */
  readonly immutable?: readonly string[];
  /** Returns the errors in an object. `old` is undefined for a new one. Default none. */
  refusals?(object: KubeObject, old: KubeObject | undefined): readonly FieldError[];
  /** Changes a status that is written, after everything else was restored. Default nothing. */
  prepareStatus?(object: KubeObject, old: KubeObject, context: WriteContext): void;
  /** Returns the errors in a status. Default none. */
  statusRefusals?(object: KubeObject, old: KubeObject): readonly FieldError[];
  /** Returns the warnings for a write to status. Default none. */
  statusWarnings?(object: KubeObject): readonly string[];
}

/** Makes the complete definition of a kind from its description. */
export function describedResource(description: KindDescription): ResourceDefinition {
  const {
    shown,
    immutable = [],
    hasStatus = false,
    statusKeeps = [],
    specAnnotations = [],
    ...given
  } = description;
  const validate = (object: KubeObject, old?: KubeObject): readonly FieldError[] =>
    description.refusals?.(object, old) ?? [];
  return {
    singular: given.kind.toLowerCase(),
    nameRule: dnsSubdomain,
    ...given,
    specAnnotations,
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
            prepareForUpdate(object: KubeObject, old: KubeObject, context: WriteContext) {
              keepAllButStatus(object, old);
              if (statusKeeps === 'all') {
                object.metadata = resetMetadata(object.metadata, old.metadata);
              } else {
                for (const field of statusKeeps) {
                  keepMetadata(object, old, field);
                }
              }
              for (const name of specAnnotations) {
                keepAnnotation(object, old, name);
              }
              description.prepareStatus?.(object, old, context);
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

function keepMetadata({ metadata }: KubeObject, old: KubeObject, field: KeptMetadata): void {
  const before = old.metadata[field];
  if (before === undefined) {
    Reflect.deleteProperty(metadata, field);
  } else {
    Object.assign(metadata, { [field]: structuredClone(before) });
  }
}

/** Restores an annotation that a write must not change. */
export function keepAnnotation({ metadata }: KubeObject, old: KubeObject, name: string): void {
  const before = old.metadata.annotations?.[name];
  const annotations = { ...metadata.annotations };
  if (before === undefined) {
    Reflect.deleteProperty(annotations, name);
  } else {
    annotations[name] = before;
  }
  metadata.annotations = annotations;
}

/** Whether a field is a string in Go, which is never absent. */
function isText(struct: string, path: string): boolean {
  const [first = '', ...rest] = path.split('.');
  const type = structSchema(struct).byName.get(first)?.type;
  const inner = type?.kind === 'pointer' ? type.of : type;
  return rest.length === 0
    ? type?.kind === 'string'
    : inner?.kind === 'struct' && isText(inner.name, rest.join('.'));
}

/** The value at a path of names, such as spec.selector. */
function valueAt(object: KubeObject, path: string): Json | undefined {
  return path
    .split('.')
    .reduce<Json | undefined>((value, step) => (isObject(value) ? value[step] : undefined), object);
}
