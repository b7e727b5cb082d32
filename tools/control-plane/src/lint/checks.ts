import { execFile, type ExecFileException } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KindSchema } from './openapi-schemas.ts';

/** What one program found wrong with one subject; nothing if it passed. */
export interface Verdict {
  readonly subject: string;
  readonly problems: readonly string[];
}

/** The objects of a target, written to a file. */
export interface RenderedTarget {
  readonly name: string;
  readonly file: string;
  readonly text: string;
}

interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** @throws Error if the program cannot be run */
async function run(file: string, args: readonly string[]): Promise<Result> {
  return new Promise((resolve, reject) => {
    execFile(file, args, { maxBuffer: 2 ** 26 }, (error: ExecFileException | null, stdout, stderr) => {
      if (error === null) {
        resolve({ code: 0, stdout, stderr });
      } else if (typeof error.code === 'number') {
        resolve({ code: error.code, stdout, stderr });
      } else {
        reject(new Error(`${file} does not run: ${error.message}`, { cause: error }));
      }
    });
  });
}

const problemsOf = ({ code, stdout, stderr }: Result): readonly string[] =>
  code === 0 ? [] : [`${stdout}${stderr}`.trim()];

/** Writes the schemas of the kinds in the targets to the place where `kubeconform` below looks for them. */
export async function writeSchemas(
  folder: string,
  kinds: readonly KindSchema[],
  targets: readonly RenderedTarget[],
): Promise<void> {
  const used = new Set(targets.flatMap(({ text }) => text.split(/^---$/m)).map(typeOf));
  for (const { group, version, kind, schema } of kinds) {
    if (used.has(`${group === '' ? '' : `${group}/`}${version} ${kind}`)) {
      const place = join(folder, group === '' ? version : group);
      await mkdir(place, { recursive: true });
      await writeFile(join(place, `${kind.toLowerCase()}_${version}.json`), JSON.stringify(schema));
    }
  }
}

/** Returns `apps/v1 Deployment` for an object in YAML. */
function typeOf(object: string): string {
  const field = (name: string): string => new RegExp(`^${name}: (\\S+)$`, 'm').exec(object)?.[1] ?? '';
  return `${field('apiVersion')} ${field('kind')}`;
}

/**
 * Checks that the API server of a release would accept each object as its kind, and that the objects have no
 * unknown fields.
 */
export async function checkSchemas(
  kubeconform: string,
  schemas: string,
  targets: readonly RenderedTarget[],
): Promise<readonly Verdict[]> {
  const place = join(schemas, '{{.Group}}', '{{.ResourceKind}}_{{.ResourceAPIVersion}}.json');
  const { stdout, stderr } = await run(kubeconform, [
    ...['-strict', '-output', 'json', '-schema-location', place],
    ...targets.map(({ file }) => file),
  ]);
  if (stdout === '') {
    throw new Error(`kubeconform answered nothing: ${stderr}`);
  }
  const { resources } = JSON.parse(stdout) as {
    readonly resources: readonly {
      readonly filename: string;
      readonly kind: string;
      readonly name: string;
      readonly status: string;
      readonly msg: string;
    }[];
  };
  return targets.map(({ name, file }) => ({
    subject: name,
    problems: resources
      .filter(({ filename, status }) => filename === file && status !== 'statusValid')
      .map((resource) => `${resource.kind} ${resource.name}: ${resource.msg}`),
  }));
}

/**
 * Checks the configuration of pods. Annotations in the manifests name the checks that are waived, and why.
 */
export async function checkPods(
  kubeScore: string,
  targets: readonly RenderedTarget[],
): Promise<readonly Verdict[]> {
  const withPods = targets.filter(({ text }) => /^kind: (Deployment|Job)$/m.test(text));
  return Promise.all(
    withPods.map(async ({ name, file }) => {
      // There is intentionally no CPU limit: a leader that is throttled might lose its lease.
      const args = ['--kubernetes-version', 'v1.36', '--output-format', 'ci', '--ignore-container-cpu-limit'];
      const { stdout, stderr } = await run(kubeScore, ['score', ...args, file]);
      if (stdout === '') {
        throw new Error(`kube-score answered nothing: ${stderr}`);
      }
      return {
        subject: name,
        problems: stdout.split('\n').filter((line) => line.startsWith('[CRITICAL]')),
      };
    }),
  );
}

/** Checks that the chart is valid with each set of values. */
export async function checkChart(
  helm: string,
  chart: string,
  values: readonly (readonly [name: string, args: readonly string[]])[],
): Promise<readonly Verdict[]> {
  return Promise.all(
    values.map(async ([subject, args]) => ({
      subject,
      problems: problemsOf(await run(helm, ['lint', '--strict', '--quiet', chart, ...args])),
    })),
  );
}

/** Checks that Prometheus accepts the alerts as rules. */
export async function checkRules(
  promtool: string,
  files: readonly (readonly [name: string, file: string])[],
): Promise<readonly Verdict[]> {
  return Promise.all(
    files.map(async ([subject, file]) => ({
      subject,
      problems: problemsOf(await run(promtool, ['check', 'rules', '--lint=all', '--lint-fatal', file])),
    })),
  );
}
