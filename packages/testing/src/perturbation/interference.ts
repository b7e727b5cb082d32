import { isAct, type OperatorRequest } from './operator-request.ts';
import type { OperatorProcess } from './operator-process.ts';
import { describePerturbation, type Perturbation, type RequestKind } from './perturbation.ts';
import type { Place } from './place.ts';
import type { Treatment } from './proxy.ts';
import type { Answer } from './upstream.ts';

/** What a perturbation can do to a run. */
export interface Controls {
  /** Kills the process; another one is started in its place. */
  crash(process: OperatorProcess): Promise<void>;
  /** Stops the process until another one leads and has nothing left to do, then continues it. */
  handOver(process: OperatorProcess): Promise<void>;
  /**
   * Makes the API server's cache look as if it had not seen the change yet.
   *
   * @returns false if the change has not happened
   */
  showStateBefore(change: Place): boolean;
  showNewestState(): void;
  hasHappened(change: Place): boolean;
  /** Releases what the watches hold back, or ends the watches that hold something back. */
  letGo(how: 'in order' | 'by a new list'): void;
  note(text: string): void;
}

/** A perturbation at work in a run. It treats a request before the API server does. */
export interface Interference {
  /** Whether the run has reached the perturbation's place. */
  readonly isReached: boolean;
  /**
   * Whether the perturbation keeps something from the operator, which meanwhile cannot be expected to reach
   * the right end.
   */
  readonly isHolding: boolean;
  before(request: OperatorRequest, process: OperatorProcess): Promise<Treatment>;
  after(request: OperatorRequest, process: OperatorProcess): Promise<Treatment>;
  /**
   * Whether a change may pass to the operator. Undefined stands for an event that is no change, or a change
   * without a place.
   */
  mayPass(change: Place | undefined): boolean;
  /**
   * Called when the operator has nothing left to do in this step.
   *
   * @returns whether it has something to do now
   */
  rested(step: number): boolean;
}

const pass: Treatment = { kind: 'pass' };
const reset: Treatment = { kind: 'reset' };

export function interfere(perturbation: Perturbation, controls: Controls): Interference {
  switch (perturbation.kind) {
    case 'crash-before-write':
    case 'crash-after-write':
    case 'handover-before-write':
    case 'handover-after-write':
      return atWrite(perturbation, controls);
    case 'stale-restart':
      return staleRestart(perturbation, controls);
    case 'event-delayed':
    case 'event-hidden':
      return heldChanges(perturbation, controls);
    default:
      return answered(perturbation, controls);
  }
}

/** The parts of an interference that do nothing. */
const idle = {
  isHolding: false,
  before: () => Promise.resolve(pass),
  after: () => Promise.resolve(pass),
  mayPass: () => true,
  rested: () => false,
};

function atWrite(
  perturbation: Extract<
    Perturbation,
    {
      readonly kind:
        'crash-before-write' | 'crash-after-write' | 'handover-before-write' | 'handover-after-write';
    }
  >,
  controls: Controls,
): Interference {
  let isReached = false;
  const strike = async ({ place }: OperatorRequest, process: OperatorProcess): Promise<Treatment> => {
    if (isReached || place !== perturbation.at) {
      return pass;
    }
    isReached = true;
    controls.note(`perturbed: ${describePerturbation(perturbation)}`);
    if (perturbation.kind === 'crash-before-write' || perturbation.kind === 'crash-after-write') {
      await controls.crash(process);
      return reset;
    }
    await controls.handOver(process);
    return pass;
  };
  const isBefore =
    perturbation.kind === 'crash-before-write' || perturbation.kind === 'handover-before-write';
  return {
    ...idle,
    get isReached() {
      return isReached;
    },
    ...(isBefore ? { before: strike } : { after: strike }),
  };
}

function staleRestart(
  perturbation: Extract<Perturbation, { readonly kind: 'stale-restart' }>,
  controls: Controls,
): Interference {
  let state: 'waiting' | 'stale' | 'over' = 'waiting';
  let killed: OperatorProcess | undefined;
  const showNewest = (): void => {
    state = 'over';
    controls.note('perturbed: the cache of the API server has caught up');
    controls.showNewestState();
  };
  return {
    ...idle,
    get isReached() {
      return state !== 'waiting';
    },
    after: async (request, process) => {
      if (state === 'stale' && process !== killed && isAct(request)) {
        showNewest();
      } else if (
        state === 'waiting' &&
        request.place === perturbation.at &&
        controls.showStateBefore(perturbation.view)
      ) {
        state = 'stale';
        killed = process;
        controls.note(`perturbed: ${describePerturbation(perturbation)}`);
        await controls.crash(process);
        return reset;
      }
      return pass;
    },
    rested: () => {
      if (state !== 'stale') {
        return false;
      }
      showNewest();
      return true;
    },
  };
}

function heldChanges(
  perturbation: Extract<Perturbation, { readonly kind: 'event-delayed' | 'event-hidden' }>,
  controls: Controls,
): Interference {
  let state: 'waiting' | 'holding' | 'over' = 'waiting';
  /** Writes that were sent after the last of the changes had happened, while it was held back. */
  const sentInTheDark = new Set<OperatorRequest>();
  const letGo = (): void => {
    state = 'over';
    controls.note(
      perturbation.kind === 'event-delayed'
        ? 'perturbed: what was held arrives'
        : 'perturbed: the watch ends, and a list follows',
    );
    controls.letGo(perturbation.kind === 'event-delayed' ? 'in order' : 'by a new list');
  };
  return {
    get isReached() {
      return state !== 'waiting';
    },
    get isHolding() {
      return state === 'holding';
    },
    before: (request) => {
      if (state === 'holding' && isAct(request) && controls.hasHappened(perturbation.to)) {
        sentInTheDark.add(request);
      }
      return Promise.resolve(pass);
    },
    after: (request) => {
      if (state === 'holding' && sentInTheDark.has(request)) {
        letGo();
      }
      return Promise.resolve(pass);
    },
    mayPass: (change) => {
      if (change === perturbation.from) {
        if (state === 'waiting') {
          state = 'holding';
          controls.note(`perturbed: ${describePerturbation(perturbation)}`);
        }
        return state === 'over';
      }
      return true;
    },
    rested: (step) => {
      if (state !== 'holding' || (step < perturbation.untilStep && !controls.hasHappened(perturbation.to))) {
        return false;
      }
      letGo();
      return true;
    },
  };
}

function answered(
  perturbation: { readonly kind: RequestKind; readonly at: Place },
  controls: Controls,
): Interference {
  let isReached = false;
  const treatment = treatmentOf(perturbation.kind);
  const strike = ({ place }: OperatorRequest): Promise<Treatment> => {
    if (isReached || place !== perturbation.at) {
      return Promise.resolve(pass);
    }
    isReached = true;
    controls.note(`perturbed: ${describePerturbation(perturbation)}`);
    return Promise.resolve(treatment);
  };
  const isAfter = perturbation.kind === 'answer-504-after' || perturbation.kind === 'reset-after';
  return {
    ...idle,
    get isReached() {
      return isReached;
    },
    ...(isAfter ? { after: strike } : { before: strike }),
  };
}

function treatmentOf(kind: RequestKind): Treatment {
  switch (kind) {
    case 'reset-before':
    case 'reset-after':
      return reset;
    case 'answer-403':
      return failure(403, 'Forbidden', 'forbidden: perturbed');
    case 'answer-409':
      return failure(409, 'Conflict', 'Operation cannot be fulfilled: perturbed');
    case 'answer-410':
      return failure(410, 'Expired', 'too old resource version: perturbed');
    case 'answer-422':
      return failure(422, 'Invalid', 'is invalid: perturbed');
    case 'answer-429':
      return failure(429, 'TooManyRequests', 'too many requests: perturbed', 1);
    case 'answer-500':
      return failure(500, 'InternalError', 'Internal error occurred: perturbed');
    case 'answer-504':
    case 'answer-504-after':
      return failure(504, 'Timeout', 'Timeout: request did not complete within requested timeout');
  }
}

/** The error in kube-apiserver's format. */
function failure(code: number, reason: string, message: string, retryAfterSeconds?: number): Treatment {
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    ...(retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } }),
    code,
  };
  const answer: Answer = {
    code,
    headers: {
      'content-type': 'application/json',
      ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
    },
    body: Buffer.from(JSON.stringify(status)),
  };
  return { kind: 'answer', answer };
}
