import type { $ZodType } from 'zod/v4/core';
import type { CustomResourceVersion, PrinterColumn, ScalePaths } from './custom-resource-definition.ts';
import { fieldsSchema } from './object-schema.ts';
import type { FieldProblem } from './problem.ts';
import { schemaOfField, type StructuralSchema, type ValidationRule } from './structural-schema.ts';
import { structuralSchemaOf } from './zod-schema.ts';

/** What one version of a kind says. */
export interface VersionOptions<
  Spec extends $ZodType = $ZodType,
  Status extends $ZodType | undefined = $ZodType | undefined,
> {
  /** What users write. */
  readonly spec: Spec;
  /** What the controller reports. With it there is the subresource `status`, and writes of one leave the other alone. Default: none. */
  readonly status?: Status;
  /** What `kubectl explain` says of the kind. */
  readonly description?: string;
  /** Rules in CEL about the whole object, `self.spec` and `self.metadata.name` included. */
  readonly rules?: readonly ValidationRule[];
  readonly printerColumns?: readonly PrinterColumn[];
  /** With it there is the subresource `scale`, for `kubectl scale` and autoscalers. */
  readonly scale?: ScalePaths;
  /** Paths such as `.spec.host` that field selectors may name, from Kubernetes 1.31 on. */
  readonly selectableFields?: readonly string[];
  /** Warn who uses this version: in the API server's words, or in these. */
  readonly deprecated?: boolean | string;
}

/**
 * One version of a definition.
 *
 * @param problems what API servers would refuse, or what can't be said, is added here.
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
    // Who creates an object can't write its status.
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

/** Paths into objects that lead nowhere. Of a column, the API server would show nothing; of a scale, 0. */
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
