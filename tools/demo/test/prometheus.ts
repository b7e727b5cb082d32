import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@holdfast/scenario';

/** A real Prometheus that scrapes and evaluates every second. */
export interface Prometheus {
  /** An answer of its API. @throws when it refuses, with its reason. */
  ask<T>(path: string, parameters?: Readonly<Record<string, string>>): Promise<T>;
  /** The result of an instant query, without its time. @throws when Prometheus warns of anything. */
  query(expr: string): Promise<readonly Sample[]>;
  stop(): Promise<void>;
}

/** One series of a result. */
export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Something to be scraped, as `scrape_configs` has it. */
export type ScrapeConfig = Readonly<Record<string, unknown>> & { readonly job_name: string };

export interface PrometheusOptions {
  /** Absolute path of the program. */
  readonly program: string;
  /** Gets its configuration and its data. */
  readonly folder: string;
  /** Absolute paths. */
  readonly ruleFiles: readonly string[];
  readonly scrapeConfigs: readonly ScrapeConfig[];
}

/** @throws when it ends by itself, with what it said; after 20 s. */
export async function startPrometheus(options: PrometheusOptions): Promise<Prometheus> {
  const { program, folder, ruleFiles, scrapeConfigs } = options;
  await mkdir(folder, { recursive: true });
  const config = join(folder, 'prometheus.yaml');
  const content = {
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '500ms' },
    rule_files: ruleFiles,
    scrape_configs: scrapeConfigs,
  };
  // YAML takes JSON.
  await writeFile(config, JSON.stringify(content));
  const child = spawn(
    program,
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      '--web.listen-address=127.0.0.1:0',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = once(child, 'close');
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const address = (): string | undefined => /msg="Listening on".*address=(\S+)/.exec(said)?.[1];
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  const ask = async <T>(path: string, parameters = {}): Promise<T> => {
    const body = (await answerOf(path, parameters)) as { readonly data: T };
    return body.data;
  };
  const answerOf = async (
    path: string,
    parameters: Readonly<Record<string, string>>,
  ): Promise<{ readonly warnings?: readonly string[]; readonly infos?: readonly string[] }> => {
    const url = new URL(`http://${address() ?? ''}/api/v1/${path}`);
    url.search = new URLSearchParams(parameters).toString();
    const response = await fetch(url);
    const text = await response.text();
    if (!response.ok) {
      throw new Error(`Prometheus answered ${String(response.status)} to ${url.search}: ${text}`);
    }
    return JSON.parse(text) as object;
  };
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  try {
    await eventually('Prometheus is ready', async () => {
      if (!isRunning()) {
        throw new Error(`Prometheus has ended by itself: ${said}`);
      }
      return address() !== undefined && (await fetch(`http://${address() ?? ''}/-/ready`)).ok;
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    ask,
    query: async (expr) => {
      const answer = (await answerOf('query', { query: expr })) as Awaited<ReturnType<typeof answerOf>> & {
        readonly data: { readonly result: readonly { metric: Sample['metric']; value: [number, string] }[] };
      };
      const remarks = [...(answer.warnings ?? []), ...(answer.infos ?? [])];
      if (remarks.length > 0) {
        throw new Error(`Prometheus remarks on ${expr}: ${remarks.join('; ')}`);
      }
      return answer.data.result.map(({ metric, value }) => ({ metric, value: Number(value[1]) }));
    },
    stop,
  };
}
