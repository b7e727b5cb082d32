import type { JsonObject } from '../meta/json.ts';
import type { ResponseForm } from './negotiation.ts';
import type { ResourceDefinition } from '../resources/resource-definition.ts';
import type { IncludeObject } from '../resources/table-columns.ts';
import type { ListOptions } from '../rest/list-options.ts';
import type { WatchSource } from '../rest/open-watch.ts';

/** What a handler gives back; the server writes it. */
export type Answer =
  | {
      readonly kind: 'json';
      readonly code: number;
      readonly json: string;
      readonly warnings?: readonly string[];
      /** Default application/json. */
      readonly contentType?: string;
    }
  | { readonly kind: 'text'; readonly code: number; readonly text: string }
  | {
      readonly kind: 'watch';
      readonly source: WatchSource;
      readonly format: WatchFormat;
      readonly options: ListOptions;
    };

/** In which form the objects of a watch are written. */
export interface WatchFormat {
  readonly definition: ResourceDefinition;
  readonly form: ResponseForm;
  readonly include: IncludeObject;
}

export function jsonAnswer(
  code: number,
  value: JsonObject,
  warnings: readonly string[] = [],
): Extract<Answer, { readonly kind: 'json' }> {
  return { kind: 'json', code, json: JSON.stringify(value), warnings };
}

export function success(details?: JsonObject, code?: number): JsonObject {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    ...(details === undefined ? undefined : { details }),
    ...(code === undefined ? undefined : { code }),
  };
}
