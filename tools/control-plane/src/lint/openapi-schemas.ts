/** A schema of OpenAPI v3, which is almost JSON schema 2020-12. */
export interface OpenApiSchema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly items?: OpenApiSchema;
  readonly additionalProperties?: OpenApiSchema | boolean;
  readonly 'x-kubernetes-group-version-kind'?: readonly GroupVersionKind[];
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly [keyword: string]: unknown;
}

interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A self-contained schema of one kind. */
export interface KindSchema extends GroupVersionKind {
  readonly schema: object;
}

/** A document of an API server's /openapi/v3. */
export interface OpenApiDocument {
  readonly components: { readonly schemas: Readonly<Record<string, OpenApiSchema>> };
}

/** A CustomResourceDefinition, limited to what is read here. */
export interface CustomResourceDefinition {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly {
      readonly name: string;
      readonly schema: { readonly openAPIV3Schema: OpenApiSchema };
    }[];
  };
}

const $schema = 'https://json-schema.org/draft/2020-12/schema';

/** Returns the kinds of a document. Their schemas refuse fields that they do not name. */
export function kindsOfDocument({ components }: OpenApiDocument): readonly KindSchema[] {
  const strict = Object.fromEntries(
    Object.entries(components.schemas).map(([name, schema]) => [name, refuseUnknown(schema)]),
  );
  return Object.entries(components.schemas).flatMap(([name, schema]) =>
    (schema['x-kubernetes-group-version-kind'] ?? [])
      // A document also contains kinds of other groups, such as DeleteOptions, each under the group of the
      // document.
      .filter(({ kind }) => name.endsWith(`.${kind}`))
      .map((kind) => ({
        ...kind,
        schema: { $schema, $ref: `#/components/schemas/${name}`, components: { schemas: strict } },
      })),
  );
}

/**
 * Returns the kind of a CustomResourceDefinition in each of its versions. The schemas refuse fields that they
 * do not name.
 */
export function kindsOfDefinition({ spec }: CustomResourceDefinition): readonly KindSchema[] {
  return spec.versions.map(({ name, schema }) => ({
    group: spec.group,
    version: name,
    kind: spec.names.kind,
    schema: { $schema, ...refuseUnknown(schema.openAPIV3Schema) },
  }));
}

/**
 * The API server drops fields that the schema does not name, or refuses them with `--validate=strict`.
 * Combined schemas (`allOf`, `anyOf`) are left as they are, because one part must not refuse the fields of
 * another.
 */
function refuseUnknown(schema: OpenApiSchema): OpenApiSchema {
  const { properties, items, additionalProperties } = schema;
  const isOpen =
    properties === undefined ||
    additionalProperties !== undefined ||
    schema['x-kubernetes-preserve-unknown-fields'] === true;
  return {
    ...schema,
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, field]) => [name, refuseUnknown(field)]),
          ),
        }),
    ...(items === undefined ? {} : { items: refuseUnknown(items) }),
    ...(typeof additionalProperties === 'object'
      ? { additionalProperties: refuseUnknown(additionalProperties) }
      : {}),
    ...(isOpen ? {} : { additionalProperties: false }),
  };
}
