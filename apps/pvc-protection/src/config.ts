import {
  checkRuntimeConfig,
  runtimeFlags,
  UsageError,
  type Command,
  type FlagValues,
} from '@holdfast/runtime';
import { gates } from './gates.ts';
import { version } from './version.ts';

const flags = runtimeFlags('pvc-protection', gates);

/** What pvc-protection is told; it has no flags beyond the runtime's. */
export type Config = FlagValues<typeof flags>;

export const command = {
  name: 'pvc-protection',
  version,
  description: 'keeps a deleted PersistentVolumeClaim until no pod uses it.',
  flags,
  epilogue: [
    'Feature gates:',
    ...Object.entries(gates).map(
      ([name, gate]) => `  ${name} (${gate.stage}, default ${String(gate.default)}): ${gate.description}`,
    ),
  ].join('\n'),
} satisfies Command<typeof flags>;

/** @throws UsageError when flags contradict each other. */
export function checkConfig(config: Config): void {
  const problem = checkRuntimeConfig(config);
  if (problem !== undefined) {
    throw new UsageError(problem);
  }
}
