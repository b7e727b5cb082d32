import type { Benchmark } from '../benchmark.ts';
import {
  claimRefs,
  createClaims,
  createNamespaces,
  deleteClaims,
  listClaims,
  stripFinalizers,
} from './claims.ts';
import { protect } from './protect.ts';

/**
 * Claims that arrive one after the other at a steady rate while the controller runs, instead of all at once.
 */
export const arrivals: Benchmark<'claims' | 'namespaces' | 'rate'> = {
  name: 'arrivals',
  summary: 'claims without the finalizer that are made at a rate, until each has it',
  sizes: {
    claims: { default: 2_000, description: 'claims that come' },
    namespaces: { default: 10, description: 'namespaces that they are spread over' },
    rate: { default: 200, description: 'claims a second' },
  },
  disabledAdmissionPlugins: protect.disabledAdmissionPlugins,
  holdfast: protect.holdfast,
  upstream: protect.upstream,
  async prepare(api, sizes) {
    await createNamespaces(api, sizes.namespaces);
    const present = await listClaims(api);
    await stripFinalizers(api, present);
    await deleteClaims(api, new Set(present.map(({ metadata }) => metadata.namespace ?? '')));
  },
  async setOff(api, sizes) {
    const began = performance.now();
    const made: Promise<void>[] = [];
    for (const [index, ref] of claimRefs(sizes.claims, sizes.namespaces).entries()) {
      const due = began + (index * 1000) / sizes.rate;
      const early = due - performance.now();
      if (early > 1) {
        await new Promise((resolve) => setTimeout(resolve, early));
      }
      made.push(createClaims(api, [ref], []));
    }
    await Promise.all(made);
  },
  goal: protect.goal,
};
