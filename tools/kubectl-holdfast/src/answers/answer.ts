import { createLogger, systemClock, type ConnectedClient } from '@holdfast/runtime';
import type { Request, ViewRequest } from '../command-line/request.ts';
import type { Answer } from '../output/print.ts';
import { answerClaim } from './claim.ts';
import { confirmByNobody, type Confirm } from './confirm.ts';
import { answerKeep } from './keep.ts';
import { answerUninstall } from './uninstall.ts';
import { answerClass } from './class.ts';
import { answerPreflight } from './preflight.ts';
import { answerPlan, answerSet } from './set.ts';
import type { Surroundings } from './surroundings.ts';
import { answerGates, answerLeaks, answerStatus, answerUndo } from './survey.ts';
import { answerVolume } from './volume.ts';

/** How the commands that write talk to the person at the terminal. */
export interface Hand {
  readonly confirm: Confirm;
  /** Called for each step of a command that takes long. */
  readonly say: (step: string) => void;
  /** Ends a command that takes long. */
  readonly signal: AbortSignal;
}

const nobody: Hand = {
  confirm: confirmByNobody,
  say: () => undefined,
  signal: new AbortController().signal,
};

/**
 * Answers a request. Only `undo` with something to keep and `uninstall` write to the cluster, and only after
 * a confirmation.
 *
 * @param hand default: nobody can confirm, so nothing is written
 * @throws NotFound if the named object does not exist; what the client throws
 */
export function answer(
  client: ConnectedClient,
  request: Exclude<Request, ViewRequest>,
  surroundings: Surroundings,
  hand: Hand = nobody,
): Promise<Answer> {
  switch (request.kind) {
    case 'scale':
      return answerPlan(client, request, { kind: 'scale', replicas: request.replicas }, surroundings);
    case 'delete':
      return answerPlan(client, request, { kind: 'delete', cascade: request.cascade }, surroundings);
    case 'status':
      return answerStatus(client, request.patience, systemClock);
    case 'gates':
      return answerGates(client);
    case 'preflight':
      return answerPreflight(client);
    case 'leaks':
      return answerLeaks(client);
    case 'undo':
      return answerUndo(client, surroundings.allNamespaces ? undefined : surroundings.namespace);
    case 'keep': {
      const { namespace, allNamespaces } = surroundings;
      return answerKeep(client, { these: request.these, namespace, allNamespaces }, hand.confirm);
    }
    case 'uninstall':
      return uninstall(client, request, hand);
    case 'explain': {
      const { name } = request;
      switch (request.of) {
        case 'pvc':
          return answerClaim(client, name, surroundings);
        case 'pv':
          return answerVolume(client, name);
        case 'sts':
          return answerSet(client, name, surroundings);
        case 'sc':
          return answerClass(client, name);
      }
    }
  }
}

async function uninstall(
  client: ConnectedClient,
  { apps, namespace, timeout }: Extract<Request, { readonly kind: 'uninstall' }>,
  { confirm, say, signal }: Hand,
): Promise<Answer> {
  const logger = await createLogger('kubectl-holdfast', {
    ...{ logLevel: 'error', logFormat: 'json', dryRun: false },
  });
  return answerUninstall(client, { apps, namespace }, confirm, {
    logger,
    clock: systemClock,
    timeout,
    say,
    signal,
  });
}
