/** A line of a watch that is the next one to be passed on. */
export interface PassingEvent {
  readonly line: string;
  /** The revision of the change; 0 if the line has none. */
  readonly revision: number;
  readonly type: string;
  /** Whether the line is part of the initial state, and thus no change. */
  readonly isInitial: boolean;
}

/**
 * One watch on its way through the proxy. Its events pass in order: an event that is held back holds back all
 * later ones.
 */
export interface WatchRelay {
  /** The newest revision that the server has sent, passed on or not. */
  readonly received: number;
  /** Whether something has come that must not pass yet. */
  readonly isHeld: boolean;
  /** Takes a line from the server. */
  push(line: string): void;
  /** Passes on what may pass now. */
  flush(): void;
  /** Called when the server has ended the watch; the relay ends once everything has passed. */
  finish(): void;
  /**
   * Ends the watch as if the server had compacted its version (410), without passing on what is held back:
   * only a new list shows what happened in between.
   */
  expire(): void;
}

export interface WatchRelayOptions {
  /** Whether the watch begins with the initial state, which ends with a bookmark. */
  readonly beginsWithState: boolean;
  /** The revision from which the watch was requested; 0 if it begins with the state. */
  readonly from: number;
  readonly mayPass: (event: PassingEvent) => boolean;
  readonly send: (line: string) => void;
  readonly passed: (event: PassingEvent) => void;
  readonly end: () => void;
}

interface WatchLine {
  readonly type: string;
  readonly object?: {
    readonly metadata?: {
      readonly resourceVersion?: string;
      readonly annotations?: Readonly<Record<string, string>>;
    };
  };
}

export function createWatchRelay(options: WatchRelayOptions): WatchRelay {
  const { mayPass, send, passed, end } = options;
  let isInitial = options.beginsWithState;
  let queue: readonly PassingEvent[] = [];
  let received = options.from;
  let isFinished = false;
  let isOver = false;

  const close = (): void => {
    if (!isOver) {
      isOver = true;
      queue = [];
      end();
    }
  };

  const flush = (): void => {
    for (let [head] = queue; head !== undefined && mayPass(head); [head] = queue) {
      queue = queue.slice(1);
      send(head.line);
      passed(head);
    }
    if (isFinished && queue.length === 0) {
      close();
    }
  };

  return {
    get received() {
      return received;
    },
    get isHeld() {
      return queue.length > 0;
    },
    push: (line) => {
      const { type, object } = JSON.parse(line) as WatchLine;
      const revision = Number(object?.metadata?.resourceVersion ?? 0);
      queue = [...queue, { line, revision, type, isInitial }];
      received = Math.max(received, revision);
      if (object?.metadata?.annotations?.['k8s.io/initial-events-end'] === 'true') {
        isInitial = false;
      }
      flush();
    },
    flush,
    finish: () => {
      isFinished = true;
      flush();
    },
    expire: () => {
      const status = {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: 'too old resource version',
        reason: 'Expired',
        code: 410,
      };
      send(JSON.stringify({ type: 'ERROR', object: status }));
      close();
    },
  };
}
