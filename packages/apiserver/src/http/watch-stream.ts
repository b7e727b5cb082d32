import type { After } from '../meta/timer.ts';
import type { WatchAnswer, WatchEvent } from './answer.ts';
import { breakOff, resetConnection } from './connections.ts';
import { type HttpResponse, isOver as isResponseOver } from './exchange.ts';
import type { Fault } from './faults.ts';
import { type Flow, flowSchemaHeader, priorityLevelHeader } from './flow-headers.ts';
import { warningHeaders } from './warning-headers.ts';

/**
 * How many bytes may wait for a client before it is disconnected: a slow watcher must not grow the server's
 * memory.
 */
const bufferLimit = 16 * 1024 * 1024;
const bookmarkPeriod = 60_000;
/** How long before the end of the watch the last bookmark is sent. */
const lastBookmarkLead = 2000;
const defaultTimeout = { least: 30 * 60_000, spread: 30 * 60_000 };

/** What influences a watch in addition to its events. */
export interface WatchTraits {
  readonly faults: readonly Fault[];
  readonly after: After;
  readonly flow: Flow | undefined;
}

/** Writes the events of a watch until it ends. Resolves when the response is over. */
export function streamWatch(
  response: HttpResponse,
  { source, timeoutSeconds, allowWatchBookmarks, warnings: texts = [], contentType, line }: WatchAnswer,
  { faults, after, flow }: WatchTraits,
): Promise<void> {
  if (isResponseOver(response)) {
    // The client has left, or the server was stopped, while the request was being prepared: no further
    // 'close' event would end this watch.
    return Promise.resolve();
  }
  const cutAfter = faults.find((fault) => fault.kind === 'cutWatch')?.afterEvents;
  const stallAfter = faults.find((fault) => fault.kind === 'stallWatch')?.afterEvents;
  const withholdsBookmarks = faults.some((fault) => fault.kind === 'withholdBookmarks');
  const duplicates = faults.some((fault) => fault.kind === 'duplicateEvents');

  const warnings = warningHeaders(texts);
  response.writeHead(200, {
    'Content-Type': contentType ?? 'application/json',
    'Cache-Control': 'no-cache, private',
    ...(flow === undefined
      ? undefined
      : { [flowSchemaHeader]: flow.flowSchemaUid, [priorityLevelHeader]: flow.priorityLevelUid }),
    ...(warnings.length === 0 ? undefined : { Warning: [...warnings] }),
  });
  response.flushHeaders?.();

  let sent = 0;
  let isOver = false;
  const timers = new Set<{ cancel(): void }>();

  function send(event: WatchEvent): void {
    if (isOver || (event.type === 'BOOKMARK' && withholdsBookmarks)) {
      return;
    }
    if (stallAfter !== undefined && sent >= stallAfter) {
      return;
    }
    const copies = duplicates && event.type !== 'BOOKMARK' && event.type !== 'ERROR' ? 2 : 1;
    for (let copy = 0; copy < copies; copy++) {
      response.write(line(event, sent === 0));
      sent += 1;
    }
    if (cutAfter !== undefined && sent >= cutAfter) {
      cut(resetConnection);
    } else if (response.writableLength > bufferLimit) {
      cut(breakOff);
    } else if (event.type === 'ERROR') {
      end();
    }
  }

  function schedule(milliseconds: number, callback: () => void): void {
    const timer = after(milliseconds, () => {
      timers.delete(timer);
      callback();
    });
    timers.add(timer);
  }

  function bookmarkEachPeriod(): void {
    schedule(bookmarkPeriod, () => {
      bookmark();
      bookmarkEachPeriod();
    });
  }

  function bookmark(): void {
    send({ type: 'BOOKMARK', revision: source.currentRevision(), isInitialEventsEnd: false });
  }

  function cut(how: (response: HttpResponse) => void): void {
    isOver = true;
    // Deferred so that what was written is sent before the connection breaks.
    setImmediate(() => how(response));
  }

  function end(): void {
    if (isOver) {
      return;
    }
    isOver = true;
    if (stallAfter === undefined || sent < stallAfter) {
      response.end();
    }
  }

  return new Promise((resolve) => {
    const unsubscribe = source.subscribe(send, end);
    response.on('close', () => {
      isOver = true;
      unsubscribe();
      for (const timer of timers) {
        timer.cancel();
      }
      resolve();
    });
    if (cutAfter === 0) {
      cut(resetConnection);
    }
    for (const event of source.initial) {
      send(event);
    }

    const timeout =
      timeoutSeconds === undefined || timeoutSeconds <= 0
        ? defaultTimeout.least + Math.random() * defaultTimeout.spread
        : timeoutSeconds * 1000;
    schedule(timeout, end);
    if (allowWatchBookmarks) {
      bookmarkEachPeriod();
      if (timeout > lastBookmarkLead) {
        schedule(timeout - lastBookmarkLead, bookmark);
      }
    }
  });
}
