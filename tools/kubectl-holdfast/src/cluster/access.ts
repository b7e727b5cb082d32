import type { ApiResource, KubernetesObject } from '@holdfast/core';
import type { ApiClient } from '@holdfast/runtime';
import { unlessRefused } from './refused.ts';

/** What a user might want to do. */
export interface Access {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  /** Undefined for all namespaces. */
  readonly namespace?: string;
  /** Undefined for any name. */
  readonly name?: string;
}

interface Review extends KubernetesObject {
  readonly status?: { readonly allowed?: boolean };
}

const reviewOf = (kind: string, plural: string): ApiResource<Review> => ({
  ...{ group: 'authorization.k8s.io', version: 'v1', kind, plural, namespaced: false },
});
const selfReviews = reviewOf('SelfSubjectAccessReview', 'selfsubjectaccessreviews');
const reviews = reviewOf('SubjectAccessReview', 'subjectaccessreviews');

/** The user whose access is asked about. */
export type Subject = 'me' | { readonly namespace: string; readonly serviceAccount: string };

/**
 * Returns the accesses that the subject lacks; undefined if the API server does not answer that to this user.
 * Nothing is stored.
 */
export async function lacking(
  client: Pick<ApiClient, 'create'>,
  subject: Subject,
  accesses: readonly Access[],
): Promise<readonly Access[] | undefined> {
  const answers = await Promise.all(
    accesses.map(async (access) => ({
      access,
      review: await unlessRefused(client.create(...reviewFor(subject, access))),
    })),
  );
  return answers.every(({ review }) => review !== undefined)
    ? answers.filter(({ review }) => review?.status?.allowed !== true).map(({ access }) => access)
    : undefined;
}

function reviewFor(
  subject: Subject,
  resourceAttributes: Access,
): readonly [ApiResource<Review>, undefined, { readonly spec: object }] {
  if (subject === 'me') {
    return [selfReviews, undefined, { spec: { resourceAttributes } }];
  }
  const { namespace, serviceAccount } = subject;
  return [
    reviews,
    undefined,
    {
      spec: {
        resourceAttributes,
        user: `system:serviceaccount:${namespace}:${serviceAccount}`,
        groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
      },
    },
  ];
}

/** `list persistentvolumeclaims in shop` */
export function accessWords({ verb, group, resource, namespace, name }: Access): string {
  const what = group === '' ? resource : `${resource}.${group}`;
  return `${verb} ${what}${name === undefined ? '' : ` ${name}`}${namespace === undefined ? '' : ` in ${namespace}`}`;
}
