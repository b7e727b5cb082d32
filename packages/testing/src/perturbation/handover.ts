import { setTimeout as sleep } from 'node:timers/promises';
import type { OperatorProcess } from './operator-process.ts';

export interface HandoverOptions {
  /** All processes that run. */
  readonly processes: () => readonly OperatorProcess[];
  readonly leads: (process: OperatorProcess) => Promise<boolean>;
  /** Resolves when no process that is awake has anything left to do, or when the handover is called off. */
  readonly untilQuiet: (isCalledOff: () => boolean) => Promise<void>;
  /** Whether the run is decided, so that no process needs to take over any more. */
  readonly isDecided: () => boolean;
  readonly note: (text: string) => void;
}

export interface Handovers {
  /** How many perturbations wait for a handover to end. */
  readonly awaited: number;
  /**
   * Stops the process until another one leads and has nothing left to do, then continues it.
   *
   * A process that is already stopped is handed over once, for all callers. If the only process that is awake
   * is handed over, the stopped ones are continued and their handovers end, because some process has to take
   * the lead.
   */
  handOver(process: OperatorProcess): Promise<void>;
}

interface Handover {
  isCalledOff: boolean;
  readonly done: Promise<void>;
}

/** Milliseconds between two checks of which process leads. */
const lookInterval = 20;

export function createHandovers(options: HandoverOptions): Handovers {
  const { processes, leads, untilQuiet, isDecided, note } = options;
  const underWay = new Map<OperatorProcess, Handover>();
  let awaited = 0;

  const anotherLeads = async (process: OperatorProcess): Promise<boolean> => {
    const others = processes().filter((other) => other !== process && !other.isFrozen);
    return (await Promise.all(others.map(leads))).includes(true);
  };

  const carryOut = async (process: OperatorProcess, isCalledOff: () => boolean): Promise<void> => {
    process.freeze();
    note(`${process.name} is stopped`);
    try {
      while (!(await anotherLeads(process))) {
        if (isCalledOff() || isDecided()) {
          return;
        }
        await sleep(lookInterval);
      }
      note('another process leads');
      await untilQuiet(isCalledOff);
    } finally {
      underWay.delete(process);
      process.thaw();
      note(`${process.name} is continued`);
    }
  };

  const begin = (process: OperatorProcess): Handover => {
    if (processes().every((other) => other === process || other.isFrozen)) {
      for (const earlier of underWay.values()) {
        earlier.isCalledOff = true;
      }
    }
    const handover: Handover = {
      isCalledOff: false,
      done: carryOut(process, () => handover.isCalledOff),
    };
    underWay.set(process, handover);
    return handover;
  };

  return {
    get awaited() {
      return awaited;
    },
    handOver: async (process) => {
      awaited += 1;
      try {
        await (underWay.get(process) ?? begin(process)).done;
      } finally {
        awaited -= 1;
      }
    },
  };
}
