import { dnsSubdomain } from '../meta/names.ts';
import type { ResourceDefinition } from './resource-definition.ts';

/* Review kinds: their create answers a question and stores nothing (auth/review.ts). */

function review(group: string, kind: string, namespaced = false): ResourceDefinition {
  return {
    group,
    version: 'v1',
    kind,
    plural: `${kind.toLowerCase()}s`,
    singular: kind.toLowerCase(),
    namespaced,
    verbs: ['create'],
    isReview: true,
    struct: `${group.split('.', 1)[0] ?? ''}.v1.${kind}`,
    nameRule: dnsSubdomain,
    takesAnyFinalizer: true,
    columns: [],
    cells: () => [],
  };
}

export const selfSubjectReviews = review('authentication.k8s.io', 'SelfSubjectReview');
export const tokenReviews = review('authentication.k8s.io', 'TokenReview');
export const localSubjectAccessReviews = review('authorization.k8s.io', 'LocalSubjectAccessReview', true);
export const selfSubjectAccessReviews = review('authorization.k8s.io', 'SelfSubjectAccessReview');
export const selfSubjectRulesReviews = review('authorization.k8s.io', 'SelfSubjectRulesReview');
export const subjectAccessReviews = review('authorization.k8s.io', 'SubjectAccessReview');
