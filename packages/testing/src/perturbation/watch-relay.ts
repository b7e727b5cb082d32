/** A line of a watch, as it stands at the head of what has come and is to be passed on. */
export interface PassingEvent {
  readonly line: string;
  /** Of the change. 0 where none can be read. */
  readonly revision: number;
  readonly type: string;
  /** It is part of the first state, and no change. */
  readonly isInitial: boolean;
}

/** One watch on its way through the proxy: its events pass in order, and one that is held keeps those behind it. */
export interface WatchRelay {
  /** The newest revision that has come from the server, passed on or not. */
  readonly received: number;
  /** Something has come, and must not pass. */
  readonly isHeld: boolean;
  /** A line from the server. */
  push(line: string): void;
  /** Passes on what may pass now. */
  flush(): void;
  /** The server has ended it; it ends when all has passed. */
  finish(): void;
  /** Ends it as one whose version the server has forgotten (410), without what is held: what happened in between is only seen by a new list. */
  expire(): void;
}

export interface WatchRelayOptions {
  /** What comes first is the state at the start, up to the bookmark that says so. */
  readonly beginsWithState: boolean;
  /** The revision from which it was asked for; 0 for the state. */
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
