import type { KubeObject } from '../meta/kube-object.ts';
import { dnsLabel } from '../meta/names.ts';

/** The warnings for a new object whose pods are named after it. */
export function podNameWarnings(
  { metadata: { name = '' } }: KubeObject,
  old: KubeObject | undefined,
): string[] {
  const problems = old === undefined ? dnsLabel(name, false) : [];
  return problems.length === 0
    ? []
    : [
        `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${problems.join(' ')}]`,
      ];
}
