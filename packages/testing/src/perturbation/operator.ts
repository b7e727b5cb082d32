/** An operator as it is run by the perturbation runner: a program, started as a process of its own. */
export interface Operator {
  /** For reports. */
  readonly name: string;
  /**
   * The command line that starts it. It works on the control plane of the kubeconfig, which leads to the perturbing proxy: plain http, with a
   * bearer token.
   */
  commandLine(start: OperatorStart): CommandLine;
  /**
   * What a process is doing, asked of the process itself, as by its metrics: see {@link prometheusProbe}. What it is sent and what it
   * asks for, the runner sees by itself.
   */
  probe(process: OperatorOutput): Promise<ProbeAnswer>;
}

export interface OperatorStart {
  /** Path of a file. */
  readonly kubeconfig: string;
  /**
   * Whether several replicas run, of which one leads by a Lease. If so, the lease should be short: a handover takes as long as the lease, by
   * the clock. Otherwise it should work without any.
   */
  readonly elects: boolean;
}

export interface CommandLine {
  /** The program. */
  readonly file: string;
  readonly args: readonly string[];
  /** Default: `PATH` alone, and where Node keeps compiled code (`NODE_COMPILE_CACHE`). */
  readonly env?: NodeJS.ProcessEnv;
}

/** What a process has written so far. */
export interface OperatorOutput {
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProbeAnswer {
  /** It has read its first state, and has nothing to do. A process that does not serve yet is not idle. */
  readonly isIdle: boolean;
  /** It is the one that acts. Default false; asked only where several are run. */
  readonly leads?: boolean;
}

const notYet: ProbeAnswer = { isIdle: false };

/**
 * Asks a process that serves metrics as client-go's and controller-runtime's: it is idle when every `workqueue_depth`,
 * `workqueue_unfinished_work_seconds` and `controller_runtime_active_workers` is 0, and leads when a `leader_election_master_status` is 1.
 *
 * @param urls where it serves, read from what it has written; undefined as long as that is not known. `ready`, where it is given, must
 *   have been answered with 200 before.
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
      // It was killed, or is not there yet.
      return notYet;
    }
  };
}

/** On a connection of its own: one that is kept might be closed by the process at this moment. */
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
