import type { Descriptions } from './description.ts';

const webhookFields = {
  name: 'Full name of the webhook, such as pods.example.com.',
  clientConfig: 'How the webhook is reached.',
  rules:
    'Requests that are sent to the webhook, if any rule matches; never those for webhook configurations and admission policies.',
  failurePolicy: 'What follows when the call fails: Fail (default) refuses the request, Ignore goes on.',
  matchPolicy:
    'Equivalent (default) also matches requests by other versions of a resource, Exact by the rules alone.',
  namespaceSelector:
    'Labels of the namespace of the object, or of the namespace itself; {} (default) matches all.',
  objectSelector: 'Labels of the object, before or after the change; {} (default) matches all.',
  sideEffects:
    'Whether calls have effects besides the answer: None or NoneOnDryRun; with others dry runs are refused.',
  timeoutSeconds: 'Seconds to wait for the answer, 1 to 30; 10 by default.',
  admissionReviewVersions:
    'Versions of AdmissionReview that the webhook reads; the first that the server knows is sent.',
  matchConditions: 'CEL conditions that must all hold for a call; 64 at most.',
};

const ruleFields = {
  operations: 'CREATE, UPDATE, DELETE, CONNECT, or * for all.',
  apiGroups: 'API groups of the resources; "" for the core group, * for all.',
  apiVersions: 'API versions of the resources; * for all.',
  resources: 'Resources, such as pods, pods/status, pods/* or */*.',
  scope: 'Cluster, Namespaced, or * (default) for both.',
};

const bindingFields = {
  policyName: 'Policy that is bound.',
  paramRef: 'Objects with parameters for the policy; only where the policy has a paramKind.',
  matchResources: 'Narrows down the requests that the policy is for.',
};

export const admissionregistrationDescriptions: Descriptions = {
  'admissionregistration.v1.ApplyConfiguration': {
    about: 'A change in the form of server-side apply.',
    fields: { expression: 'CEL expression that makes the object to apply, as Object{...}.' },
  },
  'admissionregistration.v1.AuditAnnotation': {
    about: 'An annotation of audit events.',
    fields: {
      key: 'Key of the annotation; the name of the policy and a slash go before it.',
      valueExpression: 'CEL expression that makes the text; null writes no annotation.',
    },
  },
  'admissionregistration.v1.ExpressionWarning': {
    about: 'A finding of the type check of an expression.',
    fields: {
      fieldRef: 'Path of the expression, such as spec.validations[0].expression.',
      warning: 'What is wrong with it.',
    },
  },
  'admissionregistration.v1.JSONPatch': {
    about: 'A change in the form of a JSON patch.',
    fields: { expression: 'CEL expression that makes the list of JSONPatch operations.' },
  },
  'admissionregistration.v1.MatchCondition': {
    about: 'A CEL condition on requests.',
    fields: {
      name: 'Name of the condition, for logs and annotations.',
      expression: 'CEL expression on object, oldObject, request and authorizer that must be true.',
    },
  },
  'admissionregistration.v1.MatchResources': {
    about: 'Requests that a policy is for.',
    fields: {
      namespaceSelector:
        'Labels of the namespace of the object, or of the namespace itself; {} (default) matches all.',
      objectSelector: 'Labels of the object, before or after the change; {} (default) matches all.',
      resourceRules: 'Rules, any of which is enough.',
      excludeResourceRules: 'Rules for requests that are left out, even if resourceRules match.',
      matchPolicy:
        'Equivalent (default) also matches requests by other versions of a resource, Exact by the rules alone.',
    },
  },
  'admissionregistration.v1.MutatingAdmissionPolicy': {
    about: 'Changes to objects in requests, written in CEL.',
    fields: { spec: 'Requests and changes.' },
  },
  'admissionregistration.v1.MutatingAdmissionPolicyBinding': {
    about: 'Puts a MutatingAdmissionPolicy into force.',
    fields: { spec: 'Policy, parameters and requests.' },
  },
  'admissionregistration.v1.MutatingAdmissionPolicyBindingSpec': {
    about: 'Policy that is put into force, with parameters.',
    fields: { ...bindingFields },
  },
  'admissionregistration.v1.MutatingAdmissionPolicySpec': {
    about: 'Requests and changes of a policy.',
    fields: {
      paramKind: 'Kind of the parameters; none when unset.',
      matchConstraints: 'Requests that the policy is for.',
      variables: 'CEL expressions by name, for use in later ones.',
      mutations: 'Changes, made one after another.',
      failurePolicy:
        'What follows when an expression fails: Fail (default) refuses the request, Ignore goes on.',
      matchConditions: 'CEL conditions that must all hold for the policy to apply; 64 at most.',
      reinvocationPolicy: 'Never, or IfNeeded to run again when later plugins have changed the object.',
    },
  },
  'admissionregistration.v1.MutatingWebhook': {
    about: 'A webhook that may change objects in requests.',
    fields: {
      ...webhookFields,
      reinvocationPolicy: 'Never (default), or IfNeeded to call again when others have changed the object.',
    },
  },
  'admissionregistration.v1.MutatingWebhookConfiguration': {
    about: 'Webhooks that may change objects in requests.',
    fields: { webhooks: 'The webhooks, called one after another.' },
  },
  'admissionregistration.v1.Mutation': {
    about: 'A change by a policy.',
    fields: {
      patchType: 'ApplyConfiguration or JSONPatch; the field of that name is set.',
      applyConfiguration: 'Change by server-side apply.',
      jsonPatch: 'Change by JSON patch.',
    },
  },
  'admissionregistration.v1.NamedRuleWithOperations': {
    about: 'Operations on resources and single objects.',
    fields: { ...ruleFields, resourceNames: 'Names of single objects; empty for all.' },
  },
  'admissionregistration.v1.ParamKind': {
    about: 'Kind of the parameters of a policy.',
    fields: { apiVersion: 'Group and version of the kind.', kind: 'Name of the kind.' },
  },
  'admissionregistration.v1.ParamRef': {
    about: 'Objects with parameters, by name or by selector.',
    fields: {
      name: 'Name of the object; not together with selector.',
      namespace: 'Namespace of the objects; by default that of the request, for kinds in namespaces only.',
      selector: 'Labels of the objects, all of which are used; not together with name.',
      parameterNotFoundAction:
        'What follows without parameters: Allow passes the request, Deny applies failurePolicy.',
    },
  },
  'admissionregistration.v1.RuleWithOperations': {
    about: 'Operations on resources.',
    fields: { ...ruleFields },
  },
  'admissionregistration.v1.ServiceReference': {
    about: 'A Service that a webhook is behind.',
    fields: {
      namespace: 'Namespace of the Service.',
      name: 'Name of the Service.',
      path: 'Path of the URL; / when unset.',
      port: 'Port of the Service; 443 by default.',
    },
  },
  'admissionregistration.v1.TypeChecking': {
    about: 'Findings of the type check of a policy.',
    fields: { expressionWarnings: 'The findings.' },
  },
  'admissionregistration.v1.ValidatingAdmissionPolicy': {
    about: 'Conditions on requests, written in CEL.',
    fields: { spec: 'Requests and conditions.', status: 'Findings about the policy.' },
  },
  'admissionregistration.v1.ValidatingAdmissionPolicyBinding': {
    about: 'Puts a ValidatingAdmissionPolicy into force.',
    fields: { spec: 'Policy, parameters, requests and actions.' },
  },
  'admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec': {
    about: 'Policy that is put into force, with parameters and actions.',
    fields: {
      ...bindingFields,
      validationActions:
        'What follows when a condition fails: Deny, Warn or Audit; Deny and Warn exclude each other.',
    },
  },
  'admissionregistration.v1.ValidatingAdmissionPolicySpec': {
    about: 'Requests and conditions of a policy.',
    fields: {
      paramKind: 'Kind of the parameters; none when unset.',
      matchConstraints: 'Requests that the policy is for.',
      validations: 'Conditions; required unless there are auditAnnotations.',
      failurePolicy:
        'What follows when an expression fails: Fail (default) applies the actions of the binding, Ignore goes on.',
      auditAnnotations: 'Annotations for audit events; 20 at most.',
      matchConditions: 'CEL conditions that must all hold for the policy to apply; 64 at most.',
      variables: 'CEL expressions by name, for use in later ones.',
    },
  },
  'admissionregistration.v1.ValidatingAdmissionPolicyStatus': {
    about: 'Findings about a policy.',
    fields: {
      observedGeneration: 'Generation that the findings are about.',
      typeChecking: 'Findings of the type check; unset until it is done.',
      conditions: 'Conditions of the policy.',
    },
  },
  'admissionregistration.v1.ValidatingWebhook': {
    about: 'A webhook that admits or refuses requests.',
    fields: { ...webhookFields },
  },
  'admissionregistration.v1.ValidatingWebhookConfiguration': {
    about: 'Webhooks that admit or refuse requests.',
    fields: { webhooks: 'The webhooks, called at the same time.' },
  },
  'admissionregistration.v1.Validation': {
    about: 'A condition of a policy.',
    fields: {
      expression:
        'CEL expression on object, oldObject, request, params, namespaceObject and variables that must be true.',
      message: 'Text of the refusal; by default it quotes the expression.',
      reason: 'Reason of the refusal: Unauthorized, Forbidden, Invalid (default) or RequestEntityTooLarge.',
      messageExpression: 'CEL expression that makes the text; it wins over message.',
    },
  },
  'admissionregistration.v1.Variable': {
    about: 'A named CEL expression.',
    fields: {
      name: 'Name, used as variables.name.',
      expression: 'CEL expression, computed when it is first used.',
    },
  },
  'admissionregistration.v1.WebhookClientConfig': {
    about: 'How a webhook is reached; exactly one of url and service is set.',
    fields: {
      url: 'URL of the webhook, with https.',
      service: 'Service of the webhook.',
      caBundle:
        'PEM certificates of the CAs, in base64, that its certificate is verified by; those of the server when unset.',
    },
  },
};
