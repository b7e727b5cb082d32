/** An operator that the perturbation runner can run: a program, started in a process of its own. */
export interface Operator {
  /** The name in reports. */
  readonly name: string;
  /**
   * Returns the command line that starts the operator. The operator must work on the control plane of the
   * given kubeconfig, which leads to the perturbing proxy over plain http, with a bearer token.
   */
  commandLine(start: OperatorStart): CommandLine;
  /**
   * Asks a process itself what it is doing, for example by its metrics, see {@link prometheusProbe}. The
   * runner already sees what the process is sent and what it requests.
   */
  probe(process: OperatorOutput): Promise<ProbeAnswer>;
}

export interface OperatorStart {
  /** The path of the kubeconfig file. */
  readonly kubeconfig: string;
  /**
   * Whether several replicas run, of which one is elected leader by a Lease. If so, use a short lease
   * duration, because each handover takes that long in real time. If not, the operator should run without a
   * Lease.
   */
  readonly elects: boolean;
}

export interface CommandLine {
  /** The program. */
  readonly file: string;
  readonly args: readonly string[];
  /** Default: only `PATH` and `NODE_COMPILE_CACHE`, the folder where Node caches compiled code. */
  readonly env?: NodeJS.ProcessEnv;
}

/** What a process has written so far. */
export interface OperatorOutput {
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProbeAnswer {
  /**
   * Whether the process has read its initial state and has nothing to do. A process that does not serve yet
   * is not idle.
   */
  readonly isIdle: boolean;
  /** Whether this process is the leader. Default false; only used if several replicas run. */
  readonly leads?: boolean;
}

const notYet: ProbeAnswer = { isIdle: false };

/**
 * Probes a process that serves the metrics of client-go or controller-runtime. The process is idle if every
 * `workqueue_depth`, `workqueue_unfinished_work_seconds` and `controller_runtime_active_workers` is 0, and
 * leads if a `leader_election_master_status` is 1.
 *
 * @param urls returns where the process serves, found in its output; undefined while that is unknown. If
 *   `ready` is given, it must answer 200 before the metrics are read.
 */
export function prometheusProbe(
  urls: (process: OperatorOutput) => { readonly metrics: string; readonly ready?: string } | undefined,
): (process: OperatorOutput) => Promise<ProbeAnswer> {
  const ready = new Set<string>();
  return async (process) => {
    const found = urls(process);
    if (found === undefined) {
      return notYet;
    }
    try {
      if (found.ready !== undefined && !ready.has(found.metrics)) {
        const { ok } = await read(found.ready);
        if (!ok) {
          return notYet;
        }
        ready.add(found.metrics);
      }
      return judge((await read(found.metrics)).text);
    } catch {
      // The process was killed, or does not serve yet.
      return notYet;
    }
  };
}

/** Uses a new connection each time: the process might close a kept one at this very moment. */
async function read(url: string): Promise<{ readonly ok: boolean; readonly text: string }> {
  const response = await fetch(url, { headers: { connection: 'close' } });
  return { ok: response.ok, text: await response.text() };
}

const work =
  /^(?:workqueue_depth|workqueue_unfinished_work_seconds|controller_runtime_active_workers)(?:\{[^}]*\})? (\S+)$/gm;

function judge(metrics: string): ProbeAnswer {
  return {
    isIdle: [...metrics.matchAll(work)].every(([, value]) => Number(value) === 0),
    leads: /^leader_election_master_status(?:\{[^}]*\})? 1$/m.test(metrics),
  };
}
