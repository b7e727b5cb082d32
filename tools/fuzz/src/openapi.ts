import { startApiServer } from '@holdfast/testing';

/** The part of an OpenAPI schema that describes the shape of a value. */
export interface Schema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly allOf?: readonly { readonly $ref: string }[];
  readonly oneOf?: readonly Schema[];
}

/** The schemas that an API server publishes for its kinds. */
export interface Schemas {
  /** @param name as in the documents, such as `io.k8s.api.core.v1.Pod` */
  named(name: string): Schema;
  /**
   * Resolves a schema that only refers to another one. Of several forms, such as those of a quantity, it
   * returns the first.
   */
  resolve(schema: Schema): Schema;
}

const roots = ['api/v1', 'apis/apps/v1', 'apis/storage.k8s.io/v1'];

/** Reads the schemas from the documents that the embedded API server serves at /openapi/v3. */
export async function readSchemas(): Promise<Schemas> {
  const server = await startApiServer({ tls: false });
  const schemas = new Map<string, Schema>();
  for (const root of roots) {
    const { body } = await server.handle('GET', `/openapi/v3/${root}`);
    const document = JSON.parse(body) as { components: { schemas: Readonly<Record<string, Schema>> } };
    Object.entries(document.components.schemas).forEach(([name, schema]) => schemas.set(name, schema));
  }
  await server.stop();
  const named = (name: string): Schema => {
    const schema = schemas.get(name);
    if (schema === undefined) {
      throw new Error(`no schema is named "${name}" in ${roots.join(', ')}`);
    }
    return schema;
  };
  const resolve = (schema: Schema): Schema => {
    const [reference] = schema.allOf ?? [];
    const known = reference === undefined ? schema : named(reference.$ref.split('/').at(-1) ?? '');
    return known.oneOf?.[0] ?? known;
  };
  return { named, resolve };
}
