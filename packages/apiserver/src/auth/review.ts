import { type FieldError, invalid, invalidObject } from '../meta/field-error.ts';
import { type Json, type JsonObject, withoutFields } from '../meta/json.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import { badRequest } from '../meta/status-error.ts';
import { canonicalObject } from '../resources/decode-object.ts';
import { goValue } from '../resources/go-diff.ts';
import type { PolicyRule } from '../resources/rbac.ts';
import type { ResourceDefinition } from '../resources/resource-definition.ts';
import {
  localSubjectAccessReviews,
  selfSubjectAccessReviews,
  selfSubjectReviews,
  selfSubjectRulesReviews,
  subjectAccessReviews,
  tokenReviews,
} from '../resources/review.ts';
import { formatTime } from '../schema/decode.ts';
import type { AccessRequest } from './access-request.ts';
import type { Authenticator } from './authenticator.ts';
import { type Authorizer, joinProblems } from './authorizer.ts';
import type { UserInfo } from './user-info.ts';

/** The parts of the server that reviews need. */
export interface Reviewer {
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly now: () => number;
}

/** Answers a review in the namespace of its path. Throws 400 and 422 for a review that asks nothing. */
export function answerReview(
  reviewer: Reviewer,
  definition: ResourceDefinition,
  object: KubeObject,
  user: UserInfo,
): KubeObject {
  return canonicalObject(definition, answer(reviewer, definition, object, user));
}

function answer(
  reviewer: Reviewer,
  definition: ResourceDefinition,
  object: KubeObject,
  user: UserInfo,
): KubeObject {
  switch (definition) {
    case selfSubjectReviews:
      return {
        ...withoutFields(object, ['metadata']),
        kind: object.kind,
        apiVersion: object.apiVersion,
        metadata: { creationTimestamp: formatTime(reviewer.now()) },
        status: { userInfo: userInfoOf(user) },
      };
    case tokenReviews:
      return reviewToken(reviewer, object as TokenReview);
    case selfSubjectRulesReviews:
      return reviewRules(reviewer, object as RulesReview, user);
    case selfSubjectAccessReviews: {
      const { spec } = object as AccessReview;
      refuse([...validateAccess(spec), ...validateMetadata(object, 'must be empty')]);
      return reviewAccess(reviewer, object, spec, user);
    }
    case subjectAccessReviews: {
      const { spec } = object as AccessReview;
      refuse([
        ...validateAccess(spec),
        ...validateSubject(spec),
        ...validateMetadata(object, 'must be empty'),
      ]);
      return reviewAccess(reviewer, object, spec, subjectOf(spec));
    }
    case localSubjectAccessReviews: {
      const { spec, metadata } = object as AccessReview;
      const { resourceAttributes, nonResourceAttributes } = spec;
      const errors = [
        ...validateAccess(spec),
        ...validateSubject(spec),
        ...validateMetadata(object, 'must be empty except for namespace', ['namespace']),
      ];
      const wanted = resourceAttributes?.namespace ?? '';
      if (resourceAttributes !== undefined && wanted !== (metadata.namespace ?? '')) {
        errors.push(invalid('spec.resourceAttributes.namespace', wanted, 'must match metadata.namespace'));
      }
      if (nonResourceAttributes !== undefined) {
        errors.push(
          invalid(
            'spec.nonResourceAttributes',
            pathValue(nonResourceAttributes),
            'disallowed on this kind of request',
          ),
        );
      }
      refuse(errors);
      return reviewAccess(reviewer, object, spec, subjectOf(spec));
    }
    default:
      throw new Error(
        `${definition.kind} is marked as a review and nothing answers it; add it to answerReview`,
      );
  }
}

interface TokenReview extends KubeObject {
  spec: { token?: string; audiences?: string[] };
}

function reviewToken(reviewer: Reviewer, review: TokenReview): KubeObject {
  const { token = '', audiences = [] } = review.spec;
  if (token === '') {
    throw badRequest('token is required for TokenReview in authentication');
  }
  const result = reviewer.authenticator.authenticateToken(
    token,
    audiences.length === 0 ? undefined : audiences,
  );
  const status: JsonObject =
    'error' in result
      ? { error: result.error }
      : { authenticated: true, user: userInfoOf(result.user), audiences: [...result.audiences] };
  return { ...review, status };
}

function userInfoOf({ name, uid, groups, extra = {} }: UserInfo): JsonObject {
  const listed: JsonObject = {};
  for (const [key, values] of Object.entries(extra)) {
    listed[key] = [...values];
  }
  return { username: name, uid, groups: [...groups], extra: listed };
}

interface RulesReview extends KubeObject {
  spec: { namespace?: string };
}

function reviewRules(reviewer: Reviewer, review: RulesReview, user: UserInfo): KubeObject {
  const { namespace = '' } = review.spec;
  if (namespace === '') {
    throw badRequest('no namespace on request');
  }
  const { rules, problems } = reviewer.authorizer.rulesFor(user, namespace);
  const { kind, apiVersion } = review;
  return {
    kind,
    apiVersion,
    // The answer does not repeat the request.
    metadata: {},
    spec: {},
    status: {
      resourceRules: rules.filter((rule) => (rule.resources ?? []).length > 0).map(resourceRule),
      nonResourceRules: rules
        .filter((rule) => (rule.nonResourceURLs ?? []).length > 0)
        .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
      incomplete: false,
      ...(problems.length === 0 ? undefined : { evaluationError: joinProblems(problems) }),
    },
  };
}

function resourceRule({ verbs, apiGroups, resources, resourceNames }: PolicyRule): JsonObject {
  return { verbs, apiGroups, resources, resourceNames };
}

interface AccessReview extends KubeObject {
  spec: AccessReviewSpec;
}

interface AccessReviewSpec extends JsonObject {
  resourceAttributes?: {
    namespace?: string;
    verb?: string;
    group?: string;
    resource?: string;
    subresource?: string;
    name?: string;
  };
  nonResourceAttributes?: { path?: string; verb?: string };
  user?: string;
  uid?: string;
  groups?: string[];
}

function reviewAccess(
  reviewer: Reviewer,
  review: KubeObject,
  spec: AccessReviewSpec,
  subject: UserInfo,
): KubeObject {
  const { isAllowed, reason } = reviewer.authorizer.authorize(subject, accessAskedFor(spec));
  return { ...review, status: { allowed: isAllowed, reason } };
}

function accessAskedFor({ resourceAttributes, nonResourceAttributes }: AccessReviewSpec): AccessRequest {
  if (resourceAttributes === undefined) {
    const { path = '', verb = '' } = nonResourceAttributes ?? {};
    return { kind: 'path', path, verb };
  }
  const {
    namespace = '',
    verb = '',
    group = '',
    resource = '',
    subresource = '',
    name = '',
  } = resourceAttributes;
  return { kind: 'resource', namespace, verb, group, resource, subresource, name };
}

/** The user exactly as given: no group is added to those of the review. */
function subjectOf({ user = '', uid = '', groups = [] }: AccessReviewSpec): UserInfo {
  return { name: user, uid, groups };
}

function validateAccess({ resourceAttributes, nonResourceAttributes }: AccessReviewSpec): FieldError[] {
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined) {
    return [
      invalid(
        'spec.nonResourceAttributes',
        pathValue(nonResourceAttributes),
        'cannot be specified in combination with resourceAttributes',
      ),
    ];
  }
  return resourceAttributes === undefined && nonResourceAttributes === undefined
    ? [
        invalid(
          'spec.resourceAttributes',
          null,
          'exactly one of nonResourceAttributes or resourceAttributes must be specified',
        ),
      ]
    : [];
}

function validateSubject({ user = '', groups = [] }: AccessReviewSpec): FieldError[] {
  return user === '' && groups.length === 0
    ? [invalid('spec.user', user, 'at least one of user or group must be specified')]
    : [];
}

function validateMetadata(
  { metadata }: KubeObject,
  detail: string,
  free: readonly string[] = [],
): FieldError[] {
  const given = withoutFields(metadata, [...free, 'managedFields']);
  return Object.keys(given).length === 0 ? [] : [invalid('metadata', metadata, detail)];
}

/** The real server's internal type has no JSON names, so its messages show Go's. */
function pathValue(attributes: JsonObject): Json {
  return goValue(attributes, 'authorization.v1.NonResourceAttributes');
}

/** The kind of a refused review is already lost when the real server writes the message. */
function refuse(errors: readonly FieldError[]): void {
  if (errors.length > 0) {
    throw invalidObject({ group: 'authorization.k8s.io', name: '' }, '', errors);
  }
}
