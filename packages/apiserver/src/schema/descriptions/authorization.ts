import type { Descriptions } from './description.ts';

export const authorizationDescriptions: Descriptions = {
  'authorization.v1.FieldSelectorAttributes': {
    about: 'A field selector of the request.',
    fields: {
      rawSelector:
        'Selector as it stands in the query; not together with requirements, and clients need not send it.',
      requirements: 'Conditions of the selector, all of which hold.',
    },
  },
  'authorization.v1.LabelSelectorAttributes': {
    about: 'A label selector of the request.',
    fields: {
      rawSelector:
        'Selector as it stands in the query; not together with requirements, and clients need not send it.',
      requirements: 'Conditions of the selector, all of which hold.',
    },
  },
  'authorization.v1.LocalSubjectAccessReview': {
    about: 'Asks whether a user may do something in one namespace.',
    fields: { spec: 'User and request; its namespace must be that of the review.', status: 'The answer.' },
  },
  'authorization.v1.NonResourceAttributes': {
    about: 'A request for a path outside of resources.',
    fields: { path: 'Path of the request.', verb: 'HTTP method in lower case, such as get.' },
  },
  'authorization.v1.NonResourceRule': {
    about: 'Paths outside of resources that are allowed.',
    fields: {
      verbs: 'HTTP methods in lower case; * for all.',
      nonResourceURLs: 'Paths, such as /healthz/*; * for all.',
    },
  },
  'authorization.v1.ResourceAttributes': {
    about: 'A request for a resource.',
    fields: {
      namespace: 'Namespace of the request; empty for all, or for what is in none.',
      verb: 'Verb, such as get, list or create; * for all.',
      group: 'API group of the resource; * for all.',
      version: 'API version of the resource; * for all.',
      resource: 'Resource, such as pods; * for all.',
      subresource: 'Subresource, such as log; none when empty.',
      name: 'Name of the object; empty for all.',
      fieldSelector: 'Field selector of the request.',
      labelSelector: 'Label selector of the request.',
    },
  },
  'authorization.v1.ResourceRule': {
    about: 'Requests for resources that are allowed.',
    fields: {
      verbs: 'Verbs; * for all.',
      apiGroups: 'API groups; * for all.',
      resources: 'Resources; * for all of the groups, */SUB for a subresource of all.',
      resourceNames: 'Names of single objects; empty for all.',
    },
  },
  'authorization.v1.SelfSubjectAccessReview': {
    about: 'Asks whether the user of the request may do something.',
    fields: { spec: 'What the user would do.', status: 'The answer.' },
  },
  'authorization.v1.SelfSubjectAccessReviewSpec': {
    about: 'What the user would do; exactly one field is set.',
    fields: {
      resourceAttributes: 'A request for a resource.',
      nonResourceAttributes: 'A request for another path.',
    },
  },
  'authorization.v1.SelfSubjectRulesReview': {
    about: 'Asks what the user of the request may do in a namespace.',
    fields: {
      spec: 'Namespace that is asked about.',
      status: 'The answer, which may be incomplete; access must not be decided by it.',
    },
  },
  'authorization.v1.SelfSubjectRulesReviewSpec': {
    about: 'Namespace that is asked about.',
    fields: { namespace: 'Name of the namespace; required.' },
  },
  'authorization.v1.SubjectAccessReview': {
    about: 'Asks whether a user may do something.',
    fields: { spec: 'User and request.', status: 'The answer.' },
  },
  'authorization.v1.SubjectAccessReviewSpec': {
    about: 'A user, and what the user would do; one of the two requests is set.',
    fields: {
      resourceAttributes: 'A request for a resource.',
      nonResourceAttributes: 'A request for another path.',
      user: 'Name of the user; without it the groups alone are checked.',
      groups: 'Groups of the user.',
      extra: 'Further attributes of the user.',
      uid: 'UID of the user.',
    },
  },
  'authorization.v1.SubjectAccessReviewStatus': {
    about: 'Whether it is allowed.',
    fields: {
      allowed: 'Whether the request is allowed.',
      denied: 'Whether an authorizer refused it outright; false while none had an opinion.',
      reason: 'Why it is allowed or not.',
      evaluationError: 'What went wrong in checking; the answer may hold all the same.',
    },
  },
  'authorization.v1.SubjectRulesReviewStatus': {
    about: 'What a user may do.',
    fields: {
      resourceRules: 'Requests for resources that are allowed.',
      nonResourceRules: 'Requests for other paths that are allowed.',
      incomplete: 'Whether rules may be missing, as authorizers cannot always list theirs.',
      evaluationError: 'What went wrong in collecting the rules.',
    },
  },
};
