import type { Json, JsonObject } from '../meta/json.ts';
import type { Status } from '../meta/status-error.ts';
import { writeEnvelope } from '../schema/protobuf-envelope.ts';
import { writeMessage } from '../schema/protobuf-writer.ts';
import type { Entry } from '../storage/storage.ts';
import { prefersProtobuf, protobuf } from './negotiation.ts';

/** What is given back for a request, and written to the connection. */
export type Answer = JsonAnswer | TextAnswer | BytesAnswer | WatchAnswer;

export interface JsonAnswer {
  readonly kind: 'json';
  readonly code: number;
  readonly json: string;
  readonly warnings?: readonly string[];
  /** Default application/json. */
  readonly contentType?: string;
}

export interface TextAnswer {
  readonly kind: 'text';
  readonly code: number;
  readonly text: string;
  /** Browsers are told to take it for nothing but text. Default false. */
  readonly isNotSniffed?: boolean;
}

/** Of a path where nothing is served, as Go's net/http has it. */
export const pageNotFound: TextAnswer = {
  kind: 'text',
  code: 404,
  text: '404 page not found\n',
  isNotSniffed: true,
};

/** What has a form of its own, whatever else is asked for. */
export interface BytesAnswer {
  readonly kind: 'bytes';
  readonly code: number;
  readonly bytes: Buffer;
  readonly contentType: string;
  readonly warnings?: readonly string[];
}

/** Events as they come, until the client or a timeout ends them. */
export interface WatchAnswer {
  readonly kind: 'watch';
  readonly source: WatchSource;
  /** Undefined: as long as the server likes. */
  readonly timeoutSeconds: number | undefined;
  readonly allowWatchBookmarks: boolean;
  readonly warnings?: readonly string[];
  /** Default application/json. */
  readonly contentType?: string;
  /** An event as a line or a frame, in the form that the client asked for; a Table begins with its columns. */
  line(event: WatchEvent, isFirst: boolean): Buffer;
}

/** One event of a watch, before it is written in the form that the client asked for. */
export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly entry: Entry; readonly revision: number }
  | { readonly type: 'BOOKMARK'; readonly revision: number; readonly isInitialEventsEnd: boolean }
  | { readonly type: 'ERROR'; readonly status: Status };

export interface WatchSource {
  /** What comes before the live events. */
  readonly initial: readonly WatchEvent[];
  /**
   * Passes on the later events until the returned function is called. Must be called at once, before any await. `end` is called when there
   * will be no more: the kind is served no longer, or otherwise than before.
   */
  subscribe(deliver: (event: WatchEvent) => void, end: () => void): () => void;
  /** The revision up to which the client has been sent everything. */
  currentRevision(): number;
}

export function jsonAnswer(code: number, value: JsonObject, warnings: readonly string[] = []): JsonAnswer {
  return { kind: 'json', code, json: JSON.stringify(value), warnings };
}

/** An object in protobuf, whose struct is not always that of its resource. */
export function protobufAnswer(
  code: number,
  value: JsonObject,
  struct: string,
  warnings: readonly string[] = [],
): BytesAnswer {
  const { kind, apiVersion } = value;
  const message = writeMessage(value, struct);
  return {
    kind: 'bytes',
    code,
    bytes: writeEnvelope(textOf(apiVersion), textOf(kind), message),
    contentType: protobuf,
    warnings,
  };
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** A Status in the form that the Accept header asks for. */
export function statusAnswer(
  accept: string | undefined,
  code: number,
  status: JsonObject,
  warnings: readonly string[] = [],
): JsonAnswer | BytesAnswer {
  return prefersProtobuf(accept)
    ? protobufAnswer(code, status, 'meta.v1.Status', warnings)
    : jsonAnswer(code, status, warnings);
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
