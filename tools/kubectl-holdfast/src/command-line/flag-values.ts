import { durationFlag, quoted, UsageError } from '@holdfast/runtime';
import { workloadsFlag } from '@holdfast/statefulset-pvc-retention/decide';
import { outputs } from '../output/print.ts';
import type { Cascade } from '../plan/world.ts';
import type { Values } from './options.ts';
import { assumable, type AssumableName, type GlobalFlags } from './request.ts';

const timeoutSchema = durationFlag({ description: '--timeout', default: '5m' }).schema;

export function timeoutOf(value: string): number {
  const read = timeoutSchema.safeParse(value);
  if (!read.success) {
    throw new UsageError(`--timeout: ${quoted(value)} is invalid: expected a duration such as 90s or 5m`);
  }
  return read.data;
}

export function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (!(port <= 65_535)) {
    throw new UsageError(`--port: ${quoted(text)} is invalid: expected a number from 0 to 65535`);
  }
  return port;
}

export function replicasOf(text: string): number {
  const replicas = /^\d{1,10}$/.test(text) ? Number(text) : NaN;
  if (!(replicas <= 0x7fffffff)) {
    throw new UsageError(`--replicas: ${quoted(text)} is invalid: expected a whole number from 0 on`);
  }
  return replicas;
}

export function cascadeOf(text: string): Cascade {
  switch (text) {
    case 'background':
    case 'foreground':
    case 'orphan':
      return text;
    default:
      throw new UsageError(
        `--cascade: ${quoted(text)} is invalid: expected background, foreground or orphan`,
      );
  }
}

export function flagsOf(values: Values): GlobalFlags {
  const output = outputs.find((each) => each === values.output);
  if (values.output !== undefined && output === undefined) {
    throw new UsageError(`--output: ${quoted(values.output)} is invalid: expected ${outputs.join(', ')}`);
  }
  if (values.namespace !== undefined && values['all-namespaces'] === true) {
    throw new UsageError('--namespace and --all-namespaces contradict each other; leave one out');
  }
  return {
    kubeconfig: values.kubeconfig,
    context: values.context,
    namespace: namespaceOf(values),
    allNamespaces: values['all-namespaces'] === true,
    output,
    insecureHttp: values['insecure-http'] === true,
    assume: assumptionsOf(values.assume ?? []),
    workloads: workloadsOf(values.workloads),
  };
}

/** As in kubectl, an empty namespace counts as none: a script passes it if a variable is not set. */
export function namespaceOf({ namespace }: Values): string | undefined {
  return namespace === '' ? undefined : namespace;
}

function workloadsOf(value: string | undefined): GlobalFlags['workloads'] {
  const read = value === undefined ? undefined : workloadsFlag.schema.safeParse(value);
  if (read?.success === false) {
    throw new UsageError(
      `--workloads: ${quoted(value ?? '')} can't be taken: ${read.error.issues.map(({ message }) => message).join('; ')}`,
    );
  }
  return read?.data ?? [];
}

function assumptionsOf(texts: readonly string[]): ReadonlyMap<AssumableName, boolean> {
  return new Map(
    texts
      .flatMap((text) => text.split(','))
      .map((text) => {
        const [name, value, ...more] = text.split('=');
        const known = assumable.find((each) => each === name);
        if (known === undefined || (value !== 'on' && value !== 'off') || more.length > 0) {
          throw new UsageError(
            `--assume: ${quoted(text)} is invalid: expected ${assumable.map((each) => `${each}=on|off`).join(' or ')}`,
          );
        }
        return [known, value === 'on'] as const;
      }),
  );
}
