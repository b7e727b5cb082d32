import { type FieldError, invalid } from '../../meta/field-error.ts';
import { jsonEqual } from '../../meta/json.ts';
import { goValue } from '../go-diff.ts';
import type { PodSpec } from '../pod-spec.ts';
import type { NodeTerm } from './affinity.ts';

/*
 * While scheduling gates hold a pod, its placement may be restricted to fewer nodes, but never extended to
 * more.
 */

export function validateMoreNodes(spec: PodSpec, old: PodSpec): FieldError[] {
  return [...validateSelector(spec.nodeSelector, old.nodeSelector), ...validateTerms(spec, old)];
}

function validateSelector(
  selector: PodSpec['nodeSelector'],
  before: PodSpec['nodeSelector'] = {},
): FieldError[] {
  const isKept = Object.entries(before).every(([label, value]) => selector?.[label] === value);
  return isKept
    ? []
    : [
        invalid(
          'spec.nodeSelector',
          selector ?? null,
          'only additions to spec.nodeSelector are allowed (no mutations or deletions)',
        ),
      ];
}

function validateTerms({ affinity }: PodSpec, { affinity: old }: PodSpec): FieldError[] {
  const at = 'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms';
  const before = old?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const given = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const terms = given ?? [];
  const shown = (term: NodeTerm) => goValue(term, 'core.v1.NodeSelectorTerm');
  if (before.length === 0) {
    return [];
  }
  if (before.length !== terms.length) {
    const problem = 'no additions/deletions to non-empty NodeSelectorTerms list are allowed';
    return [invalid(at, given?.map(shown) ?? null, problem)];
  }
  return terms.flatMap((term, index) =>
    hasOnlyMore(term, before[index] ?? {})
      ? []
      : [invalid(`${at}[${index}]`, shown(term), 'only additions are allowed (no mutations or deletions)')],
  );
}

/** Whether a term only got further requirements. An empty term matches no node, and must stay empty. */
function hasOnlyMore(term: NodeTerm, before: NodeTerm): boolean {
  const lists = (['matchExpressions', 'matchFields'] as const).map((list) => ({
    now: term[list] ?? [],
    old: before[list] ?? [],
  }));
  return lists.every(({ old }) => old.length === 0)
    ? lists.every(({ now }) => now.length === 0)
    : lists.every(({ now, old }) => jsonEqual(now.slice(0, old.length), old));
}
