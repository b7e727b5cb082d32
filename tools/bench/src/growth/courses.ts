import { claimRefs, createNamespaces } from '../benchmarks/claims.ts';
import { defaultClass } from '../benchmarks/default-class.ts';
import { createPods } from '../benchmarks/pods.ts';
import { protect } from '../benchmarks/protect.ts';
import { reclaim } from '../benchmarks/reclaim.ts';
import { retention } from '../benchmarks/retention.ts';
import type { Course } from './course.ts';

/** A larger cluster has more namespaces, with 200 claims each. */
function namespacesFor(claims: number): number {
  return Math.ceil(claims / 200);
}

/** The number of claims per set in {@link retention}. */
const claimsOfASet = 3;

/** One course for each app. */
export const courses: readonly Course[] = [
  {
    benchmark: {
      ...protect,
      async prepare(api, { claims = 0, namespaces = 0 }) {
        await createNamespaces(api, namespaces);
        const refs = claimRefs(claims, namespaces);
        await createPods(api, [...refs, ...refs]);
        await protect.prepare(api, { claims, namespaces });
      },
    },
    work: 'claims without the finalizer are protected, in a cluster with two pods of 3 KiB for each',
    objects: 'claims',
    sizesOf: (claims) => ({ claims, namespaces: namespacesFor(claims) }),
  },
  {
    benchmark: retention,
    work: 'StatefulSets of three replicas are turned from Retain to Delete, and each claim is given its owner',
    objects: 'claims',
    sizesOf: (claims) => ({
      sets: Math.ceil(claims / claimsOfASet),
      namespaces: namespacesFor(claims),
    }),
  },
  {
    benchmark: reclaim,
    work: 'released volumes of a CSI driver with policy Delete are deleted, storage and object',
    objects: 'volumes',
    sizesOf: (volumes) => ({ volumes }),
  },
  {
    benchmark: defaultClass,
    work: 'claims without a class are given the default one when it comes',
    objects: 'claims',
    sizesOf: (claims) => ({ claims, namespaces: namespacesFor(claims) }),
  },
];
