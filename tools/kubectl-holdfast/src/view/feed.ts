import type { Writable } from 'node:stream';
import type { Clock } from '@holdfast/runtime';
import { legibleJson } from '../output/printable.ts';
import type { Group, Message } from './model/picture.ts';

/** What is shown, and what can be said of it now. */
export interface Show {
  /** Asked for when something has changed, and somebody looks. */
  readonly groups: () => readonly Group[];
  readonly state: () => Pick<Message, 'now' | 'scope' | 'isComplete' | 'troubles'>;
}

export interface Feed {
  /** Something has changed: whoever looks sees it at most half a second later, or three seconds among 10,000 claims. */
  changed(): void;
  /** Sends server-sent events from now on, until the stream is closed. */
  open(stream: Writable): void;
  /** Ends all streams. */
  close(): void;
}

/** Changes that come together are sent together, milliseconds. */
const pause = 500;

/** A large drawing is made less often: characters of all groups for each millisecond of the pause. 10,000 claims have 11 million, and take 0.3 s of CPU time. */
const pace = 4_000;

/** What can't be seen is asked for anew, and a dead connection noticed, milliseconds. */
const pulse = 10_000;

/** Looks in a row at which a viewer has taken nothing of what it was sent, after which it is given up: its page comes back if it is there. */
const mostPatience = 6;

interface Viewer {
  readonly stream: Writable;
  stalls: number;
  /** The text of each group as it was sent last; the texts are shared by all viewers. */
  readonly sent: Map<string, string>;
  state: string;
}

/**
 * Sends each viewer what has changed since it was sent something last. Nothing is queued: a viewer that takes nothing is sent nothing, and then all
 * that has changed meanwhile at once.
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
          // The same string is kept: what was sent to whom is compared by that.
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
      // A page that is closed while it is written to is no error.
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
