/**
 * What Go's types and the published OpenAPI of Kubernetes 1.36.3 say about the kinds served here: for each struct its
 * fields in order, their Go type, the texts that they may have, whether zero values are left out, the list type and
 * keys for server-side apply, and patch strategy and merge key for strategic merge patches. Written by schema/extract
 * (a Go program that reads k8s.io/api by reflection and the /openapi/v3 documents of a kube-apiserver); don't edit by
 * hand.
 */
export const schemaData = `
admission.v1.AdmissionRequest
  uid string pb=1
  kind &meta.v1.GroupVersionKind pb=2
  resource &meta.v1.GroupVersionResource pb=3
  subResource string omitempty pb=4
  requestKind *&meta.v1.GroupVersionKind omitempty pb=13
  requestResource *&meta.v1.GroupVersionResource omitempty pb=14
  requestSubResource string omitempty pb=15
  name string omitempty pb=5
  namespace string omitempty pb=6
  operation string pb=7
  userInfo &authentication.v1.UserInfo pb=8
  object raw omitempty pb=9
  oldObject raw omitempty pb=10
  dryRun *bool omitempty pb=11
  options raw omitempty pb=12
admission.v1.AdmissionResponse
  uid string pb=1
  allowed bool pb=2
  status *&meta.v1.Status omitempty pb=3
  patch bytes omitempty pb=4
  patchType *string omitempty pb=5
  auditAnnotations {}string omitempty pb=6
  warnings []string omitempty pb=7
admission.v1.AdmissionReview
  kind string omitempty
  apiVersion string omitempty
  request *&admission.v1.AdmissionRequest omitempty pb=1
  response *&admission.v1.AdmissionResponse omitempty pb=2
admissionregistration.v1.ApplyConfiguration
  expression string omitempty pb=1
admissionregistration.v1.AuditAnnotation
  key string required pb=1
  valueExpression string required pb=2
admissionregistration.v1.ExpressionWarning
  fieldRef string required pb=2
  warning string required pb=3
admissionregistration.v1.JSONPatch
  expression string omitempty pb=1
admissionregistration.v1.MatchCondition
  name string required pb=1
  expression string required pb=2
admissionregistration.v1.MatchResources map=atomic
  namespaceSelector *&meta.v1.LabelSelector omitempty pb=1
  objectSelector *&meta.v1.LabelSelector omitempty pb=2
  resourceRules []&admissionregistration.v1.NamedRuleWithOperations omitempty list=atomic pb=3
  excludeResourceRules []&admissionregistration.v1.NamedRuleWithOperations omitempty list=atomic pb=4
  matchPolicy *string omitempty enum=Equivalent,Exact pb=7
admissionregistration.v1.MutatingAdmissionPolicy
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &admissionregistration.v1.MutatingAdmissionPolicySpec omitempty pb=2
admissionregistration.v1.MutatingAdmissionPolicyBinding
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &admissionregistration.v1.MutatingAdmissionPolicyBindingSpec omitempty pb=2
admissionregistration.v1.MutatingAdmissionPolicyBindingSpec
  policyName string omitempty pb=1
  paramRef *&admissionregistration.v1.ParamRef omitempty pb=2
  matchResources *&admissionregistration.v1.MatchResources omitempty pb=3
admissionregistration.v1.MutatingAdmissionPolicySpec
  paramKind *&admissionregistration.v1.ParamKind omitempty pb=1
  matchConstraints *&admissionregistration.v1.MatchResources omitempty pb=2
  variables []&admissionregistration.v1.Variable omitempty list=atomic pb=3
  mutations []&admissionregistration.v1.Mutation omitempty list=atomic pb=4
  failurePolicy *string omitempty enum=Fail,Ignore pb=5
  matchConditions []&admissionregistration.v1.MatchCondition omitempty list=map keys=name patch=merge mergeKey=name pb=6
  reinvocationPolicy string omitempty enum=IfNeeded,Never pb=7
admissionregistration.v1.MutatingWebhook
  name string required pb=1
  clientConfig &admissionregistration.v1.WebhookClientConfig required pb=2
  rules []&admissionregistration.v1.RuleWithOperations omitempty list=atomic pb=3
  failurePolicy *string omitempty enum=Fail,Ignore pb=4
  matchPolicy *string omitempty enum=Equivalent,Exact pb=9
  namespaceSelector *&meta.v1.LabelSelector omitempty pb=5
  objectSelector *&meta.v1.LabelSelector omitempty pb=11
  sideEffects *string enum=None,NoneOnDryRun,Some,Unknown required pb=6
  timeoutSeconds *int32 omitempty pb=7
  admissionReviewVersions []string list=atomic required pb=8
  reinvocationPolicy *string omitempty enum=IfNeeded,Never pb=10
  matchConditions []&admissionregistration.v1.MatchCondition omitempty list=map keys=name patch=merge mergeKey=name pb=12
admissionregistration.v1.MutatingWebhookConfiguration
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  webhooks []&admissionregistration.v1.MutatingWebhook omitempty list=map keys=name patch=merge mergeKey=name pb=2
admissionregistration.v1.Mutation
  patchType string enum=ApplyConfiguration,JSONPatch required pb=2
  applyConfiguration *&admissionregistration.v1.ApplyConfiguration omitempty pb=3
  jsonPatch *&admissionregistration.v1.JSONPatch omitempty pb=4
admissionregistration.v1.NamedRuleWithOperations map=atomic
  resourceNames []string omitempty list=atomic pb=1
  operations []string omitempty list=atomic pb=2.1
  apiGroups []string omitempty list=atomic pb=2.2.1
  apiVersions []string omitempty list=atomic pb=2.2.2
  resources []string omitempty list=atomic pb=2.2.3
  scope *string omitempty enum=*,Cluster,Namespaced pb=2.2.4
admissionregistration.v1.ParamKind map=atomic
  apiVersion string omitempty pb=1
  kind string omitempty pb=2
admissionregistration.v1.ParamRef map=atomic
  name string omitempty pb=1
  namespace string omitempty pb=2
  selector *&meta.v1.LabelSelector omitempty pb=3
  parameterNotFoundAction *string omitempty pb=4
admissionregistration.v1.RuleWithOperations
  operations []string omitempty list=atomic pb=1
  apiGroups []string omitempty list=atomic pb=2.1
  apiVersions []string omitempty list=atomic pb=2.2
  resources []string omitempty list=atomic pb=2.3
  scope *string omitempty enum=*,Cluster,Namespaced pb=2.4
admissionregistration.v1.ServiceReference
  namespace string required pb=1
  name string required pb=2
  path *string omitempty pb=3
  port *int32 omitempty pb=4
admissionregistration.v1.TypeChecking
  expressionWarnings []&admissionregistration.v1.ExpressionWarning omitempty list=atomic pb=1
admissionregistration.v1.ValidatingAdmissionPolicy
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &admissionregistration.v1.ValidatingAdmissionPolicySpec omitempty pb=2
  status &admissionregistration.v1.ValidatingAdmissionPolicyStatus omitempty pb=3
admissionregistration.v1.ValidatingAdmissionPolicyBinding
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec omitempty required pb=2
admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec
  policyName string omitempty required pb=1
  paramRef *&admissionregistration.v1.ParamRef omitempty pb=2
  matchResources *&admissionregistration.v1.MatchResources omitempty pb=3
  validationActions []string omitempty list=set required pb=4
admissionregistration.v1.ValidatingAdmissionPolicySpec
  paramKind *&admissionregistration.v1.ParamKind omitempty pb=1
  matchConstraints *&admissionregistration.v1.MatchResources omitempty pb=2
  validations []&admissionregistration.v1.Validation omitempty list=atomic pb=3
  failurePolicy *string omitempty enum=Fail,Ignore pb=4
  auditAnnotations []&admissionregistration.v1.AuditAnnotation omitempty list=atomic pb=5
  matchConditions []&admissionregistration.v1.MatchCondition omitempty list=map keys=name patch=merge mergeKey=name pb=6
  variables []&admissionregistration.v1.Variable omitempty list=map keys=name patch=merge mergeKey=name pb=7
admissionregistration.v1.ValidatingAdmissionPolicyStatus
  observedGeneration int64 omitempty pb=1
  typeChecking *&admissionregistration.v1.TypeChecking omitempty pb=2
  conditions []&meta.v1.Condition omitempty list=map keys=type pb=3
admissionregistration.v1.ValidatingWebhook
  name string required pb=1
  clientConfig &admissionregistration.v1.WebhookClientConfig required pb=2
  rules []&admissionregistration.v1.RuleWithOperations omitempty list=atomic pb=3
  failurePolicy *string omitempty enum=Fail,Ignore pb=4
  matchPolicy *string omitempty enum=Equivalent,Exact pb=9
  namespaceSelector *&meta.v1.LabelSelector omitempty pb=5
  objectSelector *&meta.v1.LabelSelector omitempty pb=10
  sideEffects *string enum=None,NoneOnDryRun,Some,Unknown required pb=6
  timeoutSeconds *int32 omitempty pb=7
  admissionReviewVersions []string list=atomic required pb=8
  matchConditions []&admissionregistration.v1.MatchCondition omitempty list=map keys=name patch=merge mergeKey=name pb=11
admissionregistration.v1.ValidatingWebhookConfiguration
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  webhooks []&admissionregistration.v1.ValidatingWebhook omitempty list=map keys=name patch=merge mergeKey=name pb=2
admissionregistration.v1.Validation
  expression string required pb=1
  message string omitempty pb=2
  reason *string omitempty pb=3
  messageExpression string omitempty pb=4
admissionregistration.v1.Variable map=atomic
  name string required pb=1
  expression string required pb=2
admissionregistration.v1.WebhookClientConfig
  url *string omitempty pb=3
  service *&admissionregistration.v1.ServiceReference omitempty pb=1
  caBundle bytes omitempty pb=2
apidiscovery.v2.APIGroupDiscovery
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  versions []&apidiscovery.v2.APIVersionDiscovery omitempty pb=2
apidiscovery.v2.APIGroupDiscoveryList
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ListMeta omitempty pb=1
  items []&apidiscovery.v2.APIGroupDiscovery pb=2
apidiscovery.v2.APIResourceDiscovery
  resource string pb=1
  responseKind *&meta.v1.GroupVersionKind omitempty pb=2
  scope string pb=3
  singularResource string pb=4
  verbs []string pb=5
  shortNames []string omitempty pb=6
  categories []string omitempty pb=7
  subresources []&apidiscovery.v2.APISubresourceDiscovery omitempty pb=8
apidiscovery.v2.APISubresourceDiscovery
  subresource string pb=1
  responseKind *&meta.v1.GroupVersionKind omitempty pb=2
  acceptedTypes []&meta.v1.GroupVersionKind omitempty pb=3
  verbs []string pb=4
apidiscovery.v2.APIVersionDiscovery
  version string pb=1
  resources []&apidiscovery.v2.APIResourceDiscovery omitempty pb=2
  freshness string omitempty pb=3
apiextensions.v1.CustomResourceColumnDefinition
  name string required pb=1
  type string required pb=2
  format string omitempty pb=3
  description string omitempty pb=4
  priority int32 omitempty pb=5
  jsonPath string required pb=6
apiextensions.v1.CustomResourceConversion
  strategy string required pb=1
  webhook *&apiextensions.v1.WebhookConversion omitempty pb=2
apiextensions.v1.CustomResourceDefinition
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &apiextensions.v1.CustomResourceDefinitionSpec required pb=2
  status &apiextensions.v1.CustomResourceDefinitionStatus omitempty pb=3
apiextensions.v1.CustomResourceDefinitionCondition
  type string required pb=1
  status string required pb=2
  lastTransitionTime time omitempty pb=3
  reason string omitempty pb=4
  message string omitempty pb=5
  observedGeneration int64 omitempty pb=6
apiextensions.v1.CustomResourceDefinitionNames
  plural string required pb=1
  singular string omitempty pb=2
  shortNames []string omitempty list=atomic pb=3
  kind string required pb=4
  listKind string omitempty pb=5
  categories []string omitempty list=atomic pb=6
apiextensions.v1.CustomResourceDefinitionSpec
  group string required pb=1
  names &apiextensions.v1.CustomResourceDefinitionNames required pb=3
  scope string required pb=4
  versions []&apiextensions.v1.CustomResourceDefinitionVersion list=atomic required pb=7
  conversion *&apiextensions.v1.CustomResourceConversion omitempty pb=9
  preserveUnknownFields bool omitempty pb=10
apiextensions.v1.CustomResourceDefinitionStatus
  conditions []&apiextensions.v1.CustomResourceDefinitionCondition list=map keys=type pb=1
  acceptedNames &apiextensions.v1.CustomResourceDefinitionNames pb=2
  storedVersions []string list=atomic pb=3
  observedGeneration int64 omitempty pb=4
apiextensions.v1.CustomResourceDefinitionVersion
  name string required pb=1
  served bool required pb=2
  storage bool required pb=3
  deprecated bool omitempty pb=7
  deprecationWarning *string omitempty pb=8
  schema *&apiextensions.v1.CustomResourceValidation omitempty pb=4
  subresources *&apiextensions.v1.CustomResourceSubresources omitempty pb=5
  additionalPrinterColumns []&apiextensions.v1.CustomResourceColumnDefinition omitempty list=atomic pb=6
  selectableFields []&apiextensions.v1.SelectableField omitempty list=atomic pb=9
apiextensions.v1.CustomResourceSubresourceScale
  specReplicasPath string required pb=1
  statusReplicasPath string required pb=2
  labelSelectorPath *string omitempty pb=3
apiextensions.v1.CustomResourceSubresourceStatus
apiextensions.v1.CustomResourceSubresources
  status *&apiextensions.v1.CustomResourceSubresourceStatus omitempty pb=1
  scale *&apiextensions.v1.CustomResourceSubresourceScale omitempty pb=2
apiextensions.v1.CustomResourceValidation
  openAPIV3Schema *&apiextensions.v1.JSONSchemaProps omitempty pb=1
apiextensions.v1.ExternalDocumentation
  description string omitempty pb=1
  url string omitempty pb=2
apiextensions.v1.JSONSchemaProps
  id string omitempty pb=1
  $schema string omitempty pb=2
  $ref *string omitempty pb=3
  description string omitempty pb=4
  type string omitempty pb=5
  format string omitempty pb=6
  title string omitempty pb=7
  default *raw omitempty pb=8
  maximum *float64 omitempty pb=9
  exclusiveMaximum bool omitempty pb=10
  minimum *float64 omitempty pb=11
  exclusiveMinimum bool omitempty pb=12
  maxLength *int64 omitempty pb=13
  minLength *int64 omitempty pb=14
  pattern string omitempty pb=15
  maxItems *int64 omitempty pb=16
  minItems *int64 omitempty pb=17
  uniqueItems bool omitempty pb=18
  multipleOf *float64 omitempty pb=19
  enum []raw omitempty list=atomic pb=20
  maxProperties *int64 omitempty pb=21
  minProperties *int64 omitempty pb=22
  required []string omitempty list=atomic pb=23
  items *raw omitempty pb=24
  allOf []&apiextensions.v1.JSONSchemaProps omitempty list=atomic pb=25
  oneOf []&apiextensions.v1.JSONSchemaProps omitempty list=atomic pb=26
  anyOf []&apiextensions.v1.JSONSchemaProps omitempty list=atomic pb=27
  not *&apiextensions.v1.JSONSchemaProps omitempty pb=28
  properties {}&apiextensions.v1.JSONSchemaProps omitempty pb=29
  additionalProperties *raw omitempty pb=30
  patternProperties {}&apiextensions.v1.JSONSchemaProps omitempty pb=31
  dependencies {}raw omitempty pb=32
  additionalItems *raw omitempty pb=33
  definitions {}&apiextensions.v1.JSONSchemaProps omitempty pb=34
  externalDocs *&apiextensions.v1.ExternalDocumentation omitempty pb=35
  example *raw omitempty pb=36
  nullable bool omitempty pb=37
  x-kubernetes-preserve-unknown-fields *bool omitempty pb=38
  x-kubernetes-embedded-resource bool omitempty pb=39
  x-kubernetes-int-or-string bool omitempty pb=40
  x-kubernetes-list-map-keys []string omitempty list=atomic pb=41
  x-kubernetes-list-type *string omitempty pb=42
  x-kubernetes-map-type *string omitempty pb=43
  x-kubernetes-validations []&apiextensions.v1.ValidationRule omitempty list=map keys=rule patch=merge mergeKey=rule pb=44
apiextensions.v1.SelectableField
  jsonPath string required pb=1
apiextensions.v1.ServiceReference
  namespace string required pb=1
  name string required pb=2
  path *string omitempty pb=3
  port *int32 omitempty pb=4
apiextensions.v1.ValidationRule
  rule string required pb=1
  message string omitempty pb=2
  messageExpression string omitempty pb=3
  reason *string omitempty enum=FieldValueDuplicate,FieldValueForbidden,FieldValueInvalid,FieldValueRequired pb=4
  fieldPath string omitempty pb=5
  optionalOldSelf *bool omitempty pb=6
apiextensions.v1.WebhookClientConfig
  url *string omitempty pb=3
  service *&apiextensions.v1.ServiceReference omitempty pb=1
  caBundle bytes omitempty pb=2
apiextensions.v1.WebhookConversion
  clientConfig *&apiextensions.v1.WebhookClientConfig omitempty pb=2
  conversionReviewVersions []string list=atomic required pb=3
apiregistration.v1.APIService
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &apiregistration.v1.APIServiceSpec omitempty pb=2
  status &apiregistration.v1.APIServiceStatus omitempty pb=3
apiregistration.v1.APIServiceCondition
  type string required pb=1
  status string required pb=2
  lastTransitionTime time omitempty pb=3
  reason string omitempty pb=4
  message string omitempty pb=5
apiregistration.v1.APIServiceSpec
  service *&apiregistration.v1.ServiceReference omitempty pb=1
  group string omitempty pb=2
  version string omitempty pb=3
  insecureSkipTLSVerify bool omitempty pb=4
  caBundle bytes omitempty list=atomic pb=5
  groupPriorityMinimum int32 required pb=7
  versionPriority int32 required pb=8
apiregistration.v1.APIServiceStatus
  conditions []&apiregistration.v1.APIServiceCondition omitempty list=map keys=type patch=merge mergeKey=type pb=1
apiregistration.v1.ServiceReference
  namespace string omitempty pb=1
  name string omitempty pb=2
  port *int32 omitempty pb=3
apps.v1.ControllerRevision
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  data raw omitempty pb=2
  revision int64 required pb=3
apps.v1.DaemonSet
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &apps.v1.DaemonSetSpec omitempty pb=2
  status &apps.v1.DaemonSetStatus omitempty pb=3
apps.v1.DaemonSetCondition
  type string required pb=1
  status string required pb=2
  lastTransitionTime time omitempty pb=3
  reason string omitempty pb=4
  message string omitempty pb=5
apps.v1.DaemonSetSpec
  selector *&meta.v1.LabelSelector required pb=1
  template &core.v1.PodTemplateSpec required pb=2
  updateStrategy &apps.v1.DaemonSetUpdateStrategy omitempty pb=3
  minReadySeconds int32 omitempty pb=4
  revisionHistoryLimit *int32 omitempty pb=6
apps.v1.DaemonSetStatus
  currentNumberScheduled int32 required pb=1
  numberMisscheduled int32 required pb=2
  desiredNumberScheduled int32 required pb=3
  numberReady int32 required pb=4
  observedGeneration int64 omitempty pb=5
  updatedNumberScheduled int32 omitempty pb=6
  numberAvailable int32 omitempty pb=7
  numberUnavailable int32 omitempty pb=8
  collisionCount *int32 omitempty pb=9
  conditions []&apps.v1.DaemonSetCondition omitempty list=map keys=type patch=merge mergeKey=type pb=10
apps.v1.DaemonSetUpdateStrategy
  type string omitempty enum=OnDelete,RollingUpdate pb=1
  rollingUpdate *&apps.v1.RollingUpdateDaemonSet omitempty pb=2
apps.v1.Deployment
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &apps.v1.DeploymentSpec omitempty pb=2
  status &apps.v1.DeploymentStatus omitempty pb=3
apps.v1.DeploymentCondition
  type string required pb=1
  status string required pb=2
  lastUpdateTime time omitempty pb=6
  lastTransitionTime time omitempty pb=7
  reason string omitempty pb=4
  message string omitempty pb=5
apps.v1.DeploymentSpec
  replicas *int32 omitempty pb=1
  selector *&meta.v1.LabelSelector required pb=2
  template &core.v1.PodTemplateSpec required pb=3
  strategy &apps.v1.DeploymentStrategy omitempty patch=retainKeys pb=4
  minReadySeconds int32 omitempty pb=5
  revisionHistoryLimit *int32 omitempty pb=6
  paused bool omitempty pb=7
  progressDeadlineSeconds *int32 omitempty pb=9
apps.v1.DeploymentStatus
  observedGeneration int64 omitempty pb=1
  replicas int32 omitempty pb=2
  updatedReplicas int32 omitempty pb=3
  readyReplicas int32 omitempty pb=7
  availableReplicas int32 omitempty pb=4
  unavailableReplicas int32 omitempty pb=5
  terminatingReplicas *int32 omitempty pb=9
  conditions []&apps.v1.DeploymentCondition omitempty list=map keys=type patch=merge mergeKey=type pb=6
  collisionCount *int32 omitempty pb=8
apps.v1.DeploymentStrategy
  type string omitempty enum=Recreate,RollingUpdate pb=1
  rollingUpdate *&apps.v1.RollingUpdateDeployment omitempty pb=2
apps.v1.ReplicaSet
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &apps.v1.ReplicaSetSpec omitempty pb=2
  status &apps.v1.ReplicaSetStatus omitempty pb=3
apps.v1.ReplicaSetCondition
  type string required pb=1
  status string required pb=2
  lastTransitionTime time omitempty pb=3
  reason string omitempty pb=4
  message string omitempty pb=5
apps.v1.ReplicaSetSpec
  replicas *int32 omitempty pb=1
  minReadySeconds int32 omitempty pb=4
  selector *&meta.v1.LabelSelector required pb=2
  template &core.v1.PodTemplateSpec omitempty pb=3
apps.v1.ReplicaSetStatus
  replicas int32 required pb=1
  fullyLabeledReplicas int32 omitempty pb=2
  readyReplicas int32 omitempty pb=4
  availableReplicas int32 omitempty pb=5
  terminatingReplicas *int32 omitempty pb=7
  observedGeneration int64 omitempty pb=3
  conditions []&apps.v1.ReplicaSetCondition omitempty list=map keys=type patch=merge mergeKey=type pb=6
apps.v1.RollingUpdateDaemonSet
  maxUnavailable *intorstring omitempty pb=1
  maxSurge *intorstring omitempty pb=2
apps.v1.RollingUpdateDeployment
  maxUnavailable *intorstring omitempty pb=1
  maxSurge *intorstring omitempty pb=2
apps.v1.RollingUpdateStatefulSetStrategy
  partition *int32 omitempty pb=1
  maxUnavailable *intorstring omitempty pb=2
apps.v1.StatefulSet
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &apps.v1.StatefulSetSpec omitempty pb=2
  status &apps.v1.StatefulSetStatus omitempty pb=3
apps.v1.StatefulSetCondition
  type string required pb=1
  status string required pb=2
  lastTransitionTime time omitempty pb=3
  reason string omitempty pb=4
  message string omitempty pb=5
apps.v1.StatefulSetOrdinals
  start int32 pb=1
apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy
  whenDeleted string omitempty pb=1
  whenScaled string omitempty pb=2
apps.v1.StatefulSetSpec
  replicas *int32 omitempty pb=1
  selector *&meta.v1.LabelSelector required pb=2
  template &core.v1.PodTemplateSpec required pb=3
  volumeClaimTemplates []&core.v1.PersistentVolumeClaim omitempty list=atomic pb=4
  serviceName string pb=5
  podManagementPolicy string omitempty enum=OrderedReady,Parallel pb=6
  updateStrategy &apps.v1.StatefulSetUpdateStrategy omitempty pb=7
  revisionHistoryLimit *int32 omitempty pb=8
  minReadySeconds int32 omitempty pb=9
  persistentVolumeClaimRetentionPolicy *&apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy omitempty pb=10
  ordinals *&apps.v1.StatefulSetOrdinals omitempty pb=11
apps.v1.StatefulSetStatus
  observedGeneration int64 omitempty pb=1
  replicas int32 required pb=2
  readyReplicas int32 omitempty pb=3
  currentReplicas int32 omitempty pb=4
  updatedReplicas int32 omitempty pb=5
  currentRevision string omitempty pb=6
  updateRevision string omitempty pb=7
  collisionCount *int32 omitempty pb=9
  conditions []&apps.v1.StatefulSetCondition omitempty list=map keys=type patch=merge mergeKey=type pb=10
  availableReplicas int32 pb=11
apps.v1.StatefulSetUpdateStrategy
  type string omitempty enum=OnDelete,RollingUpdate pb=1
  rollingUpdate *&apps.v1.RollingUpdateStatefulSetStrategy omitempty pb=2
authentication.v1.BoundObjectReference
  kind string omitempty pb=1
  apiVersion string omitempty pb=2
  name string omitempty pb=3
  uid string omitempty pb=4
authentication.v1.SelfSubjectReview
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  status &authentication.v1.SelfSubjectReviewStatus omitempty pb=2
authentication.v1.SelfSubjectReviewStatus
  userInfo &authentication.v1.UserInfo omitempty pb=1
authentication.v1.TokenRequest
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &authentication.v1.TokenRequestSpec pb=2
  status &authentication.v1.TokenRequestStatus omitempty pb=3
authentication.v1.TokenRequestSpec
  audiences []string list=atomic pb=1
  expirationSeconds *int64 pb=4
  boundObjectRef *&authentication.v1.BoundObjectReference pb=3
authentication.v1.TokenRequestStatus
  token string pb=1
  expirationTimestamp time pb=2
authentication.v1.TokenReview
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &authentication.v1.TokenReviewSpec required pb=2
  status &authentication.v1.TokenReviewStatus omitempty pb=3
authentication.v1.TokenReviewSpec
  token string omitempty required pb=1
  audiences []string omitempty list=atomic pb=2
authentication.v1.TokenReviewStatus
  authenticated bool omitempty pb=1
  user &authentication.v1.UserInfo omitempty pb=2
  audiences []string omitempty list=atomic pb=4
  error string omitempty pb=3
authentication.v1.UserInfo
  username string omitempty pb=1
  uid string omitempty pb=2
  groups []string omitempty list=atomic pb=3
  extra {}[]string omitempty pb=4
authorization.v1.FieldSelectorAttributes
  rawSelector string omitempty pb=1
  requirements []&meta.v1.FieldSelectorRequirement omitempty list=atomic pb=2
authorization.v1.LabelSelectorAttributes
  rawSelector string omitempty pb=1
  requirements []&meta.v1.LabelSelectorRequirement omitempty list=atomic pb=2
authorization.v1.LocalSubjectAccessReview
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &authorization.v1.SubjectAccessReviewSpec required pb=2
  status &authorization.v1.SubjectAccessReviewStatus omitempty pb=3
authorization.v1.NonResourceAttributes
  path string omitempty pb=1
  verb string omitempty pb=2
authorization.v1.NonResourceRule
  verbs []string list=atomic required pb=1
  nonResourceURLs []string omitempty list=atomic pb=2
authorization.v1.ResourceAttributes
  namespace string omitempty pb=1
  verb string omitempty pb=2
  group string omitempty pb=3
  version string omitempty pb=4
  resource string omitempty pb=5
  subresource string omitempty pb=6
  name string omitempty pb=7
  fieldSelector *&authorization.v1.FieldSelectorAttributes omitempty pb=8
  labelSelector *&authorization.v1.LabelSelectorAttributes omitempty pb=9
authorization.v1.ResourceRule
  verbs []string list=atomic required pb=1
  apiGroups []string omitempty list=atomic pb=2
  resources []string omitempty list=atomic pb=3
  resourceNames []string omitempty list=atomic pb=4
authorization.v1.SelfSubjectAccessReview
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &authorization.v1.SelfSubjectAccessReviewSpec required pb=2
  status &authorization.v1.SubjectAccessReviewStatus omitempty pb=3
authorization.v1.SelfSubjectAccessReviewSpec
  resourceAttributes *&authorization.v1.ResourceAttributes omitempty pb=1
  nonResourceAttributes *&authorization.v1.NonResourceAttributes omitempty pb=2
authorization.v1.SelfSubjectRulesReview
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &authorization.v1.SelfSubjectRulesReviewSpec required pb=2
  status &authorization.v1.SubjectRulesReviewStatus omitempty pb=3
authorization.v1.SelfSubjectRulesReviewSpec
  namespace string omitempty pb=1
authorization.v1.SubjectAccessReview
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &authorization.v1.SubjectAccessReviewSpec required pb=2
  status &authorization.v1.SubjectAccessReviewStatus omitempty pb=3
authorization.v1.SubjectAccessReviewSpec
  resourceAttributes *&authorization.v1.ResourceAttributes omitempty pb=1
  nonResourceAttributes *&authorization.v1.NonResourceAttributes omitempty pb=2
  user string omitempty pb=3
  groups []string omitempty list=atomic pb=4
  extra {}[]string omitempty pb=5
  uid string omitempty pb=6
authorization.v1.SubjectAccessReviewStatus
  allowed bool required pb=1
  denied bool omitempty pb=4
  reason string omitempty pb=2
  evaluationError string omitempty pb=3
authorization.v1.SubjectRulesReviewStatus
  resourceRules []&authorization.v1.ResourceRule list=atomic required pb=1
  nonResourceRules []&authorization.v1.NonResourceRule list=atomic required pb=2
  incomplete bool required pb=3
  evaluationError string omitempty pb=4
autoscaling.v1.ContainerResourceMetricSource
  name string pb=1
  targetAverageUtilization *int32 omitempty pb=2
  targetAverageValue *quantity omitempty pb=3
  container string pb=5
autoscaling.v1.ContainerResourceMetricStatus
  name string pb=1
  currentAverageUtilization *int32 omitempty pb=2
  currentAverageValue quantity pb=3
  container string pb=4
autoscaling.v1.CrossVersionObjectReference map=atomic
  kind string required pb=1
  name string required pb=2
  apiVersion string omitempty pb=3
autoscaling.v1.ExternalMetricSource
  metricName string pb=1
  metricSelector *&meta.v1.LabelSelector omitempty pb=2
  targetValue *quantity omitempty pb=3
  targetAverageValue *quantity omitempty pb=4
autoscaling.v1.ExternalMetricStatus
  metricName string pb=1
  metricSelector *&meta.v1.LabelSelector omitempty pb=2
  currentValue quantity pb=3
  currentAverageValue *quantity omitempty pb=4
autoscaling.v1.HorizontalPodAutoscaler
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &autoscaling.v1.HorizontalPodAutoscalerSpec omitempty required pb=2
  status &autoscaling.v1.HorizontalPodAutoscalerStatus omitempty pb=3
autoscaling.v1.HorizontalPodAutoscalerCondition
  type string pb=1
  status string pb=2
  lastTransitionTime time omitempty pb=3
  reason string omitempty pb=4
  message string omitempty pb=5
autoscaling.v1.HorizontalPodAutoscalerSpec
  scaleTargetRef &autoscaling.v1.CrossVersionObjectReference required pb=1
  minReplicas *int32 omitempty pb=2
  maxReplicas int32 required pb=3
  targetCPUUtilizationPercentage *int32 omitempty pb=4
autoscaling.v1.HorizontalPodAutoscalerStatus
  observedGeneration *int64 omitempty pb=1
  lastScaleTime *time omitempty pb=2
  currentReplicas int32 required pb=3
  desiredReplicas int32 required pb=4
  currentCPUUtilizationPercentage *int32 omitempty pb=5
autoscaling.v1.MetricSpec
  type string pb=1
  object *&autoscaling.v1.ObjectMetricSource omitempty pb=2
  pods *&autoscaling.v1.PodsMetricSource omitempty pb=3
  resource *&autoscaling.v1.ResourceMetricSource omitempty pb=4
  containerResource *&autoscaling.v1.ContainerResourceMetricSource omitempty pb=7
  external *&autoscaling.v1.ExternalMetricSource omitempty pb=5
autoscaling.v1.MetricStatus
  type string pb=1
  object *&autoscaling.v1.ObjectMetricStatus omitempty pb=2
  pods *&autoscaling.v1.PodsMetricStatus omitempty pb=3
  resource *&autoscaling.v1.ResourceMetricStatus omitempty pb=4
  containerResource *&autoscaling.v1.ContainerResourceMetricStatus omitempty pb=7
  external *&autoscaling.v1.ExternalMetricStatus omitempty pb=5
autoscaling.v1.ObjectMetricSource
  target &autoscaling.v1.CrossVersionObjectReference pb=1
  metricName string pb=2
  targetValue quantity pb=3
  selector *&meta.v1.LabelSelector omitempty pb=4
  averageValue *quantity omitempty pb=5
autoscaling.v1.ObjectMetricStatus
  target &autoscaling.v1.CrossVersionObjectReference pb=1
  metricName string pb=2
  currentValue quantity pb=3
  selector *&meta.v1.LabelSelector omitempty pb=4
  averageValue *quantity omitempty pb=5
autoscaling.v1.PodsMetricSource
  metricName string pb=1
  targetAverageValue quantity pb=2
  selector *&meta.v1.LabelSelector omitempty pb=3
autoscaling.v1.PodsMetricStatus
  metricName string pb=1
  currentAverageValue quantity pb=2
  selector *&meta.v1.LabelSelector omitempty pb=3
autoscaling.v1.ResourceMetricSource
  name string pb=1
  targetAverageUtilization *int32 omitempty pb=2
  targetAverageValue *quantity omitempty pb=3
autoscaling.v1.ResourceMetricStatus
  name string pb=1
  currentAverageUtilization *int32 omitempty pb=2
  currentAverageValue quantity pb=3
autoscaling.v1.Scale
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &autoscaling.v1.ScaleSpec omitempty pb=2
  status &autoscaling.v1.ScaleStatus omitempty pb=3
autoscaling.v1.ScaleSpec
  replicas int32 omitempty pb=1
autoscaling.v1.ScaleStatus
  replicas int32 required pb=1
  selector string omitempty pb=2
autoscaling.v2.ContainerResourceMetricSource
  name string required pb=1
  target &autoscaling.v2.MetricTarget required pb=2
  container string required pb=3
autoscaling.v2.ContainerResourceMetricStatus
  name string required pb=1
  current &autoscaling.v2.MetricValueStatus required pb=2
  container string required pb=3
autoscaling.v2.CrossVersionObjectReference
  kind string required pb=1
  name string required pb=2
  apiVersion string omitempty pb=3
autoscaling.v2.ExternalMetricSource
  metric &autoscaling.v2.MetricIdentifier required pb=1
  target &autoscaling.v2.MetricTarget required pb=2
autoscaling.v2.ExternalMetricStatus
  metric &autoscaling.v2.MetricIdentifier required pb=1
  current &autoscaling.v2.MetricValueStatus required pb=2
autoscaling.v2.HPAScalingPolicy
  type string required pb=1
  value int32 required pb=2
  periodSeconds int32 required pb=3
autoscaling.v2.HPAScalingRules
  stabilizationWindowSeconds *int32 omitempty pb=3
  selectPolicy *string omitempty pb=1
  policies []&autoscaling.v2.HPAScalingPolicy omitempty list=atomic pb=2
  tolerance *quantity omitempty pb=4
autoscaling.v2.HorizontalPodAutoscaler
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &autoscaling.v2.HorizontalPodAutoscalerSpec omitempty required pb=2
  status &autoscaling.v2.HorizontalPodAutoscalerStatus omitempty pb=3
autoscaling.v2.HorizontalPodAutoscalerBehavior
  scaleUp *&autoscaling.v2.HPAScalingRules omitempty pb=1
  scaleDown *&autoscaling.v2.HPAScalingRules omitempty pb=2
autoscaling.v2.HorizontalPodAutoscalerCondition
  type string required pb=1
  status string required pb=2
  lastTransitionTime time omitempty pb=3
  reason string omitempty pb=4
  message string omitempty pb=5
autoscaling.v2.HorizontalPodAutoscalerSpec
  scaleTargetRef &autoscaling.v2.CrossVersionObjectReference required pb=1
  minReplicas *int32 omitempty pb=2
  maxReplicas int32 required pb=3
  metrics []&autoscaling.v2.MetricSpec omitempty list=atomic pb=4
  behavior *&autoscaling.v2.HorizontalPodAutoscalerBehavior omitempty pb=5
autoscaling.v2.HorizontalPodAutoscalerStatus
  observedGeneration *int64 omitempty pb=1
  lastScaleTime *time omitempty pb=2
  currentReplicas int32 omitempty pb=3
  desiredReplicas int32 required pb=4
  currentMetrics []&autoscaling.v2.MetricStatus list=atomic pb=5
  conditions []&autoscaling.v2.HorizontalPodAutoscalerCondition omitempty list=map keys=type patch=merge mergeKey=type pb=6
autoscaling.v2.MetricIdentifier
  name string required pb=1
  selector *&meta.v1.LabelSelector omitempty pb=2
autoscaling.v2.MetricSpec
  type string required pb=1
  object *&autoscaling.v2.ObjectMetricSource omitempty pb=2
  pods *&autoscaling.v2.PodsMetricSource omitempty pb=3
  resource *&autoscaling.v2.ResourceMetricSource omitempty pb=4
  containerResource *&autoscaling.v2.ContainerResourceMetricSource omitempty pb=7
  external *&autoscaling.v2.ExternalMetricSource omitempty pb=5
autoscaling.v2.MetricStatus
  type string required pb=1
  object *&autoscaling.v2.ObjectMetricStatus omitempty pb=2
  pods *&autoscaling.v2.PodsMetricStatus omitempty pb=3
  resource *&autoscaling.v2.ResourceMetricStatus omitempty pb=4
  containerResource *&autoscaling.v2.ContainerResourceMetricStatus omitempty pb=7
  external *&autoscaling.v2.ExternalMetricStatus omitempty pb=5
autoscaling.v2.MetricTarget
  type string required pb=1
  value *quantity omitempty pb=2
  averageValue *quantity omitempty pb=3
  averageUtilization *int32 omitempty pb=4
autoscaling.v2.MetricValueStatus
  value *quantity omitempty pb=1
  averageValue *quantity omitempty pb=2
  averageUtilization *int32 omitempty pb=3
autoscaling.v2.ObjectMetricSource
  describedObject &autoscaling.v2.CrossVersionObjectReference required pb=1
  target &autoscaling.v2.MetricTarget required pb=2
  metric &autoscaling.v2.MetricIdentifier required pb=3
autoscaling.v2.ObjectMetricStatus
  metric &autoscaling.v2.MetricIdentifier required pb=1
  current &autoscaling.v2.MetricValueStatus required pb=2
  describedObject &autoscaling.v2.CrossVersionObjectReference required pb=3
autoscaling.v2.PodsMetricSource
  metric &autoscaling.v2.MetricIdentifier required pb=1
  target &autoscaling.v2.MetricTarget required pb=2
autoscaling.v2.PodsMetricStatus
  metric &autoscaling.v2.MetricIdentifier required pb=1
  current &autoscaling.v2.MetricValueStatus required pb=2
autoscaling.v2.ResourceMetricSource
  name string required pb=1
  target &autoscaling.v2.MetricTarget required pb=2
autoscaling.v2.ResourceMetricStatus
  name string required pb=1
  current &autoscaling.v2.MetricValueStatus required pb=2
batch.v1.CronJob
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &batch.v1.CronJobSpec omitempty required pb=2
  status &batch.v1.CronJobStatus omitempty pb=3
batch.v1.CronJobSpec
  schedule string required pb=1
  timeZone *string omitempty pb=8
  startingDeadlineSeconds *int64 omitempty pb=2
  concurrencyPolicy string omitempty enum=Allow,Forbid,Replace pb=3
  suspend *bool omitempty pb=4
  jobTemplate &batch.v1.JobTemplateSpec required pb=5
  successfulJobsHistoryLimit *int32 omitempty pb=6
  failedJobsHistoryLimit *int32 omitempty pb=7
batch.v1.CronJobStatus
  active []&core.v1.ObjectReference omitempty list=atomic pb=1
  lastScheduleTime *time omitempty pb=4
  lastSuccessfulTime *time omitempty pb=5
batch.v1.Job
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &batch.v1.JobSpec omitempty pb=2
  status &batch.v1.JobStatus omitempty pb=3
batch.v1.JobCondition
  type string required pb=1
  status string required pb=2
  lastProbeTime time omitempty pb=3
  lastTransitionTime time omitempty pb=4
  reason string omitempty pb=5
  message string omitempty pb=6
batch.v1.JobSpec
  parallelism *int32 omitempty pb=1
  completions *int32 omitempty pb=2
  activeDeadlineSeconds *int64 omitempty pb=3
  podFailurePolicy *&batch.v1.PodFailurePolicy omitempty pb=11
  successPolicy *&batch.v1.SuccessPolicy omitempty pb=16
  backoffLimit *int32 omitempty pb=7
  backoffLimitPerIndex *int32 omitempty pb=12
  maxFailedIndexes *int32 omitempty pb=13
  selector *&meta.v1.LabelSelector omitempty pb=4
  manualSelector *bool omitempty pb=5
  template &core.v1.PodTemplateSpec required pb=6
  ttlSecondsAfterFinished *int32 omitempty pb=8
  completionMode *string omitempty enum=Indexed,NonIndexed pb=9
  suspend *bool omitempty pb=10
  podReplacementPolicy *string omitempty enum=Failed,TerminatingOrFailed pb=14
  managedBy *string omitempty pb=15
batch.v1.JobStatus
  conditions []&batch.v1.JobCondition omitempty list=atomic patch=merge mergeKey=type pb=1
  startTime *time omitempty pb=2
  completionTime *time omitempty pb=3
  active int32 omitempty pb=4
  succeeded int32 omitempty pb=5
  failed int32 omitempty pb=6
  terminating *int32 omitempty pb=11
  completedIndexes string omitempty pb=7
  failedIndexes *string omitempty pb=10
  uncountedTerminatedPods *&batch.v1.UncountedTerminatedPods omitempty pb=8
  ready *int32 omitempty pb=9
batch.v1.JobTemplateSpec
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &batch.v1.JobSpec omitempty pb=2
batch.v1.PodFailurePolicy
  rules []&batch.v1.PodFailurePolicyRule list=atomic required pb=1
batch.v1.PodFailurePolicyOnExitCodesRequirement
  containerName *string omitempty pb=1
  operator string enum=In,NotIn required pb=2
  values []int32 list=set required pb=3
batch.v1.PodFailurePolicyOnPodConditionsPattern
  type string required pb=1
  status string pb=2
batch.v1.PodFailurePolicyRule
  action string enum=Count,FailIndex,FailJob,Ignore required pb=1
  onExitCodes *&batch.v1.PodFailurePolicyOnExitCodesRequirement omitempty pb=2
  onPodConditions []&batch.v1.PodFailurePolicyOnPodConditionsPattern omitempty list=atomic pb=3
batch.v1.SuccessPolicy
  rules []&batch.v1.SuccessPolicyRule list=atomic required pb=1
batch.v1.SuccessPolicyRule
  succeededIndexes *string omitempty pb=1
  succeededCount *int32 omitempty pb=2
batch.v1.UncountedTerminatedPods
  succeeded []string omitempty list=set pb=1
  failed []string omitempty list=set pb=2
certificates.v1.CertificateSigningRequest
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &certificates.v1.CertificateSigningRequestSpec required pb=2
  status &certificates.v1.CertificateSigningRequestStatus omitempty pb=3
certificates.v1.CertificateSigningRequestCondition
  type string required pb=1
  status string required pb=6
  reason string omitempty pb=2
  message string omitempty pb=3
  lastUpdateTime time omitempty pb=4
  lastTransitionTime time omitempty pb=5
certificates.v1.CertificateSigningRequestSpec
  request bytes required pb=1
  signerName string required pb=7
  expirationSeconds *int32 omitempty pb=8
  usages []string omitempty list=atomic pb=5
  username string omitempty pb=2
  uid string omitempty pb=3
  groups []string omitempty list=atomic pb=4
  extra {}[]string omitempty pb=6
certificates.v1.CertificateSigningRequestStatus
  conditions []&certificates.v1.CertificateSigningRequestCondition omitempty list=map keys=type pb=1
  certificate bytes omitempty pb=2
coordination.v1.Lease
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &coordination.v1.LeaseSpec omitempty pb=2
coordination.v1.LeaseSpec
  holderIdentity *string omitempty pb=1
  leaseDurationSeconds *int32 omitempty pb=2
  acquireTime *microtime omitempty pb=3
  renewTime *microtime omitempty pb=4
  leaseTransitions *int32 omitempty pb=5
  strategy *string omitempty pb=6
  preferredHolder *string omitempty pb=7
core.v1.AWSElasticBlockStoreVolumeSource
  volumeID string required pb=1
  fsType string omitempty pb=2
  partition int32 omitempty pb=3
  readOnly bool omitempty pb=4
core.v1.Affinity
  nodeAffinity *&core.v1.NodeAffinity omitempty pb=1
  podAffinity *&core.v1.PodAffinity omitempty pb=2
  podAntiAffinity *&core.v1.PodAntiAffinity omitempty pb=3
core.v1.AppArmorProfile
  type string enum=Localhost,RuntimeDefault,Unconfined required pb=1
  localhostProfile *string omitempty pb=2
core.v1.AttachedVolume
  name string required pb=1
  devicePath string required pb=2
core.v1.AzureDiskVolumeSource
  diskName string required pb=1
  diskURI string required pb=2
  cachingMode *string omitempty enum=None,ReadOnly,ReadWrite default="ReadWrite" pb=3
  fsType *string omitempty default="ext4" pb=4
  readOnly *bool omitempty pb=5
  kind *string omitempty enum=Dedicated,Managed,Shared default="Shared" pb=6
core.v1.AzureFilePersistentVolumeSource
  secretName string required pb=1
  shareName string required pb=2
  readOnly bool omitempty pb=3
  secretNamespace *string pb=4
core.v1.AzureFileVolumeSource
  secretName string required pb=1
  shareName string required pb=2
  readOnly bool omitempty pb=3
core.v1.Binding
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  target &core.v1.ObjectReference required pb=2
core.v1.CSIPersistentVolumeSource
  driver string required pb=1
  volumeHandle string required pb=2
  readOnly bool omitempty pb=3
  fsType string omitempty pb=4
  volumeAttributes {}string omitempty pb=5
  controllerPublishSecretRef *&core.v1.SecretReference omitempty pb=6
  nodeStageSecretRef *&core.v1.SecretReference omitempty pb=7
  nodePublishSecretRef *&core.v1.SecretReference omitempty pb=8
  controllerExpandSecretRef *&core.v1.SecretReference omitempty pb=9
  nodeExpandSecretRef *&core.v1.SecretReference omitempty pb=10
core.v1.CSIVolumeSource
  driver string required pb=1
  readOnly *bool omitempty pb=2
  fsType *string omitempty pb=3
  volumeAttributes {}string omitempty pb=4
  nodePublishSecretRef *&core.v1.LocalObjectReference omitempty pb=5
core.v1.Capabilities
  add []string omitempty list=atomic pb=1
  drop []string omitempty list=atomic pb=2
core.v1.CephFSPersistentVolumeSource
  monitors []string list=atomic required pb=1
  path string omitempty pb=2
  user string omitempty pb=3
  secretFile string omitempty pb=4
  secretRef *&core.v1.SecretReference omitempty pb=5
  readOnly bool omitempty pb=6
core.v1.CephFSVolumeSource
  monitors []string list=atomic required pb=1
  path string omitempty pb=2
  user string omitempty pb=3
  secretFile string omitempty pb=4
  secretRef *&core.v1.LocalObjectReference omitempty pb=5
  readOnly bool omitempty pb=6
core.v1.CinderPersistentVolumeSource
  volumeID string required pb=1
  fsType string omitempty pb=2
  readOnly bool omitempty pb=3
  secretRef *&core.v1.SecretReference omitempty pb=4
core.v1.CinderVolumeSource
  volumeID string required pb=1
  fsType string omitempty pb=2
  readOnly bool omitempty pb=3
  secretRef *&core.v1.LocalObjectReference omitempty pb=4
core.v1.ClientIPConfig
  timeoutSeconds *int32 omitempty pb=1
core.v1.ClusterTrustBundleProjection
  name *string omitempty pb=1
  signerName *string omitempty pb=2
  labelSelector *&meta.v1.LabelSelector omitempty pb=3
  optional *bool omitempty pb=5
  path string required pb=4
core.v1.ComponentCondition
  type string required pb=1
  status string required pb=2
  message string omitempty pb=3
  error string omitempty pb=4
core.v1.ComponentStatus
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  conditions []&core.v1.ComponentCondition omitempty list=map keys=type patch=merge mergeKey=type pb=2
core.v1.ConfigMap
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  immutable *bool omitempty pb=4
  data {}string omitempty pb=2
  binaryData {}bytes omitempty pb=3
core.v1.ConfigMapEnvSource
  name string omitempty pb=1.1
  optional *bool omitempty pb=2
core.v1.ConfigMapKeySelector map=atomic
  name string omitempty pb=1.1
  key string required pb=2
  optional *bool omitempty pb=3
core.v1.ConfigMapNodeConfigSource
  namespace string required pb=1
  name string required pb=2
  uid string omitempty pb=3
  resourceVersion string omitempty pb=4
  kubeletConfigKey string required pb=5
core.v1.ConfigMapProjection
  name string omitempty pb=1.1
  items []&core.v1.KeyToPath omitempty list=atomic pb=2
  optional *bool omitempty pb=4
core.v1.ConfigMapVolumeSource
  name string omitempty pb=1.1
  items []&core.v1.KeyToPath omitempty list=atomic pb=2
  defaultMode *int32 omitempty pb=3
  optional *bool omitempty pb=4
core.v1.Container
  name string required pb=1
  image string omitempty pb=2
  command []string omitempty list=atomic pb=3
  args []string omitempty list=atomic pb=4
  workingDir string omitempty pb=5
  ports []&core.v1.ContainerPort omitempty list=map keys=containerPort,protocol patch=merge mergeKey=containerPort pb=6
  envFrom []&core.v1.EnvFromSource omitempty list=atomic pb=19
  env []&core.v1.EnvVar omitempty list=map keys=name patch=merge mergeKey=name pb=7
  resources &core.v1.ResourceRequirements omitempty pb=8
  resizePolicy []&core.v1.ContainerResizePolicy omitempty list=atomic pb=23
  restartPolicy *string omitempty pb=24
  restartPolicyRules []&core.v1.ContainerRestartRule omitempty list=atomic pb=25
  volumeMounts []&core.v1.VolumeMount omitempty list=map keys=mountPath patch=merge mergeKey=mountPath pb=9
  volumeDevices []&core.v1.VolumeDevice omitempty list=map keys=devicePath patch=merge mergeKey=devicePath pb=21
  livenessProbe *&core.v1.Probe omitempty pb=10
  readinessProbe *&core.v1.Probe omitempty pb=11
  startupProbe *&core.v1.Probe omitempty pb=22
  lifecycle *&core.v1.Lifecycle omitempty pb=12
  terminationMessagePath string omitempty pb=13
  terminationMessagePolicy string omitempty enum=FallbackToLogsOnError,File pb=20
  imagePullPolicy string omitempty enum=Always,IfNotPresent,Never pb=14
  securityContext *&core.v1.SecurityContext omitempty pb=15
  stdin bool omitempty pb=16
  stdinOnce bool omitempty pb=17
  tty bool omitempty pb=18
core.v1.ContainerExtendedResourceRequest
  containerName string required pb=1
  resourceName string required pb=2
  requestName string required pb=3
core.v1.ContainerImage
  names []string list=atomic pb=1
  sizeBytes int64 omitempty pb=2
core.v1.ContainerPort
  name string omitempty pb=1
  hostPort int32 omitempty pb=2
  containerPort int32 required pb=3
  protocol string omitempty enum=SCTP,TCP,UDP default="TCP" pb=4
  hostIP string omitempty pb=5
core.v1.ContainerResizePolicy
  resourceName string required pb=1
  restartPolicy string required pb=2
core.v1.ContainerRestartRule
  action string omitempty required pb=1
  exitCodes *&core.v1.ContainerRestartRuleOnExitCodes omitempty pb=2
core.v1.ContainerRestartRuleOnExitCodes
  operator string omitempty required pb=1
  values []int32 omitempty list=set pb=2
core.v1.ContainerState
  waiting *&core.v1.ContainerStateWaiting omitempty pb=1
  running *&core.v1.ContainerStateRunning omitempty pb=2
  terminated *&core.v1.ContainerStateTerminated omitempty pb=3
core.v1.ContainerStateRunning
  startedAt time omitempty pb=1
core.v1.ContainerStateTerminated
  exitCode int32 required pb=1
  signal int32 omitempty pb=2
  reason string omitempty pb=3
  message string omitempty pb=4
  startedAt time omitempty pb=5
  finishedAt time omitempty pb=6
  containerID string omitempty pb=7
core.v1.ContainerStateWaiting
  reason string omitempty pb=1
  message string omitempty pb=2
core.v1.ContainerStatus
  name string required pb=1
  state &core.v1.ContainerState omitempty pb=2
  lastState &core.v1.ContainerState omitempty pb=3
  ready bool required pb=4
  restartCount int32 required pb=5
  image string required pb=6
  imageID string required pb=7
  containerID string omitempty pb=8
  started *bool omitempty pb=9
  allocatedResources {}quantity omitempty pb=10
  resources *&core.v1.ResourceRequirements omitempty pb=11
  volumeMounts []&core.v1.VolumeMountStatus omitempty list=map keys=mountPath patch=merge mergeKey=mountPath pb=12
  user *&core.v1.ContainerUser omitempty pb=13
  allocatedResourcesStatus []&core.v1.ResourceStatus omitempty list=map keys=name patch=merge mergeKey=name pb=14
  stopSignal *string omitempty enum=SIGABRT,SIGALRM,SIGBUS,SIGCHLD,SIGCLD,SIGCONT,SIGFPE,SIGHUP,SIGILL,SIGINT,SIGIO,SIGIOT,SIGKILL,SIGPIPE,SIGPOLL,SIGPROF,SIGPWR,SIGQUIT,SIGRTMAX,SIGRTMAX-1,SIGRTMAX-10,SIGRTMAX-11,SIGRTMAX-12,SIGRTMAX-13,SIGRTMAX-14,SIGRTMAX-2,SIGRTMAX-3,SIGRTMAX-4,SIGRTMAX-5,SIGRTMAX-6,SIGRTMAX-7,SIGRTMAX-8,SIGRTMAX-9,SIGRTMIN,SIGRTMIN+1,SIGRTMIN+10,SIGRTMIN+11,SIGRTMIN+12,SIGRTMIN+13,SIGRTMIN+14,SIGRTMIN+15,SIGRTMIN+2,SIGRTMIN+3,SIGRTMIN+4,SIGRTMIN+5,SIGRTMIN+6,SIGRTMIN+7,SIGRTMIN+8,SIGRTMIN+9,SIGSEGV,SIGSTKFLT,SIGSTOP,SIGSYS,SIGTERM,SIGTRAP,SIGTSTP,SIGTTIN,SIGTTOU,SIGURG,SIGUSR1,SIGUSR2,SIGVTALRM,SIGWINCH,SIGXCPU,SIGXFSZ pb=15
core.v1.ContainerUser
  linux *&core.v1.LinuxContainerUser omitempty pb=1
core.v1.DaemonEndpoint
  Port int32 required pb=1
core.v1.DownwardAPIProjection
  items []&core.v1.DownwardAPIVolumeFile omitempty list=atomic pb=1
core.v1.DownwardAPIVolumeFile
  path string required pb=1
  fieldRef *&core.v1.ObjectFieldSelector omitempty pb=2
  resourceFieldRef *&core.v1.ResourceFieldSelector omitempty pb=3
  mode *int32 omitempty pb=4
core.v1.DownwardAPIVolumeSource
  items []&core.v1.DownwardAPIVolumeFile omitempty list=atomic pb=1
  defaultMode *int32 omitempty pb=2
core.v1.EmptyDirVolumeSource
  medium string omitempty pb=1
  sizeLimit *quantity omitempty pb=2
core.v1.EndpointAddress map=atomic
  ip string required pb=1
  hostname string omitempty pb=3
  nodeName *string omitempty pb=4
  targetRef *&core.v1.ObjectReference omitempty pb=2
core.v1.EndpointPort map=atomic
  name string omitempty pb=1
  port int32 required pb=2
  protocol string omitempty enum=SCTP,TCP,UDP pb=3
  appProtocol *string omitempty pb=4
core.v1.EndpointSubset
  addresses []&core.v1.EndpointAddress omitempty list=atomic pb=1
  notReadyAddresses []&core.v1.EndpointAddress omitempty list=atomic pb=2
  ports []&core.v1.EndpointPort omitempty list=atomic pb=3
core.v1.Endpoints
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  subsets []&core.v1.EndpointSubset omitempty list=atomic pb=2
core.v1.EnvFromSource
  prefix string omitempty pb=1
  configMapRef *&core.v1.ConfigMapEnvSource omitempty pb=2
  secretRef *&core.v1.SecretEnvSource omitempty pb=3
core.v1.EnvVar
  name string required pb=1
  value string omitempty pb=2
  valueFrom *&core.v1.EnvVarSource omitempty pb=3
core.v1.EnvVarSource
  fieldRef *&core.v1.ObjectFieldSelector omitempty pb=1
  resourceFieldRef *&core.v1.ResourceFieldSelector omitempty pb=2
  configMapKeyRef *&core.v1.ConfigMapKeySelector omitempty pb=3
  secretKeyRef *&core.v1.SecretKeySelector omitempty pb=4
  fileKeyRef *&core.v1.FileKeySelector omitempty pb=5
core.v1.EphemeralContainer
  name string required pb=1.1
  image string omitempty pb=1.2
  command []string omitempty list=atomic pb=1.3
  args []string omitempty list=atomic pb=1.4
  workingDir string omitempty pb=1.5
  ports []&core.v1.ContainerPort omitempty list=map keys=containerPort,protocol patch=merge mergeKey=containerPort pb=1.6
  envFrom []&core.v1.EnvFromSource omitempty list=atomic pb=1.19
  env []&core.v1.EnvVar omitempty list=map keys=name patch=merge mergeKey=name pb=1.7
  resources &core.v1.ResourceRequirements omitempty pb=1.8
  resizePolicy []&core.v1.ContainerResizePolicy omitempty list=atomic pb=1.23
  restartPolicy *string omitempty pb=1.24
  restartPolicyRules []&core.v1.ContainerRestartRule omitempty list=atomic pb=1.25
  volumeMounts []&core.v1.VolumeMount omitempty list=map keys=mountPath patch=merge mergeKey=mountPath pb=1.9
  volumeDevices []&core.v1.VolumeDevice omitempty list=map keys=devicePath patch=merge mergeKey=devicePath pb=1.21
  livenessProbe *&core.v1.Probe omitempty pb=1.10
  readinessProbe *&core.v1.Probe omitempty pb=1.11
  startupProbe *&core.v1.Probe omitempty pb=1.22
  lifecycle *&core.v1.Lifecycle omitempty pb=1.12
  terminationMessagePath string omitempty pb=1.13
  terminationMessagePolicy string omitempty enum=FallbackToLogsOnError,File pb=1.20
  imagePullPolicy string omitempty enum=Always,IfNotPresent,Never pb=1.14
  securityContext *&core.v1.SecurityContext omitempty pb=1.15
  stdin bool omitempty pb=1.16
  stdinOnce bool omitempty pb=1.17
  tty bool omitempty pb=1.18
  targetContainerName string omitempty pb=2
core.v1.EphemeralVolumeSource
  volumeClaimTemplate *&core.v1.PersistentVolumeClaimTemplate omitempty pb=1
core.v1.Event
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta required pb=1
  involvedObject &core.v1.ObjectReference required pb=2
  reason string omitempty pb=3
  message string omitempty pb=4
  source &core.v1.EventSource omitempty pb=5
  firstTimestamp time omitempty pb=6
  lastTimestamp time omitempty pb=7
  count int32 omitempty pb=8
  type string omitempty pb=9
  eventTime microtime omitempty pb=10
  series *&core.v1.EventSeries omitempty pb=11
  action string omitempty pb=12
  related *&core.v1.ObjectReference omitempty pb=13
  reportingComponent string pb=14
  reportingInstance string pb=15
core.v1.EventSeries
  count int32 omitempty pb=1
  lastObservedTime microtime omitempty pb=2
core.v1.EventSource
  component string omitempty pb=1
  host string omitempty pb=2
core.v1.ExecAction
  command []string omitempty list=atomic pb=1
core.v1.FCVolumeSource
  targetWWNs []string omitempty list=atomic pb=1
  lun *int32 omitempty pb=2
  fsType string omitempty pb=3
  readOnly bool omitempty pb=4
  wwids []string omitempty list=atomic pb=5
core.v1.FileKeySelector map=atomic
  volumeName string required pb=1
  path string required pb=2
  key string required pb=3
  optional *bool omitempty pb=4
core.v1.FlexPersistentVolumeSource
  driver string required pb=1
  fsType string omitempty pb=2
  secretRef *&core.v1.SecretReference omitempty pb=3
  readOnly bool omitempty pb=4
  options {}string omitempty pb=5
core.v1.FlexVolumeSource
  driver string required pb=1
  fsType string omitempty pb=2
  secretRef *&core.v1.LocalObjectReference omitempty pb=3
  readOnly bool omitempty pb=4
  options {}string omitempty pb=5
core.v1.FlockerVolumeSource
  datasetName string omitempty pb=1
  datasetUUID string omitempty pb=2
core.v1.GCEPersistentDiskVolumeSource
  pdName string required pb=1
  fsType string omitempty pb=2
  partition int32 omitempty pb=3
  readOnly bool omitempty pb=4
core.v1.GRPCAction
  port int32 required pb=1
  service *string pb=2
core.v1.GitRepoVolumeSource
  repository string required pb=1
  revision string omitempty pb=2
  directory string omitempty pb=3
core.v1.GlusterfsPersistentVolumeSource
  endpoints string required pb=1
  path string required pb=2
  readOnly bool omitempty pb=3
  endpointsNamespace *string omitempty pb=4
core.v1.GlusterfsVolumeSource
  endpoints string required pb=1
  path string required pb=2
  readOnly bool omitempty pb=3
core.v1.HTTPGetAction
  path string omitempty pb=1
  port intorstring required pb=2
  host string omitempty pb=3
  scheme string omitempty enum=HTTP,HTTPS pb=4
  httpHeaders []&core.v1.HTTPHeader omitempty list=atomic pb=5
core.v1.HTTPHeader
  name string required pb=1
  value string required pb=2
core.v1.HostAlias
  ip string required pb=1
  hostnames []string omitempty list=atomic pb=2
core.v1.HostIP
  ip string required pb=1
core.v1.HostPathVolumeSource
  path string required pb=1
  type *string omitempty enum=,BlockDevice,CharDevice,Directory,DirectoryOrCreate,File,FileOrCreate,Socket pb=2
core.v1.ISCSIPersistentVolumeSource
  targetPortal string required pb=1
  iqn string required pb=2
  lun int32 required pb=3
  iscsiInterface string omitempty default="default" pb=4
  fsType string omitempty pb=5
  readOnly bool omitempty pb=6
  portals []string omitempty list=atomic pb=7
  chapAuthDiscovery bool omitempty pb=8
  chapAuthSession bool omitempty pb=11
  secretRef *&core.v1.SecretReference omitempty pb=10
  initiatorName *string omitempty pb=12
core.v1.ISCSIVolumeSource
  targetPortal string required pb=1
  iqn string required pb=2
  lun int32 required pb=3
  iscsiInterface string omitempty default="default" pb=4
  fsType string omitempty pb=5
  readOnly bool omitempty pb=6
  portals []string omitempty list=atomic pb=7
  chapAuthDiscovery bool omitempty pb=8
  chapAuthSession bool omitempty pb=11
  secretRef *&core.v1.LocalObjectReference omitempty pb=10
  initiatorName *string omitempty pb=12
core.v1.ImageVolumeSource
  reference string omitempty pb=1
  pullPolicy string omitempty enum=Always,IfNotPresent,Never pb=2
core.v1.ImageVolumeStatus
  imageRef string omitempty required pb=1
core.v1.KeyToPath
  key string required pb=1
  path string required pb=2
  mode *int32 omitempty pb=3
core.v1.Lifecycle
  postStart *&core.v1.LifecycleHandler omitempty pb=1
  preStop *&core.v1.LifecycleHandler omitempty pb=2
  stopSignal *string omitempty enum=SIGABRT,SIGALRM,SIGBUS,SIGCHLD,SIGCLD,SIGCONT,SIGFPE,SIGHUP,SIGILL,SIGINT,SIGIO,SIGIOT,SIGKILL,SIGPIPE,SIGPOLL,SIGPROF,SIGPWR,SIGQUIT,SIGRTMAX,SIGRTMAX-1,SIGRTMAX-10,SIGRTMAX-11,SIGRTMAX-12,SIGRTMAX-13,SIGRTMAX-14,SIGRTMAX-2,SIGRTMAX-3,SIGRTMAX-4,SIGRTMAX-5,SIGRTMAX-6,SIGRTMAX-7,SIGRTMAX-8,SIGRTMAX-9,SIGRTMIN,SIGRTMIN+1,SIGRTMIN+10,SIGRTMIN+11,SIGRTMIN+12,SIGRTMIN+13,SIGRTMIN+14,SIGRTMIN+15,SIGRTMIN+2,SIGRTMIN+3,SIGRTMIN+4,SIGRTMIN+5,SIGRTMIN+6,SIGRTMIN+7,SIGRTMIN+8,SIGRTMIN+9,SIGSEGV,SIGSTKFLT,SIGSTOP,SIGSYS,SIGTERM,SIGTRAP,SIGTSTP,SIGTTIN,SIGTTOU,SIGURG,SIGUSR1,SIGUSR2,SIGVTALRM,SIGWINCH,SIGXCPU,SIGXFSZ pb=3
core.v1.LifecycleHandler
  exec *&core.v1.ExecAction omitempty pb=1
  httpGet *&core.v1.HTTPGetAction omitempty pb=2
  tcpSocket *&core.v1.TCPSocketAction omitempty pb=3
  sleep *&core.v1.SleepAction omitempty pb=4
core.v1.LimitRange
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &core.v1.LimitRangeSpec omitempty pb=2
core.v1.LimitRangeItem
  type string required pb=1
  max {}quantity omitempty pb=2
  min {}quantity omitempty pb=3
  default {}quantity omitempty pb=4
  defaultRequest {}quantity omitempty pb=5
  maxLimitRequestRatio {}quantity omitempty pb=6
core.v1.LimitRangeSpec
  limits []&core.v1.LimitRangeItem list=atomic required pb=1
core.v1.LinuxContainerUser
  uid int64 required pb=1
  gid int64 required pb=2
  supplementalGroups []int64 omitempty list=atomic pb=3
core.v1.LoadBalancerIngress
  ip string omitempty pb=1
  hostname string omitempty pb=2
  ipMode *string omitempty pb=3
  ports []&core.v1.PortStatus omitempty list=atomic pb=4
core.v1.LoadBalancerStatus
  ingress []&core.v1.LoadBalancerIngress omitempty list=atomic pb=1
core.v1.LocalObjectReference map=atomic
  name string omitempty default="" pb=1
core.v1.LocalVolumeSource
  path string required pb=1
  fsType *string omitempty pb=2
core.v1.ModifyVolumeStatus
  targetVolumeAttributesClassName string omitempty pb=1
  status string enum=InProgress,Infeasible,Pending required pb=2
core.v1.NFSVolumeSource
  server string required pb=1
  path string required pb=2
  readOnly bool omitempty pb=3
core.v1.Namespace
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &core.v1.NamespaceSpec omitempty pb=2
  status &core.v1.NamespaceStatus omitempty pb=3
core.v1.NamespaceCondition
  type string required pb=1
  status string required pb=2
  lastTransitionTime time omitempty pb=4
  reason string omitempty pb=5
  message string omitempty pb=6
core.v1.NamespaceSpec
  finalizers []string omitempty list=atomic pb=1
core.v1.NamespaceStatus
  phase string omitempty enum=Active,Terminating pb=1
  conditions []&core.v1.NamespaceCondition omitempty list=map keys=type patch=merge mergeKey=type pb=2
core.v1.Node
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &core.v1.NodeSpec omitempty pb=2
  status &core.v1.NodeStatus omitempty pb=3
core.v1.NodeAddress
  type string required pb=1
  address string required pb=2
core.v1.NodeAffinity
  requiredDuringSchedulingIgnoredDuringExecution *&core.v1.NodeSelector omitempty pb=1
  preferredDuringSchedulingIgnoredDuringExecution []&core.v1.PreferredSchedulingTerm omitempty list=atomic pb=2
core.v1.NodeAllocatableResourceClaimStatus
  resourceClaimName string required pb=1
  containers []string omitempty list=set pb=2
  resources {}quantity required pb=3
core.v1.NodeCondition
  type string required pb=1
  status string required pb=2
  lastHeartbeatTime time omitempty pb=3
  lastTransitionTime time omitempty pb=4
  reason string omitempty pb=5
  message string omitempty pb=6
core.v1.NodeConfigSource
  configMap *&core.v1.ConfigMapNodeConfigSource omitempty pb=2
core.v1.NodeConfigStatus
  assigned *&core.v1.NodeConfigSource omitempty pb=1
  active *&core.v1.NodeConfigSource omitempty pb=2
  lastKnownGood *&core.v1.NodeConfigSource omitempty pb=3
  error string omitempty pb=4
core.v1.NodeDaemonEndpoints
  kubeletEndpoint &core.v1.DaemonEndpoint omitempty pb=1
core.v1.NodeFeatures
  supplementalGroupsPolicy *bool omitempty pb=1
core.v1.NodeRuntimeHandler
  name string pb=1
  features *&core.v1.NodeRuntimeHandlerFeatures omitempty pb=2
core.v1.NodeRuntimeHandlerFeatures
  recursiveReadOnlyMounts *bool omitempty pb=1
  userNamespaces *bool omitempty pb=2
core.v1.NodeSelector map=atomic
  nodeSelectorTerms []&core.v1.NodeSelectorTerm list=atomic required pb=1
core.v1.NodeSelectorRequirement
  key string required pb=1
  operator string enum=DoesNotExist,Exists,Gt,In,Lt,NotIn required pb=2
  values []string omitempty list=atomic pb=3
core.v1.NodeSelectorTerm map=atomic
  matchExpressions []&core.v1.NodeSelectorRequirement omitempty list=atomic pb=1
  matchFields []&core.v1.NodeSelectorRequirement omitempty list=atomic pb=2
core.v1.NodeSpec
  podCIDR string omitempty pb=1
  podCIDRs []string omitempty list=set patch=merge pb=7
  providerID string omitempty pb=3
  unschedulable bool omitempty pb=4
  taints []&core.v1.Taint omitempty list=atomic pb=5
  configSource *&core.v1.NodeConfigSource omitempty pb=6
  externalID string omitempty pb=2
core.v1.NodeStatus
  capacity {}quantity omitempty pb=1
  allocatable {}quantity omitempty pb=2
  phase string omitempty enum=Pending,Running,Terminated pb=3
  conditions []&core.v1.NodeCondition omitempty list=map keys=type patch=merge mergeKey=type pb=4
  addresses []&core.v1.NodeAddress omitempty list=map keys=type patch=merge mergeKey=type pb=5
  daemonEndpoints &core.v1.NodeDaemonEndpoints omitempty pb=6
  nodeInfo &core.v1.NodeSystemInfo omitempty pb=7
  images []&core.v1.ContainerImage omitempty list=atomic pb=8
  volumesInUse []string omitempty list=atomic pb=9
  volumesAttached []&core.v1.AttachedVolume omitempty list=atomic pb=10
  config *&core.v1.NodeConfigStatus omitempty pb=11
  runtimeHandlers []&core.v1.NodeRuntimeHandler omitempty list=atomic pb=12
  features *&core.v1.NodeFeatures omitempty pb=13
  declaredFeatures []string omitempty list=atomic pb=14
core.v1.NodeSwapStatus
  capacity *int64 omitempty pb=1
core.v1.NodeSystemInfo
  machineID string required pb=1
  systemUUID string required pb=2
  bootID string required pb=3
  kernelVersion string required pb=4
  osImage string required pb=5
  containerRuntimeVersion string required pb=6
  kubeletVersion string required pb=7
  kubeProxyVersion string required pb=8
  operatingSystem string required pb=9
  architecture string required pb=10
  swap *&core.v1.NodeSwapStatus omitempty pb=11
core.v1.ObjectFieldSelector map=atomic
  apiVersion string omitempty pb=1
  fieldPath string required pb=2
core.v1.ObjectReference map=atomic
  kind string omitempty pb=1
  namespace string omitempty pb=2
  name string omitempty pb=3
  uid string omitempty pb=4
  apiVersion string omitempty pb=5
  resourceVersion string omitempty pb=6
  fieldPath string omitempty pb=7
core.v1.PersistentVolume
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &core.v1.PersistentVolumeSpec omitempty pb=2
  status &core.v1.PersistentVolumeStatus omitempty pb=3
core.v1.PersistentVolumeClaim
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &core.v1.PersistentVolumeClaimSpec omitempty pb=2
  status &core.v1.PersistentVolumeClaimStatus omitempty pb=3
core.v1.PersistentVolumeClaimCondition
  type string required pb=1
  status string required pb=2
  lastProbeTime time omitempty pb=3
  lastTransitionTime time omitempty pb=4
  reason string omitempty pb=5
  message string omitempty pb=6
core.v1.PersistentVolumeClaimSpec
  accessModes []string omitempty list=atomic pb=1
  selector *&meta.v1.LabelSelector omitempty pb=4
  resources &core.v1.VolumeResourceRequirements omitempty pb=2
  volumeName string omitempty pb=3
  storageClassName *string omitempty pb=5
  volumeMode *string omitempty enum=Block,Filesystem pb=6
  dataSource *&core.v1.TypedLocalObjectReference omitempty pb=7
  dataSourceRef *&core.v1.TypedObjectReference omitempty pb=8
  volumeAttributesClassName *string omitempty pb=9
core.v1.PersistentVolumeClaimStatus
  phase string omitempty enum=Bound,Lost,Pending pb=1
  accessModes []string omitempty list=atomic pb=2
  capacity {}quantity omitempty pb=3
  conditions []&core.v1.PersistentVolumeClaimCondition omitempty list=map keys=type patch=merge mergeKey=type pb=4
  allocatedResources {}quantity omitempty pb=5
  allocatedResourceStatuses {}string omitempty map=granular pb=7
  currentVolumeAttributesClassName *string omitempty pb=8
  modifyVolumeStatus *&core.v1.ModifyVolumeStatus omitempty pb=9
core.v1.PersistentVolumeClaimTemplate
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &core.v1.PersistentVolumeClaimSpec required pb=2
core.v1.PersistentVolumeClaimVolumeSource
  claimName string required pb=1
  readOnly bool omitempty pb=2
core.v1.PersistentVolumeSpec
  capacity {}quantity omitempty pb=1
  gcePersistentDisk *&core.v1.GCEPersistentDiskVolumeSource omitempty pb=2.1
  awsElasticBlockStore *&core.v1.AWSElasticBlockStoreVolumeSource omitempty pb=2.2
  hostPath *&core.v1.HostPathVolumeSource omitempty pb=2.3
  glusterfs *&core.v1.GlusterfsPersistentVolumeSource omitempty pb=2.4
  nfs *&core.v1.NFSVolumeSource omitempty pb=2.5
  rbd *&core.v1.RBDPersistentVolumeSource omitempty pb=2.6
  iscsi *&core.v1.ISCSIPersistentVolumeSource omitempty pb=2.7
  cinder *&core.v1.CinderPersistentVolumeSource omitempty pb=2.8
  cephfs *&core.v1.CephFSPersistentVolumeSource omitempty pb=2.9
  fc *&core.v1.FCVolumeSource omitempty pb=2.10
  flocker *&core.v1.FlockerVolumeSource omitempty pb=2.11
  flexVolume *&core.v1.FlexPersistentVolumeSource omitempty pb=2.12
  azureFile *&core.v1.AzureFilePersistentVolumeSource omitempty pb=2.13
  vsphereVolume *&core.v1.VsphereVirtualDiskVolumeSource omitempty pb=2.14
  quobyte *&core.v1.QuobyteVolumeSource omitempty pb=2.15
  azureDisk *&core.v1.AzureDiskVolumeSource omitempty pb=2.16
  photonPersistentDisk *&core.v1.PhotonPersistentDiskVolumeSource omitempty pb=2.17
  portworxVolume *&core.v1.PortworxVolumeSource omitempty pb=2.18
  scaleIO *&core.v1.ScaleIOPersistentVolumeSource omitempty pb=2.19
  local *&core.v1.LocalVolumeSource omitempty pb=2.20
  storageos *&core.v1.StorageOSPersistentVolumeSource omitempty pb=2.21
  csi *&core.v1.CSIPersistentVolumeSource omitempty pb=2.22
  accessModes []string omitempty list=atomic pb=3
  claimRef *&core.v1.ObjectReference omitempty map=granular pb=4
  persistentVolumeReclaimPolicy string omitempty enum=Delete,Recycle,Retain pb=5
  storageClassName string omitempty pb=6
  mountOptions []string omitempty list=atomic pb=7
  volumeMode *string omitempty enum=Block,Filesystem pb=8
  nodeAffinity *&core.v1.VolumeNodeAffinity omitempty pb=9
  volumeAttributesClassName *string omitempty pb=10
core.v1.PersistentVolumeStatus
  phase string omitempty enum=Available,Bound,Failed,Pending,Released pb=1
  message string omitempty pb=2
  reason string omitempty pb=3
  lastPhaseTransitionTime *time omitempty pb=4
core.v1.PhotonPersistentDiskVolumeSource
  pdID string required pb=1
  fsType string omitempty pb=2
core.v1.Pod
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &core.v1.PodSpec omitempty pb=2
  status &core.v1.PodStatus omitempty pb=3
core.v1.PodAffinity
  requiredDuringSchedulingIgnoredDuringExecution []&core.v1.PodAffinityTerm omitempty list=atomic pb=1
  preferredDuringSchedulingIgnoredDuringExecution []&core.v1.WeightedPodAffinityTerm omitempty list=atomic pb=2
core.v1.PodAffinityTerm
  labelSelector *&meta.v1.LabelSelector omitempty pb=1
  namespaces []string omitempty list=atomic pb=2
  topologyKey string required pb=3
  namespaceSelector *&meta.v1.LabelSelector omitempty pb=4
  matchLabelKeys []string omitempty list=atomic pb=5
  mismatchLabelKeys []string omitempty list=atomic pb=6
core.v1.PodAntiAffinity
  requiredDuringSchedulingIgnoredDuringExecution []&core.v1.PodAffinityTerm omitempty list=atomic pb=1
  preferredDuringSchedulingIgnoredDuringExecution []&core.v1.WeightedPodAffinityTerm omitempty list=atomic pb=2
core.v1.PodCertificateProjection
  signerName string omitempty required pb=1
  keyType string omitempty required pb=2
  maxExpirationSeconds *int32 omitempty pb=3
  credentialBundlePath string omitempty pb=4
  keyPath string omitempty pb=5
  certificateChainPath string omitempty pb=6
  userAnnotations {}string omitempty pb=7
core.v1.PodCondition
  type string required pb=1
  observedGeneration int64 omitempty pb=7
  status string required pb=2
  lastProbeTime time omitempty pb=3
  lastTransitionTime time omitempty pb=4
  reason string omitempty pb=5
  message string omitempty pb=6
core.v1.PodDNSConfig
  nameservers []string omitempty list=atomic pb=1
  searches []string omitempty list=atomic pb=2
  options []&core.v1.PodDNSConfigOption omitempty list=atomic pb=3
core.v1.PodDNSConfigOption
  name string omitempty pb=1
  value *string omitempty pb=2
core.v1.PodExtendedResourceClaimStatus
  requestMappings []&core.v1.ContainerExtendedResourceRequest list=atomic required pb=1
  resourceClaimName string required pb=2
core.v1.PodIP
  ip string required pb=1
core.v1.PodOS
  name string required pb=1
core.v1.PodReadinessGate
  conditionType string required pb=1
core.v1.PodResourceClaim
  name string required pb=1
  resourceClaimName *string omitempty pb=3
  resourceClaimTemplateName *string omitempty pb=4
core.v1.PodResourceClaimStatus
  name string required pb=1
  resourceClaimName *string omitempty pb=2
core.v1.PodSchedulingGate
  name string required pb=1
core.v1.PodSchedulingGroup
  podGroupName *string omitempty pb=1
core.v1.PodSecurityContext
  seLinuxOptions *&core.v1.SELinuxOptions omitempty pb=1
  windowsOptions *&core.v1.WindowsSecurityContextOptions omitempty pb=8
  runAsUser *int64 omitempty pb=2
  runAsGroup *int64 omitempty pb=6
  runAsNonRoot *bool omitempty pb=3
  supplementalGroups []int64 omitempty list=atomic pb=4
  supplementalGroupsPolicy *string omitempty enum=Merge,Strict pb=12
  fsGroup *int64 omitempty pb=5
  sysctls []&core.v1.Sysctl omitempty list=atomic pb=7
  fsGroupChangePolicy *string omitempty enum=Always,OnRootMismatch pb=9
  seccompProfile *&core.v1.SeccompProfile omitempty pb=10
  appArmorProfile *&core.v1.AppArmorProfile omitempty pb=11
  seLinuxChangePolicy *string omitempty pb=13
core.v1.PodSpec
  volumes []&core.v1.Volume omitempty list=map keys=name patch=merge,retainKeys mergeKey=name pb=1
  initContainers []&core.v1.Container omitempty list=map keys=name patch=merge mergeKey=name pb=20
  containers []&core.v1.Container list=map keys=name patch=merge mergeKey=name required pb=2
  ephemeralContainers []&core.v1.EphemeralContainer omitempty list=map keys=name patch=merge mergeKey=name pb=34
  restartPolicy string omitempty enum=Always,Never,OnFailure pb=3
  terminationGracePeriodSeconds *int64 omitempty pb=4
  activeDeadlineSeconds *int64 omitempty pb=5
  dnsPolicy string omitempty enum=ClusterFirst,ClusterFirstWithHostNet,Default,None pb=6
  nodeSelector {}string omitempty map=atomic pb=7
  serviceAccountName string omitempty pb=8
  serviceAccount string omitempty pb=9
  automountServiceAccountToken *bool omitempty pb=21
  nodeName string omitempty pb=10
  hostNetwork bool omitempty pb=11
  hostPID bool omitempty pb=12
  hostIPC bool omitempty pb=13
  shareProcessNamespace *bool omitempty pb=27
  securityContext *&core.v1.PodSecurityContext omitempty pb=14
  imagePullSecrets []&core.v1.LocalObjectReference omitempty list=map keys=name patch=merge mergeKey=name pb=15
  hostname string omitempty pb=16
  subdomain string omitempty pb=17
  affinity *&core.v1.Affinity omitempty pb=18
  schedulerName string omitempty pb=19
  tolerations []&core.v1.Toleration omitempty list=atomic pb=22
  hostAliases []&core.v1.HostAlias omitempty list=map keys=ip patch=merge mergeKey=ip pb=23
  priorityClassName string omitempty pb=24
  priority *int32 omitempty pb=25
  dnsConfig *&core.v1.PodDNSConfig omitempty pb=26
  readinessGates []&core.v1.PodReadinessGate omitempty list=atomic pb=28
  runtimeClassName *string omitempty pb=29
  enableServiceLinks *bool omitempty pb=30
  preemptionPolicy *string omitempty enum=Never,PreemptLowerPriority pb=31
  overhead {}quantity omitempty pb=32
  topologySpreadConstraints []&core.v1.TopologySpreadConstraint omitempty list=map keys=topologyKey,whenUnsatisfiable patch=merge mergeKey=topologyKey pb=33
  setHostnameAsFQDN *bool omitempty pb=35
  os *&core.v1.PodOS omitempty pb=36
  hostUsers *bool omitempty pb=37
  schedulingGates []&core.v1.PodSchedulingGate omitempty list=map keys=name patch=merge mergeKey=name pb=38
  resourceClaims []&core.v1.PodResourceClaim omitempty list=map keys=name patch=merge,retainKeys mergeKey=name pb=39
  resources *&core.v1.ResourceRequirements omitempty pb=40
  hostnameOverride *string omitempty pb=41
  schedulingGroup *&core.v1.PodSchedulingGroup omitempty pb=43
core.v1.PodStatus
  observedGeneration int64 omitempty pb=17
  phase string omitempty enum=Failed,Pending,Running,Succeeded,Unknown pb=1
  conditions []&core.v1.PodCondition omitempty list=map keys=type patch=merge mergeKey=type pb=2
  message string omitempty pb=3
  reason string omitempty pb=4
  nominatedNodeName string omitempty pb=11
  hostIP string omitempty pb=5
  hostIPs []&core.v1.HostIP omitempty list=atomic patch=merge mergeKey=ip pb=16
  podIP string omitempty pb=6
  podIPs []&core.v1.PodIP omitempty list=map keys=ip patch=merge mergeKey=ip pb=12
  startTime *time omitempty pb=7
  initContainerStatuses []&core.v1.ContainerStatus omitempty list=atomic pb=10
  containerStatuses []&core.v1.ContainerStatus omitempty list=atomic pb=8
  qosClass string omitempty enum=BestEffort,Burstable,Guaranteed pb=9
  ephemeralContainerStatuses []&core.v1.ContainerStatus omitempty list=atomic pb=13
  resize string omitempty pb=14
  resourceClaimStatuses []&core.v1.PodResourceClaimStatus omitempty list=map keys=name patch=merge,retainKeys mergeKey=name pb=15
  extendedResourceClaimStatus *&core.v1.PodExtendedResourceClaimStatus omitempty pb=18
  allocatedResources {}quantity omitempty pb=19
  resources *&core.v1.ResourceRequirements omitempty pb=20
  nodeAllocatableResourceClaimStatuses []&core.v1.NodeAllocatableResourceClaimStatus omitempty list=atomic pb=21
core.v1.PodTemplate
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  template &core.v1.PodTemplateSpec omitempty pb=2
core.v1.PodTemplateSpec
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &core.v1.PodSpec omitempty pb=2
core.v1.PortStatus
  port int32 required pb=1
  protocol string enum=SCTP,TCP,UDP required pb=2
  error *string omitempty pb=3
core.v1.PortworxVolumeSource
  volumeID string required pb=1
  fsType string omitempty pb=2
  readOnly bool omitempty pb=3
core.v1.PreferredSchedulingTerm
  weight int32 required pb=1
  preference &core.v1.NodeSelectorTerm required pb=2
core.v1.Probe
  exec *&core.v1.ExecAction omitempty pb=1.1
  httpGet *&core.v1.HTTPGetAction omitempty pb=1.2
  tcpSocket *&core.v1.TCPSocketAction omitempty pb=1.3
  grpc *&core.v1.GRPCAction omitempty pb=1.4
  initialDelaySeconds int32 omitempty pb=2
  timeoutSeconds int32 omitempty pb=3
  periodSeconds int32 omitempty pb=4
  successThreshold int32 omitempty pb=5
  failureThreshold int32 omitempty pb=6
  terminationGracePeriodSeconds *int64 omitempty pb=7
core.v1.ProjectedVolumeSource
  sources []&core.v1.VolumeProjection list=atomic pb=1
  defaultMode *int32 omitempty pb=2
core.v1.QuobyteVolumeSource
  registry string required pb=1
  volume string required pb=2
  readOnly bool omitempty pb=3
  user string omitempty pb=4
  group string omitempty pb=5
  tenant string omitempty pb=6
core.v1.RBDPersistentVolumeSource
  monitors []string list=atomic required pb=1
  image string required pb=2
  fsType string omitempty pb=3
  pool string omitempty default="rbd" pb=4
  user string omitempty default="admin" pb=5
  keyring string omitempty default="/etc/ceph/keyring" pb=6
  secretRef *&core.v1.SecretReference omitempty pb=7
  readOnly bool omitempty pb=8
core.v1.RBDVolumeSource
  monitors []string list=atomic required pb=1
  image string required pb=2
  fsType string omitempty pb=3
  pool string omitempty default="rbd" pb=4
  user string omitempty default="admin" pb=5
  keyring string omitempty default="/etc/ceph/keyring" pb=6
  secretRef *&core.v1.LocalObjectReference omitempty pb=7
  readOnly bool omitempty pb=8
core.v1.ReplicationController
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &core.v1.ReplicationControllerSpec omitempty pb=2
  status &core.v1.ReplicationControllerStatus omitempty pb=3
core.v1.ReplicationControllerCondition
  type string required pb=1
  status string required pb=2
  lastTransitionTime time omitempty pb=3
  reason string omitempty pb=4
  message string omitempty pb=5
core.v1.ReplicationControllerSpec
  replicas *int32 omitempty default=1 pb=1
  minReadySeconds int32 omitempty pb=4
  selector {}string omitempty map=atomic pb=2
  template *&core.v1.PodTemplateSpec omitempty pb=3
core.v1.ReplicationControllerStatus
  replicas int32 required pb=1
  fullyLabeledReplicas int32 omitempty pb=2
  readyReplicas int32 omitempty pb=4
  availableReplicas int32 omitempty pb=5
  observedGeneration int64 omitempty pb=3
  conditions []&core.v1.ReplicationControllerCondition omitempty list=map keys=type patch=merge mergeKey=type pb=6
core.v1.ResourceClaim
  name string required pb=1
  request string omitempty pb=2
core.v1.ResourceFieldSelector map=atomic
  containerName string omitempty pb=1
  resource string required pb=2
  divisor quantity omitempty pb=3
core.v1.ResourceHealth
  resourceID string required pb=1
  health string omitempty pb=2
  message *string omitempty pb=6
core.v1.ResourceQuota
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &core.v1.ResourceQuotaSpec omitempty pb=2
  status &core.v1.ResourceQuotaStatus omitempty pb=3
core.v1.ResourceQuotaSpec
  hard {}quantity omitempty pb=1
  scopes []string omitempty list=atomic pb=2
  scopeSelector *&core.v1.ScopeSelector omitempty pb=3
core.v1.ResourceQuotaStatus
  hard {}quantity omitempty pb=1
  used {}quantity omitempty pb=2
core.v1.ResourceRequirements
  limits {}quantity omitempty pb=1
  requests {}quantity omitempty pb=2
  claims []&core.v1.ResourceClaim omitempty list=map keys=name pb=3
core.v1.ResourceStatus
  name string required pb=1
  resources []&core.v1.ResourceHealth omitempty list=map keys=resourceID pb=2
core.v1.SELinuxOptions
  user string omitempty pb=1
  role string omitempty pb=2
  type string omitempty pb=3
  level string omitempty pb=4
core.v1.ScaleIOPersistentVolumeSource
  gateway string required pb=1
  system string required pb=2
  secretRef *&core.v1.SecretReference required pb=3
  sslEnabled bool omitempty pb=4
  protectionDomain string omitempty pb=5
  storagePool string omitempty pb=6
  storageMode string omitempty default="ThinProvisioned" pb=7
  volumeName string omitempty pb=8
  fsType string omitempty default="xfs" pb=9
  readOnly bool omitempty pb=10
core.v1.ScaleIOVolumeSource
  gateway string required pb=1
  system string required pb=2
  secretRef *&core.v1.LocalObjectReference required pb=3
  sslEnabled bool omitempty pb=4
  protectionDomain string omitempty pb=5
  storagePool string omitempty pb=6
  storageMode string omitempty default="ThinProvisioned" pb=7
  volumeName string omitempty pb=8
  fsType string omitempty default="xfs" pb=9
  readOnly bool omitempty pb=10
core.v1.ScopeSelector map=atomic
  matchExpressions []&core.v1.ScopedResourceSelectorRequirement omitempty list=atomic pb=1
core.v1.ScopedResourceSelectorRequirement
  scopeName string enum=BestEffort,CrossNamespacePodAffinity,NotBestEffort,NotTerminating,PriorityClass,Terminating,VolumeAttributesClass required pb=1
  operator string enum=DoesNotExist,Exists,In,NotIn required pb=2
  values []string omitempty list=atomic pb=3
core.v1.SeccompProfile
  type string enum=Localhost,RuntimeDefault,Unconfined required pb=1
  localhostProfile *string omitempty pb=2
core.v1.Secret
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  immutable *bool omitempty pb=5
  data {}bytes omitempty pb=2
  stringData {}string omitempty pb=4
  type string omitempty pb=3
core.v1.SecretEnvSource
  name string omitempty pb=1.1
  optional *bool omitempty pb=2
core.v1.SecretKeySelector map=atomic
  name string omitempty pb=1.1
  key string required pb=2
  optional *bool omitempty pb=3
core.v1.SecretProjection
  name string omitempty pb=1.1
  items []&core.v1.KeyToPath omitempty list=atomic pb=2
  optional *bool omitempty pb=4
core.v1.SecretReference map=atomic
  name string omitempty pb=1
  namespace string omitempty pb=2
core.v1.SecretVolumeSource
  secretName string omitempty pb=1
  items []&core.v1.KeyToPath omitempty list=atomic pb=2
  defaultMode *int32 omitempty pb=3
  optional *bool omitempty pb=4
core.v1.SecurityContext
  capabilities *&core.v1.Capabilities omitempty pb=1
  privileged *bool omitempty pb=2
  seLinuxOptions *&core.v1.SELinuxOptions omitempty pb=3
  windowsOptions *&core.v1.WindowsSecurityContextOptions omitempty pb=10
  runAsUser *int64 omitempty pb=4
  runAsGroup *int64 omitempty pb=8
  runAsNonRoot *bool omitempty pb=5
  readOnlyRootFilesystem *bool omitempty pb=6
  allowPrivilegeEscalation *bool omitempty pb=7
  procMount *string omitempty enum=Default,Unmasked pb=9
  seccompProfile *&core.v1.SeccompProfile omitempty pb=11
  appArmorProfile *&core.v1.AppArmorProfile omitempty pb=12
core.v1.Service
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &core.v1.ServiceSpec omitempty pb=2
  status &core.v1.ServiceStatus omitempty pb=3
core.v1.ServiceAccount
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  secrets []&core.v1.ObjectReference omitempty list=map keys=name patch=merge mergeKey=name pb=2
  imagePullSecrets []&core.v1.LocalObjectReference omitempty list=atomic pb=3
  automountServiceAccountToken *bool omitempty pb=4
core.v1.ServiceAccountTokenProjection
  audience string omitempty pb=1
  expirationSeconds *int64 omitempty pb=2
  path string required pb=3
core.v1.ServicePort
  name string omitempty pb=1
  protocol string omitempty enum=SCTP,TCP,UDP default="TCP" pb=2
  appProtocol *string omitempty pb=6
  port int32 required pb=3
  targetPort intorstring omitempty pb=4
  nodePort int32 omitempty pb=5
core.v1.ServiceSpec
  ports []&core.v1.ServicePort omitempty list=map keys=port,protocol patch=merge mergeKey=port pb=1
  selector {}string omitempty map=atomic pb=2
  clusterIP string omitempty pb=3
  clusterIPs []string omitempty list=atomic pb=18
  type string omitempty enum=ClusterIP,ExternalName,LoadBalancer,NodePort pb=4
  externalIPs []string omitempty list=atomic pb=5
  sessionAffinity string omitempty enum=ClientIP,None pb=7
  loadBalancerIP string omitempty pb=8
  loadBalancerSourceRanges []string omitempty list=atomic pb=9
  externalName string omitempty pb=10
  externalTrafficPolicy string omitempty enum=Cluster,Local pb=11
  healthCheckNodePort int32 omitempty pb=12
  publishNotReadyAddresses bool omitempty pb=13
  sessionAffinityConfig *&core.v1.SessionAffinityConfig omitempty pb=14
  ipFamilies []string omitempty list=atomic pb=19
  ipFamilyPolicy *string omitempty enum=PreferDualStack,RequireDualStack,SingleStack pb=17
  allocateLoadBalancerNodePorts *bool omitempty pb=20
  loadBalancerClass *string omitempty pb=21
  internalTrafficPolicy *string omitempty enum=Cluster,Local pb=22
  trafficDistribution *string omitempty pb=23
core.v1.ServiceStatus
  loadBalancer &core.v1.LoadBalancerStatus omitempty pb=1
  conditions []&meta.v1.Condition omitempty list=map keys=type patch=merge mergeKey=type pb=2
core.v1.SessionAffinityConfig
  clientIP *&core.v1.ClientIPConfig omitempty pb=1
core.v1.SleepAction
  seconds int64 required pb=1
core.v1.StorageOSPersistentVolumeSource
  volumeName string omitempty pb=1
  volumeNamespace string omitempty pb=2
  fsType string omitempty pb=3
  readOnly bool omitempty pb=4
  secretRef *&core.v1.ObjectReference omitempty pb=5
core.v1.StorageOSVolumeSource
  volumeName string omitempty pb=1
  volumeNamespace string omitempty pb=2
  fsType string omitempty pb=3
  readOnly bool omitempty pb=4
  secretRef *&core.v1.LocalObjectReference omitempty pb=5
core.v1.Sysctl
  name string required pb=1
  value string required pb=2
core.v1.TCPSocketAction
  port intorstring required pb=1
  host string omitempty pb=2
core.v1.Taint
  key string required pb=1
  value string omitempty pb=2
  effect string enum=NoExecute,NoSchedule,PreferNoSchedule required pb=3
  timeAdded *time omitempty pb=4
core.v1.Toleration
  key string omitempty pb=1
  operator string omitempty enum=Equal,Exists,Gt,Lt pb=2
  value string omitempty pb=3
  effect string omitempty enum=NoExecute,NoSchedule,PreferNoSchedule pb=4
  tolerationSeconds *int64 omitempty pb=5
core.v1.TopologySelectorLabelRequirement
  key string required pb=1
  values []string list=atomic required pb=2
core.v1.TopologySelectorTerm map=atomic
  matchLabelExpressions []&core.v1.TopologySelectorLabelRequirement omitempty list=atomic pb=1
core.v1.TopologySpreadConstraint
  maxSkew int32 required pb=1
  topologyKey string required pb=2
  whenUnsatisfiable string enum=DoNotSchedule,ScheduleAnyway required pb=3
  labelSelector *&meta.v1.LabelSelector omitempty pb=4
  minDomains *int32 omitempty pb=5
  nodeAffinityPolicy *string omitempty enum=Honor,Ignore pb=6
  nodeTaintsPolicy *string omitempty enum=Honor,Ignore pb=7
  matchLabelKeys []string omitempty list=atomic pb=8
core.v1.TypedLocalObjectReference map=atomic
  apiGroup *string pb=1
  kind string required pb=2
  name string required pb=3
core.v1.TypedObjectReference
  apiGroup *string pb=1
  kind string required pb=2
  name string required pb=3
  namespace *string omitempty pb=4
core.v1.Volume
  name string required pb=1
  hostPath *&core.v1.HostPathVolumeSource omitempty pb=2.1
  emptyDir *&core.v1.EmptyDirVolumeSource omitempty pb=2.2
  gcePersistentDisk *&core.v1.GCEPersistentDiskVolumeSource omitempty pb=2.3
  awsElasticBlockStore *&core.v1.AWSElasticBlockStoreVolumeSource omitempty pb=2.4
  gitRepo *&core.v1.GitRepoVolumeSource omitempty pb=2.5
  secret *&core.v1.SecretVolumeSource omitempty pb=2.6
  nfs *&core.v1.NFSVolumeSource omitempty pb=2.7
  iscsi *&core.v1.ISCSIVolumeSource omitempty pb=2.8
  glusterfs *&core.v1.GlusterfsVolumeSource omitempty pb=2.9
  persistentVolumeClaim *&core.v1.PersistentVolumeClaimVolumeSource omitempty pb=2.10
  rbd *&core.v1.RBDVolumeSource omitempty pb=2.11
  flexVolume *&core.v1.FlexVolumeSource omitempty pb=2.12
  cinder *&core.v1.CinderVolumeSource omitempty pb=2.13
  cephfs *&core.v1.CephFSVolumeSource omitempty pb=2.14
  flocker *&core.v1.FlockerVolumeSource omitempty pb=2.15
  downwardAPI *&core.v1.DownwardAPIVolumeSource omitempty pb=2.16
  fc *&core.v1.FCVolumeSource omitempty pb=2.17
  azureFile *&core.v1.AzureFileVolumeSource omitempty pb=2.18
  configMap *&core.v1.ConfigMapVolumeSource omitempty pb=2.19
  vsphereVolume *&core.v1.VsphereVirtualDiskVolumeSource omitempty pb=2.20
  quobyte *&core.v1.QuobyteVolumeSource omitempty pb=2.21
  azureDisk *&core.v1.AzureDiskVolumeSource omitempty pb=2.22
  photonPersistentDisk *&core.v1.PhotonPersistentDiskVolumeSource omitempty pb=2.23
  projected *&core.v1.ProjectedVolumeSource omitempty pb=2.26
  portworxVolume *&core.v1.PortworxVolumeSource omitempty pb=2.24
  scaleIO *&core.v1.ScaleIOVolumeSource omitempty pb=2.25
  storageos *&core.v1.StorageOSVolumeSource omitempty pb=2.27
  csi *&core.v1.CSIVolumeSource omitempty pb=2.28
  ephemeral *&core.v1.EphemeralVolumeSource omitempty pb=2.29
  image *&core.v1.ImageVolumeSource omitempty pb=2.30
core.v1.VolumeDevice
  name string required pb=1
  devicePath string required pb=2
core.v1.VolumeMount
  name string required pb=1
  readOnly bool omitempty pb=2
  recursiveReadOnly *string omitempty pb=7
  mountPath string required pb=3
  subPath string omitempty pb=4
  mountPropagation *string omitempty enum=Bidirectional,HostToContainer,None pb=5
  subPathExpr string omitempty pb=6
core.v1.VolumeMountStatus
  name string required pb=1
  mountPath string required pb=2
  readOnly bool omitempty pb=3
  recursiveReadOnly *string omitempty pb=4
  volumeStatus *&core.v1.VolumeStatus omitempty pb=5
core.v1.VolumeNodeAffinity
  required *&core.v1.NodeSelector omitempty pb=1
core.v1.VolumeProjection
  secret *&core.v1.SecretProjection omitempty pb=1
  downwardAPI *&core.v1.DownwardAPIProjection omitempty pb=2
  configMap *&core.v1.ConfigMapProjection omitempty pb=3
  serviceAccountToken *&core.v1.ServiceAccountTokenProjection omitempty pb=4
  clusterTrustBundle *&core.v1.ClusterTrustBundleProjection omitempty pb=5
  podCertificate *&core.v1.PodCertificateProjection omitempty pb=6
core.v1.VolumeResourceRequirements
  limits {}quantity omitempty pb=1
  requests {}quantity omitempty pb=2
core.v1.VolumeStatus
  image *&core.v1.ImageVolumeStatus omitempty pb=1
core.v1.VsphereVirtualDiskVolumeSource
  volumePath string required pb=1
  fsType string omitempty pb=2
  storagePolicyName string omitempty pb=3
  storagePolicyID string omitempty pb=4
core.v1.WeightedPodAffinityTerm
  weight int32 required pb=1
  podAffinityTerm &core.v1.PodAffinityTerm required pb=2
core.v1.WindowsSecurityContextOptions
  gmsaCredentialSpecName *string omitempty pb=1
  gmsaCredentialSpec *string omitempty pb=2
  runAsUserName *string omitempty pb=3
  hostProcess *bool omitempty pb=4
discovery.v1.Endpoint
  addresses []string list=set required pb=1
  conditions &discovery.v1.EndpointConditions omitempty pb=2
  hostname *string omitempty pb=3
  targetRef *&core.v1.ObjectReference omitempty pb=4
  deprecatedTopology {}string omitempty pb=5
  nodeName *string omitempty pb=6
  zone *string omitempty pb=7
  hints *&discovery.v1.EndpointHints omitempty pb=8
discovery.v1.EndpointConditions
  ready *bool omitempty pb=1
  serving *bool omitempty pb=2
  terminating *bool omitempty pb=3
discovery.v1.EndpointHints
  forZones []&discovery.v1.ForZone omitempty list=atomic pb=1
  forNodes []&discovery.v1.ForNode omitempty list=atomic pb=2
discovery.v1.EndpointPort map=atomic
  name *string omitempty pb=1
  protocol *string omitempty enum=SCTP,TCP,UDP pb=2
  port *int32 omitempty pb=3
  appProtocol *string omitempty pb=4
discovery.v1.EndpointSlice
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  addressType string enum=FQDN,IPv4,IPv6 required pb=4
  endpoints []&discovery.v1.Endpoint list=atomic pb=2
  ports []&discovery.v1.EndpointPort list=atomic pb=3
discovery.v1.ForNode
  name string required pb=1
discovery.v1.ForZone
  name string required pb=1
events.v1.Event
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta pb=1
  eventTime microtime required pb=2
  series *&events.v1.EventSeries omitempty pb=3
  reportingController string omitempty pb=4
  reportingInstance string omitempty pb=5
  action string omitempty pb=6
  reason string omitempty pb=7
  regarding &core.v1.ObjectReference omitempty pb=8
  related *&core.v1.ObjectReference omitempty pb=9
  note string omitempty pb=10
  type string omitempty pb=11
  deprecatedSource &core.v1.EventSource omitempty pb=12
  deprecatedFirstTimestamp time omitempty pb=13
  deprecatedLastTimestamp time omitempty pb=14
  deprecatedCount int32 omitempty pb=15
events.v1.EventSeries
  count int32 required pb=1
  lastObservedTime microtime required pb=2
flowcontrol.v1.ExemptPriorityLevelConfiguration
  nominalConcurrencyShares *int32 omitempty pb=1
  lendablePercent *int32 omitempty pb=2
flowcontrol.v1.FlowDistinguisherMethod
  type string required pb=1
flowcontrol.v1.FlowSchema
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &flowcontrol.v1.FlowSchemaSpec omitempty pb=2
  status &flowcontrol.v1.FlowSchemaStatus omitempty pb=3
flowcontrol.v1.FlowSchemaCondition
  type string omitempty pb=1
  status string omitempty pb=2
  lastTransitionTime time omitempty pb=3
  reason string omitempty pb=4
  message string omitempty pb=5
flowcontrol.v1.FlowSchemaSpec
  priorityLevelConfiguration &flowcontrol.v1.PriorityLevelConfigurationReference required pb=1
  matchingPrecedence int32 pb=2
  distinguisherMethod *&flowcontrol.v1.FlowDistinguisherMethod omitempty pb=3
  rules []&flowcontrol.v1.PolicyRulesWithSubjects omitempty list=atomic pb=4
flowcontrol.v1.FlowSchemaStatus
  conditions []&flowcontrol.v1.FlowSchemaCondition omitempty list=map keys=type patch=merge mergeKey=type pb=1
flowcontrol.v1.GroupSubject
  name string required pb=1
flowcontrol.v1.LimitResponse
  type string required pb=1
  queuing *&flowcontrol.v1.QueuingConfiguration omitempty pb=2
flowcontrol.v1.LimitedPriorityLevelConfiguration
  nominalConcurrencyShares *int32 pb=1
  limitResponse &flowcontrol.v1.LimitResponse omitempty pb=2
  lendablePercent *int32 omitempty pb=3
  borrowingLimitPercent *int32 omitempty pb=4
flowcontrol.v1.NonResourcePolicyRule
  verbs []string list=set required pb=1
  nonResourceURLs []string list=set required pb=6
flowcontrol.v1.PolicyRulesWithSubjects
  subjects []&flowcontrol.v1.Subject list=atomic required pb=1
  resourceRules []&flowcontrol.v1.ResourcePolicyRule omitempty list=atomic pb=2
  nonResourceRules []&flowcontrol.v1.NonResourcePolicyRule omitempty list=atomic pb=3
flowcontrol.v1.PriorityLevelConfiguration
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &flowcontrol.v1.PriorityLevelConfigurationSpec omitempty pb=2
  status &flowcontrol.v1.PriorityLevelConfigurationStatus omitempty pb=3
flowcontrol.v1.PriorityLevelConfigurationCondition
  type string omitempty pb=1
  status string omitempty pb=2
  lastTransitionTime time omitempty pb=3
  reason string omitempty pb=4
  message string omitempty pb=5
flowcontrol.v1.PriorityLevelConfigurationReference
  name string required pb=1
flowcontrol.v1.PriorityLevelConfigurationSpec
  type string required pb=1
  limited *&flowcontrol.v1.LimitedPriorityLevelConfiguration omitempty pb=2
  exempt *&flowcontrol.v1.ExemptPriorityLevelConfiguration omitempty pb=3
flowcontrol.v1.PriorityLevelConfigurationStatus
  conditions []&flowcontrol.v1.PriorityLevelConfigurationCondition omitempty list=map keys=type patch=merge mergeKey=type pb=1
flowcontrol.v1.QueuingConfiguration
  queues int32 pb=1
  handSize int32 pb=2
  queueLengthLimit int32 pb=3
flowcontrol.v1.ResourcePolicyRule
  verbs []string list=set required pb=1
  apiGroups []string list=set required pb=2
  resources []string list=set required pb=3
  clusterScope bool omitempty pb=4
  namespaces []string list=set pb=5
flowcontrol.v1.ServiceAccountSubject
  namespace string required pb=1
  name string required pb=2
flowcontrol.v1.Subject
  kind string required pb=1
  user *&flowcontrol.v1.UserSubject omitempty pb=2
  group *&flowcontrol.v1.GroupSubject omitempty pb=3
  serviceAccount *&flowcontrol.v1.ServiceAccountSubject omitempty pb=4
flowcontrol.v1.UserSubject
  name string required pb=1
meta.v1.APIGroup
  kind string omitempty
  apiVersion string omitempty
  name string required pb=1
  versions []&meta.v1.GroupVersionForDiscovery list=atomic required pb=2
  preferredVersion &meta.v1.GroupVersionForDiscovery omitempty pb=3
  serverAddressByClientCIDRs []&meta.v1.ServerAddressByClientCIDR omitempty list=atomic pb=4
meta.v1.APIGroupList
  kind string omitempty
  apiVersion string omitempty
  groups []&meta.v1.APIGroup list=atomic required pb=1
meta.v1.APIResource
  name string required pb=1
  singularName string required pb=6
  namespaced bool required pb=2
  group string omitempty pb=8
  version string omitempty pb=9
  kind string required pb=3
  verbs []string required pb=4
  shortNames []string omitempty list=atomic pb=5
  categories []string omitempty list=atomic pb=7
  storageVersionHash string omitempty pb=10
meta.v1.APIResourceList
  kind string omitempty
  apiVersion string omitempty
  groupVersion string required pb=1
  resources []&meta.v1.APIResource list=atomic required pb=2
meta.v1.APIVersions
  kind string omitempty
  apiVersion string omitempty
  versions []string list=atomic required pb=1
  serverAddressByClientCIDRs []&meta.v1.ServerAddressByClientCIDR list=atomic required pb=2
meta.v1.Condition
  type string required pb=1
  status string required pb=2
  observedGeneration int64 omitempty pb=3
  lastTransitionTime time required pb=4
  reason string required pb=5
  message string required pb=6
meta.v1.DeleteOptions
  kind string omitempty
  apiVersion string omitempty
  gracePeriodSeconds *int64 omitempty pb=1
  preconditions *&meta.v1.Preconditions omitempty pb=2
  orphanDependents *bool omitempty pb=3
  propagationPolicy *string omitempty pb=4
  dryRun []string omitempty list=atomic pb=5
  ignoreStoreReadErrorWithClusterBreakingPotential *bool omitempty pb=6
meta.v1.FieldSelectorRequirement
  key string required pb=1
  operator string required pb=2
  values []string omitempty list=atomic pb=3
meta.v1.GroupVersionForDiscovery
  groupVersion string required pb=1
  version string required pb=2
meta.v1.GroupVersionKind
  group string pb=1
  version string pb=2
  kind string pb=3
meta.v1.GroupVersionResource
  group string pb=1
  version string pb=2
  resource string pb=3
meta.v1.LabelSelector map=atomic
  matchLabels {}string omitempty pb=1
  matchExpressions []&meta.v1.LabelSelectorRequirement omitempty list=atomic pb=2
meta.v1.LabelSelectorRequirement
  key string required pb=1
  operator string required pb=2
  values []string omitempty list=atomic pb=3
meta.v1.ListMeta
  selfLink string omitempty pb=1
  resourceVersion string omitempty pb=2
  continue string omitempty pb=3
  remainingItemCount *int64 omitempty pb=4
  shardInfo *&meta.v1.ShardInfo omitempty pb=5
meta.v1.ManagedFieldsEntry
  manager string omitempty pb=1
  operation string omitempty pb=2
  apiVersion string omitempty pb=3
  time *time omitempty pb=4
  fieldsType string omitempty pb=6
  fieldsV1 *raw omitempty pb=7
  subresource string omitempty pb=8
meta.v1.ObjectMeta
  name string omitempty pb=1
  generateName string omitempty pb=2
  namespace string omitempty pb=3
  selfLink string omitempty pb=4
  uid string omitempty pb=5
  resourceVersion string omitempty pb=6
  generation int64 omitempty pb=7
  creationTimestamp time omitempty omitzero pb=8
  deletionTimestamp *time omitempty pb=9
  deletionGracePeriodSeconds *int64 omitempty pb=10
  labels {}string omitempty pb=11
  annotations {}string omitempty pb=12
  ownerReferences []&meta.v1.OwnerReference omitempty list=map keys=uid patch=merge mergeKey=uid pb=13
  finalizers []string omitempty list=set patch=merge pb=14
  managedFields []&meta.v1.ManagedFieldsEntry omitempty list=atomic pb=17
meta.v1.OwnerReference map=atomic
  apiVersion string required pb=5
  kind string required pb=1
  name string required pb=3
  uid string required pb=4
  controller *bool omitempty pb=6
  blockOwnerDeletion *bool omitempty pb=7
meta.v1.PartialObjectMetadata
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
meta.v1.Preconditions
  uid *string omitempty pb=1
  resourceVersion *string omitempty pb=2
meta.v1.ServerAddressByClientCIDR
  clientCIDR string required pb=1
  serverAddress string required pb=2
meta.v1.ShardInfo
  selector string required pb=1
meta.v1.Status
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ListMeta omitempty pb=1
  status string omitempty pb=2
  message string omitempty pb=3
  reason string omitempty pb=4
  details *&meta.v1.StatusDetails omitempty pb=5
  code int32 omitempty pb=6
meta.v1.StatusCause
  reason string omitempty pb=1
  message string omitempty pb=2
  field string omitempty pb=3
meta.v1.StatusDetails
  name string omitempty pb=1
  group string omitempty pb=2
  kind string omitempty pb=3
  uid string omitempty pb=6
  causes []&meta.v1.StatusCause omitempty list=atomic pb=4
  retryAfterSeconds int32 omitempty pb=5
networking.v1.HTTPIngressPath
  path string omitempty pb=1
  pathType *string enum=Exact,ImplementationSpecific,Prefix required pb=3
  backend &networking.v1.IngressBackend required pb=2
networking.v1.HTTPIngressRuleValue
  paths []&networking.v1.HTTPIngressPath list=atomic required pb=1
networking.v1.IPAddress
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &networking.v1.IPAddressSpec omitempty required pb=2
networking.v1.IPAddressSpec
  parentRef *&networking.v1.ParentReference omitempty required pb=1
networking.v1.IPBlock
  cidr string required pb=1
  except []string omitempty list=atomic pb=2
networking.v1.Ingress
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &networking.v1.IngressSpec omitempty pb=2
  status &networking.v1.IngressStatus omitempty pb=3
networking.v1.IngressBackend
  service *&networking.v1.IngressServiceBackend omitempty pb=4
  resource *&core.v1.TypedLocalObjectReference omitempty pb=3
networking.v1.IngressClass
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &networking.v1.IngressClassSpec omitempty pb=2
networking.v1.IngressClassParametersReference
  apiGroup *string omitempty pb=1
  kind string required pb=2
  name string required pb=3
  scope *string pb=4
  namespace *string omitempty pb=5
networking.v1.IngressClassSpec
  controller string omitempty pb=1
  parameters *&networking.v1.IngressClassParametersReference omitempty pb=2
networking.v1.IngressLoadBalancerIngress
  ip string omitempty pb=1
  hostname string omitempty pb=2
  ports []&networking.v1.IngressPortStatus omitempty list=atomic pb=4
networking.v1.IngressLoadBalancerStatus
  ingress []&networking.v1.IngressLoadBalancerIngress omitempty list=atomic pb=1
networking.v1.IngressPortStatus
  port int32 required pb=1
  protocol string enum=SCTP,TCP,UDP required pb=2
  error *string omitempty pb=3
networking.v1.IngressRule
  host string omitempty pb=1
  http *&networking.v1.HTTPIngressRuleValue omitempty pb=2.1
networking.v1.IngressServiceBackend
  name string required pb=1
  port &networking.v1.ServiceBackendPort omitempty pb=2
networking.v1.IngressSpec
  ingressClassName *string omitempty pb=4
  defaultBackend *&networking.v1.IngressBackend omitempty pb=1
  tls []&networking.v1.IngressTLS omitempty list=atomic pb=2
  rules []&networking.v1.IngressRule omitempty list=atomic pb=3
networking.v1.IngressStatus
  loadBalancer &networking.v1.IngressLoadBalancerStatus omitempty pb=1
networking.v1.IngressTLS
  hosts []string omitempty list=atomic pb=1
  secretName string omitempty pb=2
networking.v1.NetworkPolicy
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &networking.v1.NetworkPolicySpec omitempty pb=2
networking.v1.NetworkPolicyEgressRule
  ports []&networking.v1.NetworkPolicyPort omitempty list=atomic pb=1
  to []&networking.v1.NetworkPolicyPeer omitempty list=atomic pb=2
networking.v1.NetworkPolicyIngressRule
  ports []&networking.v1.NetworkPolicyPort omitempty list=atomic pb=1
  from []&networking.v1.NetworkPolicyPeer omitempty list=atomic pb=2
networking.v1.NetworkPolicyPeer
  podSelector *&meta.v1.LabelSelector omitempty pb=1
  namespaceSelector *&meta.v1.LabelSelector omitempty pb=2
  ipBlock *&networking.v1.IPBlock omitempty pb=3
networking.v1.NetworkPolicyPort
  protocol *string omitempty enum=SCTP,TCP,UDP pb=1
  port *intorstring omitempty pb=2
  endPort *int32 omitempty pb=3
networking.v1.NetworkPolicySpec
  podSelector &meta.v1.LabelSelector pb=1
  ingress []&networking.v1.NetworkPolicyIngressRule omitempty list=atomic pb=2
  egress []&networking.v1.NetworkPolicyEgressRule omitempty list=atomic pb=3
  policyTypes []string omitempty list=atomic pb=4
networking.v1.ParentReference
  group string omitempty pb=1
  resource string omitempty required pb=2
  namespace string omitempty pb=3
  name string omitempty required pb=4
networking.v1.ServiceBackendPort map=atomic
  name string omitempty pb=1
  number int32 omitempty pb=2
networking.v1.ServiceCIDR
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &networking.v1.ServiceCIDRSpec omitempty pb=2
  status &networking.v1.ServiceCIDRStatus omitempty pb=3
networking.v1.ServiceCIDRSpec
  cidrs []string omitempty list=atomic pb=1
networking.v1.ServiceCIDRStatus
  conditions []&meta.v1.Condition omitempty list=map keys=type patch=merge mergeKey=type pb=1
node.v1.Overhead
  podFixed {}quantity omitempty pb=1
node.v1.RuntimeClass
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  handler string required pb=2
  overhead *&node.v1.Overhead omitempty pb=3
  scheduling *&node.v1.Scheduling omitempty pb=4
node.v1.Scheduling
  nodeSelector {}string omitempty map=atomic pb=1
  tolerations []&core.v1.Toleration omitempty list=atomic pb=2
policy.v1.Eviction
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  deleteOptions *&meta.v1.DeleteOptions omitempty pb=2
policy.v1.PodDisruptionBudget
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &policy.v1.PodDisruptionBudgetSpec omitempty pb=2
  status &policy.v1.PodDisruptionBudgetStatus omitempty pb=3
policy.v1.PodDisruptionBudgetSpec
  minAvailable *intorstring omitempty pb=1
  selector *&meta.v1.LabelSelector omitempty patch=replace pb=2
  maxUnavailable *intorstring omitempty pb=3
  unhealthyPodEvictionPolicy *string omitempty enum=AlwaysAllow,IfHealthyBudget pb=4
policy.v1.PodDisruptionBudgetStatus
  observedGeneration int64 omitempty pb=1
  disruptedPods {}time omitempty pb=2
  disruptionsAllowed int32 pb=3
  currentHealthy int32 pb=4
  desiredHealthy int32 pb=5
  expectedPods int32 pb=6
  conditions []&meta.v1.Condition omitempty list=map keys=type patch=merge mergeKey=type pb=7
rbac.v1.AggregationRule
  clusterRoleSelectors []&meta.v1.LabelSelector omitempty list=atomic pb=1
rbac.v1.ClusterRole
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  rules []&rbac.v1.PolicyRule list=atomic pb=2
  aggregationRule *&rbac.v1.AggregationRule omitempty pb=3
rbac.v1.ClusterRoleBinding
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  subjects []&rbac.v1.Subject omitempty list=atomic pb=2
  roleRef &rbac.v1.RoleRef required pb=3
rbac.v1.PolicyRule
  verbs []string list=atomic required pb=1
  apiGroups []string omitempty list=atomic pb=2
  resources []string omitempty list=atomic pb=3
  resourceNames []string omitempty list=atomic pb=4
  nonResourceURLs []string omitempty list=atomic pb=5
rbac.v1.Role
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  rules []&rbac.v1.PolicyRule list=atomic pb=2
rbac.v1.RoleBinding
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  subjects []&rbac.v1.Subject omitempty list=atomic pb=2
  roleRef &rbac.v1.RoleRef required pb=3
rbac.v1.RoleRef map=atomic
  apiGroup string pb=1
  kind string required pb=2
  name string required pb=3
rbac.v1.Subject map=atomic
  kind string required pb=1
  apiGroup string omitempty pb=2
  name string required pb=3
  namespace string omitempty pb=4
resource.v1.AllocatedDeviceStatus
  driver string required pb=1
  pool string required pb=2
  device string required pb=3
  shareID *string omitempty pb=7
  conditions []&meta.v1.Condition list=map keys=type pb=4
  data *raw omitempty pb=5
  networkData *&resource.v1.NetworkDeviceData omitempty pb=6
resource.v1.AllocationResult
  devices &resource.v1.DeviceAllocationResult omitempty pb=1
  nodeSelector *&core.v1.NodeSelector omitempty pb=3
  allocationTimestamp *time omitempty pb=5
resource.v1.CELDeviceSelector
  expression string required pb=1
resource.v1.CapacityRequestPolicy
  default *quantity pb=1
  validValues []quantity omitempty list=atomic pb=3
  validRange *&resource.v1.CapacityRequestPolicyRange omitempty pb=4
resource.v1.CapacityRequestPolicyRange
  min *quantity omitempty required pb=1
  max *quantity omitempty pb=2
  step *quantity omitempty pb=3
resource.v1.CapacityRequirements
  requests {}quantity omitempty pb=1
resource.v1.Counter
  value quantity required pb=1
resource.v1.CounterSet
  name string required pb=1
  counters {}&resource.v1.Counter omitempty required pb=2
resource.v1.Device
  name string required pb=1
  attributes {}&resource.v1.DeviceAttribute omitempty pb=2
  capacity {}&resource.v1.DeviceCapacity omitempty pb=3
  consumesCounters []&resource.v1.DeviceCounterConsumption omitempty list=atomic pb=4
  nodeName *string omitempty pb=5
  nodeSelector *&core.v1.NodeSelector omitempty pb=6
  allNodes *bool omitempty pb=7
  taints []&resource.v1.DeviceTaint omitempty list=atomic pb=8
  bindsToNode *bool omitempty pb=9
  bindingConditions []string omitempty list=atomic pb=10
  bindingFailureConditions []string omitempty list=atomic pb=11
  allowMultipleAllocations *bool omitempty pb=12
  nodeAllocatableResourceMappings {}&resource.v1.NodeAllocatableResourceMapping omitempty pb=13
resource.v1.DeviceAllocationConfiguration
  source string enum=FromClaim,FromClass required pb=1
  requests []string omitempty list=atomic pb=2
  opaque *&resource.v1.OpaqueDeviceConfiguration omitempty pb=3.1
resource.v1.DeviceAllocationResult
  results []&resource.v1.DeviceRequestAllocationResult omitempty list=atomic pb=1
  config []&resource.v1.DeviceAllocationConfiguration omitempty list=atomic pb=2
resource.v1.DeviceAttribute
  int *int64 omitempty pb=2
  bool *bool omitempty pb=3
  string *string omitempty pb=4
  version *string omitempty pb=5
  ints []int64 omitempty list=atomic pb=6
  bools []bool omitempty list=atomic pb=7
  strings []string omitempty list=atomic pb=8
  versions []string omitempty list=atomic pb=9
resource.v1.DeviceCapacity
  value quantity required pb=1
  requestPolicy *&resource.v1.CapacityRequestPolicy omitempty pb=2
resource.v1.DeviceClaim
  requests []&resource.v1.DeviceRequest list=atomic pb=1
  constraints []&resource.v1.DeviceConstraint omitempty list=atomic pb=2
  config []&resource.v1.DeviceClaimConfiguration omitempty list=atomic pb=3
resource.v1.DeviceClaimConfiguration
  requests []string omitempty list=atomic pb=1
  opaque *&resource.v1.OpaqueDeviceConfiguration omitempty pb=2.1
resource.v1.DeviceClass
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &resource.v1.DeviceClassSpec required pb=2
resource.v1.DeviceClassConfiguration
  opaque *&resource.v1.OpaqueDeviceConfiguration omitempty pb=1.1
resource.v1.DeviceClassSpec
  selectors []&resource.v1.DeviceSelector omitempty list=atomic pb=1
  config []&resource.v1.DeviceClassConfiguration omitempty list=atomic pb=2
  extendedResourceName *string omitempty pb=4
resource.v1.DeviceConstraint
  requests []string omitempty list=atomic pb=1
  matchAttribute *string omitempty pb=2
  distinctAttribute *string omitempty pb=3
resource.v1.DeviceCounterConsumption
  counterSet string required pb=1
  counters {}&resource.v1.Counter omitempty required pb=2
resource.v1.DeviceRequest
  name string required pb=1
  exactly *&resource.v1.ExactDeviceRequest omitempty pb=2
  firstAvailable []&resource.v1.DeviceSubRequest omitempty list=atomic pb=3
resource.v1.DeviceRequestAllocationResult
  request string required pb=1
  driver string required pb=2
  pool string required pb=3
  device string required pb=4
  adminAccess *bool omitempty pb=5
  tolerations []&resource.v1.DeviceToleration omitempty list=atomic pb=6
  bindingConditions []string omitempty list=atomic pb=7
  bindingFailureConditions []string omitempty list=atomic pb=8
  shareID *string omitempty pb=9
  consumedCapacity {}quantity omitempty pb=10
resource.v1.DeviceSelector
  cel *&resource.v1.CELDeviceSelector omitempty pb=1
resource.v1.DeviceSubRequest
  name string required pb=1
  deviceClassName string required pb=2
  selectors []&resource.v1.DeviceSelector omitempty list=atomic pb=3
  allocationMode string omitempty enum=All,ExactCount pb=4
  count int64 omitempty pb=5
  tolerations []&resource.v1.DeviceToleration omitempty list=atomic pb=6
  capacity *&resource.v1.CapacityRequirements omitempty pb=7
resource.v1.DeviceTaint
  key string required pb=1
  value string omitempty pb=2
  effect string enum=NoExecute,NoSchedule,None required pb=3
  timeAdded *time omitempty pb=4
resource.v1.DeviceToleration
  key string omitempty pb=1
  operator string omitempty enum=Equal,Exists default="Equal" pb=2
  value string omitempty pb=3
  effect string omitempty enum=NoExecute,NoSchedule,None pb=4
  tolerationSeconds *int64 omitempty pb=5
resource.v1.ExactDeviceRequest
  deviceClassName string required pb=1
  selectors []&resource.v1.DeviceSelector omitempty list=atomic pb=2
  allocationMode string omitempty enum=All,ExactCount pb=3
  count int64 omitempty pb=4
  adminAccess *bool omitempty pb=5
  tolerations []&resource.v1.DeviceToleration omitempty list=atomic pb=6
  capacity *&resource.v1.CapacityRequirements omitempty pb=7
resource.v1.NetworkDeviceData
  interfaceName string omitempty pb=1
  ips []string omitempty list=atomic pb=2
  hardwareAddress string omitempty pb=3
resource.v1.NodeAllocatableResourceMapping
  capacityKey *string omitempty pb=1
  allocationMultiplier *quantity omitempty pb=2
resource.v1.OpaqueDeviceConfiguration
  driver string required pb=1
  parameters raw required pb=2
resource.v1.ResourceClaim
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &resource.v1.ResourceClaimSpec required pb=2
  status &resource.v1.ResourceClaimStatus omitempty pb=3
resource.v1.ResourceClaimConsumerReference
  apiGroup string omitempty pb=1
  resource string required pb=3
  name string required pb=4
  uid string required pb=5
resource.v1.ResourceClaimSpec
  devices &resource.v1.DeviceClaim pb=1
resource.v1.ResourceClaimStatus
  allocation *&resource.v1.AllocationResult omitempty pb=1
  reservedFor []&resource.v1.ResourceClaimConsumerReference omitempty list=map keys=uid patch=merge mergeKey=uid pb=2
  devices []&resource.v1.AllocatedDeviceStatus omitempty list=map keys=driver,device,pool,shareID pb=4
resource.v1.ResourceClaimTemplate
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &resource.v1.ResourceClaimTemplateSpec required pb=2
resource.v1.ResourceClaimTemplateSpec
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &resource.v1.ResourceClaimSpec required pb=2
resource.v1.ResourcePool
  name string required pb=1
  generation int64 required pb=2
  resourceSliceCount int64 required pb=3
resource.v1.ResourceSlice
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &resource.v1.ResourceSliceSpec required pb=2
resource.v1.ResourceSliceSpec
  driver string required pb=1
  pool &resource.v1.ResourcePool required pb=2
  nodeName *string omitempty pb=3
  nodeSelector *&core.v1.NodeSelector omitempty pb=4
  allNodes *bool omitempty pb=5
  devices []&resource.v1.Device omitempty list=atomic pb=6
  perDeviceNodeSelection *bool omitempty pb=7
  sharedCounters []&resource.v1.CounterSet omitempty list=atomic pb=8
scheduling.v1.PriorityClass
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  value int32 pb=2
  globalDefault bool omitempty pb=3
  description string omitempty pb=4
  preemptionPolicy *string omitempty enum=Never,PreemptLowerPriority pb=5
storage.v1.CSIDriver
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &storage.v1.CSIDriverSpec required pb=2
storage.v1.CSIDriverSpec
  attachRequired *bool omitempty pb=1
  podInfoOnMount *bool omitempty pb=2
  volumeLifecycleModes []string omitempty list=set pb=3
  storageCapacity *bool omitempty pb=4
  fsGroupPolicy *string omitempty pb=5
  tokenRequests []&storage.v1.TokenRequest omitempty list=atomic pb=6
  requiresRepublish *bool omitempty pb=7
  seLinuxMount *bool omitempty pb=8
  nodeAllocatableUpdatePeriodSeconds *int64 omitempty pb=9
  serviceAccountTokenInSecrets *bool omitempty pb=10
  preventPodSchedulingIfMissing *bool omitempty pb=11
storage.v1.CSINode
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &storage.v1.CSINodeSpec required pb=2
storage.v1.CSINodeDriver
  name string required pb=1
  nodeID string required pb=2
  topologyKeys []string list=atomic pb=3
  allocatable *&storage.v1.VolumeNodeResources omitempty pb=4
storage.v1.CSINodeSpec
  drivers []&storage.v1.CSINodeDriver list=map keys=name patch=merge mergeKey=name required pb=1
storage.v1.CSIStorageCapacity
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  nodeTopology *&meta.v1.LabelSelector omitempty pb=2
  storageClassName string required pb=3
  capacity *quantity omitempty pb=4
  maximumVolumeSize *quantity omitempty pb=5
storage.v1.StorageClass
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  provisioner string required pb=2
  parameters {}string omitempty pb=3
  reclaimPolicy *string omitempty enum=Delete,Recycle,Retain pb=4
  mountOptions []string omitempty list=atomic pb=5
  allowVolumeExpansion *bool omitempty pb=6
  volumeBindingMode *string omitempty enum=Immediate,WaitForFirstConsumer pb=7
  allowedTopologies []&core.v1.TopologySelectorTerm omitempty list=atomic pb=8
storage.v1.TokenRequest
  audience string required pb=1
  expirationSeconds *int64 omitempty pb=2
storage.v1.VolumeAttachment
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  spec &storage.v1.VolumeAttachmentSpec required pb=2
  status &storage.v1.VolumeAttachmentStatus omitempty pb=3
storage.v1.VolumeAttachmentSource
  persistentVolumeName *string omitempty pb=1
  inlineVolumeSpec *&core.v1.PersistentVolumeSpec omitempty pb=2
storage.v1.VolumeAttachmentSpec
  attacher string required pb=1
  source &storage.v1.VolumeAttachmentSource required pb=2
  nodeName string required pb=3
storage.v1.VolumeAttachmentStatus
  attached bool required pb=1
  attachmentMetadata {}string omitempty pb=2
  attachError *&storage.v1.VolumeError omitempty pb=3
  detachError *&storage.v1.VolumeError omitempty pb=4
storage.v1.VolumeAttributesClass
  kind string omitempty
  apiVersion string omitempty
  metadata &meta.v1.ObjectMeta omitempty pb=1
  driverName string required pb=2
  parameters {}string omitempty pb=3
storage.v1.VolumeError
  time time omitempty pb=1
  message string omitempty pb=2
  errorCode *int32 omitempty pb=3
storage.v1.VolumeNodeResources
  count *int32 omitempty pb=1
`;
