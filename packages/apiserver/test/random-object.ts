import type { Json, JsonObject } from '../src/meta/json.ts';
import { seededRandom } from '../src/meta/seeded-random.ts';
import { decodeStruct } from '../src/schema/decode.ts';
import { type FieldType, structSchema } from '../src/schema/schema.ts';

const texts = ['', 'a', 'app.kubernetes.io/name', 'Grüße', '日本', '😀', '\n"\\', 'x'.repeat(200)];
const numbers = [0, 1, 127, 128, 300, -1, 2 ** 31 - 1, -(2 ** 31)];
const keys = ['a', 'B', 'kubernetes.io/x', '~', 'é', '\ue000', '😀', ''];
const raws: readonly Json[] = [{}, { 'f:a': { '.': {} } }, [1, 'b'], 'text', 5, false];
const jsonSchema = 'apiextensions.v1.JSONSchemaProps';

/**
 * An object of the struct as the server keeps it, without what the envelope says, whose fields are set or not as the
 * seed says.
 */
export function randomObject(struct: string, seed: number): JsonObject {
  const random = seededRandom(seed);
  const chance = 0.2 + random() * 0.7;

  function pick<T>(from: readonly T[]): T {
    return from[Math.floor(random() * from.length)] as T;
  }

  function object(name: string, depth: number): JsonObject {
    const out: JsonObject = {};
    for (const field of structSchema(name).fields) {
      const isInEnvelope = field.protobufPath.length === 0;
      if (isInEnvelope || random() > (depth > 12 ? 0.02 : chance)) {
        continue;
      }
      out[field.name] =
        (name === jsonSchema ? schemaMember(field.name, depth) : undefined) ?? value(field.type, depth);
    }
    return out;
  }

  /** What is a schema, a list of them or a boolean. */
  function schemaMember(name: string, depth: number): Json | undefined {
    const schema = (): JsonObject => decodeStruct(jsonSchema, object(jsonSchema, depth + 6)).value;
    switch (name) {
      case 'items':
        return random() < 0.5 ? schema() : [schema(), schema()];
      case 'additionalItems':
      case 'additionalProperties':
        return pick([true, false, schema()]);
      case 'dependencies':
        return {};
      default:
        return undefined;
    }
  }

  function value(type: FieldType, depth: number): Json {
    switch (type.kind) {
      case 'string':
      case 'duration':
        return pick(texts);
      case 'bool':
        return random() < 0.5;
      case 'int32':
        return pick(numbers);
      case 'int64':
        return pick([...numbers, 2 ** 53 - 1, 1 - 2 ** 53, 2 ** 40]);
      case 'float64':
        return pick([0, 0.5, -1.25, 1e30]);
      case 'bytes':
        return Buffer.from(pick(texts)).toString('base64');
      case 'raw':
        return pick(raws);
      case 'time':
        return pick([
          '2026-11-24T03:00:49Z',
          '1970-01-01T00:00:00Z',
          '1969-12-31T23:59:59Z',
          '9999-12-31T23:59:59Z',
        ]);
      case 'microtime':
        return pick([
          '2026-11-24T03:00:49.000000Z',
          '2026-11-24T03:00:49.123456Z',
          '1969-12-31T23:59:59.500000Z',
        ]);
      case 'quantity':
        return pick(['0', '1Gi', '100m', '-5', '1500']);
      case 'intorstring':
        return pick([0, 80, -1, '25%', '']);
      case 'struct':
        return object(type.name, depth + 1);
      case 'pointer':
        return value(type.of, depth);
      case 'list':
        return Array.from({ length: Math.floor(random() * 3) }, () => value(type.of, depth + 1));
      case 'map':
        return Object.fromEntries(
          Array.from({ length: Math.floor(random() * 4) }, () => [pick(keys), value(type.of, depth + 1)]),
        );
    }
  }

  return decodeStruct(struct, object(struct, 0)).value;
}
