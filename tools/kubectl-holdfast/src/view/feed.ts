import type { Writable } from 'node:stream';
import type { Clock } from '@holdfast/runtime';
import { legibleJson } from '../output/printable.ts';
import type { Group, Message } from './model/picture.ts';

/** What the page shows, and its present state. */
export interface Show {
  /** Called when something has changed and the page is being viewed. */
  readonly groups: () => readonly Group[];
  readonly state: () => Pick<Message, 'now' | 'scope' | 'isComplete' | 'troubles'>;
}

export interface Feed {
  /**
   * Reports that something has changed. Viewers see it at most half a second later, or three seconds with
   * 10,000 claims.
   */
  changed(): void;
  /** Sends server-sent events from now on, until the stream is closed. */
  open(stream: Writable): void;
  /** Ends all streams. */
  close(): void;
}

/** Milliseconds within which changes are sent together. */
const pause = 500;

/**
 * Large drawings are made less often: this is the number of characters in all groups for each millisecond of
 * the pause. 10,000 claims take 11 million characters and 0.3 s of CPU time.
 */
const pace = 4_000;

/** Milliseconds after which what cannot be watched is requested again, and a dead connection is noticed. */
const pulse = 10_000;

/**
 * After this many checks in a row in which a viewer has read nothing of what it was sent, it is dropped; its
 * page reconnects if it still exists.
 */
const mostPatience = 6;

interface Viewer {
  readonly stream: Writable;
  stalls: number;
  /** The latest text of each group that was sent; all viewers share the texts. */
  readonly sent: Map<string, string>;
  state: string;
}

/**
 * Sends each viewer what has changed since it was last sent something. Nothing is queued: a viewer that does
 * not read is sent nothing, and once it reads again, everything that has changed in the meantime.
 */
export function createFeed({ groups, state }: Show, clock: Clock): Feed {
  const viewers = new Set<Viewer>();
  let texts: ReadonlyMap<string, string> = new Map();
  let size = 0;
  let isStale = true;
  let timer: ReturnType<Clock['after']> | undefined;
  let ticking: ReturnType<Clock['after']> | undefined;

  const refresh = (): void => {
    if (isStale) {
      isStale = false;
      const before = texts;
      texts = new Map(
        groups().map((group) => {
          const text = legibleJson(group);
          const known = before.get(group.id);
          // Keeps the same string, because what each viewer was sent is compared by identity.
          return [group.id, known === text ? known : text] as const;
        }),
      );
      size = [...texts.values()].reduce((sum, text) => sum + text.length, 0);
    }
  };

  const send = (viewer: Viewer): void => {
    const { stream, sent } = viewer;
    if (stream.writableNeedDrain || stream.destroyed) {
      return;
    }
    const changed = [...texts].filter(([id, text]) => sent.get(id) !== text);
    const gone = [...sent.keys()].filter((id) => !texts.has(id));
    const { now, ...rest } = state();
    const others = legibleJson(rest);
    if (changed.length === 0 && gone.length === 0 && others === viewer.state) {
      return;
    }
    viewer.state = others;
    changed.forEach(([id, text]) => sent.set(id, text));
    gone.forEach((id) => sent.delete(id));
    const head = legibleJson({ now, ...rest, gone }).slice(0, -1);
    stream.write(`data: ${head},"groups":[${changed.map(([, text]) => text).join()}]}\n\n`);
  };

  const sendAll = (): void => {
    refresh();
    viewers.forEach(send);
  };

  const changed = (): void => {
    isStale = true;
    if (viewers.size > 0) {
      timer ??= clock.after(Math.max(pause, size / pace), () => {
        timer = undefined;
        sendAll();
      });
    }
  };

  const tick = (): void => {
    ticking = clock.after(pulse, tick);
    for (const viewer of viewers) {
      if (viewer.stream.writableNeedDrain) {
        viewer.stalls += 1;
        if (viewer.stalls >= mostPatience) {
          leave(viewer);
          viewer.stream.destroy();
        }
        continue;
      }
      viewer.stalls = 0;
      viewer.stream.write(':\n\n');
      send(viewer);
    }
  };

  const leave = (viewer: Viewer): void => {
    if (viewers.delete(viewer) && viewers.size === 0) {
      timer?.cancel();
      ticking?.cancel();
      timer = ticking = undefined;
    }
  };

  return {
    changed,
    open: (stream) => {
      const viewer: Viewer = { stream, stalls: 0, sent: new Map(), state: '' };
      viewers.add(viewer);
      stream.on('drain', () => {
        viewer.stalls = 0;
        send(viewer);
      });
      stream.on('close', () => leave(viewer));
      // A page that is closed while data is written to it is no error.
      stream.on('error', () => leave(viewer));
      ticking ??= clock.after(pulse, tick);
      stream.write('retry: 1000\n\n');
      refresh();
      send(viewer);
    },
    close: () => {
      for (const viewer of [...viewers]) {
        leave(viewer);
        viewer.stream.destroy();
      }
    },
  };
}
