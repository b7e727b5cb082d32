import type { Json } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { ageColumn, column, nameColumn, since, type TableColumn } from '../resources/table-columns.ts';
import { type JsonPath, parseJsonPath, printFound } from '../selectors/json-path.ts';
import type { PrinterColumn } from './custom-resource-definition.ts';

export interface Column {
  readonly shown: TableColumn;
  readonly cell: (object: KubeObject, now: number) => Json;
}

/** Returns the columns in which a version's objects are printed, the name first. */
export function columnsOf(given: readonly PrinterColumn[] | undefined): readonly Column[] {
  const name: Column = { shown: nameColumn, cell: ({ metadata }) => metadata.name ?? '' };
  const paths = (given ?? []).map(({ jsonPath }) => readPath(jsonPath));
  if (given === undefined || given.length === 0 || paths.includes(undefined)) {
    // A column with a path that cannot be read leaves the kind without all of its columns.
    const age: Column = {
      shown: { ...ageColumn, type: 'date' },
      cell: ({ metadata }, now) => since(metadata.creationTimestamp, now),
    };
    return [name, age];
  }
  const columns = given.map((each, index): Column => {
    const path = paths[index] ?? ((): readonly Json[] => []);
    const description =
      each.description ?? `Custom resource definition column (in JSONPath format): ${each.jsonPath}`;
    return {
      shown: column(each.name, description, each.priority ?? 0, each.type, each.format ?? ''),
      cell: (object, now) => cellOf(each.type, path(object)[0], now),
    };
  });
  return [name, ...columns];
}

function readPath(path: string): JsonPath | undefined {
  try {
    return parseJsonPath(path);
  } catch {
    return undefined;
  }
}

/** A value whose type differs from the column's is not shown. */
function cellOf(type: string, found: Json | undefined, now: number): Json {
  if (found === undefined || found === null) {
    return null;
  }
  switch (type) {
    case 'string':
      return printFound(found);
    case 'integer':
      return typeof found === 'number' ? Math.trunc(found) : null;
    case 'number':
      return typeof found === 'number' ? found : null;
    case 'boolean':
      return typeof found === 'boolean' ? found : null;
    case 'date':
      return typeof found === 'string'
        ? Number.isNaN(Date.parse(found))
          ? '<invalid>'
          : since(found, now)
        : null;
    default:
      return null;
  }
}
