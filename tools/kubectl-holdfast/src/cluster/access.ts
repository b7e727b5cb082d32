import type { ApiResource, KubernetesObject } from '@holdfast/core';
import type { ApiClient } from '@holdfast/runtime';
import { unlessRefused } from './refused.ts';

/** What a user might want to do. */
export interface Access {
  readonly verb: string;
  readonly group: string;
  /** As in a role, with its subresource: `persistentvolumeclaims/status`. */
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
 * Nothing is stored. What is wanted in several namespaces is asked for all of them first: there can be
 * thousands, and most installations have the permissions of the whole cluster.
 */
export async function lacking(
  client: Pick<ApiClient, 'create'>,
  subject: Subject,
  accesses: readonly Access[],
): Promise<readonly Access[] | undefined> {
  const ask = async (access: Access): Promise<Answer> => ({
    access,
    review: await unlessRefused(client.create(...reviewFor(subject, access))),
  });
  const kinds = Map.groupBy(accesses, (access) => {
    const { verb, group, resource, name } = access;
    return name === undefined ? accessWords({ verb, group, resource }) : access;
  });
  const answers = await Promise.all(
    [...kinds.values()].map(async (ofKind) => {
      const [first] = ofKind;
      if (first !== undefined && ofKind.length > 1) {
        const { verb, group, resource } = first;
        const answer = await ask({ verb, group, resource });
        if (answer.review === undefined || answer.review.status?.allowed === true) {
          return [answer];
        }
      }
      return Promise.all(ofKind.map(ask));
    }),
  );
  return answers.flat().every(({ review }) => review !== undefined)
    ? answers
        .flat()
        .filter(({ review }) => review?.status?.allowed !== true)
        .map(({ access }) => access)
    : undefined;
}

interface Answer {
  readonly access: Access;
  /** Undefined if it was refused. */
  readonly review: Review | undefined;
}

function reviewFor(
  subject: Subject,
  access: Access,
): readonly [ApiResource<Review>, undefined, { readonly spec: object }] {
  const [resource, subresource] = access.resource.split('/');
  const resourceAttributes = { ...access, resource, ...(subresource === undefined ? {} : { subresource }) };
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
