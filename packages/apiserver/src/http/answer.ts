import type { Json, JsonObject } from '../meta/json.ts';
import type { Status } from '../meta/status-error.ts';
import { writeEnvelope } from '../schema/protobuf-envelope.ts';
import { writeMessage } from '../schema/protobuf-writer.ts';
import type { Entry } from '../storage/storage.ts';
import { prefersProtobuf, protobuf } from './negotiation.ts';

/** The result of a request, which is then written to the connection. */
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
  /** Tells browsers to treat the content as text and nothing else. Default false. */
  readonly isNotSniffed?: boolean;
}

/** The answer for a path at which nothing is served, as in Go's net/http. */
export const pageNotFound: TextAnswer = {
  kind: 'text',
  code: 404,
  text: '404 page not found\n',
  isNotSniffed: true,
};

/** An answer in a form of its own, regardless of the form that the client asked for. */
export interface BytesAnswer {
  readonly kind: 'bytes';
  readonly code: number;
  readonly bytes: Buffer;
  readonly contentType: string;
  readonly warnings?: readonly string[];
}

/** Events, sent as they come until the client or a timeout ends the watch. */
export interface WatchAnswer {
  readonly kind: 'watch';
  readonly source: WatchSource;
  /** Undefined: the server chooses. */
  readonly timeoutSeconds: number | undefined;
  readonly allowWatchBookmarks: boolean;
  readonly warnings?: readonly string[];
  /** Default application/json. */
  readonly contentType?: string;
  /**
   * Writes an event as a line or a frame, in the form that the client asked for. The first event of a Table
   * includes the columns.
   */
  line(event: WatchEvent, isFirst: boolean): Buffer;
}

/** One event of a watch, not yet in the form that the client asked for. */
export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly entry: Entry; readonly revision: number }
  | { readonly type: 'BOOKMARK'; readonly revision: number; readonly isInitialEventsEnd: boolean }
  | { readonly type: 'ERROR'; readonly status: Status };

export interface WatchSource {
  /** The events that come before the live ones. */
  readonly initial: readonly WatchEvent[];
  /**
   * Delivers the later events until the returned function is called. Must be called at once, before any
   * await, so that no event is missed. `end` is called when there will be no more events: the kind is no
   * longer served, or its definition has changed.
   */
  subscribe(deliver: (event: WatchEvent) => void, end: () => void): () => void;
  /** The revision up to which the client has been sent everything. */
  currentRevision(): number;
}

export function jsonAnswer(code: number, value: JsonObject, warnings: readonly string[] = []): JsonAnswer {
  return { kind: 'json', code, json: JSON.stringify(value), warnings };
}

/** Writes an object in protobuf. Its struct might differ from that of the resource. */
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

/** Writes a Status in the form that the Accept header asks for. */
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
