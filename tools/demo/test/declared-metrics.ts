import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** A metric that sources declare. */
export interface DeclaredMetric {
  readonly name: string;
  readonly labels: readonly string[];
}

/** The metrics that the sources of a package or an app declare. @param folder relative to the repository */
export function declaredIn(folder: string): readonly DeclaredMetric[] {
  return globSync(`${folder}/src/**/*.ts`, { cwd: root }).flatMap((path) => {
    const text = inOurNames(readFileSync(join(root, path), 'utf8'));
    return [...literals(text), ...counters(text)];
  });
}

/**
 * A source of the runtime in which the metrics that have a program's prefix are called as those of the four
 * controllers.
 */
export function inOurNames(text: string): string {
  return text.replaceAll(/`\$\{metricsPrefix\(program\)\}(\w+)`/g, "'holdfast_$1'");
}

/** `new Gauge({ name: 'depth', help: '...', labelNames: ['name'], registers })` */
function literals(text: string): readonly DeclaredMetric[] {
  const shared = labelsIn(/const labelNames = \[([^\]]*)\]/.exec(text));
  return [...text.matchAll(/new (?:Counter|Gauge|Histogram)\(\{([^]*?)\bregisters\b/g)].flatMap(
    ([, options = '']) => {
      const name = /\bname: '(\w+)'/.exec(options)?.[1];
      const labels = /\blabelNames,/.test(options)
        ? shared
        : labelsIn(/labelNames: \[([^\]]*)\]/.exec(options));
      return name === undefined ? [] : [{ name, labels }];
    },
  );
}

/** The reflectors' counters, `counter('reflector_lists_total', '...')`, have one label. */
function counters(text: string): readonly DeclaredMetric[] {
  return [...text.matchAll(/\bcounter\(\s*'(\w+)'/g)].map(([, name = '']) => ({ name, labels: ['name'] }));
}

function labelsIn(match: RegExpExecArray | null): readonly string[] {
  return [...(match?.[1] ?? '').matchAll(/'(\w+)'/g)].map(([, label = '']) => label);
}
