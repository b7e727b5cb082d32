import type { $ZodType } from 'zod/v4/core';
import type { CustomResourceVersion, PrinterColumn, ScalePaths } from './custom-resource-definition.ts';
import { fieldsSchema } from './object-schema.ts';
import type { FieldProblem } from './problem.ts';
import { schemaOfField, type StructuralSchema, type ValidationRule } from './structural-schema.ts';
import { structuralSchemaOf } from './zod-schema.ts';

/** The schemas and options of one version of a kind. */
export interface VersionOptions<
  Spec extends $ZodType = $ZodType,
  Status extends $ZodType | undefined = $ZodType | undefined,
> {
  /** The fields that users write. */
  readonly spec: Spec;
  /**
   * The fields that the controller reports. With it the kind has the subresource `status`, so that a write of
   * the status leaves the rest alone, and the other way round. Default: none.
   */
  readonly status?: Status;
  /** What `kubectl explain` says about the kind. */
  readonly description?: string;
  /** Rules in CEL about the whole object, including `self.spec` and `self.metadata.name`. */
  readonly rules?: readonly ValidationRule[];
  readonly printerColumns?: readonly PrinterColumn[];
  /** With it the kind has the subresource `scale`, for `kubectl scale` and autoscalers. */
  readonly scale?: ScalePaths;
  /** Paths such as `.spec.host` that field selectors can name, from Kubernetes 1.31 on. */
  readonly selectableFields?: readonly string[];
  /** Makes the API server warn clients that use this version: with its own text, or with this one. */
  readonly deprecated?: boolean | string;
}

/**
 * Returns one version of a CustomResourceDefinition.
 *
 * @param problems receives what API servers would refuse and what cannot be expressed.
 */
export function versionOf(
  name: string,
  isStored: boolean,
  isServed: boolean,
  options: VersionOptions,
  problems: FieldProblem[],
): CustomResourceVersion {
  const {
    status,
    description,
    rules = [],
    printerColumns = [],
    scale,
    selectableFields = [],
    deprecated = false,
  } = options;
  const { properties = {}, required } = fieldsSchema(
    { spec: options.spec, ...(status === undefined ? {} : { status }) },
    {
      path: '',
      ancestors: [],
      problems,
      convert: (schema, { path }) => structuralSchemaOf(schema, path, problems),
    },
  );
  const openAPIV3Schema: StructuralSchema = {
    ...(description === undefined ? {} : { description }),
    type: 'object',
    // A client that creates an object cannot write its status.
    ...(required?.includes('spec') === true ? { required: ['spec'] } : {}),
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      ...properties,
    },
    ...(rules.length === 0 ? {} : { 'x-kubernetes-validations': rules }),
  };
  problems.push(...pathProblems(openAPIV3Schema, options));
  return {
    name,
    served: isServed,
    storage: isStored,
    ...(deprecated === false ? {} : { deprecated: true }),
    ...(typeof deprecated === 'string' ? { deprecationWarning: deprecated } : {}),
    schema: { openAPIV3Schema },
    ...(status === undefined && scale === undefined
      ? {}
      : {
          subresources: {
            ...(status === undefined ? {} : { status: {} }),
            ...(scale === undefined ? {} : { scale }),
          },
        }),
    ...(printerColumns.length === 0 ? {} : { additionalPrinterColumns: printerColumns }),
    ...(selectableFields.length === 0
      ? {}
      : { selectableFields: selectableFields.map((jsonPath) => ({ jsonPath })) }),
  };
}

/** Lists paths that lead to no field. For such a column the API server would show nothing; for a scale, 0. */
function pathProblems(
  root: StructuralSchema,
  { printerColumns = [], scale, selectableFields = [] }: VersionOptions,
): readonly FieldProblem[] {
  const wanted: (readonly [
    path: string,
    jsonPath: string | undefined,
    types: readonly StructuralSchema['type'][],
  ])[] = [
    ['scale.specReplicasPath', scale?.specReplicasPath, ['integer']],
    ['scale.statusReplicasPath', scale?.statusReplicasPath, ['integer']],
    ['scale.labelSelectorPath', scale?.labelSelectorPath, ['string']],
    ...selectableFields.map(
      (jsonPath) => ['selectableFields', jsonPath, ['boolean', 'integer', 'string']] as const,
    ),
  ];
  const wrong = wanted.flatMap(([path, jsonPath, types]) => {
    const field = jsonPath === undefined ? undefined : fieldAt(root, jsonPath);
    return jsonPath === undefined || (field !== undefined && types.includes(field.type))
      ? []
      : [
          {
            path,
            message: `${jsonPath} is no field of type ${types.join(' or ')}; give one such as .spec.replicas`,
          },
        ];
  });
  const columns = printerColumns.flatMap(({ name, jsonPath }) => {
    const isPlain = /^(?:\.\w+)+$/.test(jsonPath);
    const isKnown = jsonPath.startsWith('.metadata.') || fieldAt(root, jsonPath) !== undefined;
    if (jsonPath.startsWith('.') && (!isPlain || isKnown)) {
      return [];
    }
    return [
      { path: `printerColumns[${name}]`, message: `${jsonPath} is no field; give a path such as .spec.host` },
    ];
  });
  return [...wrong, ...columns];
}

function fieldAt(root: StructuralSchema, jsonPath: string): StructuralSchema | undefined {
  const [start, ...names] = jsonPath.split('.');
  return start === ''
    ? names.reduce<StructuralSchema | undefined>((schema, name) => {
        const isOpen = schema?.['x-kubernetes-preserve-unknown-fields'] === true;
        return schema === undefined
          ? undefined
          : (schemaOfField(schema, name) ?? (isOpen ? schema : undefined));
      }, root)
    : undefined;
}
