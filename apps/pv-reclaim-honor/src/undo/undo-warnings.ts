import type { KubernetesObject } from '@holdfast/core';
import type { EventRecorder } from '@holdfast/runtime';
import type { Logger } from 'pino';
import type { UndoWarning } from './undo-warning.ts';

/** Records the warnings on the objects that ask for windows, without repeating one for an object. */
export interface UndoWarnings {
  /** Call after each look at a volume. */
  warn(warning: UndoWarning | undefined): void;
  forget(object: KubernetesObject): void;
}

export function createUndoWarnings(
  events: Pick<EventRecorder, 'record'>,
  logger: Pick<Logger, 'warn'>,
): UndoWarnings {
  /** What was reported for each object, by UID: a class can ask for volumes with several problems. */
  const said = new Map<string, Set<string>>();
  return {
    warn: (warning) => {
      if (warning === undefined) {
        return;
      }
      const { on, reason, note } = warning;
      const { uid, name } = on.object.metadata;
      const notes = said.get(uid) ?? new Set();
      if (notes.has(note)) {
        return;
      }
      if (notes.size >= notesKept) {
        notes.clear();
      }
      said.set(uid, notes.add(note));
      logger.warn({ kind: on.resource.kind, name, reason, problem: note }, 'Undo window might not hold');
      events.record(on.resource, on.object, { type: 'Warning', reason, action: 'Reclaim', note });
    },
    forget: ({ metadata }) => {
      said.delete(metadata.uid);
    },
  };
}

/**
 * How many notes are remembered for an object: values that somebody keeps changing must not fill the memory.
 */
const notesKept = 16;
