import type { OrphanGuard } from '../real/orphan-guard.ts';
import { startOperatorProcess, type OperatorProcess } from './operator-process.ts';
import type { Operator } from './operator.ts';
import { startProxy, type Proxy, type ProxyHooks, type ProxyOptions } from './proxy.ts';

/** A process of the operator with its proxy to the API server. */
export interface Replica {
  readonly process: OperatorProcess;
  readonly proxy: Proxy;
}

/** Runs the operator as a Deployment would: a process that ends is replaced by another. */
export interface Replicas {
  /** The replicas that run now. One that has just ended stays in the list until its replacement exists. */
  readonly all: readonly Replica[];
  /** Whether several replicas run and elect a leader. */
  readonly elect: boolean;
  /** How many times a process ended without having been killed. */
  readonly ownEnds: number;
  stop(): Promise<void>;
}

export interface ReplicasOptions {
  readonly operator: Operator;
  readonly elects: boolean;
  /** Flags in addition to the operator's own. */
  readonly args: readonly string[];
  /**
   * Writes the kubeconfig of a process.
   *
   * @returns its path
   */
  readonly kubeconfig: (url: string, name: string) => Promise<string>;
  readonly proxy: Omit<ProxyOptions, 'hooks'>;
  readonly hooksOf: (process: () => OperatorProcess) => ProxyHooks;
  readonly guard: OrphanGuard;
  readonly ended: (process: OperatorProcess, how: string) => void;
  /** Called if the operator keeps ending, or cannot be started. */
  readonly failed: (problem: string) => void;
}

/**
 * A process that ends by itself is restarted. An operator whose processes end more often than this is not
 * going to stay up. With leader election each lost lease ends a process, and a busy machine causes some of
 * those.
 */
const mostOwnEnds = { alone: 5, electing: 50 };

/** Starts one process, or two that elect a leader. */
export async function startReplicas(options: ReplicasOptions): Promise<Replicas> {
  const { operator, elects, args, kubeconfig, proxy, hooksOf, guard, ended, failed } = options;
  const slots: Replica[] = [];
  let started = 0;
  let ownEnds = 0;
  let isStopping = false;

  const start = async (slot: number): Promise<void> => {
    started += 1;
    const name = `process ${String(started)}`;
    const running: { replica?: Replica } = {};
    const itself = (): OperatorProcess => {
      if (running.replica === undefined) {
        throw new Error(`${name} asks before it runs`);
      }
      return running.replica.process;
    };
    const way = await startProxy({ ...proxy, hooks: hooksOf(itself) });
    const line = operator.commandLine({
      kubeconfig: await kubeconfig(way.url, `kubeconfig-${String(started)}`),
      elects,
    });
    const process = await startOperatorProcess(name, { ...line, args: [...line.args, ...args] }, guard);
    const replica: Replica = { process, proxy: way };
    running.replica = replica;
    slots[slot] = replica;
    void process.ended.then((how) => follow(slot, replica, how));
  };

  const follow = async (slot: number, { process, proxy: way }: Replica, how: string): Promise<void> => {
    await way.close();
    if (isStopping) {
      return;
    }
    ended(process, how);
    if (how !== 'signal SIGKILL') {
      ownEnds += 1;
    }
    if (ownEnds > (elects ? mostOwnEnds.electing : mostOwnEnds.alone)) {
      failed(`the operator does not stay up (${how}): ${process.output.stderr.slice(-2_000)}`);
      return;
    }
    try {
      await start(slot);
    } catch (error) {
      failed(`the operator can't be started: ${error instanceof Error ? error.message : String(error)}`);
    }
  };

  const stop = async (): Promise<void> => {
    isStopping = true;
    await Promise.all(
      slots.map(async ({ process, proxy: way }) => {
        await process.kill();
        await way.close();
      }),
    );
  };

  try {
    for (let slot = 0; slot < (elects ? 2 : 1); slot++) {
      await start(slot);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    get all() {
      return slots;
    },
    elect: elects,
    get ownEnds() {
      return ownEnds;
    },
    stop,
  };
}
