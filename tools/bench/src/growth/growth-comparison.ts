/** Describes what `npm run bench -- growth` compares. */
export const growthComparison = {
  name: 'growth',
  summary:
    'a piece of work of each app at growing sizes, beside kube-controller-manager: does what it takes grow with them',
  sizes: {},
} as const;

/** The default numbers of claims or volumes. */
export const defaultCounts: readonly number[] = [1_000, 10_000, 50_000];
