import type { Mutant } from './mutants.ts';

/** The name of the global variable that switches one mutant on, by its id; undefined for none. */
export const mutantSwitch = '__holdfastMutant';

/**
 * Returns the source with all its mutants in it, each behind a switch, so that it is loaded once for all of
 * them. Line numbers stay the same, so stacks are still right.
 */
export function instrument(text: string, mutants: readonly Mutant[]): string {
  const hosts = [...Map.groupBy(mutants, ({ host }) => `${String(host.start)}-${String(host.end)}`).values()]
    .map((mutantsOfHost) => ({
      host: mutantsOfHost[0]?.host ?? { start: 0, end: 0, kind: '' },
      mutantsOfHost,
    }))
    .toSorted((a, b) => a.host.start - b.host.start || b.host.end - a.host.end);

  /** Returns the text from `start` to `end`, with the switches of the hosts within that range. */
  const render = (start: number, end: number, within: typeof hosts): string => {
    let [at, rendered] = [start, ''];
    for (const each of within) {
      const { host, mutantsOfHost } = each;
      if (host.start < at) {
        continue;
      }
      const inner = within.filter(
        (other) => other !== each && other.host.start >= host.start && other.host.end <= host.end,
      );
      const original = render(host.start, host.end, inner);
      rendered += text.slice(at, host.start) + choose(host.kind, original, mutantsOfHost);
      at = host.end;
    }
    return rendered + text.slice(at, end);
  };
  const choose = (kind: string, original: string, choices: readonly Mutant[]): string =>
    kind === 'statement'
      ? choices.reduce((statement, { id }) => `if (${isOn(id)}) ; else { ${statement} }`, original)
      : choices.reduce((rest, mutant) => `(${isOn(mutant.id)} ? (${mutated(mutant)}) : (${rest}))`, original);
  const mutated = ({ host, start, end, replacement }: Mutant): string =>
    text.slice(host.start, start) + replacement + text.slice(end, host.end);
  return render(0, text.length, hosts);
}

function isOn(id: number): string {
  return `globalThis.${mutantSwitch} === ${String(id)}`;
}
